#include "media/media_arm.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace tessera {

MediaArm::MediaArm(Platters& platters, std::uint32_t number, std::uint32_t first_surface, SignalScope& signals)
    : platters_(platters),
      number_(number),
      mechanics_(platters.config, platters.geometry, first_surface, platters.power.any() ? &platters.power : nullptr),
      head_state_(signals.state("state", {"idle", "seek", "rotate", "read", "write", "off"})),
      head_radius_(signals.number("head_radius", 32, 0)),
      head_surface_(signals.number("head_surface", 8, first_surface)) {
  if (errors_by_track(platters.config)) unread_ = signals.level("unread_sectors", 16);
}

/// Finds the run's track; false if the run does not lie on one. Of a run of spares behind the data the track counts all its sectors.
bool MediaArm::resolve(const PhysicalRun& run) {
  if (!platters_.geometry.contains(run.track)) return false;
  group_ = &platters_.geometry.group_of(run.track.radius);
  if (group_->region == TrackGroup::no_region) return false;
  shape_ = platters_.geometry.shape_of(run.track, *group_);
  track_ = platters_.geometry.linear(run.track);
  if (run.first >= shape_.sectors()) {
    if (!platters_.spares_used || run.count > shape_.density.sectors || run.first > shape_.density.sectors - run.count) return false;
    shape_.missing = 0;
  }
  return run.count != 0 && run.count <= shape_.sectors();
}

MediaTiming MediaArm::start(const MediaStep& step, Picoseconds now, const ArmDisturbance& by, Picoseconds recovery) {
  TESSERA_CHECK(step_ == nullptr, "a media step while another is in flight");
  step_ = &step;
  begin_ = now;
  recovery_ = recovery;
  ++platters_.statistics.commands;
  ++platters_.statistics.arms[number_].commands;
  given_up_ = false;
  violation_ = !resolve(step.run);
  if (violation_) {
    timing_ = {{}, {}, {}, now};
    return timing_;
  }
  const Picoseconds ready = now + recovery;
  Motion motion = mechanics_.plan(step, shape_, ready, by);
  if (const Picoseconds lost = platters_.faults.off_track(); lost != Picoseconds()) {
    motion.rotation += lost;
    ++platters_.statistics.servo_faults;
  }
  if (platters_.slow.any()) [[unlikely]]
    lose_turns(motion);
  platters_.statistics.missed_turns += motion.missed_turns;
  entry_ = motion.entry;
  transfer_begin_ = ready + motion.overhead + motion.seek + motion.rotation;
  timing_ = {recovery + motion.seek, motion.rotation, motion.overhead + motion.transfer, transfer_begin_ + motion.transfer};

  const PhysicalTrack from = mechanics_.head();
  warm_up_ = mechanics_.warm_up(step.run, step.op == MediaOp::write, ready);
  mechanics_.moved(step, shape_.sectors(), timing_.end);
  const PhysicalTrack to = mechanics_.head();
  if (from.radius != to.radius) {
    platters_.statistics.seeks.record(from.radius > to.radius ? from.radius - to.radius : to.radius - from.radius);
  } else if (from.surface != to.surface) {
    ++platters_.statistics.head_switches;
  }
  announce(from, motion);
  return timing_;
}

void MediaArm::lose_turns(Motion& motion) {
  const Picoseconds lost = platters_.slow.lost(step_->run.track, begin_, motion.total());
  if (lost == Picoseconds()) return;
  motion.rotation += lost;
  ++platters_.statistics.slow_steps;
  platters_.statistics.slow_time += lost;
}

void MediaArm::announce(PhysicalTrack from, const Motion& motion) const {
  if (platters_.observer == nullptr && !head_state_.watched()) return;
  const PhysicalTrack to = mechanics_.head();
  const Picoseconds leaves = begin_ + recovery_ + motion.overhead;
  if (motion.seek != Picoseconds()) show(MediaState::seek, from, leaves);
  if (motion.rotation != Picoseconds()) show(MediaState::rotate, to, leaves + motion.seek);
  show(step_->op == MediaOp::read ? MediaState::read : MediaState::write, to, transfer_begin_);
}

/// Tells the observer, and the signals. A cut withdraws what was announced beyond it.
void MediaArm::show(MediaState state, PhysicalTrack head, Picoseconds at) const {
  if (platters_.observer != nullptr) platters_.observer->state(state, head, at);
  if (!head_state_.watched()) return;
  const auto code = static_cast<std::uint64_t>(state);
  if (state == MediaState::off || given_up_) {
    head_state_.replace(code, at);
    head_radius_.replace(head.radius, at);
    head_surface_.replace(head.surface, at);
  } else {
    head_state_.set_row<3>({code, head.radius, head.surface}, at);
  }
}

std::uint32_t MediaArm::header_sector() const {
  const std::uint32_t last = step_->run.first + step_->run.count - 1;
  return last < shape_.sectors() ? last : last - shape_.sectors();
}

