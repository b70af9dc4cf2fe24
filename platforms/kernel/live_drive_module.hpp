#pragma once
// A drive under a test bench that decides as it goes: it runs until what the bench waits for, and stands still there.
//
// Every call but interrupt() comes from one thread: between two calls of run_until(), or from a function of the bench that the drive calls
// at an instant (of a request's end, or of call_at()). What such a function throws leaves run_until(), and the simulation can go on.
// SystemC elaborates once per process, so there is one such drive per process.
#include <atomic>
#include <deque>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <variant>
#include <vector>

#include "platforms/drive/drive_module.hpp"
#include "platforms/kernel/live_request.hpp"
#include "platforms/kernel/signal_condition.hpp"
#include "platforms/kernel/signal_watch.hpp"
#include "platforms/run/measurement.hpp"
#include "stimuli/player/host_module.hpp"
#include "stimuli/player/player_statistics.hpp"

namespace tessera {

struct LiveSetup {
  std::filesystem::path program;  ///< where tessera-sim is or would be: descriptions are found by it
  std::string drive = "common";
  std::string layer;                        ///< "": the drive's own choice
  std::vector<std::string> set;             ///< `path=value`
  ContentMode content = ContentMode::none;  ///< none or bytes
  std::uint64_t seed = 1;
  std::optional<std::uint32_t> prefill;  ///< percent; empty: the drive's own share
  std::filesystem::path firmware;        ///< "": none; a shared library with a layer
  bool check_protocol = false;
};

class LiveDrive final : private SignalListener, private PowerOwner {
 public:
  /// A request by 512 B blocks; `content`: a write's bytes, in mode bytes.
  struct Order {
    HostOp op = HostOp::read;
    HostRun blocks;
    bool force_unit_access = false;
    bool all_zones = false;
    std::vector<std::byte> content;
    std::function<void(const SharedRequest&)> on_end;
  };
  /// What to wait for. No request is at the drive and it has nothing to do; it can take commands.
  struct Idle {};
  struct Ready {};
  using Event = std::variant<Picoseconds, SignalCondition, SharedRequest, Idle, Ready>;

  /// At time 0, switched on. InputError for what cannot be simulated, and where this process has elaborated a drive already.
  explicit LiveDrive(const LiveSetup& setup);
  /// First of all but signals(): returns at the instant at which a run of the same description and seed would begin its replay.
  void boot();

  /// Runs until the first of these comes, and says which: an instant after everything else that happens at it, anything else at once.
  /// Nothing where stop(), interrupt() or a lack of anything more to happen came first. InputError for an instant in the past, or a signal
  /// that there is not.
  std::optional<std::size_t> run_until(const std::vector<Event>& events);
  /// From a function of the bench: run_until() returns after it.
  void stop();
  /// The same from a signal handler.
  void interrupt();

  /// The request begins now. One that finds no tag free, or no power, waits. InputError where the drive cannot have it.
  SharedRequest submit(Order order);
  /// Has the function called at `when`. InputError for an instant in the past.
  void call_at(Picoseconds when, std::function<void()> function);
  /// Flushes when all requests have ended, and waits until the drive is idle, as a run does at its end; the flush is not counted.
  /// InputError where it fails.
  void drain();

  /// At this instant, after the action in hand. What was at the drive is lost.
  void cut_power();
  /// The power is back now; the firmware begins after the boot time and the restore of a dump, and the drive is ready when it has
  /// recovered.
  void power_on();

  [[nodiscard]] Picoseconds now() const { return drive_->timeline().now(); }
  [[nodiscard]] bool running() const { return running_; }
  [[nodiscard]] bool ready() const { return ready_; }
  [[nodiscard]] bool has_power() const { return power_.phase() != PowerCycle::Phase::outage; }
  /// What the host can address.
  [[nodiscard]] Bytes capacity() const { return capacity_; }
  [[nodiscard]] std::size_t outstanding() const { return waiting_.size() + at_drive(); }
  /// As summary.json has them, since the drive was ready first; InputError without power.
  [[nodiscard]] MetricSet metrics();
  [[nodiscard]] SignalWatch& signals() { return signals_; }
  [[nodiscard]] DriveModule& drive() { return *drive_; }

