#include "media/mechanics.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace tessera {

namespace {

constexpr std::uint32_t distance(std::uint32_t a, std::uint32_t b) { return a > b ? a - b : b - a; }

/// Tracks whose seek the papers neglect: a bottom's two tops are two radii apart (interlaced paper, footnote 4), the first and the
/// last track of the largest band that is rewritten in place four (address-mapping paper, section 3.1).
constexpr std::uint32_t nearby_radii = 4;

/// How far two heads may be apart: from track to track the arm moves so much further than these lie apart.
std::uint32_t head_spread(const MediaConfig& config) {
  double least = 0;
  double most = 0;
  for (const NumberRow& row : config.head_tolerances) {
    least = std::min(least, row[1]);
    most = std::max(most, row[1]);
  }
  return static_cast<std::uint32_t>(most - least);
}

}  // namespace

Mechanics::Mechanics(const MediaConfig& config, const TrackGeometry& geometry, std::uint32_t home, const PowerConditions* power)
    : geometry_(geometry),
      power_(power),
      curve_(SeekCurve::of(config, geometry.radii(), geometry.spare_radii() + head_spread(config))),
      head_switch_(config.head_switch),
      write_settle_(config.write_settle),
      read_settle_(config.read_settle),
      laser_warm_up_(config.heat.laser_warm_up),
      write_settles_(seek_points(config.write_settles)),
      overhead_(config.channel_overhead),
      mode_(config.timing),
      backup_turns_(config.rmw_mid_turns - 1),
      home_(home),
      most_off_(head_spread(config)),
      head_{home, 0} {
  for (const NumberRow& row : config.arm_tolerances) {
    if (arms_of(config)[static_cast<std::size_t>(row[0])].first != home) continue;
    own_speed_ = 1 + row[1] / 100;
    own_settle_ = Picoseconds(static_cast<std::uint64_t>(std::llround(row[2] * 1e9)));
  }
  alike_ = config.head_tolerances.empty() && own_speed_ == 1 && own_settle_ == Picoseconds();
  if (config.head_tolerances.empty()) return;
  offsets_.resize(geometry.surfaces());
  head_settles_.resize(geometry.surfaces());
  for (const NumberRow& row : config.head_tolerances) {
    offsets_[static_cast<std::size_t>(row[0])] = static_cast<std::int64_t>(row[1]);
    head_settles_[static_cast<std::size_t>(row[0])] = Picoseconds(static_cast<std::uint64_t>(std::llround(row[2] * 1e9)));
  }
}

std::uint32_t Mechanics::arm_distance(PhysicalTrack from, PhysicalTrack target) const {
  const std::int64_t begin = from.radius - offsets_[from.surface];
  return static_cast<std::uint32_t>(std::abs(target.radius - offsets_[target.surface] - begin));
}

Picoseconds Mechanics::seek_time(PhysicalTrack from, PhysicalTrack target, bool write) const {
  if (target == from) return {};
  const std::uint32_t moved = offsets_.empty() ? distance(target.radius, from.radius) : arm_distance(from, target);
  Picoseconds time = alike_ ? curve_.time(moved) : moving(curve_.time(moved));
  if (target.surface != from.surface) time = std::max(time, head_switch_);
  if (!alike_) [[unlikely]]
    time += own_settle_ + (offsets_.empty() ? Picoseconds() : head_settles_[target.surface]);
  if (!write) return time + read_settle_;
  return time + write_settle_ + (write_settles_.empty() ? Picoseconds() : more_settle(moved));
}

Picoseconds Mechanics::more_settle(std::uint32_t moved) const {
  Picoseconds more;
  for (const SeekPoint& from : write_settles_)
    if (moved >= from.distance) more = from.time;
  return more;
}

bool Mechanics::nearby(PhysicalTrack track) const {
  return track.surface == head_.surface && distance(track.radius, head_.radius) <= nearby_radii;
}

std::uint64_t Mechanics::rotation_to(const PhysicalRun& run, const TrackShape& shape, std::uint64_t angle, std::uint32_t& entry) const {
  entry = run.first;
  if (run.count == shape.sectors()) {
    // A whole track starts with the next sector boundary that comes under the head.
    entry = geometry_.sector_at(shape, angle);
    if (geometry_.angle_of(shape, entry) != angle) entry = entry + 1 == shape.sectors() ? 0 : entry + 1;
  }
  return geometry_.forward(angle, geometry_.angle_of(shape, entry));
}

Picoseconds Mechanics::positioning_time(const PhysicalRun& run, bool write, Picoseconds now) const {
  if (power_ != nullptr || laser_warm_up_ != Picoseconds()) [[unlikely]]
    return prepared_positioning_time(run, write, now);
  return after(overhead_ + seek_time(head_, run.track, write), run, continues(run), now);
}

Picoseconds Mechanics::prepared_positioning_time(const PhysicalRun& run, bool write, Picoseconds now) const {
  const PowerConditions::Recovery recovery = power_ == nullptr ? PowerConditions::Recovery() : power_->recovery(now);
  const Picoseconds arrival =
      recovery.wait + overhead_ + seek_time(recovery.from_ramp ? ramp() : head_, run.track, write) + warm_up(run, write, now);
  return after(arrival, run, continues(run) && !recovery.from_ramp, now);
}

Picoseconds Mechanics::after(Picoseconds arrival, const PhysicalRun& run, bool goes_on, Picoseconds now) const {
  if (mode_ == MediaTimingMode::expected) return goes_on ? arrival : arrival + geometry_.revolution() / 2;
  std::uint32_t entry = 0;
  const std::uint64_t angle = geometry_.angle_at(now + arrival);
  return arrival + Picoseconds(rotation_to(run, geometry_.shape_of(run.track), angle, entry));
}

