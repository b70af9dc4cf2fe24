#include "platforms/output/firmware_log.hpp"

#include <cstdio>

namespace tessera {

void FirmwareLog::record(const std::string& line, Picoseconds at) {
  if (!file_) file_.emplace(path_);
  char time[40];
  const int length = std::snprintf(time, sizeof time, "%14.6f ms  ", static_cast<double>(at.value()) * 1e-9);
  file_->append({time, static_cast<std::size_t>(length)});
  file_->append(line);
  file_->append("\n");
}

void FirmwareLog::close() {
  if (file_) file_->close();
}

}  // namespace tessera
