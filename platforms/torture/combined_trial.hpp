#pragma once
// One part of a campaign's run, in this process: it replays, cuts the power at instants that it draws on the way, recovers, reads
// everything back, and says what it found.
#include <filesystem>
#include <functional>
#include <memory>

#include "platforms/description/search_path.hpp"
#include "platforms/run/simulation.hpp"
#include "platforms/state/drive_state_module.hpp"
#include "platforms/torture/combined_draw.hpp"
#include "platforms/torture/combined_result.hpp"
#include "platforms/torture/instants.hpp"
#include "platforms/torture/operation_watch.hpp"
#include "stimuli/hosts/zoned_workload.hpp"

namespace tessera {

struct CombinedFiles {
  std::filesystem::path trace;  ///< written before the first part begins
  std::filesystem::path state;  ///< between the parts
};

class CombinedTrial final : private RequestObserver {
 public:
  /// Elaborates the drive: once a process. `result` holds what earlier parts found.
  CombinedTrial(CombinedDraw::Drawn& drawn, const SearchPath& search, const CombinedFiles& files, std::uint32_t part,
                CombinedResult result);

  /// To the end of the part; every error becomes a part of the result.
  [[nodiscard]] CombinedResult run();
  /// Whether the state was saved, so that the next part may begin.
  [[nodiscard]] bool saved() const { return !state_.empty(); }

 private:
  void on_complete(const HostRequest& request, Picoseconds now) override;
  void begins(const PersistentOperation& operation);
  void reached();
  void plan_cut();
  void plan_next();
  [[nodiscard]] bool allowed(Status status) const;
  [[nodiscard]] bool excused(const HostRequest& request) const;
  [[nodiscard]] bool excuses_flush(Status status) const;
  [[nodiscard]] bool cannot_write(Status status) const;
  [[nodiscard]] bool cannot_verify(Status status) const;
  [[nodiscard]] std::unique_ptr<TraceSource> open(Bytes capacity);
  [[nodiscard]] std::unique_ptr<TraceSource> open_zoned(Bytes capacity);
  [[nodiscard]] bool host_expects(const HostRequest& request);
  [[nodiscard]] SimulationConfig simulation_config() const;
  [[nodiscard]] bool met_both_copies() const;
  [[nodiscard]] bool excuses_death(Status status);
  [[nodiscard]] bool drained(Status status);
  void judge();

  CombinedDraw::Drawn& drawn_;
  const SearchPath& search_;
  const CombinedFiles& files_;
  std::uint32_t part_;
  CombinedResult result_;
  RandomStream random_;
  std::unique_ptr<SavedState> loaded_;
  DriveModule drive_;
  bool verifies_;  // the layer reads packets back before their writes are complete
  OperationWatch watch_;
  std::unique_ptr<Simulation> simulation_;
  Instants instants_;
  std::string state_;
  std::uint32_t cuts_left_ = 0;
  std::uint64_t completed_ = 0;
  std::uint64_t cut_after_ = 0;   // requests, then the next cut is drawn; 0: none is wanted
  std::uint64_t cut_at_nth_ = 0;  // persistent operation from now; 0: none is wanted
  std::uint64_t operations_ = 0;
  bool never_rests_ = false;
  std::uint64_t failures_ = 0;
  ZonedWorkload* zoned_ = nullptr;           // the source of requests, where the host sees zones
  bool flush_allowed_ = true;                // what the drive answered to the drain's flush, by what was known then
  std::uint64_t faults_at_power_on_ = 0;     // writes that had stopped before the last boot
  std::uint64_t destroyed_at_power_on_ = 0;  // reads that had met a destroyed sector
  bool forgot_rewrite_ = false;              // a dump failed that may have held a refresh
};

}  // namespace tessera
