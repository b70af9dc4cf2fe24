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
    timing_.end = std::max(now, transfer_begin_ + transfer);  // of a whole track the turn goes on over what has no sectors of it
    timing_.transfer = overhead + (timing_.end - transfer_begin_);
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

// --- Writes ---

// What of a write reaches the platter: all of it, the sectors before a fault, or those before a power cut.

void MediaArm::write_part(std::uint32_t offset, std::uint32_t count) {
  if (!platters_.unread.empty() && platters_.before_write) platters_.before_write();
  each_piece(offset, count, [&](std::uint32_t first, std::uint32_t n, std::uint32_t from) {
    brought(first, n);
    if (step_->system.empty()) {
      platters_.store.write(track_, first, n, content_of(step_->data.buffer == nullptr ? DataSpan() : step_->data.part(from, n)));
    } else {
      const std::size_t bytes = platters_.store.shape().sector_bytes;
      platters_.store.write_system(track_, first, n, step_->system.subspan(from * bytes, n * bytes));
    }
    if (!step_->headers.empty())
      for (std::uint32_t i = 0; i < n; ++i) platters_.store.write_header(track_, first + i, step_->headers[from + i]);
    if (any_lost(step_->data))
      for (std::uint32_t i = 0; i < n; ++i)
        if (step_->data.buffer->is_lost(step_->data.first + from + i)) platters_.store.mark_lost(track_, first + i);
    if (platters_.faults.any()) lose_latent(first, n, from);
    if (platters_.interference.any()) platters_.interference.written(track_, first, n);
  });
  platters_.statistics.regions[group_->region].sectors_written += count;
  if (platters_.wear.any()) platters_.wear.written(step_->run.track.surface, count);
}

void MediaArm::damage_from(std::uint32_t first, std::uint32_t count) {
  if (platters_.interference.any() && count != 0) weaken_sides(first, count);
  const DamageReach reach = damage_reach(platters_.geometry, *group_, step_->run.track.radius);
  if (reach.none() || count == 0) return;
  const PhysicalTrack written = step_->run.track;
  for (std::uint32_t radius = written.radius - reach.below; radius <= written.radius + reach.above; ++radius) {
    if (radius == written.radius) continue;
    const PhysicalTrack victim{written.surface, radius};
    const std::uint64_t number = platters_.geometry.linear(victim);
    if (!platters_.store.occupied(number)) continue;
    const TrackShape shape = platters_.geometry.shape_of(victim);
    const SectorArc arc = overlapped_arc(platters_.geometry, shape_, first, count, shape);
    const std::uint32_t head = std::min(arc.count, shape.sectors() - arc.first);
    platters_.store.damage(number, arc.first, head);
    platters_.store.damage(number, 0, arc.count - head);
  }
}

/// What lies next to the sectors that were written, on tracks of the same region: whatever overlaps, as the table of formats says apart.
void MediaArm::weaken_sides(std::uint32_t first, std::uint32_t count) {
  const PhysicalTrack written = step_->run.track;
  const std::uint32_t reach = platters_.config.interference_reach;
  const std::uint32_t outermost = written.radius - std::min(written.radius, reach);
  for (std::uint32_t radius = outermost; radius <= written.radius + reach; ++radius) {
    if (radius == written.radius) continue;
    const PhysicalTrack victim{written.surface, radius};
    if (!platters_.geometry.contains(victim) || platters_.geometry.group_of(victim.radius).region != group_->region) continue;
    const std::uint64_t number = platters_.geometry.linear(victim);
    const TrackShape shape = platters_.geometry.shape_of(victim);
    if (shape.sectors() == 0) continue;
    const SectorArc arc = overlapped_arc(platters_.geometry, shape_, first, count, shape);
    const auto spoilt = [&](std::uint32_t sector) {
      ++platters_.statistics.spoilt_sectors;
      if (platters_.store.occupied(number)) platters_.store.spoil(number, sector);
    };
    const std::uint32_t head = std::min(arc.count, shape.sectors() - arc.first);
    platters_.interference.beside(number, arc.first, head, spoilt);
    platters_.interference.beside(number, 0, arc.count - head, spoilt);
  }
}

/// Ends a write in flight that nothing but a fault can stop.
Status MediaArm::write_run() {
  const std::uint32_t count = step_->run.count;
  const std::uint32_t passed = may_stop() ? sectors_before_fault(true) : count;
  if (passed < count) {
    stop_at_fault(passed);
    return Status::media_error;
  }
  write_part(0, count);
  if (step_->header != nullptr) platters_.store.write_header(track_, header_sector(), *step_->header);
  damage_from(entry_, count);
  return Status::ok;
}

/// Where in the run the transfer began: only a whole track starts elsewhere than at the run's first sector.
std::uint32_t MediaArm::entry_offset() const {
  const std::uint32_t first = step_->run.first;
  return entry_ >= first ? entry_ - first : entry_ + shape_.sectors() - first;
}

/// Whether the write in flight may meet a sector that cannot be written.
bool MediaArm::may_stop() const { return platters_.faults.any() || platters_.wear.faults_per_million(step_->run.track.surface) != 0; }

