#pragma once
// Second phase of the classification (section 5.1.2, table 1, figures 7 and 11): the roles of blocks and the two lists that they are
// ordered in, after LIRS. A block is resident in the high-frequency buffer as SUP or LUP, or only remembered as ghost or shadow.
//
// The resident list R holds all roles by recency of their last write, and its bottom is a SUP block: whoever is above it was written
// again sooner than the SUP block with the longest update period. The filter list F holds the LUP blocks, next to leave first.
#include <cstdint>
#include <vector>

#include "firmware/layers/amphisbaena/amphisbaena_config.hpp"
#include "firmware/ports/cpu_port.hpp"
#include "firmware/tables/packed_table.hpp"

namespace tessera::amphisbaena {

enum class Role : std::uint8_t { none, sup, lup, ghost, shadow };
[[nodiscard]] constexpr bool resident(Role role) { return role == Role::sup || role == Role::lup; }

class RoleLists {
 public:
  /// At most so many blocks have a role, of a drive of `blocks`.
  RoleLists(MemoryPort& memory, CpuPort& cpu, std::uint32_t most, std::uint64_t blocks, const AmphisbaenaConfig& config);

  /// The high-frequency buffer has so many blocks from now on: F is to be lambda of it, R's SUP blocks the rest
  /// (more of them after hits of blocks that only F has, with FilterHit::keep).
  void resize(std::uint32_t blocks);
  [[nodiscard]] std::uint32_t most_sup() const { return most_sup_; }

  [[nodiscard]] Role role_of(LogicalSector block) const;
  [[nodiscard]] bool in_filter(LogicalSector block) const;

  /// A write hit of a resident block.
  void hit(LogicalSector block);
  /// A block becomes resident; `was`: its role when it was decided.
  void admit(LogicalSector block, Role was);
  /// A block of no role that was labelled cold went to the low-frequency buffer: a shadow.
  void pass(LogicalSector block);
  /// The next to leave: the LRU end of F, the bottom of R degraded to it where F is empty. There must be a resident block.
  [[nodiscard]] LogicalSector next_to_leave();
  /// A resident block leaves the buffer: a ghost from now on if R has it.
  void leave(LogicalSector block);
  /// A block that has left is resident all the same: the last of F to leave.
  void stay(LogicalSector block);
  /// A resident block is gone without a trace (trimmed).
  void forget(LogicalSector block);
  /// At boot: a resident block of which nothing is known.
  void restore(LogicalSector block);

  [[nodiscard]] std::uint32_t count(Role role) const { return counts_[static_cast<std::size_t>(role)]; }
  [[nodiscard]] std::uint32_t filtered() const { return count(Role::lup); }
  [[nodiscard]] std::uint64_t promotions() const { return promotions_; }
  [[nodiscard]] std::uint64_t demotions() const { return demotions_; }
  [[nodiscard]] Bytes bytes() const;

  /// For tests, without a charge.
  [[nodiscard]] Role peek(LogicalSector block) const;
  /// For tests: both lists from the LRU to the MRU end.
  [[nodiscard]] std::vector<LogicalSector> resident_list() const;
  [[nodiscard]] std::vector<LogicalSector> filter_list() const;

 private:
  using Index = PackedLists::Index;
  static constexpr Index none = PackedLists::none;
  /// The lists. A node is in at most one of each pair.
  static constexpr std::uint32_t list_r = 0, unused = 1;
  static constexpr std::uint32_t list_f = 0, remembered = 1;

  /// Of a node, one for each block with a role: there are more of them than blocks in the buffer.
  struct Fields {
    Fields(std::uint64_t blocks, std::uint64_t nodes);
    PackedTable::Field block;
    PackedTable::Field role;
    PackedTable::Field in_resident;
    PackedTable::Field next;  ///< the next node with the same place in heads_ plus one; 0: none
    PackedTable::Field key;   ///< from block to in_resident
    std::uint32_t recency;    ///< where the links of R begin
    std::uint32_t leaving;    ///< and those of F
    std::uint32_t bits;
  };

  [[nodiscard]] std::uint64_t home(LogicalSector block) const;
  [[nodiscard]] Index find(LogicalSector block) const;
  [[nodiscard]] LogicalSector block_of(Index node) const { return LogicalSector(nodes_.read(node, fields_.block)); }
  [[nodiscard]] Role role(Index node) const { return static_cast<Role>(nodes_.read(node, fields_.role)); }
  [[nodiscard]] PackedTable::Field whole_head() const { return {0, fields_.next.width}; }
  [[nodiscard]] Index after_in_chain(Index node) const { return static_cast<Index>(nodes_.read(node, fields_.next) - 1); }
  [[nodiscard]] bool in_resident(Index node) const { return nodes_.read(node, fields_.in_resident) != 0; }
  void enter(Index node);
  void take_out(Index node);
  [[nodiscard]] Index make(LogicalSector block, Role its);
  void drop(Index node);
  void set_role(Index node, Role renewed);
  void to_top_of_resident(Index node);
  void remove_from_resident(Index node);
  void prune();
  void demote_bottom();
  void demote_excess();
  void limit_history();

  CpuPort& cpu_;
  std::uint64_t filter_millionths_;
  std::uint32_t history_;
  Demotion demotion_;
  FilterHit filter_hit_;
  bool as_printed_;  ///< a hit of a block in both lists makes the bottom one LUP, though there be room for both (5.1.2, case 1)
  Fields fields_;
  Index count_;        // of nodes; the sentinels of the lists are after them
  PackedTable heads_;  // hash table by block, a place for two nodes: the first node of each plus one, or 0
  PackedTable nodes_;
  PackedLists recency_;  // list_r, unused
  PackedLists leaving_;  // list_f, remembered (ghosts and shadows, first remembered first)
  std::uint32_t most_sup_ = 0;
  std::uint32_t most_remembered_ = 0;
  std::uint32_t counts_[5] = {};
  std::uint64_t promotions_ = 0;
  std::uint64_t demotions_ = 0;
};

}  // namespace tessera::amphisbaena
