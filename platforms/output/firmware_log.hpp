#pragma once
// firmware.log: the lines that a firmware image sends over its serial line, each behind its simulated time. There is none where it sends
// none.
#include <filesystem>
#include <optional>
#include <string>

#include "base/units.hpp"
#include "platforms/output/output_file.hpp"

namespace tessera {

class FirmwareLog {
 public:
  explicit FirmwareLog(std::filesystem::path path) : path_(std::move(path)) {}

  void record(const std::string& line, Picoseconds at);
  void close();

 private:
  std::filesystem::path path_;
  std::optional<OutputFile> file_;
};

}  // namespace tessera
