#pragma once
// What the log holds of each band: extents in the order of their sectors, and all extents in the order in which the log holds them. A
// search tree a band (a treap: its shape follows from the numbers of the nodes), whose nodes are the entries of the drive's bounded map.
//
// What is written again gives its entry back; an extent of which the middle is written again becomes two. What was trimmed is an extent,
// too, a hole, of which neither the log nor the band holds anything.
#include <cstdint>
#include <vector>

#include "firmware/ports/cpu_port.hpp"
#include "firmware/tables/dram_table.hpp"

namespace tessera::media_cache {

/// Sectors of one band that lie side by side in the log; `position` counts the sectors of an endless log. Of a hole it is where the log
/// says so.
struct Extent {
  LogicalSector first;
  std::uint64_t position = 0;
  std::uint32_t count = 0;
  bool hole = false;
  [[nodiscard]] LogicalSector end() const { return first + count; }
  bool operator==(const Extent&) const = default;
};

class ExtentMap {
 public:
  /// `capacity`: entries that there is memory for.
  ExtentMap(MemoryPort& memory, CpuPort& cpu, std::uint64_t bands, std::uint32_t capacity);

  /// Entries in use, of holes too.
  [[nodiscard]] std::uint32_t size() const { return size_; }
  [[nodiscard]] std::uint32_t holes() const { return holes_; }
  /// Entries of what the log holds.
  [[nodiscard]] std::uint32_t logged() const { return size_ - holes_; }
  /// Sectors that the log holds.
  [[nodiscard]] std::uint64_t sectors() const { return sectors_; }
  /// Bands with an extent, or a hole.
  [[nodiscard]] std::uint32_t cached_bands() const { return cached_bands_; }
  [[nodiscard]] std::uint32_t capacity() const { return capacity_; }
  [[nodiscard]] Bytes bytes() const;

  /// Whether there is an extent, or a hole, of the band; without a charge.
  [[nodiscard]] bool holds(std::uint64_t band) const { return roots_.peek(band) != 0; }
  /// Adds the extents that overlap `run` to `found`, cut to it, in the order of their sectors.
  void find(std::uint64_t band, LogicalRun run, std::vector<Extent>& found) const;
  /// The extent is the newest copy of its sectors. Takes two entries at most.
  void assign(std::uint64_t band, const Extent& extent);
  /// The log holds nothing of `run` any more. Takes one entry at most.
  void erase(std::uint64_t band, LogicalRun run);
  /// Nor of the band.
  void clear(std::uint64_t band);

  /// The one furthest back in the log, which must hold some.
  [[nodiscard]] Extent oldest() const { return extent(ages_.front(used)); }
  /// One of them; there must be some. All entries are read.
  [[nodiscard]] Extent some_hole() const;
  /// Adds those furthest back in the log to `found`, at most `count`, in the order of the log.
  void find_oldest(std::uint32_t count, std::vector<Extent>& found) const;
  /// Calls f(extent) for each, in no order; all of them are read at once.
  template <class F>
  void each(F&& f) const {
    for (const Node& node : nodes_.read_run(0, capacity_))
      if (node.count != 0) f(extent(node));
  }
  /// The same without a charge, for whoever looks on.
  template <class F>
  void peek_each(F&& f) const {
    for (Index i = 0; i < capacity_; ++i)
      if (nodes_.peek(i).count != 0) f(extent(i));
  }

 private:
  using Index = DramLists::Index;
  static constexpr Index none = DramLists::none;
  enum List : std::uint32_t { used, free, lists };
  /// Links are an index plus one, so that zeroed memory is an empty tree; of an entry that is free the count is 0.
  struct Node {
    std::uint64_t first;
    std::uint64_t position;
    std::uint32_t count;
    std::uint32_t left;
    std::uint32_t right;
    std::uint32_t hole;  ///< 1; such a node is in no list
  };

  [[nodiscard]] static Extent extent(const Node& node) { return {LogicalSector(node.first), node.position, node.count, node.hole != 0}; }
  [[nodiscard]] Extent extent(Index i) const { return extent(nodes_.peek(i)); }
  /// Where `node` lies in the log from so many sectors of it on.
  [[nodiscard]] static std::uint64_t position_in(const Node& node, std::uint64_t sectors) {
    return node.hole != 0 ? node.position : node.position + sectors;
  }
  [[nodiscard]] static std::uint64_t end_of(const Node& node) { return node.first + node.count; }
  [[nodiscard]] static std::uint32_t priority(std::uint32_t link);
  void split(std::uint32_t tree, std::uint64_t key, std::uint32_t& below, std::uint32_t& from);
  [[nodiscard]] std::uint32_t merge(std::uint32_t below, std::uint32_t from);
  [[nodiscard]] std::uint32_t last_of(std::uint32_t tree) const;
  [[nodiscard]] std::uint32_t make(const Extent& extent, Index in_front);
  [[nodiscard]] Index age_in_front_of(std::uint64_t position) const;
  void insert(std::uint64_t band, std::uint32_t link);
  void give_back(std::uint32_t link);
  void give_back_tree(std::uint32_t tree);
  /// Takes `run` out of the band's tree: what is in front of it and what is behind it.
  void cut_out(std::uint64_t band, LogicalRun run, std::uint32_t& front, std::uint32_t& behind);

  CpuPort& cpu_;
  std::uint32_t capacity_;
  DramArray<std::uint32_t> roots_;
  DramArray<Node> nodes_;
  DramLists ages_;
  std::uint32_t size_ = 0;
  std::uint32_t holes_ = 0;
  std::uint64_t sectors_ = 0;
  std::uint32_t cached_bands_ = 0;
  mutable std::vector<std::uint32_t> path_;
  std::vector<Extent> overlapped_;
};

}  // namespace tessera::media_cache
