// What the media cache does where a host sees zones: writes at a pointer go to the band with a mark, and a reset gives the band up.
#include <algorithm>
#include <array>

#include "firmware/defects/lost_sectors.hpp"
#include "firmware/defects/write_rest.hpp"
#include "firmware/layers/media_cache/media_cache_layer.hpp"

namespace tessera::media_cache {

/// Track after track, each with a mark on its last sector.
Task<Status> MediaCache::write_marked(LogicalRun run, DataSpan data, MediaClass priority) {
  Status status = co_await zones_->before_band_write(run);
  if (!ok(status)) co_return status;
  MediaChain chain(priority);
  std::array<SectorHeader, MediaChain::max_steps> marks;
  for (std::uint32_t done = 0; done < run.count;) {
    chain.clear();
    while (done < run.count && chain.steps().size() < config_.chain_steps(priority)) {
      const PhysicalRun piece = bands_.place({run.first + done, run.count - done});
      const DataSpan part = data.part(done, piece.count);
      SectorHeader& mark = marks[chain.steps().size()];
      done += piece.count;
      mark = zones_->mark(run.first + done);
      const bool whole = piece.count == ports_.media.sectors_on(piece.track);
      chain.write(piece, part, whole ? StepHint::whole_track : StepHint::position, &mark);
    }
    const Status written = co_await ports_.media.run(chain);
    if (ok(written)) continue;
    co_await write_rest(ports_.media, chain);
    if (ok(status)) status = written;
  }
  zones_->band_written(run, status);
  co_return status;
}

/// No packet and no write to a band is under way meanwhile, so that all of the zone in the log lies in front of its head. The record comes
/// first: what a boot finds of the zone in front of that head is void, whatever the map's last checkpoint says.
Task<Status> MediaCache::reset(LogicalRun zone) {
  auto alone = log_use_.exclusive({});
  co_await alone;
  const Status status = co_await zones_->record_reset(zone.first, log_.head());
  if (!ok(status)) co_return status;
  for (LogicalSector at = zone.first; at < zone.end();) {
    const LogicalRun piece = bands_.piece({at, static_cast<std::uint32_t>(zone.end() - at)});
    const Band band = bands_.band_of(at);
    auto lock = writers_.shared(NumberRange::of(band.number));
    co_await lock;
    map_.erase(band.number, piece);
    bands_.restore(band, zones_->held_end({band.first, band.sectors}));
    at = piece.end();
  }
  show_levels();
  room_.wake_all();
  co_return Status::ok;
}

void MediaCache::restore_used() {
  for (LogicalSector at; at.value() < user_sectors();) {
    const Band band = bands_.band_of(at);
    bands_.restore(band, zones_->held_end({band.first, band.sectors}));
    at = band.end();
  }
}

bool MediaCache::caches(LogicalRun run) {
  const auto found = found_.take();
  found->clear();
  for (LogicalSector at = run.first; at < run.end() && found->empty();) {
    const LogicalRun piece = bands_.piece({at, static_cast<std::uint32_t>(run.end() - at)});
    map_.find(bands_.band_of(at).number, piece, *found);
    std::erase_if(*found, [](const Extent& extent) { return extent.hole; });
    at = piece.end();
  }
  return !found->empty();
}

LogicalRun MediaCache::first_uncached(LogicalRun run) {
  const auto found = found_.take();
  for (LogicalSector at = run.first; at < run.end();) {
    const LogicalRun piece = bands_.piece({at, static_cast<std::uint32_t>(run.end() - at)});
    found->clear();
    map_.find(bands_.band_of(at).number, piece, *found);
    for (const Extent& extent : *found) {
      if (at < extent.first) return {at, static_cast<std::uint32_t>(extent.first - at)};
      at = extent.end();
    }
    if (at < piece.end()) return {at, static_cast<std::uint32_t>(piece.end() - at)};
  }
  return {run.end(), 0};
}

/// As packets of lost sectors, so that what is written there later replaces them as it does any. A merge that has to make room has the
/// buffer first.
Task<Status> MediaCache::lose(LogicalRun run) {
  std::uint32_t failed = 0;
  for (std::uint32_t done = 0; done < run.count;) {
    std::optional<FifoMutex::Lock> log;
    Status status = co_await use_log(log);
    if (!ok(status)) co_return status;
    auto use = buffer_use_.exclusive({});
    co_await use;
    LogicalRun part = bands_.piece({run.first + done, run.count - done});
    part.count = std::min({part.count, packet_sectors_, buffer_.sectors()});
    const DataSpan data = buffer_.part(0, part.count);
    for (std::uint32_t i = 0; i < part.count; ++i) data.buffer->mark_lost(data.first + i);
    Packet packet;
    packet.count = 1;
    packet.priority = MediaClass::dependent;
    packet.runs[0] = {part, data};
    packet.sectors = part.count + 1;
    status = co_await append(packet);
    if (!ok(status) && ++failed == most_looks) co_return status;
    if (!ok(status)) continue;
    enter({part.first, packet.position, part.count});
    done += part.count;
  }
  show_levels();
  co_return Status::ok;
}

/// Boot: the log may end in front of a reset that it did not, where its newest packets cannot be read. New packets come after it, and after
/// a checkpoint that says so.
void MediaCache::drop_void() {
  std::vector<Extent> gone;
  map_.each([&](const Extent& extent) {
    if (zones_->is_void(extent)) gone.push_back(extent);
  });
  for (const Extent& extent : gone) map_.erase(bands_.band_of(extent.first).number, {extent.first, extent.count});
  if (log_.skip_to(zones_->newest_reset())) hole_ = true;
}

/// Whether the read ended with a step of which an overlapping write has destroyed a sector. That is done to what was not written since the
/// reset of its zone alone, which reads as zeros, whether or not the sector can be read; unless a rewrite was forgotten since.
bool MediaCache::met_destroyed(const MediaChain& ended) const {
  if (zones_ == nullptr || ok(ended.status) || !delivered(ended.status)) return false;
  const DataSpan& data = ended.steps()[ended.steps_done].data;
  for (std::uint32_t i = 0; i < data.count; ++i)
    if (data.buffer->is_overwritten(data.first + i)) return true;
  return false;
}

/// Sectors of such a read, which begins with `first`.
Task<Status> MediaCache::read_singly(const MediaChain& ended, LogicalSector first) {
  for (const MediaStep& done : ended.steps().first(ended.steps_done)) first += done.run.count;
  for (std::size_t step = ended.steps_done; step < ended.steps().size(); ++step) {
    const MediaStep& whole = ended.steps()[step];
    for (std::uint32_t i = 0; i < whole.run.count; ++i, ++first) {
      const DataSpan data = whole.data.part(i, 1);
      MediaChain chain(ended.priority);
      chain.read(part_of(ports_.media, whole.run, {i, 1}), data);
      const Status status = co_await ports_.media.run(chain);
      if (met_destroyed(chain) && !zones_->may_have_held(first))
        ports_.memory.clear(data);
      else if (!ok(status))
        co_return status;
    }
  }
  co_return Status::ok;
}

/// The same of what a merge has read and marked as lost; what else cannot be read stays so.
void MediaCache::clear_destroyed(LogicalSector first, DataSpan data) {
  for (std::uint32_t i = 0; i < data.count; ++i)
    if (data.buffer->is_overwritten(data.first + i) && !zones_->may_have_held(first + i)) ports_.memory.clear(data.part(i, 1));
}

}  // namespace tessera::media_cache
