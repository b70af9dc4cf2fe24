#pragma once
// One run: boot, replay, power cuts and recoveries, drain, verification.
//
//   boot -> replay [-> cut -> outage -> recovery -> verification -> replay]... -> drain -> measurement -> verification -> end
#include <memory>
#include <optional>

#include "platforms/drive/drive_module.hpp"
#include "platforms/run/measurement.hpp"
#include "power/cut_schedule.hpp"
#include "stimuli/player/host_module.hpp"
#include "stimuli/player/player.hpp"
#include "stimuli/scoreboard/scoreboard.hpp"
#include "stimuli/scoreboard/verification_source.hpp"

namespace tessera {

struct SimulationConfig {
  PlayerConfig player;
  ContentMode content = ContentMode::none;
  DurabilityPromise promise = DurabilityPromise::acknowledged;
  bool check = false;
  std::uint32_t prefill_percent = 0;
  Picoseconds start_delay;        ///< from the end of boot to the start of the replay: where the spindle stands then
  std::vector<Picoseconds> cuts;  ///< since the start of the replay
};

class Simulation final : private PlayerEndListener, private RequestObserver, private TimelineListener {
 public:
  /// Powers the drive on; `open_input` is called once, with its user capacity.
  Simulation(DriveModule& drive, const SimulationConfig& config,
             const std::function<std::unique_ptr<TraceSource>(Bytes capacity)>& open_input);

  void add_observer(RequestObserver& observer) { player_.add_observer(observer); }
  /// Told of power cuts (for the event log).
  void set_cut_listener(std::function<void(Picoseconds)> listener) { cut_listener_ = std::move(listener); }

  /// The replay takes no more requests and the run ends in order, marked as partial; so it does after a stop signal.
  void stop();

  /// Runs sc_start() to the end; throws what the model threw.
  void run();

  [[nodiscard]] MetricSet& metrics() { return *metrics_; }
  [[nodiscard]] const Measurement& measurement() const { return measurement_; }
  [[nodiscard]] const Player& player() const { return player_; }
  [[nodiscard]] const TraceSource& source() const { return *source_; }
  [[nodiscard]] const Scoreboard* scoreboard() const { return scoreboard_.get(); }
  /// Requests that failed although no exemption of the scoreboard excuses them.
  [[nodiscard]] std::uint64_t failed() const { return player_.statistics().failed() - excused_; }
  /// Cuts that were made, and those that fell into an outage or behind the end.
  [[nodiscard]] std::uint64_t cuts_made() const { return cuts_.done(); }
  [[nodiscard]] bool partial() const { return player_.stopped(); }
  /// From the start of the replay to the end of the drain: verification sweeps at the end are not part of the run.
  [[nodiscard]] Picoseconds duration() const { return measured_until_ - origin_; }

 private:
  enum Step : std::uint64_t { begin_replay, cut, restart, recovered, begin_drain, poll_idle };

  void on_end(Picoseconds now) override;
  void on_complete(const HostRequest& request, Picoseconds now) override;
  void on_time(std::uint64_t argument) override;
  void post_now(Step step);
  void boot(bool after_cut);
  [[nodiscard]] Bytes first_boot();
  void schedule_cut();
  void make_cut();
  void resume_replay();
  void drain();
  void measure();
  /// Reads back every block ever written, then calls `next`.
  void verify(std::function<void()> next);

  DriveModule& drive_;
  SimulationConfig config_;
  HostModule host_;
  std::unique_ptr<TraceSource> source_;
  Player player_;
  std::unique_ptr<Scoreboard> scoreboard_;
  Measurement measurement_;
  std::optional<MetricSet> metrics_;
  CutSchedule cuts_;
  Picoseconds origin_;
  Picoseconds measured_until_;
  std::optional<Picoseconds> recovery_;  ///< firmware's part of the last boot after a cut
  bool replay_ended_ = false;
  std::uint64_t excused_ = 0;
  HostRequest flush_;
  Picoseconds drain_limit_;
  std::function<void(Picoseconds)> cut_listener_;

  struct Sweep final : PlayerEndListener, RequestObserver {
    Sweep(DriveModule& drive, HostModule& host, Scoreboard& scoreboard, std::uint32_t tags, std::function<void()> next);
    void on_end(Picoseconds) override;
    void on_complete(const HostRequest& request, Picoseconds now) override;
    Scoreboard& judge;
    VerificationSource source;
    Player player;
    DriveModule& drive;
    std::function<void()> next;
  };
  std::unique_ptr<Sweep> sweep_;
};

}  // namespace tessera
