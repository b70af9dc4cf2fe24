#pragma once
// One arm of the head-disk assembly: its position, the step that it has in hand, and what of it reaches the platters, which all arms share.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <vector>

#include "base/fault_listener.hpp"
#include "base/random.hpp"
#include "base/signal.hpp"
#include "media/content_store.hpp"
#include "media/fail_slow.hpp"
#include "media/head_wear.hpp"
#include "media/mechanics.hpp"
#include "media/media_config.hpp"
#include "media/media_faults.hpp"
#include "media/media_statistics.hpp"
#include "media/power_conditions.hpp"
#include "media/recording_physics.hpp"
#include "media/track_geometry.hpp"
#include "media/track_interference.hpp"

namespace tessera {

enum class MediaState : std::uint8_t { idle, seek, rotate, read, write, off };

/// Watches heads and states, for waveforms; the head's surface tells the arm. An arm's changes are announced when a step starts, for the
/// instants at which they will happen, in ascending order; a later call with an earlier instant (a power cut) withdraws what was announced
/// beyond it.
class MediaObserver {
 public:
  virtual void state(MediaState state, PhysicalTrack head, Picoseconds at) = 0;

 protected:
  ~MediaObserver() = default;
};

struct MediaTiming {
  Picoseconds seek;  ///< recovery from a power condition, head movement, head switch, settle
  Picoseconds rotation;
  Picoseconds transfer;  ///< sectors under the head, and the channel's overhead
  Picoseconds end;       ///< instant of completion
};

/// What a power cut made unreadable (`powerfail.sector = corrupt`): what the sector held and what was being written to it, as far as
/// content is kept.
struct TornSector {
  std::vector<std::byte> held;
  std::vector<std::byte> written;
};

/// What the arms share.
struct Platters {
  MediaConfig config;
  TrackGeometry geometry;
  ContentStore store;
  RandomStream powerfail;
  MediaFaults faults;
  FailSlow slow;
  TrackInterference interference;
  PowerConditions power;
  HeadWear wear;
  FaultListener* fault_listener = nullptr;
  std::uint32_t reads_before_loss = ~std::uint32_t{0};
  bool spares_used = false;  // sectors behind those that tracks number, by the factory's remaps
  std::set<TrackSector> unread{};
  std::set<TrackSector> failing{};
  std::function<void()> before_write{};  ///< called while there are unread ones
  MediaStatistics statistics{};
  MediaObserver* observer = nullptr;
  std::vector<TornSector> torn{};  ///< by the last cut
};

class MediaArm {
 public:
  /// `signals`: where it declares its own.
  MediaArm(Platters& platters, std::uint32_t number, std::uint32_t first_surface, SignalScope& signals);

  [[nodiscard]] const Mechanics& mechanics() const { return mechanics_; }
  [[nodiscard]] bool busy() const { return step_ != nullptr; }
  [[nodiscard]] const MediaStep& step() const { return *step_; }
  [[nodiscard]] const MediaTiming& timing() const { return timing_; }
  /// Heads go to the ramp.
  void park() { mechanics_.park(); }
  void wait_for(const PowerConditions& power) { mechanics_.wait_for(power); }
  /// Until when the head moves; in the past where it does not.
  [[nodiscard]] Picoseconds moves_until() const { return step_ == nullptr ? Picoseconds() : transfer_begin_ - timing_.rotation; }

  // See MediaDevice.
  /// The assembly is ready after `recovery`.
  MediaTiming start(const MediaStep& step, Picoseconds now, const ArmDisturbance& by, Picoseconds recovery);
  Picoseconds give_up(Picoseconds now);
  Status finish();
  void cut(Picoseconds now);
  void restore(Picoseconds now);

 private:
  void lose_turns(Motion& motion);
  void announce(PhysicalTrack from, const Motion& motion) const;
  void show(MediaState state, PhysicalTrack head, Picoseconds at) const;
  [[nodiscard]] bool resolve(const PhysicalRun& run);
  [[nodiscard]] std::uint32_t header_sector() const;
  [[nodiscard]] std::uint32_t passed_before(Picoseconds elapsed) const;
  [[nodiscard]] Status write_run();
  [[nodiscard]] bool may_stop() const;
  [[nodiscard]] std::uint32_t entry_offset() const;
  [[nodiscard]] std::uint32_t sectors_before_fault(bool whole);
  void write_passed(std::uint32_t count);
  void stop_at_fault(std::uint32_t passed);
  void lose_latent(std::uint32_t first, std::uint32_t count, std::uint32_t offset);
  void tell_destroyed(std::uint32_t sector);
  void mark_as_stored(std::uint32_t sector, std::uint32_t offset);
  void write_part(std::uint32_t offset, std::uint32_t count);
  void damage_from(std::uint32_t first, std::uint32_t count);
  void weaken_sides(std::uint32_t first, std::uint32_t count);
  [[nodiscard]] Status read_run();
  void read_early();
  void brought(std::uint32_t first, std::uint32_t count);
  void note_spoilt(std::uint32_t first, std::uint32_t count);
  [[nodiscard]] std::uint32_t read_faults(std::uint32_t first, std::uint32_t count, std::uint32_t offset);
  void not_delivered(std::uint32_t offset);
  void write_before(Picoseconds now);
  void tear(std::uint32_t sector, std::uint32_t offset);
  void account(Picoseconds until);
  template <class F>
  void each_piece(std::uint32_t offset, std::uint32_t count, F&& f) const;

  Platters& platters_;
  std::uint32_t number_;
  Mechanics mechanics_;
  Signal head_state_;
  Signal head_radius_;
  Signal head_surface_;
  Signal unread_;  // sectors of the last read

  // The step in flight.
  const MediaStep* step_ = nullptr;
  bool violation_ = false;
  bool given_up_ = false;
  const TrackGroup* group_ = nullptr;
  TrackShape shape_;
  std::uint64_t track_ = 0;
  std::uint32_t entry_ = 0;  // first sector transferred
  Picoseconds begin_;
  Picoseconds recovery_;  // first part of the seek: the assembly was in a power condition
  Picoseconds warm_up_;   // last part of the rotation: the laser is on
  Picoseconds transfer_begin_;
  MediaTiming timing_;
};

/// Calls f(first, count, offset) for the one or two unwrapped pieces of the run's sectors [offset, offset + count).
template <class F>
void MediaArm::each_piece(std::uint32_t offset, std::uint32_t count, F&& f) const {
  if (count == 0) return;
  const std::uint32_t sectors = shape_.sectors();
  std::uint32_t first = step_->run.first + offset;
  if (first >= sectors) first -= sectors;
  const std::uint32_t head = std::min(count, sectors - first);
  f(first, head, offset);
  if (head < count) f(std::uint32_t{0}, count - head, offset + head);
}

}  // namespace tessera
