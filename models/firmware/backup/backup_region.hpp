#pragma once
// The slots of read-modify-writes: as many may be under way at once ("The length of the log is determined by the number of simultaneous
// RMW operations allowed", Hajkazemi et al., section 2.1), so that the disk channel can choose among their commands.
//
// Records of several slots may describe the same sectors, but never differ: what a record describes is not written in another way before it
// is void. Where the sector that voids one cannot be read any more, numbers tell which is newer, and that is applied first.
#include <cstdint>
#include <deque>
#include <optional>
#include <span>

#include "base/metrics.hpp"
#include "firmware/backup/backup_slot.hpp"

namespace tessera {

class BackupRegion {
 public:
  /// Of a drive: `slots` for records of up to `sectors`.
  struct Shape {
    std::uint32_t slots = 1;
    std::uint32_t sectors = 0;
  };
  static constexpr std::uint32_t most_slots = 64;

  /// Radii that a region at `radius` needs: in each slot room for a record beside the newest, at least three tracks.
  [[nodiscard]] static std::uint64_t radii_needed(const DriveGeometry& geometry, std::uint32_t radius, const Shape& shape);

  /// `regions`: conventional, not skewed, of one zone; none where nothing is to be saved, and the slots are staging buffers only.
  /// `staging`: what these hold.
  BackupRegion(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& regions, const Shape& shape, const char* staging);

  /// A place in the queue for a slot, and once awaited, the slot, until its end:
  ///   auto turn = backup.any();
  ///   co_await turn;
  ///   turn->make_room(...);
  /// Whoever saves, or voids, holds it from before until the saved sectors are back in place.
  class Turn {
   public:
    Turn(BackupRegion& region, BackupSlot* wanted);
    /// Hands a granted turn on.
    Turn(Turn&& other) noexcept;
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    Turn& operator=(Turn&&) = delete;
    ~Turn() { end(); }

    BackupSlot* operator->() const { return slot_; }
    /// Gives the slot back.
    void end();

    bool await_ready() const noexcept { return slot_ != nullptr; }
    void await_suspend(std::coroutine_handle<> task);
    void await_resume() const noexcept {}

   private:
    friend class BackupRegion;
    [[nodiscard]] bool takes(const BackupSlot* slot) const { return wanted_ == nullptr || wanted_ == slot; }

    BackupRegion* region_;
    BackupSlot* wanted_;  ///< null: any
    BackupSlot* slot_ = nullptr;
    bool queued_ = false;
    Turn* later_ = nullptr;
    DeviceWait wait_;
  };
  /// Turns are granted in the order in which they are awaited, but that one that can have a free slot does not wait for one that wants
  /// another.
  [[nodiscard]] Turn any() { return Turn(*this, nullptr); }
  /// That slot and no other: its record will be superseded.
  [[nodiscard]] Turn at(BackupSlot& slot) { return Turn(*this, &slot); }

  /// The first slot whose record describes a sector of one of `runs`; null if none does.
  [[nodiscard]] BackupSlot* describing(std::span<const PhysicalRun> runs);
  /// Voids the records that describe a sector of one of `runs`, but for that of `kept`.
  [[nodiscard]] Task<Status> forget(std::span<const PhysicalRun> runs, const BackupSlot* kept = nullptr);

  /// Boot after a power cut: puts back what was destroyed of what the slots' records describe, and voids these.
  [[nodiscard]] Task<Status> recover();

  void report(MetricSet& metrics) const;

 private:
  struct Place {
    BackupSlot slot;
    bool free = true;
  };
  [[nodiscard]] BackupSlot* take(const BackupSlot* wanted);
  void enqueue(Turn& turn);
  void dequeue(const Turn& turn);
  void give_back(BackupSlot& slot);

  CpuPort& cpu_;
  ConventionalLayout layout_;
  RecordNumbers numbers_;
  std::deque<Place> places_;  // a slot stays where it is
  Turn* first_ = nullptr;     // of those that wait
  std::uint64_t waits_ = 0;
  Gauge used_gauge_;
};

}  // namespace tessera
