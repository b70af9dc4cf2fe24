#pragma once
// What watches a drive at work, for a run or for clients: waveforms, events.csv, intervals.csv, requests.npy, tracks.csv, blocks.csv and
// bands.csv. A probe that was not asked for is not attached, and costs its device a null test.
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "base/signal.hpp"
#include "platforms/cli/options.hpp"
#include "platforms/drive/drive_module.hpp"
#include "platforms/output/band_log.hpp"
#include "platforms/output/event_log.hpp"
#include "platforms/output/intervals.hpp"
#include "platforms/output/requests_log.hpp"
#include "platforms/run/place_log.hpp"
#include "stimuli/player/request_observer.hpp"

namespace tessera {

/// What is recorded of the drive's signals: everything, what falls into the windows, or what lies around the trigger.
struct RecordConfig {
  std::filesystem::path vcd, fst, timeline;  ///< "" where not wanted
  bool vcd_words = false;                    ///< with GTKWave's strings
  std::vector<std::string> signals;          ///< patterns; none: all
  std::vector<std::pair<Picoseconds, Picoseconds>> windows;
  std::string trigger;  ///< kind of a firmware event, "request:N", "latency>TIME", "SIGNAL>N" or "SIGNAL<N"
  Picoseconds before;
  Picoseconds after;
};

struct ProbesConfig {
  std::filesystem::path folder;
  bool requests = false;
  bool events = false;
  bool places = false;
  std::optional<IntervalLength> intervals;
  std::optional<RecordConfig> record;
};

/// The recordings that a command line asks for.
[[nodiscard]] std::optional<RecordConfig> record_config(const std::optional<cli::RecordOptions>& options);

/// The logs and recordings that a command line asks for, of a run or a server.
template <class Options>
[[nodiscard]] ProbesConfig probes_config(const Options& options) {
  ProbesConfig config;
  config.folder = options.out;
  config.requests = options.requests;
  config.events = options.events;
  config.places = options.places;
  if (options.intervals) config.intervals = IntervalLength{options.intervals->time, options.intervals->requests};
  config.record = record_config(options.record);
  return config;
}

class Probes final : public RequestObserver, private CpuObserver, private SignalSink {
 public:
  /// Attaches to the drive; throws OutputError where a file cannot be made. `outstanding`: requests that the host waits for.
  Probes(const ProbesConfig& config, DriveModule& drive, std::function<std::uint64_t()> outstanding);
  ~Probes() override;

  void on_complete(const HostRequest& request, Picoseconds now) override;
  /// The host waits for more requests, or a power cut took some.
  void queue_changed(Picoseconds now);
  /// A power cut or a restart, as events.csv names it.
  void power_event(const char* kind, Picoseconds at);
  /// The drive rested: what is told later leaves `by` out of its times.
  void rest(Picoseconds by);
  /// Whether a file can no longer be written.
  [[nodiscard]] bool failed() const;

  /// Closes every file; throws OutputError. Returns sentences about what was asked for and did not happen.
  std::vector<std::string> finish();

 private:
  class Waves;

  void firmware_event(const FirmwareEvent& event, Picoseconds at) override;
  // SignalSink: the gauges, for intervals.csv
  void change(std::uint32_t id, std::uint64_t value, Picoseconds at) override;
  void withdraw(std::uint32_t, Picoseconds) override {}
  void open_intervals(const ProbesConfig& config);
  void open_record(const RecordConfig& config);

  DriveModule& drive_;
  std::function<std::uint64_t()> outstanding_;
  std::optional<RequestsLog> requests_;
  std::optional<EventLog> events_;
  std::optional<IntervalsLog> intervals_;
  std::optional<PlaceLog> places_;
  std::optional<BandLog> bands_;
  std::unique_ptr<Waves> waves_;
  std::string trigger_;
  std::optional<std::uint64_t> trigger_request_;
  std::optional<Picoseconds> trigger_latency_;
  std::set<std::string> seen_events_;
};

}  // namespace tessera
