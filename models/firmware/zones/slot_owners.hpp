#pragma once
// What is in the buffer: which slot holds a sector, which sector a slot holds, and the slots of each zone. The papers scan the
// buffer for the sectors of a zone; the lists find them at once.
#include <cstdint>

#include "firmware/shared/dram_table.hpp"
#include "firmware/translation_layer.hpp"
#include "firmware/zones/buffer_map.hpp"

namespace tessera {

class SlotOwners {
 public:
  static constexpr std::uint32_t none = BufferMap::none;

  SlotOwners(const Ports& ports, std::uint32_t slots, std::uint32_t zones)
      : map_(ports.memory, ports.cpu, slots),
        sectors_(ports.memory, MemoryCategory::metadata, slots, "sectors of the buffer's slots"),
        by_zone_(ports.memory, MemoryCategory::metadata, slots, zones, "slots of the zones") {}

  /// The slot that holds `sector`, or none.
  [[nodiscard]] std::uint32_t slot_of(LogicalSector sector) const { return map_.find(sector); }
  /// Whether `slot` holds a sector, and which.
  [[nodiscard]] bool in_use(std::uint32_t slot) const { return sectors_.read(slot) != 0; }
  [[nodiscard]] LogicalSector sector_of(std::uint32_t slot) const { return LogicalSector(sectors_.read(slot) - 1); }

  /// `slot`, which holds nothing, holds `sector` of `zone`, which no slot did.
  void put(std::uint32_t slot, LogicalSector sector, std::uint32_t zone) {
    map_.insert(sector, slot);
    sectors_.write(slot) = sector.value() + 1;
    by_zone_.push_back(zone, slot);
  }
  void remove(std::uint32_t slot) {
    map_.erase(sector_of(slot));
    sectors_.write(slot) = 0;
    by_zone_.remove(slot);
  }

  /// The slots of a zone, in the order of put(); none: no more.
  [[nodiscard]] std::uint32_t first_of(std::uint32_t zone) const { return by_zone_.front(zone); }
  [[nodiscard]] std::uint32_t after(std::uint32_t slot) const { return by_zone_.after(slot); }

  /// For tests, without a charge.
  [[nodiscard]] bool holds(std::uint32_t slot, LogicalSector sector) const { return sectors_.peek(slot) == sector.value() + 1; }
  [[nodiscard]] std::uint32_t slots() const { return static_cast<std::uint32_t>(sectors_.size()); }

  [[nodiscard]] std::uint64_t used() const { return map_.size(); }
  [[nodiscard]] Bytes bytes() const { return map_.bytes() + Bytes(sectors_.size() * sizeof(std::uint64_t)) + by_zone_.bytes(); }

 private:
  BufferMap map_;
  DramArray<std::uint64_t> sectors_;  // sector + 1; 0: none
  DramLists by_zone_;
};

}  // namespace tessera
