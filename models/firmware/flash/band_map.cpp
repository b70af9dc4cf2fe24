#include "firmware/flash/band_map.hpp"

#include <algorithm>
#include <cstring>

namespace tessera {

BandMap::BandMap(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& log, std::uint32_t bands,
                 std::uint32_t physical_bands)
    : physical_bands_(physical_bands),
      places_(ports.memory, MemoryCategory::metadata, bands, "band map"),
      watermarks_(ports.memory, MemoryCategory::metadata, bands, "band watermarks") {
  reset();
  if (log.empty()) return;
  TableLog::Table& table = *this;
  log_.emplace(ports, geometry, log, RecordType::band_moved, table);
}

std::uint64_t BandMap::least_log_sectors(std::uint64_t bands, std::uint32_t sector_bytes) {
  return TableLog::least_sectors(bands * entry_bytes, sector_bytes);
}

void BandMap::reset() {
  for (std::uint32_t band = 0; band < places_.size(); ++band) {
    places_.peek(band) = band;
    watermarks_.peek(band) = 0;
  }
  collect_spares();
}

void BandMap::collect_spares() {
  std::vector<bool> used(physical_bands_);
  for (std::uint32_t band = 0; band < places_.size(); ++band) used[places_.peek(band)] = true;
  spares_.clear();
  for (std::uint32_t place = 0; place < physical_bands_; ++place)
    if (!used[place]) spares_.push_back(place);
}

void BandMap::move(std::uint32_t band, std::uint32_t place, std::uint64_t watermark) {
  places_.write(band) = place;
  watermarks_.write(band) = watermark;
}

std::uint64_t BandMap::newest_watermark() const {
  std::uint64_t newest = 0;
  for (std::uint32_t band = 0; band < watermarks_.size(); ++band) newest = std::max(newest, watermarks_.peek(band));
  return newest;
}

Task<Status> BandMap::format() {
  reset();
  if (!log_) co_return Status::ok;
  co_return co_await log_->format();
}

Task<Status> BandMap::commit(std::uint32_t band, std::uint64_t watermark) {
  TESSERA_CHECK(log_ && !spares_.empty(), "a band is moved without a log or a spare band");
  const std::uint32_t place = spares_.front();
  const TableLog::Words change{band, place, watermark, 0};
  const Status status = co_await log_->append(change, {});
  if (!ok(status)) co_return status;
  spares_.erase(spares_.begin());
  spares_.push_back(static_cast<std::uint32_t>(places_.peek(band)));
  move(band, place, watermark);
  co_return Status::ok;
}

Task<Status> BandMap::recover() {
  reset();
  if (!log_) co_return Status::ok;
  const Status status = co_await log_->recover();
  collect_spares();
  if (ok(status)) static_cast<void>(co_await log_->repair());
  co_return status;
}

void BandMap::save(std::span<std::byte> image) const {
  const std::uint64_t places = places_.size() * sizeof(std::uint32_t);
  std::memcpy(image.data(), &places_.peek(0), places);
  std::memcpy(image.data() + places, &watermarks_.peek(0), watermarks_.size() * sizeof(std::uint64_t));
}

void BandMap::load(std::span<const std::byte> image) {
  const std::uint64_t places = places_.size() * sizeof(std::uint32_t);
  std::memcpy(&places_.peek(0), image.data(), places);
  std::memcpy(&watermarks_.peek(0), image.data() + places, watermarks_.size() * sizeof(std::uint64_t));
}

void BandMap::replay(const TableLog::Words& words, std::span<const std::byte>) {
  move(static_cast<std::uint32_t>(words[0]), static_cast<std::uint32_t>(words[1]), words[2]);
}

}  // namespace tessera
