#pragma once
// One run: boot, replay, drain, measurement, and power cuts in any of these.
//
//   format -> ready -> replay -> drain -> read back -> end        how far the run has come (Stage): no cut sets it back, but
//   restore -^                                                    for one in the format, which is then begun again; a drive that comes
//                                                                 from a saved state is not formatted but boots as after a cut
//
// What the drive is at says its PowerCycle. Where the run looks apart, a copy of the process is at the verification, and this one goes on.
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "platforms/drive/drive_module.hpp"
#include "platforms/run/measurement.hpp"
#include "platforms/run/verification_sweep.hpp"
#include "power/cut_schedule.hpp"
#include "power/power_cycle.hpp"
#include "stimuli/hosts/translating_host.hpp"
#include "stimuli/player/host_module.hpp"
#include "stimuli/player/lun_queues.hpp"
#include "stimuli/player/player.hpp"
#include "stimuli/scoreboard/scoreboard.hpp"

namespace tessera {

struct SimulationConfig {
  PlayerConfig player;
  ContentMode content = ContentMode::none;
  DurabilityPromise promise = DurabilityPromise::acknowledged;
  bool check = false;
  bool looks_apart = false;  ///< verifications after a boot move nothing of the run; cuts and restarts find none then
  std::uint32_t prefill_percent = 0;
  bool restored = false;                    ///< the drive has loaded a state: it boots as after a power cut
  Picoseconds start_delay;                  ///< from the end of boot to the start of the replay: where the spindle stands then
  std::vector<Picoseconds> cuts;            ///< since the start of the replay
  std::vector<Picoseconds> restarts;        ///< of the firmware, without a cut; since the start of the replay
  std::optional<Picoseconds> rest_after{};  ///< since the start of the replay: from then on the drive's rests pass without the clock
  std::vector<Picoseconds> boot_cuts;       ///< since the first power-on, before the start of the replay
};

class Simulation final : private PlayerEndListener, private RequestObserver, private TimelineListener, private Resting, private PowerOwner {
 public:
  enum class Stage : std::uint8_t { format, restore, ready, replay, drain, read_back };
  using Phase = PowerCycle::Phase;

  /// Powers the drive on; `open_input` is called once, with its user capacity.
  Simulation(DriveModule& drive, const SimulationConfig& config,
             const std::function<std::unique_ptr<TraceSource>(Bytes capacity)>& open_input);

  void add_observer(RequestObserver& observer) { player_.add_observer(observer); }
  /// Told of power cuts and restarts (for the event log).
  void set_cut_listener(std::function<void(const char* kind, Picoseconds)> listener) { cut_listener_ = std::move(listener); }

  /// What the scoreboard knew when the drive's state was saved; before run(), where there is a scoreboard.
  void load_scoreboard(StateReader& in) { scoreboard_->load_state(in, HostBlock(user_sectors() * drive_.sector_shape().blocks())); }
  /// Told how long the drive rested, since times that are told later leave it out.
  void set_rest_listener(std::function<void(Picoseconds)> listener) { rest_listener_ = std::move(listener); }
  /// Whether the drive is to be shut down once it was drained, and who is called then, when it is without power and nothing is under way:
  /// its state can be saved. With a scoreboard it boots again afterwards, so that what was saved is read back.
  void shut_down_at_end(std::function<void()> is_off) { is_off_ = std::move(is_off); }

  /// The replay takes no more requests and the run ends in order, marked as partial; so it does after a stop signal.
  void stop();

  /// Runs sc_start() to the end; throws what the model threw.
  void run();

  /// Cuts the power now; from within an action of the drive's timeline, not in an outage.
  void cut_now();
  /// Cuts the power behind everything else that happens at this instant, as if it had been asked for from the start.
  void cut_soon();
  [[nodiscard]] Stage stage() const { return stage_; }
  [[nodiscard]] Phase phase() const { return power_.phase(); }
  /// Instant of the start of the replay; 0 before it.
  [[nodiscard]] Picoseconds origin() const { return origin_; }

