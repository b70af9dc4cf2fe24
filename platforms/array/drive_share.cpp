#include "platforms/array/drive_share.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <numeric>

#include "base/error.hpp"
#include "platforms/output/output_file.hpp"

namespace tessera {

namespace {

constexpr std::size_t fields = 7;
constexpr std::size_t kept_bytes = std::size_t{1} << 16;  // before they are written: a file is open for that long only

std::filesystem::path share_of(const std::filesystem::path& folder, std::size_t drive) { return folder / (std::to_string(drive) + ".csv"); }

class Shares {
 public:
  Shares(const std::filesystem::path& folder, std::size_t drives) : folder_(folder), texts_(drives) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) throw output_error("create folder", folder, error.value());
    for (std::size_t drive = 0; drive < drives; ++drive) write(drive, std::ios::trunc);
  }

  void add(std::size_t drive, std::uint64_t number, const TraceRecord& record, Bytes offset, Bytes size) {
    const std::array<std::uint64_t, fields> line{number,
                                                 record.arrival.value(),
                                                 record.spans,
                                                 static_cast<std::uint64_t>(record.op),
                                                 offset.value(),
                                                 size.value(),
                                                 record.force_unit_access ? 1U : 0U};
    std::string& text = texts_[drive];
    for (const std::uint64_t value : line) text += std::to_string(value) + ",";
    text.back() = '\n';
    if (text.size() > kept_bytes) write(drive, std::ios::app);
  }
  void end() {
    for (std::size_t drive = 0; drive < texts_.size(); ++drive) write(drive, std::ios::app);
  }

 private:
  void write(std::size_t drive, std::ios::openmode mode) {
    std::ofstream file(share_of(folder_, drive), mode);
    file << texts_[drive];
    if (!file.flush()) throw output_error("write", share_of(folder_, drive), errno);
    texts_[drive].clear();
  }

  std::filesystem::path folder_;
  std::vector<std::string> texts_;
};

}  // namespace

void write_shares(TraceSource& input, const std::vector<Bytes>& drives, Picoseconds length, const std::filesystem::path& folder) {
  Shares shares(folder, drives.size());
  std::vector<Bytes> ends(drives.size());
  std::partial_sum(drives.begin(), drives.end(), ends.begin());
  std::uint64_t number = 0;
  TraceRecord record;
  for (bool over = false; !over && input.next(record); ++number) {
    over = length != Picoseconds(0) && record.time() >= LongTime(length);
    if (record.size == Bytes(0)) {
      for (std::size_t drive = 0; drive < drives.size(); ++drive) shares.add(drive, number, record, Bytes(0), Bytes(0));
      continue;
    }
    auto drive = static_cast<std::size_t>(std::ranges::upper_bound(ends, record.offset) - ends.begin());
    for (Bytes from = record.offset; from < record.end(); from = ends[drive++])
      shares.add(drive, number, record, from - (ends[drive] - drives[drive]), std::min(record.end(), ends[drive]) - from);
  }
  shares.end();
}

DriveShare::DriveShare(const std::filesystem::path& file, std::vector<std::uint64_t>& numbers)
    : path_(file), file_(file), numbers_(numbers) {
  if (!file_)
    throw InputError("window.shares: there is no " + file.string() + "; expected what --plan with the same window.shares has written");
}

bool DriveShare::next(TraceRecord& record) {
  std::string line;
  if (!std::getline(file_, line)) return false;
  std::array<std::uint64_t, fields> values{};
  const char* at = line.data();
  for (std::uint64_t& value : values) {
    const auto [end, error] = std::from_chars(at, line.data() + line.size(), value);
    if (error != std::errc()) throw InputError(position() + ": expected 7 whole numbers, found \"" + line + "\"");
    at = end == line.data() + line.size() ? end : end + 1;
  }
  record = {};
  numbers_.push_back(values[0]);
  record.arrival = Picoseconds(values[1]);
  record.spans = static_cast<std::uint32_t>(values[2]);
  record.op = static_cast<HostOp>(values[3]);
  record.offset = Bytes(values[4]);
  record.size = Bytes(values[5]);
  record.force_unit_access = values[6] != 0;
  return true;
}

}  // namespace tessera
