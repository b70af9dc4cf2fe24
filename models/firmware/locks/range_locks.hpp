#pragma once
// Shared and exclusive locks on ranges, first come first served among those that overlap: a waiting lock blocks later
// ones that overlap it, so nobody starves. The locks themselves are the list's nodes; nothing is allocated.
#include <algorithm>
#include <concepts>
#include <coroutine>
#include <cstdint>
#include <type_traits>

#include "base/address.hpp"
#include "firmware/locks/held_places.hpp"
#include "firmware/ports/cpu_port.hpp"

namespace tessera {

/// Sectors, tracks, bands, zones: whatever has numbers, [first, end).
template <class Number>
struct LockRange {
  Number first{};
  Number end{};
  [[nodiscard]] static LockRange of(Number one) { return {one, one + 1}; }
  [[nodiscard]] static LockRange of(const LogicalRun& run) requires std::same_as<Number, LogicalSector> { return {run.first, run.end()}; }
  [[nodiscard]] bool overlaps(const LockRange& other) const { return first < other.end && other.first < end; }
};
using SectorRange = LockRange<LogicalSector>;
using NumberRange = LockRange<std::uint64_t>;

/// Angles as fractions of a turn in units of 2^-32, so that sector boundaries of tracks of different length compare: for
/// tracks of fewer than 65,536 sectors, two boundaries are equal here exactly if they are equal on the platter.
inline constexpr std::uint64_t full_turn = std::uint64_t{1} << 32;
[[nodiscard]] constexpr std::uint64_t angle_of(std::uint64_t sector, std::uint32_t sectors_on_track) {
  return (sector << 32) / sectors_on_track;
}

/// Where a run ends, in places from the beginning of its track: one that wraps passes over the `spares` after its sectors, too.
[[nodiscard]] constexpr std::uint64_t end_place(const PhysicalRun& run, std::uint32_t sectors, std::uint32_t spares) {
  const std::uint64_t end = std::uint64_t{run.first} + run.count;
  return end > sectors ? end + spares : end;
}

/// Angles [angle_first, angle_end) of radii [radius_first, radius_end) of one surface; angle_end is beyond a full turn where they wrap.
struct AngularBox {
  std::uint32_t surface = 0;
  std::uint32_t radius_first = 0;
  std::uint32_t radius_end = 0;
  std::uint64_t angle_first = 0;
  std::uint64_t angle_end = full_turn;

  /// The box of a run on a track of so many sectors, after which DriveGeometry::track_spares pass.
  [[nodiscard]] static AngularBox of(const PhysicalRun& run, std::uint32_t sectors, std::uint32_t spares = 0) {
    return {run.track.surface, run.track.radius, run.track.radius + 1, angle_of(run.first, sectors + spares),
            angle_of(end_place(run, sectors, spares), sectors + spares)};
  }
  /// Grows the box so that it encloses `other`, which lies on the same surface. Of two boxes that wrap, both do.
  void enclose(const AngularBox& other) {
    radius_first = std::min(radius_first, other.radius_first);
    radius_end = std::max(radius_end, other.radius_end);
    angle_first = std::min(angle_first, other.angle_first);
    angle_end = std::max(angle_end, other.angle_end);
  }
  [[nodiscard]] bool overlaps(const AngularBox& other) const {
    return surface == other.surface && radius_first < other.radius_end && other.radius_first < radius_end &&
           (reaches(other.angle_first) || other.reaches(angle_first));
  }
  /// Whether the angle is one of the box's, or that angle a turn later.
  [[nodiscard]] bool reaches(std::uint64_t angle) const { return ((angle - angle_first) & (full_turn - 1)) < angle_end - angle_first; }
};

enum class LockMode : std::uint8_t { shared, exclusive };

/// How the locks of a kind of range find out that nobody else is near.
template <class Range>
struct PlacesOf : std::type_identity<AnyPlace> {};
template <class Number>
struct PlacesOf<LockRange<Number>> : std::type_identity<HeldPlaces<LockRange<Number>, 128>> {};

/// The locks of one address space. `Range` has `overlaps(const Range&)`.
template <class Range>
class RangeLocks {
 public:
  /// A place in the queue, and once awaited, the lock:
  ///   auto lock = locks.exclusive(range);
  ///   co_await lock;
  /// Its end, or unlock(), gives the lock back.
  class Lock {
   public:
    Lock(RangeLocks& locks, const Range& range, LockMode mode) : locks_(&locks), range_(range), mode_(mode) { locks_->enqueue(*this); }
    /// Hands a granted lock on; a waiting one stays where it is.
    Lock(Lock&& other) noexcept : locks_(other.locks_), range_(other.range_), mode_(other.mode_) {
      if (locks_ != nullptr) locks_->replace(other, *this);
      other.locks_ = nullptr;
    }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;
    Lock& operator=(Lock&&) = delete;
    ~Lock() { unlock(); }

