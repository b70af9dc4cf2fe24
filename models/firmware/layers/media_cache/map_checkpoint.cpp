#include "firmware/layers/media_cache/map_checkpoint.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace tessera::media_cache {

namespace {

std::uint64_t piece_sectors(const MediaCacheConfig& config, const DriveGeometry& geometry) {
  return config.checkpoint_piece.value() == 0 ? ~std::uint64_t{0}
                                              : MediaCacheConfig::sectors_of(config.checkpoint_piece, geometry.sector_bytes);
}

}  // namespace

MapCheckpoint::MapCheckpoint(const Ports& ports, const MediaCacheConfig& config, const DriveGeometry& geometry, const FormatPlan& regions,
                             ExtentMap& map, const BandStore& bands)
    : cpu_(ports.cpu),
      map_(map),
      bands_(bands),
      table_log_(ports, geometry, regions, RecordType::cache_map, *this, piece_sectors(config, geometry)) {}

Task<Status> MapCheckpoint::write(const Log& log) {
  cpu_.scan(map_.size());
  const Log found = log_;
  log_ = log;
  const Status status = co_await table_log_.checkpoint();
  if (!ok(status)) log_ = found;
  co_return status;
}

Task<Status> MapCheckpoint::recover() { co_return co_await table_log_.recover(); }

Task<bool> MapCheckpoint::repair(const Log& log) {
  const Log found = log_;
  log_ = log;
  const bool repaired = co_await table_log_.repair();
  if (!repaired) log_ = found;
  co_return repaired;
}

void MapCheckpoint::save(std::span<std::byte> image) const {
  const std::uint64_t words[words_in_front]{log_.head, log_.tail, log_.images, map_.size()};
  std::memcpy(image.data(), words, sizeof(words));
  std::byte* to = image.data() + sizeof(words);
  map_.each([&to](const Extent& extent) {
    const Entry entry{extent.first.value(), extent.position, extent.count, extent.hole ? 1U : 0U};
    std::memcpy(to, &entry, sizeof(entry));
    to += sizeof(entry);
  });
}

void MapCheckpoint::load(std::span<const std::byte> image) {
  std::uint64_t words[words_in_front];
  std::memcpy(words, image.data(), sizeof(words));
  log_ = {words[0], words[1], words[2]};
  std::vector<Entry> entries(words[3]);
  const std::span<std::byte> bytes = std::as_writable_bytes(std::span(entries));
  std::ranges::copy(image.subspan(sizeof(words), bytes.size()), bytes.begin());
  std::ranges::sort(entries, {}, &Entry::position);  // the newest comes last to the map
  for (const Entry& entry : entries) {
    const LogicalSector first(entry.first);
    map_.assign(bands_.band_of(first).number, {first, entry.position, entry.count, entry.hole != 0});
  }
}

}  // namespace tessera::media_cache