 private:
  /// An entry of the calendar that calls a function of the drive's.
  template <void (LiveDrive::*function)(std::uint64_t)>
  struct Entry final : TimelineListener {
    explicit Entry(LiveDrive& owner) : owner_(owner) {}
    void on_time(std::uint64_t argument) override { (owner_.*function)(argument); }

   private:
    LiveDrive& owner_;
  };
  struct Awaited {
    Event event;
    std::uint32_t signal = 0;  ///< of a condition
  };

  void signal_changes(std::uint32_t signal, Picoseconds at) override;
  void link_lost(Why why) override;
  void power_lost(const PowerLoss& loss) override;
  void formats() override;
  void recovered() override;
  void stays_dead(Status status) override;
  void gives_up() override;
  template <class Listener>
  void post(Picoseconds when, Listener& entry, std::uint64_t argument = 0) {
    drive_->timeline_module().post(when, entry, argument);
  }
  [[nodiscard]] bool last_at_this_instant() const;
  void at_limit(std::uint64_t event);
  void look_at_signals(std::uint64_t);
  void look_whether_idle(std::uint64_t event);
  void send_waiting(std::uint64_t);
  void call_function(std::uint64_t number);
  void begin(std::uint64_t);
  void cut(std::uint64_t);

  void require_callable() const;
  void require_still() const;
  void arm(const std::vector<Event>& events);
  void disarm();
  void run();
  void come(std::size_t event);
  [[nodiscard]] bool holds(const Awaited& awaited);
  void lose_requests();
  void completed(HostRequest& request);
  void send_flush();
  [[noreturn]] void refuse_or_fail(const std::string& why) const;
  void tell(const SharedRequest& request);
  void guarded(const std::function<void()>& function);
  [[nodiscard]] std::size_t at_drive() const { return tags_ - free_tags_.size() - (flush_sent_ ? 1 : 0); }

  DriveConfig config_;
  FormatPlan plan_;
  std::uint32_t prefill_percent_;
  ContentMode content_;
  Picoseconds start_delay_;
  std::unique_ptr<DriveModule> drive_;
  std::unique_ptr<HostModule> host_;
  PowerCycle power_;
  std::optional<Measurement> measurement_;
  PlayerStatistics statistics_;
  SignalWatch signals_;
  Bytes capacity_;

  bool ready_ = false;
  bool begun_ = false;
  std::uint32_t tags_ = 0;
  std::vector<std::uint32_t> free_tags_;
  std::vector<SharedRequest> by_tag_;
  std::deque<SharedRequest> waiting_;
  std::uint64_t issued_ = 0;
  bool sending_ = false;
  HostRequest flush_;  ///< of drain()
  bool flushing_ = false;
  bool flush_sent_ = false;

  Entry<&LiveDrive::at_limit> limit_{*this};
  Entry<&LiveDrive::look_at_signals> look_{*this};
  Entry<&LiveDrive::look_whether_idle> idle_{*this};
  Entry<&LiveDrive::send_waiting> send_{*this};
  Entry<&LiveDrive::call_function> call_{*this};
  Entry<&LiveDrive::begin> begin_{*this};
  Entry<&LiveDrive::cut> cut_{*this};
  std::unordered_map<std::uint64_t, std::function<void()>> calls_;
  std::uint64_t next_call_ = 0;

  std::vector<Awaited> awaited_;
  std::optional<std::size_t> came_;
  bool stopped_ = false;
  std::atomic<bool> interrupted_ = false;
  std::exception_ptr thrown_;
  std::string ended_;  ///< why the simulation is over
  bool running_ = false;
  std::thread::id runner_;
};

}  // namespace tessera
