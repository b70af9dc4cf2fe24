#pragma once
// What watches a run: waveforms, events.csv, intervals.csv, requests.npy, the progress line. A probe that was not asked for
// is not attached, and costs its device a null test.
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "base/waveform.hpp"
#include "platforms/drive/drive_module.hpp"
#include "platforms/output/event_log.hpp"
#include "platforms/output/intervals.hpp"
#include "platforms/output/progress.hpp"
#include "platforms/output/requests_log.hpp"
#include "platforms/run/simulation.hpp"

namespace tessera {

struct WaveformConfig {
  std::filesystem::path file;
  std::optional<std::pair<Picoseconds, Picoseconds>> window;
  std::string trigger;  ///< kind of a firmware event, or "request:N"
  Picoseconds before;
  Picoseconds after;
};

struct ProbesConfig {
  std::filesystem::path folder;
  bool requests = false;
  bool events = false;
  std::optional<IntervalLength> intervals;
  std::optional<WaveformConfig> waveform;
  std::optional<std::uint64_t> expected_requests;
};

class Probes final : private RequestObserver, private CpuObserver {
 public:
  /// Attaches to drive and simulation; throws OutputError where a file cannot be made.
  Probes(const ProbesConfig& config, DriveModule& drive, Simulation& simulation);
  ~Probes() override;

  /// Closes every file; throws OutputError. Returns sentences about what was asked for and did not happen.
  std::vector<std::string> finish();

 private:
  class Waves;

  void on_complete(const HostRequest& request, Picoseconds now) override;
  void firmware_event(const FirmwareEvent& event, Picoseconds at) override;
  void cpu_ran(Picoseconds from, Picoseconds to, bool background) override;

  DriveModule& drive_;
  Simulation& simulation_;
  Progress progress_;
  std::optional<RequestsLog> requests_;
  std::optional<EventLog> events_;
  std::optional<IntervalsLog> intervals_;
  std::unique_ptr<Waves> waves_;
  std::string trigger_;
  std::optional<std::uint64_t> trigger_request_;
  std::set<std::string> seen_events_;
};

}  // namespace tessera
