#include "firmware/defects/spare_layout.hpp"

#include <algorithm>

#include "firmware/defects/defect_table.hpp"

namespace tessera {

SpareLayout::SpareLayout(const DriveGeometry& geometry)
    : surfaces_(geometry.surfaces),
      first_radius_(geometry.radii()),
      tracks_(geometry.spare_radii * geometry.surfaces),
      per_track_(geometry.zones.back().sectors_per_track) {
  // Room for every spare and as many pending sectors, but no more than an eighth of a track a place.
  const std::uint64_t wanted = DefectTable::image_bytes(2 * std::uint64_t{tracks_} * per_track_) / geometry.sector_bytes + 1;
  table_sectors_ = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(wanted, 1, std::max<std::uint32_t>(1, per_track_ / 8)));
  const std::uint32_t on_one_track = (tracks_ == 1 ? copies : 1) * places * table_sectors_;
  if (tracks_ == 0 || per_track_ <= on_one_track) return;
  spares_ = tracks_ * per_track_ - copies * places * table_sectors_;
}

PhysicalRun SpareLayout::spare(std::uint32_t number) const {
  std::uint32_t sector = number + (tracks_ == 1 ? copies : 1) * places * table_sectors_;  // behind the first copy
  if (tracks_ > 1 && sector >= (tracks_ - 1) * per_track_) sector += places * table_sectors_;
  return {track(sector / per_track_), sector % per_track_, 1};
}

PhysicalRun SpareLayout::table(std::uint32_t copy, std::uint32_t place) const {
  const std::uint32_t first = (tracks_ == 1 ? copy * places + place : place) * table_sectors_;
  return {track(copy == 0 ? 0 : tracks_ - 1), first, table_sectors_};
}

}  // namespace tessera
