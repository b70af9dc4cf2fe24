#include "platforms/output/run_folder.hpp"

#include <unistd.h>

#include <array>
#include <system_error>

#include "platforms/output/output_file.hpp"

namespace tessera {

namespace {

/// All that a run or a comparison writes, or the Python package beside it, but the effective description: that one is no result, and a
/// run may be made from it.
constexpr std::array<std::string_view, 11> results{"summary.json",  "command.json",    "requests.npy", "events.csv",
                                                   "intervals.csv", "tracks.csv",      "blocks.csv",   "bands.csv",
                                                   "compare.json",  "simulation.json", "firmware.log"};

}  // namespace

RunFolder::RunFolder(std::filesystem::path path) : path_(std::move(path)) {
  std::error_code error;
  std::filesystem::create_directories(path_, error);
  if (error) throw output_error("create folder", path_, error.value());
  const std::filesystem::path probe = file(".writable-" + std::to_string(::getpid()));
  OutputFile(probe).close();
  std::filesystem::remove(probe, error);
  for (const std::string_view name : results) {
    if (replaceable(file(name))) std::filesystem::remove(file(name), error);
    std::filesystem::remove(partial_name(file(name)), error);
  }
}

void RunFolder::write(std::string_view name, std::string_view text) const {
  OutputFile out(file(name));
  out.append(text);
  out.close();
}

}  // namespace tessera
