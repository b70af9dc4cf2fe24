#include "firmware/layers/media_cache/band_store.hpp"

#include <algorithm>

#include "firmware/layout/track_transfer.hpp"

namespace tessera::media_cache {

BandStore::BandStore(const Ports& ports, const MediaCacheConfig& config, const DriveGeometry& geometry, const FormatPlan& regions,
                     const FormatPlan& places)
    : config_(config),
      media_(ports.media),
      layout_(geometry, regions, ports.media, tracks_in_order(config.band_tracks), places.empty() ? nullptr : BandPlaces::spares),
      user_sectors_(geometry.exported_sectors == 0 ? layout_.sectors() : std::min(layout_.sectors(), geometry.exported_sectors)),
      most_sectors_(config.band_tracks * longest_track(geometry)),
      used_(ports.memory, MemoryCategory::metadata, layout_.bands(), "used parts of the bands") {
  if (!places.empty()) places_.emplace(ports, geometry, places, layout_);
}

Band BandStore::band_of(LogicalSector sector) const {
  const BandTrackLayout::Piece piece = layout_.piece({sector, 1});
  const std::uint32_t track_sectors = piece.track_sectors;
  const LogicalSector first = sector - piece.run.first - std::uint64_t{piece.position} * track_sectors;
  const std::uint64_t sectors =
      std::min<std::uint64_t>(std::uint64_t{track_sectors} * layout_.band_tracks(), user_sectors_ - first.value());
  return {piece.band, first, static_cast<std::uint32_t>(sectors), track_sectors};
}

/// Bands are logically in the order of their numbers, and those of a region equally long.
Band BandStore::band(std::uint64_t number) const {
  std::uint64_t first = 0;
  for (std::size_t region = 0;; ++region) {
    const std::uint64_t begin = layout_.first_band_in(region);
    const std::uint64_t sectors = std::uint64_t{layout_.band_tracks()} * layout_.whole(layout_.track_at(begin, 0)).track_sectors;
    if (number < begin + layout_.bands_in(region)) return band_of(LogicalSector(first + (number - begin) * sectors));
    first += layout_.bands_in(region) * sectors;
  }
}

LogicalRun BandStore::piece(LogicalRun run) const {
  return {run.first, static_cast<std::uint32_t>(std::min<std::uint64_t>(run.count, band_of(run.first).end() - run.first))};
}

PhysicalRun BandStore::place(LogicalRun run) const {
  BandTrackLayout::Piece piece = layout_.piece(run);
  if (places_) piece.run.track = layout_.track_of(layout_.region_of(piece.band), places_->place(piece.band), piece.position);
  return piece.run;
}

void BandStore::use(const Band& band, LogicalSector end) {
  const auto sectors = static_cast<std::uint32_t>(end - band.first);
  if (used_.read(band.number) < sectors) used_.write(band.number) = sectors;
}

void BandStore::prefill(std::uint64_t sectors) {
  for (LogicalSector at; at.value() < sectors;) {
    const Band band = band_of(at);
    used_.peek(band.number) = static_cast<std::uint32_t>(std::min<std::uint64_t>(band.sectors, sectors - band.first.value()));
    at = band.end();
  }
}

Task<Status> BandStore::format() {
  if (!places_) co_return Status::ok;
  co_return co_await places_->format();
}

Task<Status> BandStore::recover() {
  prefill(user_sectors_);
  if (!places_) co_return Status::ok;
  co_return co_await places_->recover();
}

Bytes BandStore::bytes() const {
  const Bytes used(used_.size() * sizeof(std::uint32_t));
  return places_ ? used + places_->bytes() : used;
}

BandLevels BandStore::levels() const {
  BandLevels levels;
  for (LogicalSector at; at.value() < user_sectors_; at = band_of(at).end())
    levels.push_back({band_of(at).sectors, used_.peek(levels.size()), 0});
  return levels;
}

Task<Status> BandStore::transfer(MediaOp op, LogicalRun run, DataSpan data, MediaClass priority, LostSectors lost) {
  return transfer_tracks(
      media_, op, data, priority, lost,
      [this, run](std::uint32_t done, std::uint32_t count) {
        return place({run.first + done, count});
      },
      nullptr, config_.chain_steps(priority));
}

// --- A merge to a spare band ---

LogicalRun BandStore::to_write_of_spare(const Band& band) const {
  const auto used = static_cast<std::uint32_t>(used_end(band) - band.first);
  return {band.first, std::min(band.sectors, std::max(used, places_->stale(band.number)))};
}

Task<Status> BandStore::write_spare(LogicalRun run, DataSpan data, MediaClass priority) {
  const std::uint64_t band = band_of(run.first).number;
  return transfer_tracks(
      media_, MediaOp::write, data, priority, LostSectors::carry,
      [this, run, spare = places_->free_place(band)](std::uint32_t done, std::uint32_t count) {
        BandTrackLayout::Piece piece = layout_.piece({run.first + done, count});
        piece.run.track = layout_.track_of(layout_.region_of(piece.band), spare, piece.position);
        return piece.run;
      },
      nullptr, config_.chain_steps(priority));
}

Task<Status> BandStore::move_to_spare(const Band& band, LogicalRun run, LogicalSector written) {
  const Status status = co_await places_->move(band.number, static_cast<std::uint32_t>(std::max(used_end(band), written) - band.first));
  if (ok(status)) use(band, run.end());
  co_return status;
}

}  // namespace tessera::media_cache
