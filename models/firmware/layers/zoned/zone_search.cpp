#include "firmware/layers/zoned/zone_search.hpp"

#include <algorithm>

#include "firmware/defects/lost_sectors.hpp"
#include "firmware/layers/zoned/zone_marks.hpp"

namespace tessera::zoned {

void ZoneSearch::find_tracks(std::uint32_t zone) {
  starts_.clear();
  std::uint32_t at = 0;
  for (; at < zone_sectors_; at += locate_(zone, at, zone_sectors_ - at).count) starts_.push_back(at);
  starts_.push_back(at);
}

std::size_t ZoneSearch::track_of(std::uint32_t offset) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(starts_, offset) - starts_.begin()) - 1;
}

/// Sectors [first, end) of one track. One that fails may come with a later read.
Task<ZoneSearch::Look> ZoneSearch::look(Zone zone, std::uint32_t first, std::uint32_t end) {
  Look found;
  const PhysicalRun run = locate_(zone.zone, first, end - first);
  for (std::uint32_t reading = 0; reading < most_looks; ++reading) {
    headers_.assign(run.count, {});
    MediaStep step;
    step.run = run;
    step.headers = headers_;
    MediaChain chain(MediaClass::dependent);
    chain.add(step);
    const Status status = co_await media_.run(chain);
    ++reads_;
    cpu_.charge(CpuOperation::record_word, record_words(std::uint64_t{run.count} * header_bytes));
    for (const SectorHeader& header : headers_)
      if (const auto mark = end_in(header, zone.zone, zone.resets)) found.end = std::max(found.end, *mark);
    const bool rewritten = status == Status::damaged && media_.forgot_rewrite();
    found.unreadable = status == Status::media_error || status == Status::lost || rewritten;  // lost: a refresh could not read its mark
    if (status != Status::media_error) break;
  }
  co_return found;
}

/// Of the sectors [first, end) of one track, from the last one on, until one has a mark or cannot be read: one that could not be read with
/// its track may come with a later read, and its mark with it.
Task<ZoneSearch::Last> ZoneSearch::last_of(Zone zone, std::uint32_t first, std::uint32_t end) {
  for (std::uint32_t sector = end; sector > first; --sector) {
    const Look alone = co_await look(zone, sector - 1, sector);
    if (alone.end != 0) co_return Last{alone.end, first};
    if (alone.unreadable) co_return Last{0, sector};
  }
  co_return Last{0, first};
}

Task<ZoneSearch::Found> ZoneSearch::find(Zone zone) {
  find_tracks(zone.zone);
  std::uint32_t written = zone.written;
  if (written == end_of(tracks() - 1)) co_return Found{written};
  std::size_t last = track_of(written);  // track with a mark, as far as is known
  for (std::size_t behind = tracks(); behind - last > 1;) {
    const std::size_t middle = last + (behind - last) / 2;
    const Look found = co_await look(zone, starts_[middle], end_of(middle));
    if (found.end != 0) {
      last = middle;
      written = found.end;
    } else {
      behind = middle;
    }
  }
  // From here on track by track, with what cannot be read in between.
  std::uint32_t perhaps = written;  // sectors up to here may be written
  while (perhaps < end_of(tracks() - 1)) {
    const std::size_t track = track_of(perhaps);
    const std::size_t ahead = std::min(track + 1, tracks() - 1);
    for (std::size_t next = track; next <= ahead; ++next) {
      const Look found = co_await look(zone, std::max(perhaps, starts_[next]), end_of(next));
      if (found.end > written) written = found.end;
    }
    if (written > perhaps) {
      perhaps = written;
      continue;
    }
    const Last last_sectors = co_await last_of(zone, perhaps, end_of(track));
    if (last_sectors.marked > written) {
      perhaps = written = last_sectors.marked;
      continue;
    }
    if (last_sectors.unreadable == perhaps) break;
    perhaps = last_sectors.unreadable;
  }
  if (perhaps == written) co_return Found{written};
  co_return Found{perhaps, written, perhaps - written};
}

}  // namespace tessera::zoned
