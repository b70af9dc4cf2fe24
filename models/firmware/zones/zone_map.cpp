#include "firmware/zones/zone_map.hpp"

#include <algorithm>
#include <cstring>

#include "base/check.hpp"

namespace tessera {

ZoneMap::ZoneMap(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& log, std::uint32_t zones, std::uint32_t places,
                 ZoneNotes* notes)
    : notes_(notes),
      places_(places),
      states_(ports.memory, MemoryCategory::metadata, zones, "states of the zones"),
      written_(ports.cpu, {"zones.written_sectors", "1", "sectors in front of the write pointers of all shingled zones"}) {
  for (std::uint32_t zone = 0; zone < zones; ++zone) states_.peek(zone).place = zone;
  collect_spares();
  if (!log.empty()) log_.emplace(ports, geometry, log, RecordType::zone_state, static_cast<TableLog::Table&>(*this));
}

void ZoneMap::collect_spares() {
  std::vector<bool> used(places_);
  for (std::uint32_t zone = 0; zone < zones(); ++zone) used[states_.peek(zone).place] = true;
  spares_.clear();
  for (std::uint32_t place = 0; place < places_; ++place)
    if (!used[place]) spares_.push_back(place);
}

std::uint64_t ZoneMap::newest_watermark() const {
  std::uint64_t newest = 0;
  for (std::uint32_t zone = 0; zone < zones(); ++zone) newest = std::max(newest, states_.peek(zone).watermark);
  return newest;
}

void ZoneMap::publish() {
  std::uint64_t written = 0;
  for (std::uint32_t zone = 0; zone < zones(); ++zone) written += states_.peek(zone).write_pointer;
  written_.set(written);
}

Task<Status> ZoneMap::format() {
  publish();
  if (!log_) co_return Status::ok;
  co_return co_await log_->format();
}

Task<Status> ZoneMap::recover(std::uint32_t zone_sectors) {
  if (!log_) {
    for (std::uint32_t zone = 0; zone < zones(); ++zone) states_.peek(zone).write_pointer = zone_sectors;
    publish();
    co_return Status::ok;
  }
  const Status status = co_await log_->recover();
  if (!ok(status)) co_return status;
  collect_spares();
  publish();
  static_cast<void>(co_await log_->repair());
  co_return Status::ok;
}

Task<Status> ZoneMap::commit(std::uint32_t zone, ZoneState state, std::span<const std::byte> note) {
  if (log_) {
    const TableLog::Words words{zone, state.place, state.write_pointer, state.watermark};
    const Status status = co_await log_->append(words, note);
    if (!ok(status)) co_return status;
  }
  written_.fall(states_.peek(zone).write_pointer);
  written_.rise(state.write_pointer);
  const std::uint32_t old_place = states_.read(zone).place;
  if (state.place != old_place) {
    TESSERA_CHECK(state.place == spares_.front(), "a zone moves to a place that is not the spare one");
    spares_.erase(spares_.begin());
    spares_.push_back(old_place);
  }
  states_.write(zone) = state;
  co_return Status::ok;
}

std::uint64_t ZoneMap::image_bytes() const { return bytes().value() + (notes_ != nullptr ? notes_->bytes() : 0); }

void ZoneMap::save(std::span<std::byte> image) const {
  std::memcpy(image.data(), &states_.peek(0), bytes().value());
  if (notes_ != nullptr) notes_->save(image.subspan(bytes().value(), notes_->bytes()));
}

void ZoneMap::load(std::span<const std::byte> image) {
  std::memcpy(&states_.peek(0), image.data(), bytes().value());
  if (notes_ != nullptr) notes_->load(image.subspan(bytes().value(), notes_->bytes()));
}

void ZoneMap::replay(const TableLog::Words& words, std::span<const std::byte> sector) {
  const auto zone = static_cast<std::uint32_t>(words[0]);
  states_.peek(zone) = {static_cast<std::uint32_t>(words[1]), static_cast<std::uint32_t>(words[2]), words[3]};
  if (notes_ != nullptr) notes_->replay(zone, sector);
}

}  // namespace tessera
