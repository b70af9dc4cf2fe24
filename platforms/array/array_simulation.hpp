#pragma once
// One run of an array: all drives boot, the replay goes through the array's host, drives fail and are rebuilt, the power is cut; then
// everything drains and is measured.
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platforms/array/array_drives.hpp"
#include "platforms/run/verification_sweep.hpp"
#include "stimuli/player/player.hpp"
#include "stimuli/scoreboard/scoreboard.hpp"

namespace tessera {

struct ArraySimulationConfig {
  PlayerConfig player;
  ContentMode content = ContentMode::none;
  bool check = false;
  std::uint64_t seed = 1;
  std::optional<std::uint32_t> prefill_percent;  ///< nothing: each drive's own
};

class ArraySimulation final : private PlayerEndListener, private RequestObserver, private TimelineListener {
 public:
  /// What the array was at while a request completed.
  enum class Chapter : std::uint8_t { whole, degraded, rebuild, rebuilt };
  static constexpr std::size_t chapters = 4;

  /// Powers all drives on; `open_input` is called once, with the array's capacity.
  ArraySimulation(const ArrayDescription& array, ArrayDrives& drives, const ArraySimulationConfig& config,
                  const std::function<std::unique_ptr<TraceSource>(Bytes capacity)>& open_input);

  void add_observer(RequestObserver& observer) { player_.add_observer(observer); }
  /// Runs sc_start() to the end; throws what the model threw.
  void run();
  /// The replay takes no more requests and the run ends in order.
  void stop();

  /// Told, again and again, what the run still waits for when its requests are served.
  void set_wait_listener(std::function<void(std::string_view what)> listener) { wait_listener_ = std::move(listener); }

  [[nodiscard]] const MetricSet& metrics() const { return metrics_; }
  [[nodiscard]] const Player& player() const { return player_; }
  [[nodiscard]] const TraceSource& source() const { return *source_; }
  [[nodiscard]] const ArrayHost& host() const { return host_; }
  [[nodiscard]] const Scoreboard* scoreboard() const { return scoreboard_.get(); }
  /// With a scoreboard: rows written whose parity or copies do not fit the data at the end.
  [[nodiscard]] std::uint64_t rows_differing() const { return rows_differing_; }
  [[nodiscard]] std::uint64_t cuts_made() const { return cuts_made_; }
  /// Cuts that came while there was no power, or after the end.
  [[nodiscard]] std::uint64_t cuts_not_made() const { return array_.cuts.size() - cuts_made_; }
  /// Drives that the array did without from some time since the start of the replay on.
  struct ThrownOut {
    std::uint32_t drive = 0;
    Picoseconds at;
    DriveFault why = DriveFault::silent;
  };
  [[nodiscard]] const std::vector<ThrownOut>& thrown_out() const { return thrown_out_; }
  [[nodiscard]] const std::string& failure() const { return failure_; }
  [[nodiscard]] bool partial() const { return player_.stopped() && !stopped_by_rebuild_; }

 private:
  enum Event : std::uint64_t {
    begin_replay,
    fail_drive,
    cut_power,
    begin_scrub,
    all_answer,
    begin_drain,
    poll_idle,
    end_window,
    switch_off_leaving
  };

  /// What happens to one drive's power.
  class DrivePower final : private PowerOwner {
   public:
    DrivePower(ArraySimulation& array, std::uint32_t drive)
        : array_(array), drive_(drive), cycle(array.drives_.timeline(), *array.drives_[drive].module, *this) {}

   private:
    void link_lost(Why) override { array_.link_lost(drive_); }
    void power_lost(const PowerLoss&) override {}
    void formats() override {}
    void recovered() override { array_.answers(drive_); }
    void stays_dead(Status) override { array_.stays_dead(drive_); }
    void gives_up() override { array_.stays_dead(drive_); }

    ArraySimulation& array_;
    std::uint32_t drive_;

   public:
    PowerCycle cycle;
  };

  void on_end(Picoseconds now) override;
  void on_complete(const HostRequest& request, Picoseconds now) override;
  void on_time(std::uint64_t argument) override;
  void post(Picoseconds at, Event event);
  ArrayLayout power_on();
  void link_lost(std::uint32_t drive);
  void answers(std::uint32_t drive);
  void stays_dead(std::uint32_t drive);
  void leave_out(std::uint32_t dead);
  void leave_out_dead();
  void go_on_together();
  void start_replay();
  void schedule();
  void fail_next();
  void fail(std::uint32_t drive);
  void throw_out(std::uint32_t drive, DriveFault why);
  void switch_off_left();
  void cut_next();
  void cut_all();
  void cut_some(const std::vector<std::uint32_t>& drives);
  void go_on();
  void look_as_copy(std::unique_ptr<ProcessCopy> copy);
  void drain_when_done();
  void drain();
  void drained(const HostRequest& flush);
  void poll();
  void end_warmup();
  void add_write_amplification();
  void measure();
  void finish();
  [[nodiscard]] bool busy() const;
  [[nodiscard]] bool idle() const;
  [[nodiscard]] Picoseconds beginning();
  void window_over();
  [[nodiscard]] MetricSet metrics_of(std::uint32_t drive);
  void report_chapters(MetricSet& metrics) const;

  const ArrayDescription& array_;
  ArrayDrives& drives_;
  ArraySimulationConfig config_;
  std::vector<std::unique_ptr<DrivePower>> power_;
  std::uint32_t booting_ = 0;  // drives that boot together
  ArrayHost host_;
  std::unique_ptr<TraceSource> source_;
  Player player_;
  std::unique_ptr<Scoreboard> scoreboard_;
  std::unique_ptr<VerificationSweep> sweep_;
  std::unique_ptr<SweepReport> report_;  // of a copy of the process
  std::array<DurationHistogram, chapters> latency_;
  Chapter chapter_ = Chapter::whole;
  Picoseconds origin_;          // of the replay
  Picoseconds measured_from_;   // the same, or the end of the warm-up
  Bytes warmup_written_;        // by the host
  double warmup_platters_ = 0;  // bytes that drives wrote to their platters meanwhile
  std::size_t next_failure_ = 0;
  std::size_t next_cut_ = 0;
  bool scrub_begun_ = false;
  bool replaying_ = false;
  bool replayed_ = false;
  bool draining_ = false;
  bool measured_ = false;
  bool dark_ = false;
  bool stopped_by_rebuild_ = false;
  std::function<void(std::string_view)> wait_listener_;
  HostRequest flush_;
  Picoseconds drain_limit_;
  std::string failure_;
  std::vector<ThrownOut> thrown_out_;
  std::vector<std::uint32_t> dead_;     // of those that booted together: left out as soon as the host goes on
  std::vector<std::uint32_t> leaving_;  // thrown out, and still on: what they do returns first
  std::uint64_t cuts_made_ = 0;
  std::uint64_t rows_differing_ = 0;
  MetricSet metrics_;
};

}  // namespace tessera
