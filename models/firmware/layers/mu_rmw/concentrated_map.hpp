#pragma once
// The concentrated address mapping (CAM) of section III-B and figure 4: what MU-RMW keeps in memory. The sector mapping
// itself is not here: it lies in sub-tables in the out-of-band areas of the cached pages.
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/units.hpp"
#include "firmware/flash/oob.hpp"
#include "firmware/flash/page_order.hpp"
#include "firmware/layers/mu_rmw/address_split.hpp"
#include "firmware/layers/mu_rmw/scan_index.hpp"
#include "firmware/ports/cpu_port.hpp"
#include "firmware/ports/flash_port.hpp"
#include "firmware/tables/dram_table.hpp"

namespace tessera::mu_rmw {

/// Which band is merged when no block is free or obsolete; ties: the lowest number.
enum class MergeVictim : std::uint32_t {
  longest,       ///< the longest list of blocks (Algorithm 1)
  most_invalid,  ///< the most pages that are superseded: what the paper expects of the longest list
  cost           ///< the most pages won for the sectors that a merge moves: its band read and written, its valid pages read
};

/// CAM[LBN] = {SMD: N pointers to the pages that hold the newest sub-tables; BML: the list of the band's blocks, the last
/// one open}, and a count of valid pages for each block. A page is valid while a newest sub-table names it, or is in it.
class ConcentratedMap {
 public:
  static constexpr std::uint32_t no_page = OobCodec::no_page;
  static constexpr std::uint32_t no_block = DramLists::none;

  ConcentratedMap(MemoryPort& memory, CpuPort& cpu, const AddressSplit& split, std::uint32_t bands, const FlashShape& shape,
                  PairedPages paired, MergeVictim victim, std::uint32_t arms = 1);

  /// SMD: page of the newest sub-table of a group, or no_page.
  [[nodiscard]] std::uint32_t directory(std::uint64_t group) const;
  void set_directory(std::uint64_t group, std::uint32_t page);
  /// Without a charge, for tests.
  [[nodiscard]] std::uint32_t peek_directory(std::uint64_t group) const { return directory_.peek(group); }

  /// BML: first block of a band, and the one behind a block; no_block at the end.
  [[nodiscard]] std::uint32_t first_block(std::uint32_t lbn) const { return lists_.front(lbn); }
  [[nodiscard]] std::uint32_t block_after(std::uint32_t block) const { return lists_.after(block); }
  /// Puts an erased block at the end of the band's list: it is the open one from now on, its pages in front of `used` are not free.
  void append_block(std::uint32_t lbn, std::uint32_t block, std::uint32_t used = 0);
  void remove_block(std::uint32_t block);

  /// Free pages of the band's open block; 0 where there is none.
  [[nodiscard]] std::uint32_t room(std::uint32_t lbn) const;
  /// Takes the next free pages, at most room(): valid from now on, though still to be programmed. (Where pages of the flash hold several
  /// sectors, a page is here what holds one: a subpage.)
  void take_pages(std::uint32_t lbn, std::span<std::uint32_t> pages);
  /// The next one that is taken begins a page of the flash. Gives those that are passed over: [first, end).
  std::pair<std::uint32_t, std::uint32_t> close_page(std::uint32_t lbn);
  /// Gives up the free pages of a block that cannot be programmed any further.
  void close_block(std::uint32_t lbn, std::uint32_t block);

  void validate(std::uint32_t page);
  /// The page is superseded. Its block is obsolete when it has neither a free nor a valid page.
  void invalidate(std::uint32_t lbn, std::uint32_t page);
  /// Marks the block obsolete if it is (recovery counts first and settles after).
  void settle(std::uint32_t lbn, std::uint32_t block);

  [[nodiscard]] std::uint32_t block_of(std::uint32_t page) const { return page / pages_per_block_; }
  [[nodiscard]] std::uint32_t valid_pages(std::uint32_t block) const { return valid_.peek(block); }
  /// What Algorithm 1 would pick now, or the other rule.
  [[nodiscard]] ScanIndex::Choice choose_victim() const { return index_.choose(); }
  /// By arm, where bands keep to theirs.
  [[nodiscard]] const ScanIndex& victims() const { return index_; }
  void set_arm(std::uint32_t lbn, std::uint32_t arm) { index_.set_arm(lbn, arm); }
  /// Bands with a block in the cache.
  [[nodiscard]] std::uint32_t cached_bands() const { return index_.listed_bands(); }
  [[nodiscard]] std::uint32_t list_length(std::uint32_t lbn) const { return index_.length(lbn); }
  /// Valid pages of all blocks of a band, without a charge.
  [[nodiscard]] std::uint32_t valid_of_band(std::uint32_t lbn) const { return valid_of_band_[lbn]; }

  [[nodiscard]] std::uint64_t valid_of_all() const { return valid_of_all_; }

  /// Memory as the paper counts it: U x 4N + 8S (section III-E).
  [[nodiscard]] static Bytes paper_bytes(std::uint64_t u, std::uint64_t n, std::uint64_t s) { return Bytes(u * 4 * n + 8 * s); }
  /// Memory that is really taken: list heads, open blocks and valid counters included.
  [[nodiscard]] Bytes bytes() const;

 private:
  struct OpenBlock {
    std::uint32_t block;  ///< no_block: none yet
    std::uint32_t used;   ///< pages taken; all that a block has: full, or closed
  };
  [[nodiscard]] bool full(std::uint32_t lbn, std::uint32_t block) const;
  /// One more valid page in the block, or so many fewer.
  void count(std::uint32_t block, std::int32_t change);
  [[nodiscard]] std::uint64_t worth(std::uint32_t lbn) const;
  /// Pages of the band's list or their state have changed.
  void weigh(std::uint32_t lbn) {
    if (victim_ != MergeVictim::longest) index_.set_worth(lbn, worth(lbn));
  }

  CpuPort& cpu_;
  std::uint32_t bands_;
  std::uint32_t band_sectors_;
  MergeVictim victim_;
  std::uint32_t pages_per_block_;
  PageOrder order_;
  DramArray<std::uint32_t> directory_;
  DramLists lists_;
  DramArray<OpenBlock> open_;
  DramArray<std::uint16_t> valid_;
  std::vector<std::uint32_t> valid_of_band_;  // the simulator's: firmware sums the blocks' counters while it scans them
  std::uint64_t valid_of_all_ = 0;
  ScanIndex index_;
};

}  // namespace tessera::mu_rmw
