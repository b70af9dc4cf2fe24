// What of a write reaches the platter: all of it, the sectors before a fault, or those before a power cut.
#include <algorithm>

#include "media/media_arm.hpp"

namespace tessera {

void MediaArm::write_part(std::uint32_t offset, std::uint32_t count) {
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