/// Tells what a sector of this track holds, which a fault takes.
void MediaArm::tell_destroyed(std::uint32_t sector) {
  if (platters_.fault_listener == nullptr) return;
  std::vector<std::byte> held(platters_.store.shape().kept());
  if (ok(platters_.store.read(track_, sector, 1, held))) platters_.fault_listener->destroyed(held);
}

/// These sectors of the track were read or written.
void MediaArm::brought(std::uint32_t first, std::uint32_t count) {
  if (platters_.failing.empty()) return;  // which holds those of `unread`, too
  for (std::set<TrackSector>* const of : {&platters_.failing, &platters_.unread})
    of->erase(of->lower_bound({track_, first}), of->lower_bound({track_, first + count}));
}

/// Of sectors that were read, those that were spoilt as they were written, or since.
void MediaArm::note_spoilt(std::uint32_t first, std::uint32_t count) {
  for (std::uint32_t sector = first; sector < first + count; ++sector)
    if (platters_.store.status(track_, sector) == Status::media_error) {
      platters_.unread.insert({track_, sector});
      platters_.failing.insert({track_, sector});
    }
}

/// Marks the sectors of a piece that the read in flight does not bring, and counts them.
std::uint32_t MediaArm::read_faults(std::uint32_t first, std::uint32_t count, std::uint32_t offset) {
  std::uint32_t found = 0;
  const auto failed = [&](std::uint32_t sector, ReadFault fault, std::uint32_t reads) {
    ++found;
    platters_.failing.insert({track_, sector});
    ++(fault == ReadFault::permanent ? platters_.statistics.permanent_faults : platters_.statistics.transient_faults);
    if (fault == ReadFault::permanent || reads >= platters_.reads_before_loss) {
      tell_destroyed(sector);
      platters_.unread.insert({track_, sector});
    }
    not_delivered(sector - first + offset);
    if (step_->data.buffer != nullptr) mark_as_stored(sector, sector - first + offset);
  };
  platters_.faults.read(track_, first, count, platters_.interference, timing_.end, failed);
  platters_.statistics.heads[step_->run.track.surface].unread_sectors += found;
  return found;
}

/// The read in flight brings nothing of its sector at `offset`.
void MediaArm::not_delivered(std::uint32_t offset) {
  if (step_->data.buffer != nullptr) {
    platters_.store.mark_destroyed(content_of(step_->data.part(offset, 1)));
    step_->data.buffer->mark_lost(step_->data.first + offset);
  }
  if (!step_->system.empty()) {
    const std::size_t bytes = platters_.store.shape().sector_bytes;
    std::ranges::fill(step_->system.subspan(offset * bytes, bytes), std::byte{0});
  }
  if (step_->header != nullptr && offset + 1 == step_->run.count) step_->header->fill(std::byte{0});
  if (!step_->headers.empty()) step_->headers[offset].fill(std::byte{0});
}

/// Marks a sector that the read in flight finds destroyed, or stored as lost, at `offset` of its buffer.
void MediaArm::mark_as_stored(std::uint32_t sector, std::uint32_t offset) {
  DataBuffer& buffer = *step_->data.buffer;
  const Status stored = platters_.store.status(track_, sector);
  if (stored == Status::damaged)
    buffer.mark_overwritten(step_->data.first + offset);
  else if (!ok(stored))
    buffer.mark_lost(step_->data.first + offset);
}

Status MediaArm::read_run() {
  Status status = Status::ok;
  if (step_->header != nullptr) platters_.store.read_header(track_, header_sector(), *step_->header);
  std::uint32_t unread = 0;
  clear_lost(step_->data);
  each_piece(0, step_->run.count, [&](std::uint32_t first, std::uint32_t n, std::uint32_t from) {
    const bool headers_alone = step_->data.buffer == nullptr && (step_->header != nullptr || !step_->headers.empty());
    Status piece = headers_alone ? platters_.store.header_status(track_, first, n)
                                 : platters_.store.read(track_, first, n,
                                                        content_of(step_->data.buffer == nullptr ? DataSpan() : step_->data.part(from, n)));
    if (!step_->system.empty()) {
      const std::size_t bytes = platters_.store.shape().sector_bytes;
      piece = platters_.store.read_system(track_, first, n, step_->system.subspan(from * bytes, n * bytes));
    }
    brought(first, n);
    if (piece == Status::media_error) note_spoilt(first, n);
    if (!ok(piece)) {
      if (status != Status::media_error && (piece == Status::media_error || status != Status::damaged)) status = piece;
      for (std::uint32_t i = 0; i < n && step_->data.buffer != nullptr; ++i) mark_as_stored(first + i, from + i);
    }
    if (!step_->headers.empty())
      for (std::uint32_t i = 0; i < n; ++i) platters_.store.read_header(track_, first + i, step_->headers[from + i]);
    if (platters_.faults.any()) unread += read_faults(first, n, from);
  });
  platters_.statistics.regions[group_->region].sectors_read += step_->run.count;
  if (status == Status::damaged) ++platters_.statistics.damaged_reads;
  unread_.set(unread, timing_.end);
  if (unread != 0) status = Status::media_error;
  if (status == Status::media_error) ++platters_.statistics.media_errors;
  return status;
}

