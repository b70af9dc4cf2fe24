#include "firmware/interlaced/move_log.hpp"

#include <cstring>

#include "firmware/layout/plan_regions.hpp"

namespace tessera {

MoveLog::MoveLog(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& log, TrackMap& map)
    : map_(map), log_(ports, geometry, log, RecordType::track_map, static_cast<TableLog::Table&>(*this)) {}

std::uint64_t MoveLog::radii_needed(const DriveGeometry& geometry, std::uint32_t radius, std::uint64_t image_bytes, std::uint32_t records) {
  return radii_holding(geometry, radius, TableLog::least_sectors(sizeof finished_ + image_bytes, geometry.sector_bytes, records));
}

Task<Status> MoveLog::recover() {
  const Status status = co_await log_.recover();
  if (ok(status)) static_cast<void>(co_await log_.repair());
  co_return status;
}

Task<Status> MoveLog::commit(MoveWords words) {
  const TableLog::Words logged{current(), words[0], words[1], words[2]};
  status_ = co_await log_.append(logged, {});
  if (ok(status_)) ++finished_;
  map_.apply(words);
  co_return status_;
}

void MoveLog::save(std::span<std::byte> image) const {
  std::memcpy(image.data(), &finished_, sizeof finished_);
  map_.save(image.subspan(sizeof finished_, map_.image_bytes()));
}

void MoveLog::load(std::span<const std::byte> image) {
  std::memcpy(&finished_, image.data(), sizeof finished_);
  map_.load(image.subspan(sizeof finished_, map_.image_bytes()));
}

void MoveLog::replay(const TableLog::Words& words, std::span<const std::byte>) {
  finished_ = words[0];
  map_.apply({words[1], words[2], words[3]});
}

}  // namespace tessera
