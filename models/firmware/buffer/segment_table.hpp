#pragma once
// The segment hash table of the HWSR paper (section II-C, figure 5): a node for each segment that has a block in memory or in
// flash, with where its blocks lie in either: {segment, MBmap[T], SBmap[T]}.
#include <cstdint>

#include "base/units.hpp"
#include "firmware/buffer/block_address.hpp"
#include "firmware/ports/cpu_port.hpp"
#include "firmware/tables/dram_table.hpp"

namespace tessera {

class SegmentTable {
 public:
  /// A cache block, or none.
  using Place = std::uint32_t;
  using Node = std::uint32_t;
  static constexpr Place none = ~Place{0};

  /// `blocks`: of memory and flash together. In the worst case each lies in another segment.
  SegmentTable(MemoryPort& memory, CpuPort& cpu, const BlockAddress& address, std::uint32_t blocks);

  /// The segment's node, or none; one hash look-up.
  [[nodiscard]] Node find(std::uint64_t segment) const;
  /// The segment's node, made if need be.
  [[nodiscard]] Node obtain(std::uint64_t segment);

  /// MBmap and SBmap.
  [[nodiscard]] Place in_memory(Node node, std::uint32_t index) const { return maps_.read(cell(node, index)) - 1; }
  [[nodiscard]] Place in_flash(Node node, std::uint32_t index) const {
    return maps_.read(cell(node, address_.segment_blocks() + index)) - 1;
  }
  /// A node whose last entry is set to none is given back.
  void set_in_memory(Node node, std::uint32_t index, Place place) { set(node, index, place); }
  void set_in_flash(Node node, std::uint32_t index, Place place) { set(node, address_.segment_blocks() + index, place); }

  [[nodiscard]] std::uint64_t segment(Node node) const { return heads_.read(node).segment; }

  /// Nodes in use, and the most that there can be.
  [[nodiscard]] std::uint64_t nodes() const { return index_.size(); }
  [[nodiscard]] std::uint32_t capacity() const { return static_cast<std::uint32_t>(heads_.size()); }
  /// A node by the paper's account: maps of four bytes an entry, and segment number, chain and link (8T + 24).
  [[nodiscard]] static Bytes node_bytes(std::uint32_t segment_blocks) { return Bytes(std::uint64_t{8} * segment_blocks + 24); }
  /// DRAM that is really taken, for nodes and hash table.
  [[nodiscard]] Bytes bytes() const;

 private:
  struct Head {
    std::uint64_t segment;
    std::uint32_t entries;  ///< that are not none
    Node next_free;         ///< of a node that was given back
  };
  [[nodiscard]] std::uint64_t cell(Node node, std::uint32_t entry) const {
    return std::uint64_t{node} * 2 * address_.segment_blocks() + entry;
  }
  void set(Node node, std::uint32_t entry, Place place);

  CpuPort& cpu_;
  BlockAddress address_;
  DramHashMap index_;
  DramArray<Head> heads_;
  DramArray<Place> maps_;  ///< place + 1; 0: none
  Node free_ = none;       ///< nodes that were given back
  Node fresh_ = 0;         ///< the first node that was never used
};

}  // namespace tessera