    [[nodiscard]] bool granted() const { return locks_ != nullptr && blockers_ == 0; }
    [[nodiscard]] const Range& range() const { return range_; }
    /// Whether anyone waits for this lock.
    [[nodiscard]] bool awaited() const { return followers_ > 0; }
    void unlock() {
      if (locks_ == nullptr) return;
      locks_->dequeue(*this);
      locks_ = nullptr;
    }

    bool await_ready() const noexcept { return blockers_ == 0; }
    void await_suspend(std::coroutine_handle<> task) {
      wait_.task = task;
      suspended_ = true;
      locks_->cpu_.suspend(wait_, LifePhase::lock);
    }
    void await_resume() noexcept { suspended_ = false; }

   private:
    friend class RangeLocks;
    [[nodiscard]] bool conflicts(const Lock& other) const {
      return (mode_ == LockMode::exclusive || other.mode_ == LockMode::exclusive) && range_.overlaps(other.range_);
    }

    RangeLocks* locks_;
    Range range_;
    LockMode mode_;
    bool suspended_ = false;
    std::uint32_t blockers_ = 0;   ///< earlier locks that conflict
    std::uint32_t followers_ = 0;  ///< later ones
    Lock* earlier_ = nullptr;
    Lock* later_ = nullptr;
    DeviceWait wait_;
  };

  explicit RangeLocks(CpuPort& cpu) : cpu_(cpu) {}
  RangeLocks(const RangeLocks&) = delete;
  RangeLocks& operator=(const RangeLocks&) = delete;

  [[nodiscard]] Lock shared(const Range& range) { return Lock(*this, range, LockMode::shared); }
  [[nodiscard]] Lock exclusive(const Range& range) { return Lock(*this, range, LockMode::exclusive); }
  [[nodiscard]] bool empty() const { return last_ == nullptr; }
  /// Whether anybody has a lock on some of the range, or waits for one.
  [[nodiscard]] bool wanted(const Range& range) const {
    cpu_.charge(CpuOperation::lock, 1);
    const Lock* lock = last_;
    while (lock != nullptr && !lock->range_.overlaps(range)) lock = lock->earlier_;
    return lock != nullptr;
  }

 private:
  void enqueue(Lock& lock) {
    cpu_.charge(std::same_as<Range, AngularBox> ? CpuOperation::angular_lock : CpuOperation::lock, 1);
    if (places_.add(lock.range_)) look_back(lock);
    lock.earlier_ = last_;
    if (last_ != nullptr) last_->later_ = &lock;
    last_ = &lock;
  }

  void look_back(Lock& lock) {
    for (Lock* held = last_; held != nullptr; held = held->earlier_) {
      if (!held->conflicts(lock)) continue;
      ++held->followers_;
      ++lock.blockers_;
    }
  }

  void dequeue(Lock& lock) {
    places_.remove(lock.range_);
    (lock.later_ != nullptr ? lock.later_->earlier_ : last_) = lock.earlier_;
    if (lock.earlier_ != nullptr) lock.earlier_->later_ = lock.later_;
    for (Lock* held = lock.earlier_; lock.blockers_ > 0; held = held->earlier_) {  // a waiting lock that is given up
      if (!held->conflicts(lock)) continue;
      --held->followers_;
      --lock.blockers_;
    }
    for (Lock* next = lock.later_; lock.followers_ > 0; next = next->later_) {
      if (!next->conflicts(lock)) continue;
      --lock.followers_;
      if (--next->blockers_ == 0 && next->suspended_) cpu_.make_ready(next->wait_);
    }
  }

  void replace(Lock& from, Lock& to) {
    TESSERA_CHECK(!from.suspended_, "a waiting lock was moved");
    to.blockers_ = from.blockers_;
    to.followers_ = from.followers_;
    to.earlier_ = from.earlier_;
    to.later_ = from.later_;
    (to.later_ != nullptr ? to.later_->earlier_ : last_) = &to;
    if (to.earlier_ != nullptr) to.earlier_->later_ = &to;
  }

  CpuPort& cpu_;
  typename PlacesOf<Range>::type places_;
  Lock* last_ = nullptr;  // the newest; older ones follow `earlier_`
};

using SectorLocks = RangeLocks<SectorRange>;

/// Of host commands, of which a deep queue holds hundreds.
struct CommandRange : SectorRange {
  [[nodiscard]] static CommandRange of(const LogicalRun& run) { return {SectorRange::of(run)}; }
};
template <>
struct PlacesOf<CommandRange> : std::type_identity<HeldPlaces<CommandRange, 4096>> {};
using CommandLocks = RangeLocks<CommandRange>;

using AngularLocks = RangeLocks<AngularBox>;

/// A mutex with a queue: all locks of one address overlap.
struct SamePlace {
  [[nodiscard]] bool overlaps(const SamePlace&) const { return true; }
};
using FifoMutex = RangeLocks<SamePlace>;

}  // namespace tessera
