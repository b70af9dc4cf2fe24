#pragma once
// Small files in a folder of their own, and what reading them gives.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "stimuli/readers/open_trace.hpp"
#include "stimuli/readers/trace_format.hpp"

namespace tessera::test {

/// A folder that lives as long as the test case.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("tessera_readers_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] std::string path(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, std::string_view content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }

 private:
  std::filesystem::path path_;
};

inline std::vector<TraceRecord> read_all(TraceSource& source) {
  std::vector<TraceRecord> records;
  for (TraceRecord record; source.next(record);) records.push_back(record);
  return records;
}

inline std::vector<TraceRecord> read_all(const std::string& path, const std::string& format) {
  return read_all(*open_trace_file(path, format));
}

/// The message of the InputError that `action` ends with, without "FOLDER/"; "" if there is none.
template <class Action>
std::string error_of(const Folder& folder, Action action) {
  try {
    action();
  } catch (const InputError& error) {
    std::string text = error.what();
    const std::string prefix = folder.path("");
    for (auto at = text.find(prefix); at != std::string::npos; at = text.find(prefix)) text.erase(at, prefix.size());
    return text;
  }
  return "";
}

inline std::string reading_error(const std::string& content, const std::string& format) {
  const Folder folder;
  const auto path = folder.write("t", content);
  return error_of(folder, [&] { read_all(path, format); });
}

/// A source over records in memory.
class Records : public TraceSource {
 public:
  explicit Records(std::vector<TraceRecord> records) : records_(std::move(records)) {}
  bool next(TraceRecord& record) override {
    if (next_ == records_.size()) return false;
    record = records_[next_++];
    return true;
  }
  [[nodiscard]] std::string position() const override { return "t:" + std::to_string(next_); }
  [[nodiscard]] std::string volume_name(std::uint32_t volume) const override { return "vol_" + std::to_string(volume); }
  [[nodiscard]] std::vector<std::string> notes() const override { return {}; }

 private:
  std::vector<TraceRecord> records_;
  std::size_t next_ = 0;
};

inline TraceRecord record(std::uint64_t ps, HostOp op, std::uint64_t offset, std::uint64_t size, std::uint32_t volume = 0,
                          bool fua = false) {
  return {Picoseconds(ps), op, fua, volume, Bytes(offset), Bytes(size)};
}

}  // namespace tessera::test

namespace tessera {

inline std::ostream& operator<<(std::ostream& out, const TraceRecord& r) {
  return out << "{" << r.arrival.value() << " ps, op " << static_cast<int>(r.op) << (r.force_unit_access ? " FUA" : "") << ", volume "
             << r.volume << ", " << r.offset.value() << " + " << r.size.value() << "}";
}

}  // namespace tessera
