#pragma once
// Which slot of a buffer holds a sector, as a hash table of chains through the slots. The table of what the slots hold has the keys
// already, so that a slot takes one link, and each pair of slots the head of a chain.
#include "firmware/tables/packed_table.hpp"
#include "firmware/tables/sector_map.hpp"

namespace tessera {

class SlotDirectory final : public SectorMap {
 public:
  /// `sectors`: by slot, in the field `key` the number of its sector plus one. A slot's entry is there before the next find(), and until
  /// erase() has taken it out.
  SlotDirectory(const Ports& ports, const PackedTable& sectors, PackedTable::Field key);

  [[nodiscard]] std::uint32_t find(LogicalSector sector) const override;
  void set(LogicalSector sector, std::uint32_t slot) override;
  void erase(LogicalSector sector) override;
  /// Numbers of sector and place, and a link: four bytes each.
  [[nodiscard]] Bytes paper_bytes() const override { return Bytes(12 * links_.size()); }
  [[nodiscard]] Bytes bytes() const override { return heads_.bytes() + links_.bytes(); }

 private:
  [[nodiscard]] std::uint64_t home(LogicalSector sector) const;
  [[nodiscard]] bool holds(std::uint32_t slot, LogicalSector sector) const { return sectors_.read(slot, key_) == sector.value() + 1; }

  CpuPort& cpu_;
  const PackedTable& sectors_;
  PackedTable::Field key_;
  PackedTable::Field link_;  // the next slot plus one; 0: none
  PackedTable heads_;
  PackedTable links_;  // by slot
};

}  // namespace tessera