Motion Mechanics::plan(const MediaStep& step, const TrackShape& shape, Picoseconds now, const ArmDisturbance& by) const {
  Motion motion = mode_ == MediaTimingMode::expected ? expected(step, shape, now, by) : rotational(step, shape, now, by);
  // Data that is complete before the head can be there is as good as data that was there from the start.
  if (step.op == MediaOp::write && step.data.buffer != nullptr && step.data.buffer->write_flow().last > now + motion.overhead + motion.seek)
      [[unlikely]]
    wait_for_data(motion, step, shape, now);
  return motion;
}

/// By how much the data of any sector is later than the head, which begins the transfer at `transfer_begin`. Both go on evenly, so the
/// first and the last sector tell; a sector is written once all of it is there.
Picoseconds Mechanics::lateness(const MediaStep& step, const TrackShape& shape, Picoseconds transfer_begin) const {
  const DataSpan& data = step.data;
  const WriteFlow& flow = data.buffer->write_flow();
  const Picoseconds first = flow.complete(data.first, data.buffer->sectors());
  const Picoseconds last = flow.complete(data.first + data.count - 1, data.buffer->sectors());
  const Picoseconds head = transfer_begin + Picoseconds(geometry_.passing(shape, step.run.first, step.run.count - 1));
  const Picoseconds late_first = first > transfer_begin ? first - transfer_begin : Picoseconds(0);
  return std::max(late_first, last > head ? last - head : Picoseconds(0));
}

/// A write whose data still crosses the host link: it goes from its first sector to its last, and a sector that has not come when the head
/// is there costs a turn. In `expected` timing it waits for just as long as the data is late.
void Mechanics::wait_for_data(Motion& motion, const MediaStep& step, const TrackShape& shape, Picoseconds now) const {
  const Picoseconds arrival = now + motion.overhead + motion.seek;
  if (mode_ == MediaTimingMode::expected) {
    motion.rotation += lateness(step, shape, arrival + motion.rotation);
    return;
  }
  motion.entry = step.run.first;
  const Picoseconds warm = warm_up(step.run, true, now);
  motion.rotation = warm + Picoseconds(geometry_.forward(geometry_.angle_at(arrival + warm), geometry_.angle_of(shape, step.run.first)));
  const Picoseconds turn = geometry_.revolution();
  const Picoseconds late = lateness(step, shape, arrival + motion.rotation);
  motion.missed_turns = static_cast<std::uint32_t>((late + turn - Picoseconds(1)) / turn);
  motion.rotation += turn * motion.missed_turns;
}

Picoseconds Mechanics::disturbed(Picoseconds seek, Picoseconds now, const ArmDisturbance& by) const {
  return seek != Picoseconds() && now + overhead_ + seek < by.until ? seek + by.settle : seek;
}

Motion Mechanics::rotational(const MediaStep& step, const TrackShape& shape, Picoseconds now, const ArmDisturbance& by) const {
  Motion motion;
  motion.overhead = overhead_;
  motion.seek = disturbed(seek_time(step.run.track, step.op == MediaOp::write), now, by);
  const Picoseconds warm = warm_up(step.run, step.op == MediaOp::write, now);
  const std::uint64_t angle = geometry_.angle_at(now + overhead_ + motion.seek + warm);
  motion.rotation = warm + Picoseconds(rotation_to(step.run, shape, angle, motion.entry));
  motion.transfer = Picoseconds(geometry_.passing(shape, step.run.first, step.run.count));
  if (step.run.count == shape.sectors()) motion.transfer = geometry_.revolution();
  return motion;
}

Motion Mechanics::expected(const MediaStep& step, const TrackShape& shape, Picoseconds now, const ArmDisturbance& by) const {
  const Picoseconds turn = geometry_.revolution();
  const Picoseconds passing(geometry_.passing(shape, step.run.first, step.run.count));
  const bool near = nearby(step.run.track);
  const Picoseconds warm = warm_up(step.run, step.op == MediaOp::write, now);
  Motion motion;
  motion.overhead = overhead_;
  motion.entry = step.run.first;
  switch (step.hint) {
    case StepHint::same_angle:
      if (near) {  // the turn brings the head back to the angle at which this run ends
        motion.rotation = turn - passing;
        motion.transfer = passing;
        return motion;
      }
      [[fallthrough]];
    case StepHint::position:
      motion.seek = disturbed(seek_time(step.run.track, step.op == MediaOp::write), now, by);
      motion.rotation = warm + (continues(step.run) ? Picoseconds() : turn / 2);
      motion.transfer = passing;
      return motion;
    case StepHint::whole_track:
      motion.seek = near ? Picoseconds() : disturbed(seek_time(step.run.track, step.op == MediaOp::write), now, by);
      motion.rotation = warm;
      motion.transfer = turn;
      return motion;
    case StepHint::backup_round_trip: motion.rotation = turn * backup_turns_; return motion;
  }
  return motion;
}

void Mechanics::moved(const MediaStep& step, std::uint32_t sectors, Picoseconds ends) {
  written_until_ = step.op == MediaOp::write ? ends : Picoseconds::max();
  if (mode_ == MediaTimingMode::expected && step.hint == StepHint::backup_round_trip) return;
  head_ = step.run.track;
  const std::uint32_t end = step.run.first + step.run.count;
  next_sector_ = end < sectors ? end : end - sectors;
}

void Mechanics::park() {
  head_ = ramp();
  next_sector_ = no_sector;
}

}  // namespace tessera
