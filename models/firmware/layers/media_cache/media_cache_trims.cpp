// TRIM: of what was trimmed neither the log nor the band holds anything, so that no merge collects, copies or rewrites it, and what is
// written at the end of a band that holds nothing there goes to it directly.
//
// It is a hole of the map, as a record in the log says before anything of it is used for something else: below a hole lie the log's older
// copy and the band's still older one. Whatever is written there later comes through the log, too, and replaces the hole; a stream does
// not, so that a record after it says what the band has. A boot that goes by an old checkpoint and the records after it finds each sector
// as the last of them left it.
#include "firmware/layers/media_cache/media_cache_layer.hpp"

#include <algorithm>

namespace tessera::media_cache {

namespace {
constexpr std::uint32_t share_of_holes = 4;  // ours: a quarter of the map at most where the log holds nothing that a TRIM frees
constexpr std::uint32_t record_sectors = PacketRecord::most_sectors;

/// Of a band's extents and holes, in order: where the holes begin in front of `end` that nothing follows.
LogicalSector in_front_of_holes(std::span<const Extent> extents, LogicalSector end) {
  for (auto extent = extents.rbegin(); extent != extents.rend(); ++extent) {
    if (extent->first >= end) continue;
    if (!extent->hole || extent->end() < end) break;
    end = extent->first;
  }
  return end;
}
}  // namespace

Task<Status> MediaCache::trim(LogicalRun run) {
  trims_.add(run);
  for (LogicalSector at = run.first; at < run.end();) {
    LogicalSector next = at;
    if (select_trimmed(run, next).count == 0) {
      at = next;
      continue;
    }
    if (checkpoint_due()) {
      if (!checkpoint_helps()) co_return Status::ok;
      const Status status = co_await checkpoint();
      if (!ok(status)) co_return Status::ok;
    }
    const bool written = co_await write_trimmed(run, at);
    if (!written) co_return Status::ok;
  }
  co_return Status::ok;
}

/// A record of what can be one from `at` on. Nothing else is on its way to the log or to a band meanwhile, and none of these bands is
/// merged in one piece: what the host writes there next comes after the record. False: there is no room for it, or it cannot be written.
Task<bool> MediaCache::write_trimmed(LogicalRun run, LogicalSector& at) {
  auto alone = log_use_.exclusive({});
  co_await alone;
  if (checkpoint_due()) co_return false;
  Packet packet = select_trimmed(run, at);
  if (packet.count == 0) co_return true;
  BandLocks locks;
  co_await lock_bands(packet, writers_, LockMode::shared, locks);
  packet.sectors = packet.count + 1;
  const Status status = co_await append(packet);
  if (!ok(status)) co_return false;
  for (std::uint32_t i = 0; i < packet.count; ++i) {
    const Band band = bands_.band_of(packet.runs[i].run.first);
    enter_hole(packet.runs[i].run, packet.position);
    trimmed_bands_.insert(band.first);
    if (zones_ == nullptr)
      give_up_end(band);
    else
      zones_->freed(packet.runs[i].run);
  }
  show_levels();
  room_.wake_all();
  progress_.wake_all();
  co_return true;
}

/// From `at` on, which goes on to where it ends: as many pieces of bands as one record says.
Packet MediaCache::select_trimmed(LogicalRun run, LogicalSector& at) {
  Packet packet;
  packet.says = PacketSays::trimmed;
  std::int64_t entries = entries_left();
  while (at < run.end() && packet.count < most_said()) {
    const Band band = bands_.band_of(at);
    LogicalSector end = std::min(run.end(), band.end());
    if (zones_ != nullptr) end = std::min(end, zones_->zone_end(at));
    end = std::min(end, at + record_sectors);
    LogicalSector first = at;
    if (zones_ == nullptr && at == run.first) first = std::max(trims_.begin_of(run), band.first);
    if (end - first > record_sectors) first = at;
    // Of zones that share a band each has a pointer of its own.
    const LogicalSector used =
        zones_ == nullptr ? std::min(end, bands_.used_end(band)) : zones_->held_end({at, static_cast<std::uint32_t>(end - at)});
    at = end;
    if (first >= used) continue;
    const LogicalRun hole = new_hole(band, {first, static_cast<std::uint32_t>(used - first)}, entries);
    if (hole.count != 0) packet.runs[packet.count++] = {hole, {}};
  }
  return packet;
}

/// What becomes one hole, with those next to it; nothing, unless the log holds some of it, or a merge need not read a whole track any more.
LogicalRun MediaCache::new_hole(const Band& band, LogicalRun run, std::int64_t& entries) {
  const auto found = found_.take();
  found->clear();
  map_.find(band.number, run, *found);
  std::uint32_t fresh = run.count;
  std::uint32_t logged = 0;
  for (const Extent& extent : *found) {
    if (extent.hole)
      fresh -= extent.count;
    else
      ++logged;
  }
  const bool to_the_end = run.end() == band.end() || (run.first == band.first && run.end() == bands_.used_end(band));
  const bool gains = logged != 0 || fresh >= band.track_sectors || (fresh != 0 && to_the_end);
  // One entry more, and another where an extent is cut in two; those inside are given back.
  const std::int64_t taken = found->size() < 3 ? 2 : 0;
  const bool fits = entries >= taken && (logged != 0 || map_.holes() < map_limit_ / share_of_holes);
  if (!gains || !fits) return {run.first, 0};
  entries -= taken;
  if (zones_ != nullptr) return run;
  found->clear();
  const LogicalRun whole{band.first, band.sectors};
  map_.find(band.number, whole, *found);
  LogicalRun hole = run;
  for (const Extent& extent : *found)
    if (extent.hole && extent.first <= run.end() && run.first <= extent.end()) {
      const LogicalSector first = std::min(hole.first, extent.first);
      hole = {first, static_cast<std::uint32_t>(std::max(hole.end(), extent.end()) - first)};
    }
  return hole.count <= record_sectors ? hole : run;
}

/// What is no hole.
LogicalRun MediaCache::first_held(LogicalRun run) {
  LogicalSector first = run.first;
  for (LogicalSector at = run.first; at < run.end();) {
    const LogicalRun piece = bands_.piece({at, static_cast<std::uint32_t>(run.end() - at)});
    const auto found = found_.take();
    found->clear();
    map_.find(bands_.band_of(at).number, piece, *found);
    for (const Extent& extent : *found) {
      if (!extent.hole) continue;
      if (extent.first > first) return {first, static_cast<std::uint32_t>(extent.first - first)};
      first = extent.end();
    }
    at = piece.end();
  }
  return {first, static_cast<std::uint32_t>(run.end() - first)};
}

void MediaCache::enter_hole(LogicalRun run, std::uint64_t position) {
  map_.assign(bands_.band_of(run.first).number, {run.first, position, run.count, true});
}

/// The stream's band has it, whatever holes or older extents a boot finds there. Until then the host has no answer.
Task<Status> MediaCache::record_in_band(LogicalRun run, std::optional<FifoMutex::Lock>& use) {
  for (std::uint32_t done = 0; done < run.count;) {
    use.reset();
    Status status = co_await use_log(use);
    if (!ok(status)) co_return status;
    Packet packet;
    packet.says = PacketSays::in_band;
    for (; packet.count < most_said() && done < run.count; ++packet.count) {
      const std::uint32_t count = std::min(run.count - done, record_sectors);
      packet.runs[packet.count] = {{run.first + done, count}, {}};
      done += count;
    }
    packet.sectors = packet.count + 1;
    status = co_await append(packet);
    if (!ok(status)) co_return status;
  }
  co_return Status::ok;
}

/// What the band holds ends in front of the holes at its end.
void MediaCache::give_up_end(const Band& band) {
  const auto found = found_.take();
  found->clear();
  const LogicalRun whole{band.first, band.sectors};
  map_.find(band.number, whole, *found);
  bands_.restore(band, in_front_of_holes(*found, bands_.used_end(band)));
}

/// Boot, once the map is complete.
void MediaCache::restore_holes() {
  map_.each([this](const Extent& extent) {
    if (extent.hole) trimmed_bands_.insert(bands_.band_of(extent.first).first);
  });
  for (const LogicalSector first : trimmed_bands_) give_up_end(bands_.band_of(first));
}

/// Of the band in hand: where the holes begin that nothing follows.
LogicalSector MediaCache::held_end(const Band& band) const { return in_front_of_holes(extents_, bands_.used_end(band)); }

/// Up to where the band's place was ever written: holes at the end are of what was.
LogicalSector MediaCache::written_end(const Band& band) {
  const LogicalSector used = bands_.used_end(band);
  if (map_.holes() == 0) return used;
  const auto found = found_.take();
  found->clear();
  const LogicalRun whole{band.first, band.sectors};
  map_.find(band.number, whole, *found);
  return found->empty() ? used : std::max(used, found->back().end());
}

/// All of it but whole tracks of holes, with what the log holds next to them.
Task<Status> MediaCache::read_band(const Band& band, LogicalRun run, DataSpan data, const MediaClass& priority) {
  for (std::uint32_t done = 0; done < run.count;) {
    const LogicalRun needed = first_needed(band, {run.first + done, run.count - done});
    const auto skipped = static_cast<std::uint32_t>(needed.first - run.first);
    done = skipped + needed.count;
    if (needed.count == 0) break;
    const DataSpan part = data.part(skipped, needed.count);
    const Status status = co_await bands_.transfer(MediaOp::read, needed, part, priority, LostSectors::carry);
    if (!ok(status)) co_return status;
  }
  co_return Status::ok;
}

/// Of `run`, of the band in hand.
LogicalRun MediaCache::first_needed(const Band& band, LogicalRun run) const {
  LogicalSector first = run.first;
  for (auto extent = extents_.begin(); extent != extents_.end();) {
    const LogicalSector from = extent->first;
    bool holds_nothing = false;
    LogicalSector until = from;
    for (; extent != extents_.end() && extent->first == until; ++extent) {
      holds_nothing = holds_nothing || extent->hole;
      until = extent->end();
    }
    if (!holds_nothing) continue;
    const std::uint64_t begin_track = (from - band.first + band.track_sectors - 1) / band.track_sectors;
    const std::uint64_t end_track = (until - band.first) / band.track_sectors;
    const LogicalSector begin = band.first + begin_track * band.track_sectors;
    const LogicalSector end = std::min(run.end(), until == band.end() ? until : band.first + end_track * band.track_sectors);
    if (begin >= end || end <= first) continue;
    if (begin > first) return {first, static_cast<std::uint32_t>(begin - first)};
    first = end;
  }
  return {first, static_cast<std::uint32_t>(run.end() - first)};
}

}  // namespace tessera::media_cache