  [[nodiscard]] MetricSet& metrics() { return *metrics_; }
  [[nodiscard]] const Measurement& measurement() const { return measurement_; }
  [[nodiscard]] const Player& player() const { return player_; }
  [[nodiscard]] const TraceSource& source() const { return *source_; }
  [[nodiscard]] const DumpEngine& dump_engine() const { return drive_.dump_engine(); }
  [[nodiscard]] const Scoreboard* scoreboard() const { return scoreboard_.get(); }
  /// Requests that failed although no exemption of the scoreboard excuses them. Nothing excuses a drive that takes no more writes.
  [[nodiscard]] std::uint64_t failed() const { return player_.statistics().failed() - excused_; }
  /// Why there was no drain, or nothing: the drive failed the flush, or did not boot.
  [[nodiscard]] const std::string& drain_failure() const { return drain_failure_; }
  /// Told of the answer to the drain's flush as it comes: a later power cut changes what excuses it.
  void set_drain_listener(std::function<void(Status)> listener) { drain_listener_ = std::move(listener); }
  /// What the drive answered to the drain's flush, or to the boot that failed.
  [[nodiscard]] Status drain_status() const { return drain_status_; }
  /// Whether the run ended because the drive did not boot.
  [[nodiscard]] bool dead() const { return dead_; }
  /// Whether it ended because errors of the DRAM restarted the firmware, time after time, before all was read back.
  [[nodiscard]] bool never_read_back() const { return never_read_back_; }
  /// Whether it ended before the drive had come to rest.
  [[nodiscard]] bool unfinished() const { return unfinished_; }
  /// Commands that the drive did not answer within host.timeout, and the first of them with what the drive did instead.
  [[nodiscard]] std::uint64_t overdue() const { return drive_.watchdog() == nullptr ? 0 : drive_.watchdog()->overdue(); }
  [[nodiscard]] const std::string& first_overdue() const { return drive_.watchdog()->first_overdue(); }
  [[nodiscard]] std::uint64_t restarts_made() const { return restarts_made_; }
  /// Of these, those that were asked for; errors of the DRAM restart the firmware, too.
  [[nodiscard]] std::uint64_t scheduled_restarts_made() const { return scheduled_restarts_made_; }
  /// What the application sees.
  [[nodiscard]] std::uint64_t user_sectors() const;
  [[nodiscard]] std::uint64_t cuts_made() const { return cuts_made_; }
  /// Cuts that were asked for while it ran.
  [[nodiscard]] std::uint64_t cuts_added() const { return cuts_added_; }
  /// Cuts that fell into an outage: there was no power to cut.
  [[nodiscard]] std::uint64_t cuts_in_outage() const { return boot_cuts_.dropped() + cuts_.dropped(); }
  [[nodiscard]] bool partial() const { return player_.stopped() || verification_stopped_; }
  [[nodiscard]] bool verification_stopped() const { return verification_stopped_; }
  /// Verifications that restarts of the firmware ended (SweepEnd::restarted).
  [[nodiscard]] std::uint64_t verifications_restarted() const { return verifications_restarted_; }
  /// From the start of the replay to the end of the drain: verification sweeps at the end are not part of the run.
  [[nodiscard]] LongTime duration() const { return rested_ + (measured_until_ - origin_); }
  /// Of that, what passed without the clock.
  [[nodiscard]] LongTime rested() const { return rested_; }

 private:
  enum Event : std::uint64_t { begin_replay, cut, restart, begin_drain, poll_idle };

  void on_end(Picoseconds now) override;
  void on_complete(const HostRequest& request, Picoseconds now) override;
  void on_time(std::uint64_t argument) override;
  Picoseconds quiet() override;
  bool rest(Picoseconds by) override;
  void link_lost(Why why) override;
  void power_lost(const PowerLoss& loss) override;
  void formats() override;
  void booted() override;
  void recovered() override;
  void stays_dead(Status status) override;
  void gives_up() override;
  void post_now(Event event);
  void make_translating_host();
  void make_luns();
  void recover_host();
  void look_at_recovered();
  void look_apart();
  void look_as_copy(std::unique_ptr<ProcessCopy> copy);
  void listen_to_faults(FaultListener& listener);
  [[nodiscard]] bool idle() const { return drive_.idle() && (translation_ == nullptr || translation_->idle()); }
  void excuse_what_no_boot_can_know();
  void excuse_missed();
  void excuse_reads_in_doubt();
  void excuse(const MediaDevice& device, const ReadDoubt& doubt);
  void end_dead(Status status, const std::string& why);
  void start_replay();
  void schedule_cut();
  void cut_when_due();
  void restart_when_due();
  void lose_power();
  void shut_down();
  void lose_requests();
  void go_on();
  void drain();
  void drained(const HostRequest& flush);
  void look_at_work();
  void end_drain();
  [[noreturn]] void never_idle() const;
  void measure();
  void add_results();
  void finish();
  void verify(std::function<void()> next);
  [[nodiscard]] CutSchedule& schedule() { return stage_ < Stage::replay ? boot_cuts_ : cuts_; }

  DriveModule& drive_;
  SimulationConfig config_;
  HostModule host_;
  std::unique_ptr<TranslatingHost> translation_;  // null: the application is the drive's host
  std::unique_ptr<LunQueues> luns_;               // null: one unit
  HostFront* front_ = &host_;                     // what the application's requests go to
  CutSchedule boot_cuts_;
  CutSchedule cuts_;
  CutSchedule restarts_;
  Stage stage_;
  PowerCycle power_;
  std::set<TrackSector> excused_unread_;  // MediaDevice::unread() as excuse_missed() saw it last in this boot
  std::unique_ptr<TraceSource> source_;
  Player player_;
  std::unique_ptr<Scoreboard> scoreboard_;
  Measurement measurement_;
  std::optional<MetricSet> metrics_;
  Picoseconds origin_;
  LongTime rested_;
  std::function<void(Picoseconds)> rest_listener_;
  Picoseconds measured_until_;
  std::uint64_t cuts_made_ = 0;
  std::uint64_t cuts_added_ = 0;
  std::uint64_t restarts_made_ = 0;
  std::uint64_t scheduled_restarts_made_ = 0;
  std::uint64_t excused_ = 0;
  HostRequest flush_;
  bool flushing_ = false;
  bool verification_stopped_ = false;
  std::uint64_t verifications_restarted_ = 0;
  std::unique_ptr<SweepReport> report_;  // of a copy of the process
  std::string drain_failure_;
  bool dead_ = false;
  bool never_read_back_ = false;
  Status drain_status_ = Status::ok;
  Picoseconds drain_limit_;
  Picoseconds next_look_;          // of a drain, once an hour
  std::uint64_t work_done_ = 0;    // operations of the devices at the last look
  std::uint64_t work_before_ = 0;  // and at the one before
  std::uint32_t quiet_polls_ = 0;
  bool unfinished_ = false;
  std::function<void(const char*, Picoseconds)> cut_listener_;
  std::function<void(Status)> drain_listener_;
  std::function<void()> is_off_;
  std::unique_ptr<VerificationSweep> sweep_;
};

}  // namespace tessera
