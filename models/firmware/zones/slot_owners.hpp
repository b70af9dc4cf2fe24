#pragma once
// What is in the buffer: which slot holds a sector, which sector a slot holds, and the slots of each zone. The papers scan the
// buffer for the sectors of a zone; the lists find them at once, where a layer asks for them.
//
// Which sector a slot holds is written in the slot itself. The dump engine saves the table of it too: it is asked at boot for the slots
// that cannot be read, so that no older copy of a sector is taken for the newest. The power may fail in a boot, too. Then each
// entry is either that of the first cut or what the boot has put. A boot without a table marks its entries until all are there, so that
// half a table does not pass for a whole one.
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "firmware/tables/packed_table.hpp"
#include "firmware/tables/sector_map.hpp"
#include "firmware/translation_layer.hpp"

namespace tessera {

class SlotOwners {
 public:
  static constexpr std::uint32_t none = SectorMap::none;
  using Slots = std::vector<std::uint32_t>;

  /// Whether the slots of each zone are to be found; a layer that never asks for them need not keep them.
  enum class ZoneLists : std::uint8_t { kept, none };

  /// `map`: which slot holds a sector, for at most `slots` sectors of `zones` zones; none: a directory over the slots themselves.
  SlotOwners(const Ports& ports, std::unique_ptr<SectorMap> map, std::uint32_t slots, std::uint32_t zones, std::uint32_t zone_sectors,
             ZoneLists lists = ZoneLists::kept);

  // One after the other, bringing what is needed of the map into DRAM. The zones of the sectors are locked.

  /// The slots that hold the sectors of `run`, or none.
  [[nodiscard]] Task<Status> find(LogicalRun run, Slots& slots);
  /// The same for `sectors`, ascending, at least one.
  [[nodiscard]] Task<Status> find(std::span<const LogicalSector> sectors, Slots& slots);
  /// These slots hold nothing any more; ascending by their sectors. After a status that is not ok, the first of them do not, the others
  /// do.
  [[nodiscard]] Task<Status> remove(std::span<const std::uint32_t> slots);

  // For others, sector by sector, while a piece of the map is pinned (tables/sector_map.hpp).

  [[nodiscard]] LogicalRun piece(LogicalRun run) const { return map_->piece(run); }
  [[nodiscard]] Task<Status> pin(LogicalRun piece) { return map_->pin(piece); }
  void unpin(LogicalRun piece) { map_->unpin(piece); }
  /// The slot that holds `sector`, or none.
  [[nodiscard]] std::uint32_t slot_of(LogicalSector sector) const { return map_->find(sector); }
  /// `slot`, which holds nothing, holds `sector` of `zone`, which no slot did.
  void put(std::uint32_t slot, LogicalSector sector, std::uint32_t zone);
  /// `slot` holds nothing any more.
  void remove(std::uint32_t slot);

  /// A slot and the sector that it holds.
  struct Owner {
    std::uint32_t slot = 0;
    LogicalSector sector;
  };
  /// At boot, before any put(): whether the table names all slots in use at the power cut; also not where nothing was in the buffer.
  [[nodiscard]] bool begin_restore();
  /// At boot, before any put(): the slots without a record, as it cannot be read, that held a sector when the power failed, as far as the
  /// table tells.
  [[nodiscard]] std::vector<Owner> without_record(const std::vector<bool>& has_record) const;
  /// At boot: these slots were put, and no others hold anything.
  void end_restore(const std::vector<bool>& put);

  // What needs no map.

  /// Whether `slot` holds a sector, and which.
  [[nodiscard]] bool in_use(std::uint32_t slot) const { return sectors_.read(slot, word_) != 0; }
  [[nodiscard]] LogicalSector sector_of(std::uint32_t slot) const { return LogicalSector(sectors_.read(slot, sector_) - 1); }
  /// For the records of other slots: sector + 1, or 0. Without a charge: a write looks at three entries, beside or as recent as its own,
  /// which is charged.
  [[nodiscard]] std::uint64_t word_of(std::uint32_t slot) const { return sectors_.peek(slot, sector_); }
  /// The slots of a zone; none: no more.
  [[nodiscard]] std::uint32_t first_of(std::uint32_t zone) const { return by_zone_->front(zone); }
  [[nodiscard]] std::uint32_t after(std::uint32_t slot) const { return by_zone_->after(slot); }

  /// For tests, without a charge.
  [[nodiscard]] bool holds(std::uint32_t slot, LogicalSector sector) const { return sectors_.peek(slot, word_) == sector.value() + 1; }
  /// Without a charge: for what goes through all slots at once.
  [[nodiscard]] bool occupied(std::uint32_t slot) const { return sectors_.peek(slot, word_) != 0; }
  [[nodiscard]] std::uint32_t slots() const { return static_cast<std::uint32_t>(sectors_.size()); }

  [[nodiscard]] std::uint64_t used() const { return used_; }
  /// Slots that hold sectors of a zone.
  [[nodiscard]] std::uint32_t held(std::uint32_t zone) const { return held_[zone]; }
  /// Zones of which a slot holds a sector.
  [[nodiscard]] std::uint32_t dirty_zones() const { return dirty_zones_; }
  [[nodiscard]] Bytes bytes() const { return map_->bytes() + sectors_.bytes() + (zone_links_ ? zone_links_->bytes() : Bytes(0)); }
  void report(MetricSet& metrics) const { map_->report(metrics); }

 private:
  PackedTable::Field sector_;  // sector + 1; 0: none
  PackedTable::Field mark_;    // of an entry of a boot without a table, until all are there
  PackedTable::Field word_;    // both
  PackedTable sectors_;        // by slot; dumped
  std::uint64_t marked_ = 0;   // the mark of entries that are put: 1 in such a boot
  std::unique_ptr<SectorMap> map_;
  std::optional<PackedTable> zone_links_;
  std::optional<PackedLists> by_zone_;
  std::uint64_t used_ = 0;  // slots
  // For the report alone: no part of the firmware's tables.
  std::uint32_t zone_sectors_;
  std::vector<std::uint32_t> held_;  // slots by zone
  std::uint32_t dirty_zones_ = 0;
  Gauge used_gauge_;
};

}  // namespace tessera
