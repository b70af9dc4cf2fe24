#pragma once
// events.csv: one line for each begin or end of a merge, cleaning or read-modify-write, each fault and each power cut.
#include <filesystem>
#include <string_view>

#include "base/long_time.hpp"
#include "base/units.hpp"
#include "firmware/ports/cpu_port.hpp"
#include "platforms/output/output_file.hpp"

namespace tessera {

/// Columns: time_ps,kind,edge,subject,amount (FirmwareEvent says what they mean); edge is begin, end or instant.
/// Lines stand in order of the calls; times of CPU and devices may interleave within an interrupt's latency.
class EventLog {
 public:
  explicit EventLog(const std::filesystem::path& path);

  void record(Picoseconds time, const FirmwareEvent& event);
  /// `by` passes that later instants leave out.
  void rest(Picoseconds by) { rested_ += by; }
  [[nodiscard]] bool failed() const { return file_.failed(); }
  void close() { file_.close(); }

 private:
  OutputFile file_;
  LongTime rested_;
};

}  // namespace tessera
