#pragma once
// One drive under torture: a process simulates it, makes a copy of itself at each instant at which the power is to fail, and goes on; the
// copy cuts, boots, reads everything back, goes on for some requests, drains, reads everything back again and tells what it found. Copies
// are cut again while they recover, by copies of their own.
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "platforms/drive/drive_config.hpp"
#include "platforms/run/simulation.hpp"
#include "platforms/torture/children.hpp"
#include "platforms/torture/finding.hpp"
#include "platforms/torture/instants.hpp"
#include "platforms/torture/operation_watch.hpp"
#include "stimuli/hosts/zoned_workload.hpp"

namespace tessera {

/// What the drive offers to the source of requests.
struct TortureInput {
  std::uint64_t blocks = 0;  ///< of 512 B that the host can address
  Bytes sector;
  Bytes largest;  ///< request that the host buffer could hold as a whole: it streams where it is larger than a command's window
  std::uint32_t track_sectors = 1;
  std::uint64_t zone_blocks = 0;  ///< of a zone, where the host sees zones
  bool faults = false;            ///< the description asks for some
  bool anywhere = false;          ///< zones take writes anywhere
  bool may_forget = false;        ///< a cut may take acknowledged writes
};

struct TrialConfig {
  const DriveConfig* drive = nullptr;
  FormatPlan plan;
  std::uint64_t seed = 1;
  std::uint32_t prefill_percent = 0;
  std::function<std::unique_ptr<TraceSource>(const TortureInput&)> input;
  std::uint64_t operations = 0;  ///< persistent ones that are cut before, inside and after
  std::uint64_t cuts = 0;        ///< at random instants
  std::uint32_t jobs = 1;
  /// These cuts and no others, in one process.
  bool exact = false;
  std::vector<Picoseconds> cut_at;
  std::vector<Picoseconds> boot_cuts;
};

class Trial final : private RequestObserver {
 public:
  /// Elaborates the drive: once a process. Findings go to `pipe`, a line each.
  Trial(const TrialConfig& config, int pipe);

  /// Runs to the end of this process's part, copies included, and tells its finding.
  void run();

 private:
  void on_complete(const HostRequest& request, Picoseconds now) override;
  void begins(const PersistentOperation& operation);
  void reached(const Instant& instant);
  void note_cut(std::string instant);
  void cut_as_copy(std::uint64_t number);
  [[nodiscard]] bool worth_a_cut() const;
  [[nodiscard]] bool in_order(Status status) const;
  [[nodiscard]] bool host_expects(const HostRequest& request);
  [[nodiscard]] std::string cut_text();
  [[nodiscard]] Finding verdict();
  [[nodiscard]] Finding threw(Finding::Outcome outcome, const char* what) const;
  [[nodiscard]] SimulationConfig simulation_config() const;

  TrialConfig config_;
  int pipe_;
  ZonedWorkload* zoned_ = nullptr;  // the source of requests, where it is one
  DriveModule drive_;
  OperationWatch watch_;
  Simulation simulation_;
  Instants instants_;
  Children children_;
  std::uint32_t depth_ = 0;  // 0: the run without cuts; else cuts in a row
  bool cut_again_ = false;   // this copy makes copies of its own
  std::uint64_t copies_ = 0;
  std::uint64_t operations_ = 0;  // before the first cut
  std::uint64_t drawn_ = 0;       // random instants
  std::uint64_t since_cut_ = 0;   // requests completed
  std::uint64_t completed_ = 0;
  std::uint64_t failures_ = 0;  // requests that failed and that nothing excuses
  Finding finding_;
};

/// Runs a trial in this process and ends it: every error becomes a finding.
[[noreturn]] void run_trial(const TrialConfig& config, int pipe);

}  // namespace tessera
