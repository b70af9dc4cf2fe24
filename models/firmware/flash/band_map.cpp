#include "firmware/flash/band_map.hpp"

#include <algorithm>
#include <cstring>

namespace tessera {

BandMap::BandMap(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& log, std::uint32_t bands,
                 std::uint32_t physical_bands, std::uint32_t band_sectors, std::vector<std::uint32_t> arms)
    : physical_bands_(physical_bands),
      band_sectors_(band_sectors),
      arms_(std::move(arms)),
      places_(ports.memory, MemoryCategory::metadata, bands, "band map"),
      states_(ports.memory, MemoryCategory::metadata, bands, "band watermarks") {
  reset();
  if (log.empty()) return;
  TableLog::Table& table = *this;
  log_.emplace(ports, geometry, log, RecordType::band_moved, table);
}

std::uint64_t BandMap::least_log_sectors(std::uint64_t bands, std::uint32_t sector_bytes) {
  return TableLog::least_sectors(bands * entry_bytes, sector_bytes);
}

void BandMap::reset() {
  const std::vector<bool> spare = last_of_each_arm();
  for (std::uint32_t band = 0, place = 0; band < places_.size(); ++place) {
    if (spare[place]) continue;
    places_.peek(band) = place;
    states_.peek(band++) = 0;
  }
  short_bands_ = 0;
  collect_spares();
}

/// What does not fit counts as held.
std::uint64_t BandMap::state_of(std::uint64_t watermark, std::uint32_t held) const {
  const std::uint64_t missing = std::min<std::uint64_t>(band_sectors_ - held, (std::uint64_t{1} << (64 - watermark_bits)) - 1);
  return missing << watermark_bits | watermark;
}

void BandMap::change(std::uint32_t band, std::uint32_t place, std::uint64_t state) {
  short_bands_ += (missing_in(state) != 0 ? 1U : 0U) - (missing_in(states_.peek(band)) != 0 ? 1U : 0U);
  places_.write(band) = place;
  states_.write(band) = state;
}

/// Places that are spares at first: the last ones, of each arm in turn where bands keep to theirs.
std::vector<bool> BandMap::last_of_each_arm() const {
  std::vector<bool> spare(physical_bands_);
  const std::uint32_t arms = arms_.empty() ? 1 : 1 + std::ranges::max(arms_);
  for (std::uint32_t left = physical_bands_ - static_cast<std::uint32_t>(places_.size()), arm = 0; left > 0;
       --left, arm = (arm + 1) % arms) {
    std::uint32_t place = physical_bands_;
    while (place > 0 && (spare[place - 1] || (!arms_.empty() && arms_[place - 1] != arm))) --place;
    if (place > 0) spare[place - 1] = true;
  }
  return spare;
}

std::vector<std::uint32_t>::const_iterator BandMap::spare_of(std::uint32_t band) const {
  if (arms_.empty()) return spares_.begin();
  const auto found = std::ranges::find_if(spares_, [this, arm = arm_of(band)](std::uint32_t place) { return arms_[place] == arm; });
  TESSERA_CHECK(found != spares_.end(), "an arm has no spare band");
  return found;
}

void BandMap::collect_spares() {
  std::vector<bool> used(physical_bands_);
  for (std::uint32_t band = 0; band < places_.size(); ++band) used[places_.peek(band)] = true;
  spares_.clear();
  for (std::uint32_t place = 0; place < physical_bands_; ++place)
    if (!used[place]) spares_.push_back(place);
}

std::uint64_t BandMap::newest_watermark() const {
  std::uint64_t newest = 0;
  for (std::uint32_t band = 0; band < states_.size(); ++band) newest = std::max(newest, watermark(band));
  return newest;
}

Task<Status> BandMap::format() {
  reset();
  if (!log_) co_return Status::ok;
  co_return co_await log_->format();
}

Task<Status> BandMap::commit(std::uint32_t band, std::uint64_t watermark, std::uint32_t held) {
  TESSERA_CHECK(log_ && !spares_.empty(), "a band is moved without a log or a spare band");
  const std::uint32_t place = spare(band);
  const TableLog::Words record{band, place, state_of(watermark, held), 0};
  const Status status = co_await log_->append(record, {});
  if (!ok(status)) co_return status;
  spares_.erase(spare_of(band));
  spares_.push_back(static_cast<std::uint32_t>(places_.peek(band)));
  change(band, place, record[2]);
  co_return Status::ok;
}

Task<Status> BandMap::shorten(std::uint32_t band, std::uint64_t watermark, std::uint32_t held) {
  TESSERA_CHECK(log_.has_value(), "a band is shortened without a log");
  const TableLog::Words record{band, physical(band), state_of(watermark, held), 0};
  const Status status = co_await log_->append(record, {});
  if (!ok(status)) co_return status;
  change(band, places_.peek(band), record[2]);
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
  std::memcpy(image.data() + places, &states_.peek(0), states_.size() * sizeof(std::uint64_t));
}

void BandMap::load(std::span<const std::byte> image) {
  const std::uint64_t places = places_.size() * sizeof(std::uint32_t);
  std::memcpy(&places_.peek(0), image.data(), places);
  std::memcpy(&states_.peek(0), image.data() + places, states_.size() * sizeof(std::uint64_t));
  short_bands_ = 0;
  for (std::uint32_t band = 0; band < states_.size(); ++band) short_bands_ += missing_in(states_.peek(band)) != 0 ? 1 : 0;
}

void BandMap::replay(const TableLog::Words& words, std::span<const std::byte>) {
  change(static_cast<std::uint32_t>(words[0]), static_cast<std::uint32_t>(words[1]), words[2]);
}

}  // namespace tessera