/// How many sectors of the write in flight pass the head, in order of transfer, before one cannot be written; all, if none.
std::uint32_t MediaArm::sectors_before_fault(bool whole) {
  const std::uint32_t count = step_->run.count;
  const std::uint32_t offset = entry_offset();
  const std::uint32_t worn = platters_.wear.faults_per_million(step_->run.track.surface);
  std::uint32_t passed = 0;
  bool found = false;
  const auto look = [&](std::uint32_t first, std::uint32_t n, std::uint32_t) {
    if (found) return;
    const std::uint32_t sector = platters_.faults.write_fault(track_, first, n, whole, worn);
    found = sector != MediaFaults::none;
    passed += found ? sector - first : n;
  };
  each_piece(offset, count - offset, look);
  each_piece(0, offset, look);
  return passed;
}

/// The first `count` sectors of the write in flight, in order of transfer, reach the platter; the header if these are all.
void MediaArm::write_passed(std::uint32_t count) {
  const std::uint32_t offset = entry_offset();
  const std::uint32_t head = std::min(count, step_->run.count - offset);
  write_part(offset, head);
  write_part(0, count - head);
  if (count == step_->run.count && step_->header != nullptr) platters_.store.write_header(track_, header_sector(), *step_->header);
}

/// The write in flight stops behind `passed` sectors: the next one is destroyed, with what it held and what was to come.
void MediaArm::stop_at_fault(std::uint32_t passed) {
  write_passed(passed);
  const std::uint32_t sector = (entry_ + passed) % shape_.sectors();
  const std::uint32_t offset = (entry_offset() + passed) % step_->run.count;
  tell_destroyed(sector);
  if (platters_.fault_listener != nullptr && step_->data.buffer != nullptr)
    platters_.fault_listener->destroyed(content_of(step_->data.part(offset, 1)));
  platters_.store.destroy(track_, sector);
  platters_.store.spoil(track_, sector);
  damage_from(entry_, passed + 1);
  platters_.failing.insert({track_, sector});
  ++platters_.statistics.write_faults;
  ++platters_.statistics.media_errors;
}

/// What is written to unreadable sectors of a piece is lost, and nobody notices.
void MediaArm::lose_latent(std::uint32_t first, std::uint32_t count, std::uint32_t offset) {
  platters_.faults.written(track_, first, count, timing_.end, [&](std::uint32_t sector) {
    ++platters_.statistics.latent_writes;
    if (platters_.fault_listener != nullptr && step_->data.buffer != nullptr)
      platters_.fault_listener->destroyed(content_of(step_->data.part(offset + sector - first, 1)));
  });
}

/// How many sectors of the step in flight have passed the head, `elapsed` after its transfer began.
std::uint32_t MediaArm::passed_before(Picoseconds elapsed) const {
  std::uint32_t complete = 0;
  for (std::uint32_t above = step_->run.count + 1; complete + 1 < above;) {
    const std::uint32_t middle = complete + (above - complete) / 2;
    (Picoseconds(platters_.geometry.passing(shape_, entry_, middle)) <= elapsed ? complete : above) = middle;
  }
  return complete;
}

/// What of the write in flight reached the platter by `now`, which lies before the step's end.
void MediaArm::write_before(Picoseconds now) {
  if (now <= transfer_begin_) return;
  const Picoseconds elapsed = now - transfer_begin_;
  const std::uint32_t count = step_->run.count;
  const std::uint32_t complete = passed_before(elapsed);
  const bool in_flight = complete < count && Picoseconds(platters_.geometry.passing(shape_, entry_, complete)) < elapsed;

  bool renewed = platters_.config.powerfail_sector == PowerfailSector::atomic_new;
  if (in_flight && platters_.config.powerfail_sector == PowerfailSector::atomic) renewed = platters_.powerfail.below(2) == 1;
  const std::uint32_t fresh = complete + (in_flight && renewed ? 1 : 0);
  if (const std::uint32_t whole = may_stop() ? sectors_before_fault(false) : count; whole < fresh) return stop_at_fault(whole);
  write_passed(fresh);
  if (in_flight && platters_.config.powerfail_sector == PowerfailSector::corrupt)
    tear((entry_ + complete) % shape_.sectors(), (entry_offset() + complete) % count);
  damage_from(entry_, complete + (in_flight ? 1 : 0));
}

/// Makes `sector`, at `offset` in the write in flight, unreadable.
void MediaArm::tear(std::uint32_t sector, std::uint32_t offset) {
  const SectorShape& shape = platters_.store.shape();
  TornSector torn;
  if (shape.mode != ContentMode::none && step_->data.buffer != nullptr) {
    torn.held.resize(shape.kept());
    static_cast<void>(platters_.store.read(track_, sector, 1, torn.held));
    const ConstContentSpan written = content_of(step_->data.part(offset, 1));
    torn.written.assign(written.begin(), written.end());
  }
  platters_.torn.push_back(std::move(torn));
  platters_.store.destroy(track_, sector);
}

}  // namespace tessera
