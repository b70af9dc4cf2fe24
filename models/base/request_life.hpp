#pragma once
// The life of a request: at each instant it is in exactly one phase, so the parts sum to the whole by construction. Whose work it waited
// for is a second division of the same time.
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/cause.hpp"
#include "base/signal.hpp"
#include "base/units.hpp"

namespace tessera {

enum class LifePhase : std::uint8_t {
  host_queue,       ///< at the host: the replay policy or all tags in use held it back
  link,             ///< command, data or status on the link; waiting for link or buffer included
  cpu_wait,         ///< ready, but the CPU was busy; interrupt latency included
  cpu,              ///< its firmware ran
  dram,             ///< its firmware waited for metadata accesses
  lock,             ///< another request or background work held its range
  backup,           ///< all backup slots were in use by other read-modify-writes
  media_queue,      ///< at the disk channel behind other requests
  background_wait,  ///< at the disk channel behind background work
  seek,
  rotation,
  transfer,        ///< sectors under the head
  flash_queue,     ///< behind other flash operations
  flash,           ///< array and bus time of flash operations
  cleaning,        ///< space had to be made first
  error_recovery,  ///< the firmware read or wrote again, relocated, or went by way of spare sectors
  outage,          ///< the power was off, or the drive was booting
  count_
};
inline constexpr std::size_t life_phases = static_cast<std::size_t>(LifePhase::count_);
[[nodiscard]] const char* to_string(LifePhase phase);

/// What signals show as the tag of work that belongs to no host command.
inline constexpr std::uint32_t no_tag = 0xffff;

struct RequestLife {
  Picoseconds arrival;  ///< at the host, as the trace says (dilated where the replay policy delays the trace)
  Picoseconds issue;    ///< handed to the drive
  Picoseconds mark;     ///< accounted up to here
  std::array<Picoseconds, life_phases> parts{};
  const Signal* lane = nullptr;                  ///< shows its phase from when it begins; null where nobody looks
  Cause works_for = Cause::host;                 ///< what its own task does now
  bool helped = false;                           ///< a task that it has started may still work for it
  std::array<Picoseconds, causes> held_up_by{};  ///< but for Cause::host, which is what they lack of the latency

  /// The request is in `phase` from `at` on.
  void enter(LifePhase phase, Picoseconds at) const {
    if (lane != nullptr) [[unlikely]]
      lane->set(1 + static_cast<std::uint64_t>(phase), at);
  }
  void begin(Picoseconds at) {
    arrival = issue = mark = at;
    parts.fill(Picoseconds(0));
    works_for = Cause::host;
    helped = false;
    held_up_by.fill(Picoseconds(0));
  }
  /// Counts the time from the mark to `until` as `phase`, for what the request's task does, and moves the mark.
  void account(LifePhase phase, Picoseconds until) {
    parts[static_cast<std::size_t>(phase)] += until - mark;
    if (works_for != Cause::host) [[unlikely]]
      charge(works_for, until - mark);
    mark = until;
  }
  /// The same, held up by `cause`.
  void account(LifePhase phase, Picoseconds until, Cause cause) {
    if (works_for == Cause::host) charge(cause, until - mark);
    account(phase, until);
  }
  /// So much of what is accounted, before or after, was for this.
  void charge(Cause cause, Picoseconds time) { held_up_by[static_cast<std::size_t>(cause)] += time; }
  /// The power is lost at `at`: what was accounted beyond it does not happen. Mostly the firmware's time, by which it runs ahead of the
  /// calendar, so that is taken back first.
  void cut_short(Picoseconds at);
  [[nodiscard]] Picoseconds total() const {
    Picoseconds sum;
    for (const Picoseconds part : parts) sum += part;
    return sum;
  }
  /// The time for each cause; they sum to the total.
  [[nodiscard]] std::array<Picoseconds, causes> by_cause() const;
};

}  // namespace tessera
