#pragma once
// What a served drive did for its clients, as a run reports it: the summary and logs of a run in a folder, and waveforms. Each request to
// the drive is one: a WRITE_ZEROES is several, a TRIM with FUA two. Its latency is the drive's own, in simulated time, from when it was
// sent.
#include <optional>

#include "platforms/cli/options.hpp"
#include "platforms/drive/drive_module.hpp"
#include "platforms/output/firmware_log.hpp"
#include "platforms/output/run_folder.hpp"
#include "platforms/run/input_files.hpp"
#include "platforms/run/measurement.hpp"
#include "platforms/run/probes.hpp"
#include "stimuli/player/lun_queues.hpp"
#include "stimuli/player/player_statistics.hpp"

namespace tessera {

class ServedRun {
 public:
  /// Empties the folder of an earlier run's results, and begins to record; `description`: the effective one of the drive; `inputs`: the
  /// files that it opened. Throws OutputError.
  ServedRun(const cli::ServeOptions& options, DriveModule& drive, const std::string& description, std::vector<InputFile> inputs);

  /// The queues of a drive of several logical units, whose figures are reported too.
  void watch(LunQueues& luns) { luns_ = &luns; }
  /// Clients are served from now on, and measured.
  void begin();
  void issued();
  void completed(const HostRequest& request);
  /// The drive lost so many requests.
  void lost(PowerOwner::Why why, std::size_t requests);
  /// The dump of the cut failed.
  void dump_failed() { probes_.power_event("dump_failed", drive_.timeline().now()); }
  /// The measured part ends now.
  void end();

  /// summary.json as of now, marked as partial; throws OutputError.
  void snapshot();
  /// After end(): closes every file and says the summary, with notes on the drive; throws OutputError. `fault`: of a policy of the user's,
  /// which ended it.
  void finish(const std::vector<std::string>& warnings, const std::string& fault);

 private:
  [[nodiscard]] MetricSet measure();
  void write_summary(const MetricSet& metrics, bool partial, const std::vector<std::string>& notes) const;

  const cli::ServeOptions& options_;
  DriveModule& drive_;
  RunFolder folder_;
  std::vector<InputFile> inputs_;
  Measurement measurement_;
  PlayerStatistics statistics_;
  FirmwareLog log_;
  Probes probes_;
  LunQueues* luns_ = nullptr;
  std::optional<MetricSet> metrics_;
  std::uint64_t issued_ = 0;
  std::uint64_t outstanding_ = 0;
  std::uint64_t power_cuts_ = 0;
  std::uint64_t restarts_ = 0;
  Picoseconds begin_;
  double cpu_before_ = 0;
};

}  // namespace tessera