/// The sectors that passed between landing and the run's first sector, back from that one: up to the first that cannot be read.
void MediaArm::read_early() {
  EarlySectors& early = *step_->early;
  early.count = 0;
  const std::uint32_t sectors = shape_.sectors();
  const std::uint32_t most = std::min(early.place.count, sectors - step_->run.count);
  const auto in_front = [&](std::uint32_t distance) { return (step_->run.first + sectors - distance) % sectors; };
  const auto good = [&](std::uint32_t distance) {
    const std::uint32_t sector = in_front(distance);
    return Picoseconds(platters_.geometry.passing(shape_, sector, distance)) <= timing_.rotation &&
           ok(platters_.store.status(track_, sector)) && !platters_.faults.spoils(track_, sector);
  };
  while (early.count < most && good(early.count + 1)) ++early.count;
  if (early.count == 0) return;
  const DataSpan place = early.place.part(early.place.count - early.count, early.count);
  clear_lost(place);
  const std::uint32_t first = in_front(early.count);
  const std::uint32_t head = std::min(early.count, sectors - first);
  static_cast<void>(platters_.store.read(track_, first, head, content_of(place.part(0, head))));
  if (head < early.count)
    static_cast<void>(platters_.store.read(track_, 0, early.count - head, content_of(place.part(head, early.count - head))));
  platters_.statistics.regions[group_->region].sectors_read += early.count;
}

/// Adds the step's time up to `until`, no later than its end, to the state in which it was spent.
void MediaArm::account(Picoseconds until) {
  const Picoseconds taken = until - begin_;
  const Picoseconds elapsed = taken - std::min(taken, recovery_);  // PowerConditions counts the recovery
  const Picoseconds overhead = (transfer_begin_ - begin_) - timing_.seek - timing_.rotation;
  const Picoseconds in_overhead = std::min(elapsed, overhead);
  const Picoseconds in_seek = std::min(elapsed - in_overhead, timing_.seek - recovery_);
  const Picoseconds in_rotation = std::min(elapsed - in_overhead - in_seek, timing_.rotation);
  MediaStatistics& statistics = platters_.statistics;
  statistics.seek_time += in_seek;
  statistics.rotation_time += in_rotation;
  (step_->op == MediaOp::read ? statistics.read_time : statistics.write_time) += elapsed - in_seek - in_rotation;
  if (step_->op == MediaOp::write) {
    const Picoseconds cold = timing_.rotation - std::min(timing_.rotation, warm_up_);
    statistics.laser_time += elapsed - in_overhead - in_seek - std::min(in_rotation, cold);
  }
  statistics.arms[number_].busy += taken;
}

Status MediaArm::finish() {
  TESSERA_CHECK(step_ != nullptr, "no media step is in flight");
  Status status = Status::ok;
  if (violation_) {
    ++platters_.statistics.rule_violations;
    status = Status::rule_violation;
  } else {
    account(timing_.end);
    status = given_up_ ? Status::aborted : step_->op == MediaOp::read ? read_run() : write_run();
    if (step_->early != nullptr && !given_up_) [[unlikely]]
      read_early();
  }
  step_ = nullptr;
  if (platters_.observer != nullptr || Signal::anyone_watches()) [[unlikely]]
    show(MediaState::idle, mechanics_.head(), timing_.end);
  return status;
}

Picoseconds MediaArm::give_up(Picoseconds now) {
  TESSERA_CHECK(step_ != nullptr, "no media step is in flight");
  if (step_->op != MediaOp::read || violation_ || given_up_) return timing_.end;
  const Picoseconds landed = transfer_begin_ - timing_.rotation;
  const Picoseconds overhead = landed - timing_.seek - begin_;
  if (now < transfer_begin_) {
    transfer_begin_ = timing_.end = std::max(now, landed);
    timing_.rotation = timing_.end - landed;
    timing_.transfer = overhead;
  } else {
    const std::uint32_t before = passed_before(now - transfer_begin_);
    const bool at_boundary = Picoseconds(platters_.geometry.passing(shape_, entry_, before)) == now - transfer_begin_;
    const Picoseconds transfer(platters_.geometry.passing(shape_, entry_, std::min(before + (at_boundary ? 0 : 1), step_->run.count)));
    timing_.end = transfer_begin_ + transfer;
    timing_.transfer = overhead + transfer;
  }
  given_up_ = true;
  ++platters_.statistics.given_up;
  return timing_.end;
}

void MediaArm::cut(Picoseconds now) {
  if (step_ != nullptr && !violation_) {
    account(std::min(now, timing_.end));
    if (step_->op == MediaOp::write) {
      if (now < timing_.end)
        write_before(now);
      else
        static_cast<void>(write_run());
    }
  }
  step_ = nullptr;
  mechanics_.park();
  show(MediaState::off, mechanics_.head(), now);
}

void MediaArm::restore(Picoseconds now) { show(MediaState::idle, mechanics_.head(), now); }

}  // namespace tessera
