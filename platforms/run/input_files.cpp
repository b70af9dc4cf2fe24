#include "platforms/run/input_files.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <iostream>

#include "base/error.hpp"
#include "platforms/output/summary.hpp"
#include "platforms/run/input.hpp"
#include "stimuli/readers/trace_files.hpp"

namespace tessera {

namespace {

namespace fs = std::filesystem;

enum class Look : std::uint8_t { at_content, at_path };

class List {
 public:
  explicit List(Look look) : look_(look) {}
  void add(const std::string& role, const std::string& name, const fs::path& file) {
    std::error_code error;
    if (look_ == Look::at_path) return static_cast<void>(files_.push_back({role, name, file, {}, ""}));
    if (!fs::exists(file, error)) throw input_error(file.string(), 0, "no such file");
    if (fs::is_directory(file, error)) throw input_error(file.string(), 0, "is a folder; expected a file");
    InputFile& entry = files_.emplace_back(InputFile{role, name, fs::canonical(file, error), {}, ""});
    if (error) entry.path = fs::absolute(file);  // the pipe behind /dev/stdin has no path of its own
    if (!fs::is_regular_file(file, error)) return;
    const ContentHash hash = content_hash(file.string());
    entry.bytes = hash.bytes();
    entry.sha256 = hash.text();
  }
  void add(const std::string& role, const fs::path& file) {
    if (!file.empty()) add(role, file.string(), file);
  }
  /// A description and all that it extends.
  void add(const std::string& role, const std::string& name, const TomlDocument& document) {
    bool first = true;
    for (const fs::path& file : document.files()) add(role, std::exchange(first, false) ? name : file.stem().string(), file);
  }
  std::vector<InputFile> take() { return std::move(files_); }

 private:
  Look look_;
  std::vector<InputFile> files_;
};

void add_input(List& list, const cli::RunOptions& options, const SearchPath& search) {
  if (options.trace) {
    const TraceFiles files = files_of_trace(options.trace->file.string(), reading_of(*options.trace).format);
    for (const std::string& file : files.content) list.add("trace", file);
    list.add("columns", files.columns);
  } else if (!options.workload.empty()) {
    const fs::path file = search.find(DescriptionFile::workload, options.workload);
    if (!fs::is_regular_file(file)) return list.add("workload", options.workload, file);  // what is read here would be gone for the run
    list.add("workload", options.workload, search.load(DescriptionFile::workload, options.workload));
    list.add("offsets", load_workload(search, options.workload).offsets);
  }
}

void add_drive(List& list, const cli::RunOptions& options, const TomlDocument& drive) {
  list.add("drive", options.drive, drive);
  list.add("firmware", options.firmware.file);
  list.add("image", options.firmware.image);
}

}  // namespace

std::vector<InputFile> input_files(const cli::RunOptions& options, const SearchPath& search) {
  return input_files(options, search.load(DescriptionFile::drive, options.drive), search);
}

std::vector<InputFile> input_files(const cli::RunOptions& options, const TomlDocument& drive, const SearchPath& search) {
  List list(Look::at_content);
  add_drive(list, options, drive);
  add_input(list, options, search);
  list.add("state", options.load_state);
  return list.take();
}

std::vector<InputFile> input_paths(const cli::RunOptions& options, const SearchPath& search) {
  List list(Look::at_path);
  const auto as_far_as_it_goes = [](const auto& look) {
    try {
      look();
    } catch (const InputError&) {  // which the run will meet
    }
  };
  TomlDocument drive;
  as_far_as_it_goes([&] {
    if (fs::is_regular_file(search.find(DescriptionFile::drive, options.drive))) drive = search.load(DescriptionFile::drive, options.drive);
  });
  add_drive(list, options, drive);
  as_far_as_it_goes([&] { add_input(list, options, search); });
  list.add("state", options.load_state);
  return list.take();
}

void add_digest_of_pipe(std::vector<InputFile>& files, const ContentHash& of_pipe) {
  if (!of_pipe.complete()) return;
  for (InputFile& file : files) {
    if (file.role != "trace" || file.bytes) continue;
    file.bytes = of_pipe.bytes();
    file.sha256 = of_pipe.text();
  }
}

boost::json::array to_json(const std::vector<InputFile>& files) {
  boost::json::array list;
  for (const InputFile& file : files) {
    boost::json::object entry{
        {"role", file.role}, {"name", file.name}, {"path", file.path.string()}, {"bytes", nullptr}, {"sha256", nullptr}};
    if (file.bytes) {
      entry["bytes"] = *file.bytes;
      entry["sha256"] = file.sha256;
    }
    list.push_back(std::move(entry));
  }
  return list;
}

void require_digest(const cli::FirmwareOption& firmware) {
  if (firmware.digest.empty()) return;
  const fs::path& file = firmware.image.empty() ? firmware.file : firmware.image;
  std::error_code error;
  if (!fs::is_regular_file(file, error)) throw input_error(file.string(), 0, "expected firmware with a digest; there is no such file");
  if (const std::string found = content_hash(file.string()).text(); found != firmware.digest)
    throw input_error(file.string(), 0,
                      "this is not the firmware that was asked for: its SHA-256 is " + found + ", and --firmware-digest says " +
                          firmware.digest + "; nothing of it was loaded");
}

int print_input_files(const std::vector<InputFile>& files) {
  constexpr int a_line_a_file = 2;
  std::cout << json_text(boost::json::object{{"schema", 1}, {"tool", "tessera-sim " TESSERA_VERSION}, {"inputs", to_json(files)}},
                         a_line_a_file);
  return 0;
}

}  // namespace tessera
