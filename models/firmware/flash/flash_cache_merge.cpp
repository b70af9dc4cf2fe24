// Merging a band with its pages in a flash cache.
#include <algorithm>

#include "firmware/flash/flash_cache_layer.hpp"

namespace tessera {

Task<Status> FlashCacheLayer::merge_band(std::uint32_t band) {
  auto lock = merging_.exclusive(NumberRange::of(0));  // spaces are cleaned side by side, with one merge buffer
  co_await lock;
  if (!ok(places_.status())) co_return places_.status();
  const Picoseconds begin = ports_.cpu.now();
  ports_.cpu.event({"merge", FirmwareEvent::Edge::begin, band, layout_.band_sectors()});
  const std::uint32_t cached = gather(band);
  const std::uint64_t from = places_.physical(band);
  const std::uint64_t to = in_place_ ? from : places_.spare(band);
  const std::span<const std::uint32_t> pages(&table_.peek(0), table_.size());
  Status status = co_await merge_.run(from, to, pages);
  // Before any erase: of several copies of a sector, a cut must not leave an older one as the newest.
  if (ok(status) && !in_place_) status = co_await places_.commit(band, next_seq_ - 1);
  if (ok(status)) status = co_await drop_merged(band);
  if (!ok(status)) {
    for (std::uint32_t offset = 0; offset < table_.size(); ++offset) table_.peek(offset) = SectorMap::none;
    co_return status;
  }
  statistics_.merged(ports_.cpu.now() - begin, cached, merge_.times());
  ports_.cpu.event({"merge", FirmwareEvent::Edge::end, band, cached});
  co_return Status::ok;
}

/// Fills the table with the band's cached pages; gives how many there are. A crash-safe merge takes all of them, since the watermark
/// makes them all void; pages that do not leave the cache then hold what the band holds.
std::uint32_t FlashCacheLayer::gather(std::uint32_t band) {
  const LogicalSector start = band_start(band);
  const LogicalSector last = start + (layout_.band_sectors() - 1);
  std::uint32_t cached = 0;
  for (std::uint32_t region = owners_.region_of(start); region <= owners_.region_of(last); ++region) {
    for (std::uint32_t page = owners_.first(region); page != PageOwners::none; page = owners_.after(page)) {
      const LogicalSector sector = owners_.sector(page);
      if (sector < start || sector > last || (in_place_ && !leaves(page))) continue;
      table_.write(sector - start) = page;
      ++cached;
    }
  }
  return cached;
}

/// Pages of the table that leave the cache are not valid any more; the table is empty afterwards.
Task<Status> FlashCacheLayer::drop_merged(std::uint32_t band) {
  const LogicalSector start = band_start(band);
  const auto sectors = static_cast<std::uint32_t>(table_.size());
  const std::uint32_t* const table = &table_.peek(0);
  const auto cached = [](std::uint32_t page) { return page != SectorMap::none; };
  for (std::uint32_t done = 0; done < sectors;) {
    const auto next = static_cast<std::uint32_t>(std::find_if(table + done, table + sectors, cached) - table);
    if (next == sectors) break;
    const LogicalRun piece = map_->piece({start + next, sectors - next});
    const Status status = co_await map_->pin(piece);
    if (!ok(status)) co_return status;
    for (std::uint32_t i = next; i < next + piece.count; ++i) {
      const std::uint32_t page = table_.peek(i);
      if (page == SectorMap::none) continue;
      table_.write(i) = SectorMap::none;
      if (!leaves(page)) continue;
      owners_.remove(page);
      map_->erase(start + i);
    }
    map_->unpin(piece);
    done = next + piece.count;
  }
  co_return Status::ok;
}

}  // namespace tessera
