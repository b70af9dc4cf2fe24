#include "firmware/zones/slot_owners.hpp"

#include "firmware/zones/slot_directory.hpp"

namespace tessera {

SlotOwners::SlotOwners(const Ports& ports, std::unique_ptr<SectorMap> map, std::uint32_t slots, std::uint32_t zones,
                       std::uint32_t zone_sectors, ZoneLists lists)
    : sector_{0, bits_for(std::uint64_t{zones} * zone_sectors + 1)},
      mark_{sector_.end(), 1},
      word_{0, mark_.end()},
      sectors_(ports.memory, slots, word_.width, "sectors of the buffer's slots", Survival::dumped),
      map_(map ? std::move(map) : std::make_unique<SlotDirectory>(ports, sectors_, sector_)),
      zone_sectors_(zone_sectors),
      held_(zones),
      used_gauge_(ports.cpu, {"buffer.used_slots", "1", "sectors that the buffer in front of the shingled zones holds"}, 0) {
  if (lists == ZoneLists::none) return;
  const std::uint64_t records = std::uint64_t{slots} + zones;
  zone_links_.emplace(ports.memory, records, PackedLists::bits(records), "slots of the zones");
  by_zone_.emplace(*zone_links_, 0, slots, zones);
}

Task<Status> SlotOwners::find(LogicalRun run, Slots& slots) {
  slots.clear();
  while (slots.size() < run.count) {
    const auto done = static_cast<std::uint32_t>(slots.size());
    const LogicalRun piece = map_->piece({run.first + done, run.count - done});
    const Status status = co_await map_->pin(piece);
    if (!ok(status)) co_return status;
    for (std::uint32_t i = 0; i < piece.count; ++i) slots.push_back(map_->find(piece.first + i));
    map_->unpin(piece);
  }
  co_return Status::ok;
}

Task<Status> SlotOwners::find(std::span<const LogicalSector> sectors, Slots& slots) {
  slots.clear();
  while (slots.size() < sectors.size()) {
    const LogicalSector first = sectors[slots.size()];
    const LogicalRun piece = map_->piece({first, static_cast<std::uint32_t>(sectors.back() - first + 1)});
    const Status status = co_await map_->pin(piece);
    if (!ok(status)) co_return status;
    while (slots.size() < sectors.size() && sectors[slots.size()] < piece.end()) slots.push_back(map_->find(sectors[slots.size()]));
    map_->unpin(piece);
  }
  co_return Status::ok;
}

Task<Status> SlotOwners::remove(std::span<const std::uint32_t> slots) {
  for (std::size_t i = 0; i < slots.size();) {
    const LogicalSector first = sector_of(slots[i]);
    const LogicalSector last = sector_of(slots.back());
    const LogicalRun piece = map_->piece({first, static_cast<std::uint32_t>(last - first + 1)});
    const Status status = co_await map_->pin(piece);
    if (!ok(status)) co_return status;
    for (; i < slots.size() && sector_of(slots[i]) < piece.end(); ++i) remove(slots[i]);
    map_->unpin(piece);
  }
  co_return Status::ok;
}

bool SlotOwners::begin_restore() {
  bool any = false;
  bool all = true;
  for (std::uint32_t slot = 0; slot < sectors_.size(); ++slot) {
    any = any || occupied(slot);
    all = all && sectors_.peek(slot, mark_) == 0;
  }
  marked_ = any && all ? 0 : 1;
  return marked_ == 0;
}

std::vector<SlotOwners::Owner> SlotOwners::without_record(const std::vector<bool>& has_record) const {
  std::vector<Owner> owners;
  for (std::uint32_t slot = 0; slot < sectors_.size(); ++slot)
    if (occupied(slot) && !has_record[slot]) owners.push_back({slot, LogicalSector(word_of(slot) - 1)});
  return owners;
}

void SlotOwners::end_restore(const std::vector<bool>& put) {
  for (std::uint32_t slot = 0; slot < sectors_.size(); ++slot)
    if (!put[slot]) sectors_.poke(slot, word_, 0);
  for (std::uint32_t slot = 0; slot < sectors_.size(); ++slot) sectors_.poke(slot, mark_, 0);
  marked_ = 0;
}

void SlotOwners::put(std::uint32_t slot, LogicalSector sector, std::uint32_t zone) {
  map_->set(sector, slot);
  sectors_.write(slot, word_, (sector.value() + 1) | marked_ << mark_.first);
  if (by_zone_) by_zone_->push_back(zone, slot);
  dirty_zones_ += held_[zone]++ == 0;
  used_gauge_.set(++used_);
}

void SlotOwners::remove(std::uint32_t slot) {
  const LogicalSector sector = sector_of(slot);
  map_->erase(sector);
  dirty_zones_ -= --held_[sector.value() / zone_sectors_] == 0;
  sectors_.write(slot, word_, 0);
  if (by_zone_) by_zone_->remove(slot);
  used_gauge_.set(--used_);
}

}  // namespace tessera
