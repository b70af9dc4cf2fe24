#pragma once
// The victims of Algorithm 1 (Lazy RMW Reclamation, lines 1-12) without its scan over every band and block. The choice and
// the number of elements that the scan would have visited are exact, so the CPU can be charged for it.
#include <cstdint>
#include <vector>

namespace tessera::mu_rmw {

/// An order-statistic tree over the listed blocks in the order in which the scan meets them (band number, then place in the
/// band's list), and a tournament over what merging each band is worth: to the paper, the length of its list. Every operation is
/// O(log blocks + log bands).
/// This is the simulator's shortcut, not part of the modelled firmware's memory: that firmware scans.
class ScanIndex {
 public:
  struct Choice {
    enum class Kind : std::uint8_t { obsolete_block, band, nothing } kind = Kind::nothing;
    std::uint32_t band = 0;
    std::uint32_t block = 0;    ///< obsolete_block only
    std::uint64_t visited = 0;  ///< bands and blocks that the literal scan looks at
  };

  /// `arms`: of the bands, where a victim may be asked for of one.
  ScanIndex(std::uint32_t bands, std::uint32_t blocks, std::uint32_t arms = 1);
  /// The band, of which no block is listed, is on that arm. All are on arm 0 at first.
  void set_arm(std::uint32_t band, std::uint32_t arm) { arms_[band] = arm; }

  /// The block becomes the last of the band's list; it must not be listed. What the band is worth is then for set_worth() to say.
  void append(std::uint32_t band, std::uint32_t block);
  /// The block leaves its list.
  void remove(std::uint32_t block);
  /// A listed block has no free page and no valid page any more.
  void mark_obsolete(std::uint32_t block);

  /// A band that is worth 0 is no victim.
  void set_worth(std::uint32_t band, std::uint64_t worth);

  /// Bands with a block in their list.
  [[nodiscard]] std::uint32_t listed_bands() const { return listed_bands_; }
  [[nodiscard]] std::uint32_t length(std::uint32_t band) const { return lengths_[band]; }
  [[nodiscard]] std::uint32_t band_of(std::uint32_t block) const { return nodes_[block].band; }
  [[nodiscard]] bool obsolete(std::uint32_t block) const { return nodes_[block].obsolete; }

  /// Blocks that were listed so far.
  [[nodiscard]] std::uint64_t appended() const { return appended_; }
  /// Calls f(band, place in time) for each listed block, in the order of the scan.
  template <class F>
  void each(F&& f) const {
    std::vector<std::uint32_t> above;
    for (std::uint32_t at = root_; at != none || !above.empty();) {
      if (at != none) {
        above.push_back(at);
        at = nodes_[at].left;
        continue;
      }
      at = above.back();
      above.pop_back();
      f(nodes_[at].band, nodes_[at].order);
      at = nodes_[at].right;
    }
  }

  /// The first obsolete block in scan order, else the band that is worth most (ties: the lowest number), else nothing.
  [[nodiscard]] Choice choose() const;
  /// The same, but of bands those of one arm alone.
  [[nodiscard]] Choice choose_on(std::uint32_t arm) const;
  /// What the best band of an arm is worth.
  [[nodiscard]] std::uint64_t best_worth(std::uint32_t arm) const { return best_[arm][1]; }

 private:
  struct Node {
    std::uint64_t order = 0;  ///< place in time of the append: place in the list
    std::uint32_t band = 0;
    std::uint32_t left = none, right = none;
    std::uint32_t size = 1;       ///< nodes of the subtree
    std::uint32_t obsoletes = 0;  ///< obsolete ones among them
    std::uint32_t priority = 0;   ///< heap order of the treap
    bool obsolete = false;
  };
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  [[nodiscard]] std::uint32_t size_of(std::uint32_t node) const { return node == none ? 0 : nodes_[node].size; }
  [[nodiscard]] std::uint32_t obsoletes_of(std::uint32_t node) const { return node == none ? 0 : nodes_[node].obsoletes; }
  [[nodiscard]] bool before(std::uint32_t a, std::uint32_t b) const {
    return nodes_[a].band != nodes_[b].band ? nodes_[a].band < nodes_[b].band : nodes_[a].order < nodes_[b].order;
  }
  void update(std::uint32_t node);
  void split(std::uint32_t root, std::uint32_t key, std::uint32_t& left, std::uint32_t& right);
  std::uint32_t join(std::uint32_t left, std::uint32_t right);
  std::uint32_t insert(std::uint32_t root, std::uint32_t node);
  std::uint32_t erase(std::uint32_t root, std::uint32_t node);

  std::vector<Node> nodes_;  // by block
  std::uint32_t root_ = none;
  std::uint64_t appended_ = 0;
  std::vector<std::uint32_t> lengths_;  // by band
  std::uint32_t listed_bands_ = 0;
  std::uint32_t leaves_;                          // of the tournament: a power of two
  std::vector<std::uint32_t> arms_;               // by band
  std::vector<std::vector<std::uint64_t>> best_;  // by arm: what the best band below each node of the tournament is worth
};

}  // namespace tessera::mu_rmw
