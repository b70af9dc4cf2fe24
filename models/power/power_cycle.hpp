#pragma once
// The power of one drive, and who takes it through outage, boot and recovery: a run, an array, a server, a bench in Python, a test.
//
//   on -> outage -> starting -> recovery -> verification -> on      cut(), or off() and come_back()
//   on -> stopping -> starting -> recovery -> verification -> on    restart(): the firmware alone
//
// A cut in any phase leads to the outage; what was to follow an earlier one is withdrawn. Everything at a cut happens at one
// instant, in this order: the host lets go of what it has at the drive; the drive loses its power and dumps; its owner hears what that
// took. The power is back after the outage, the firmware begins when the dump is restored, and it formats until a format has ended. The
// drive takes commands when the time of its boot has passed. Whether it is read back before it serves is its owner's affair.
#include <cstdint>
#include <functional>
#include <string>

#include "base/timeline.hpp"
#include "firmware/ports/status.hpp"

namespace tessera {

/// What a cut took, although the drive promises it otherwise.
struct PowerLoss {
  bool dump_failed = false;
  bool lost_writes = false;  ///< and with the dump, data that the write cache or buffer alone held
};

/// A drive as its power sees it.
class PoweredDrive {
 public:
  /// Boots; `booted` is called when the firmware has ended its boot: the drive takes commands from answers() on.
  virtual void power_on(bool after_power_cut, std::function<void(Status)> booted) = 0;
  /// The power fails at the timeline's now(), whatever the drive is at: operations in flight end as docs/models/media.md says, what is
  /// volatile is gone.
  virtual PowerLoss power_off() = 0;
  /// What needs no boot, media and flash, has its power again. power_on() does it where this was not called.
  virtual void power_back() = 0;
  /// Restarts the firmware without a power cut, from within an action of the timeline: it stops where it is, what the devices have begun
  /// ends as it would, host commands are lost, DRAM but for the dumped regions is not trusted. `stopped` is called when all that is done;
  /// restart_time() later power_on() is to follow. A power cut may come first, and then `stopped` is not called.
  virtual void restart_firmware(std::function<void()> stopped) = 0;
  /// Who is called, from within an action of the timeline, when a table in the DRAM could not be read: the firmware is to be restarted, or
  /// the power cut.
  virtual void on_memory_error(std::function<void()> restart) = 0;

  /// From the cut until the power is back.
  [[nodiscard]] virtual Picoseconds outage() const = 0;
  /// From the cut to the firmware's first instruction: outage, boot, and the restore of the dump.
  [[nodiscard]] virtual Picoseconds restart_delay() const = 0;
  /// From the stop of the firmware to its first instruction.
  [[nodiscard]] virtual Picoseconds restart_time() const = 0;
  /// When the drive takes commands: the boot task has run ahead of the timeline by its CPU time.
  [[nodiscard]] virtual Picoseconds answers() const = 0;

 protected:
  ~PoweredDrive() = default;
};

/// Whose drive it is. Everything is called at the instant at which it happens.
class PowerOwner {
 public:
  enum class Why : std::uint8_t { cut, restart };

  /// What the host has at the drive will not be answered. The drive is still what it was.
  virtual void link_lost(Why why) = 0;
  /// The drive is without power.
  virtual void power_lost(const PowerLoss& loss) = 0;
  /// A boot has begun that formats: the drive can be prefilled.
  virtual void formats() = 0;
  /// The boot has ended well.
  virtual void booted() {}
  /// The drive takes commands.
  virtual void recovered() = 0;
  /// The boot has failed, and nothing follows.
  virtual void stays_dead(Status status) = 0;
  /// Errors of the DRAM come faster than the firmware boots (PowerCycle::never_ready()), and nothing follows.
  virtual void gives_up() = 0;

 protected:
  ~PowerOwner() = default;
};

class PowerCycle final : private TimelineListener {
 public:
  /// A first boot, which formats, is in phase `on`.
  enum class Phase : std::uint8_t { on, outage, stopping, starting, recovery, verification };

  /// `formatted`: the drive comes from a saved state, and its first boot is one after a power cut.
  PowerCycle(Timeline& timeline, PoweredDrive& drive, PowerOwner& owner, bool formatted = false);

  /// The firmware begins now: for the first time, or after off().
  void boot();
  /// Cuts the power, which comes back after the outage; one that falls into an outage begins it again. The firmware begins no earlier than
  /// `boot_after`, when others boot that it is to boot with. From within an action of the timeline.
  void cut(Picoseconds boot_after = {});
  /// Cuts the power without its return. In an outage it withdraws the return.
  void off();
  /// After off(): the power is back now, and the firmware begins as after any cut.
  void come_back();
  /// Restarts the firmware without a cut; from within an action of the timeline, while it runs.
  void restart();
  /// The drive is read back; it serves.
  void verify() { phase_ = Phase::verification; }
  void serve() { phase_ = Phase::on; }
  /// The drive has answered a request: of restarts in a row the next is the first.
  void answered() { restarts_in_a_row_ = 0; }

  [[nodiscard]] Phase phase() const { return phase_; }
  /// Whether there is a firmware to restart.
  [[nodiscard]] bool firmware_runs() const { return phase_ == Phase::on || phase_ == Phase::recovery || phase_ == Phase::verification; }
  /// Why PowerOwner::gives_up() was called: nothing was answered, or nothing but the reads of an owner that reads all back.
  [[nodiscard]] static std::string never_ready();
  [[nodiscard]] static std::string never_read_back();

 private:
  enum Event : std::uint64_t { power_back, begin_boot, answers };

  void on_time(std::uint64_t event) override;
  void booted(Status status);

  Timeline& timeline_;
  PoweredDrive& drive_;
  PowerOwner& owner_;
  bool formatted_;
  Phase phase_ = Phase::outage;
  std::uint64_t restarts_in_a_row_ = 0;
};

}  // namespace tessera
