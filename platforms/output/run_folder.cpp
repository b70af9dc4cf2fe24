#include "platforms/output/run_folder.hpp"

#include <array>
#include <system_error>

namespace tessera {

namespace {

/// All that a run writes, or the Python package beside it, but the effective description: that one is no result, and a
/// run may be made from it. The summary goes first: nothing of a later run is ever seen with it.
constexpr std::array<std::string_view, 13> results{"summary.json",    "run.toml",     "run.json",       "requests.npy", "events.csv",
                                                   "intervals.csv",   "tracks.csv",   "blocks.csv",     "bands.csv",    "compare.json",
                                                   "simulation.json", "firmware.log", "completions.csv"};

constexpr std::string_view description = "drive.toml";

}  // namespace

void make_way(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::file_status found = std::filesystem::symlink_status(path, error);
  const bool stays = !std::filesystem::exists(found) || std::filesystem::is_regular_file(found) || std::filesystem::is_directory(found);
  if (!stays) std::filesystem::remove(path, error);
  if (error && error != std::errc::no_such_file_or_directory) throw output_error("remove", path, error.value());
}

RunFolder::RunFolder(std::filesystem::path path) : path_(std::move(path)) {
  std::error_code error;
  made_ = !std::filesystem::exists(path_, error);
  std::filesystem::create_directories(path_, error);
  if (error) throw output_error("create folder", path_, error.value());
  lock_ = std::make_unique<FolderLock>(path_);
  for (const std::string_view name : results) {
    make_way(file(name));
    if (replaceable(file(name))) std::filesystem::remove(file(name), error);
    if (!error) std::filesystem::remove(partial_name(file(name)), error);
    if (error) throw output_error("remove", file(name), error.value());
  }
}

RunFolder::~RunFolder() {
  if (begun_) return;
  std::error_code error;  // nothing can be said here; what cannot be removed stays
  for (const char* record : {"run.toml", "run.json", "firmware.log"}) std::filesystem::remove(file(record), error);
  if (made_) std::filesystem::remove(file(description), error);  // one that was there may be what the run was made from
  lock_.reset();
  if (made_) std::filesystem::remove(path_, error);
}

void RunFolder::write(std::string_view name, std::string_view text, Keep keep) const {
  make_way(file(name));
  make_way(partial_name(file(name)));
  OutputFile out(file(name), keep);
  out.append(text);
  out.close();
}

std::vector<std::string_view> RunFolder::names() {
  std::vector<std::string_view> all(results.begin(), results.end());
  all.insert(all.end(), {description, FolderLock::name});
  return all;
}

}  // namespace tessera
