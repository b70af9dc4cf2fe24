#pragma once
// Which slot of the buffer holds a sector. The papers count 8 or 16 bytes a buffered sector; what is taken is the hash table's own.
#include <cstdint>

#include "firmware/ports/cpu_port.hpp"
#include "firmware/shared/dram_table.hpp"

namespace tessera {

class BufferMap {
 public:
  static constexpr std::uint32_t none = DramHashMap::none;

  BufferMap(MemoryPort& memory, CpuPort& cpu, std::uint32_t slots)
      : cpu_(cpu), map_(memory, MemoryCategory::metadata, slots, "buffer map") {}

  /// The sector's slot, or none.
  [[nodiscard]] std::uint32_t find(LogicalSector sector) const {
    cpu_.hash();
    return map_.find(sector.value());
  }
  /// The sector must not be in the map.
  void insert(LogicalSector sector, std::uint32_t slot) {
    cpu_.hash();
    map_.insert(sector.value(), slot);
  }
  /// The sector must be in the map.
  void erase(LogicalSector sector) {
    cpu_.hash();
    map_.erase(sector.value());
  }
  [[nodiscard]] std::uint64_t size() const { return map_.size(); }
  [[nodiscard]] Bytes bytes() const { return map_.bytes(); }

 private:
  CpuPort& cpu_;
  DramHashMap map_;
};

}  // namespace tessera
