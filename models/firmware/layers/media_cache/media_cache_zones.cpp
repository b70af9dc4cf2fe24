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
    at = piece.end();
  }
  return !found->empty();
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

/// Sectors of a read that ended at one which an overlapping write has destroyed. That is done to what was not written since the reset of
/// its zone alone, which reads as zeros.
Task<Status> MediaCache::read_singly(const MediaChain& ended) {
  for (std::size_t step = ended.steps_done; step < ended.steps().size(); ++step) {
    const MediaStep& whole = ended.steps()[step];
    for (std::uint32_t i = 0; i < whole.run.count; ++i) {
      const DataSpan data = whole.data.part(i, 1);
      MediaChain chain(ended.priority);
      chain.read(part_of(ports_.media, whole.run, {i, 1}), data);
      const Status status = co_await ports_.media.run(chain);
      if (status == Status::damaged)
        ports_.memory.clear(data);
      else if (!ok(status))
        co_return status;
    }
  }
  co_return Status::ok;
}

/// The same of what a merge has read and marked as lost; what cannot be read stays so.
Task<void> MediaCache::clear_destroyed(LogicalRun run, DataSpan data) {
  for (std::uint32_t i = 0; i < run.count; ++i) {
    const DataSpan sector = data.part(i, 1);
    if (!any_lost(sector)) continue;
    MediaChain chain(MediaClass::dependent);
    chain.read(bands_.place({run.first + i, 1}), sector);
    const Status status = co_await ports_.media.run(chain);
    if (status == Status::damaged) ports_.memory.clear(sector);
  }
}

}  // namespace tessera::media_cache
