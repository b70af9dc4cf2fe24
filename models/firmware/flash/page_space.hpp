#pragma once
// Flash blocks that are filled page by page, whatever band a page belongs to: a zone of a flash cache, or all of it. Where pages hold
// several sectors, what is taken and counted here as a page is a subpage.
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "firmware/flash/block_pool.hpp"
#include "firmware/flash/page_order.hpp"
#include "firmware/tables/dram_table.hpp"
#include "firmware/translation_layer.hpp"

namespace tessera {

class TagCheckpoint;

class PageSpace {
 public:
  /// Blocks [first, first + blocks), `parallel` of which are filled side by side. `free_blocks`: see BlockPool. `checkpoint`, which may be
  /// null, is told of erases.
  PageSpace(const Ports& ports, std::uint32_t first, std::uint32_t blocks, std::uint32_t parallel, FreeOrder order, PairedPages paired,
            Gauge* free_blocks = nullptr, TagCheckpoint* checkpoint = nullptr);

  /// First boot: every good block is free.
  void format();
  /// Boot after a power cut: what the scan found of a block. Pages in front of `used` are taken, and what lies beside the last one in its
  /// page; 0: it is erased.
  void restore(std::uint32_t block, std::uint32_t used);

  [[nodiscard]] bool contains(std::uint32_t block) const { return block >= first_ && block - first_ < blocks_; }
  [[nodiscard]] std::uint32_t pages() const { return blocks_ * block_pages(); }
  /// Pages of a block that are programmed.
  [[nodiscard]] std::uint32_t block_pages() const { return order_.count(); }
  [[nodiscard]] std::uint32_t free_blocks() const { return pool_.free(); }
  /// Pages that can be taken while `reserve` blocks stay free.
  [[nodiscard]] std::uint32_t room(std::uint32_t reserve) const;
  /// The block of the next page; there must be room.
  [[nodiscard]] std::uint32_t next_block(std::uint32_t reserve) { return next_open(reserve).block; }
  /// The next page; there must be room.
  [[nodiscard]] std::uint32_t take(std::uint32_t reserve);
  /// The next one that is taken begins a page of the flash. Gives those that are passed over: [first, end).
  std::pair<std::uint32_t, std::uint32_t> close_page();
  /// A page of the block could not be programmed: it takes no further page, and does not come back once it is erased.
  void fail(std::uint32_t block);

  /// Whether no page was taken since all blocks were erased.
  [[nodiscard]] bool empty() const { return used_.front(0) == DramLists::none; }
  /// Blocks with pages that were taken, in the order in which they were begun.
  [[nodiscard]] std::vector<std::uint32_t> used() const;
  /// The first of them for which `suits` is true, or none.
  template <class F>
  [[nodiscard]] std::optional<std::uint32_t> first_used(F&& suits) const {
    std::uint32_t block = used_.front(0);
    while (block != DramLists::none && !suits(first_ + block)) block = used_.after(block);
    return block == DramLists::none ? std::nullopt : std::optional(first_ + block);
  }
  /// Whether the block takes further pages.
  [[nodiscard]] bool open(std::uint32_t block) const;
  /// Erases blocks of used(), none of whose pages is needed any more.
  [[nodiscard]] Task<void> erase(std::span<const std::uint32_t> blocks);

  /// A free block for somebody else, and one that comes back to be erased.
  [[nodiscard]] std::uint32_t lend() { return first_ + pool_.take(); }
  [[nodiscard]] Task<void> take_back(std::uint32_t block);

  [[nodiscard]] std::uint64_t retired_blocks() const { return pool_.retired_count(); }
  [[nodiscard]] Bytes bytes() const { return pool_.bytes() + Bytes(open_.size() * sizeof(OpenBlock)) + used_.bytes(); }

 private:
  struct OpenBlock {
    std::uint32_t block;
    std::uint32_t used;  ///< pages taken; block_pages(): full, or none is open
  };
  [[nodiscard]] OpenBlock& next_open(std::uint32_t reserve);

  FlashPort& flash_;
  std::uint32_t first_;
  std::uint32_t blocks_;
  std::uint32_t pages_per_block_;
  PageOrder order_;
  // Both number blocks from first_.
  BlockPool pool_;
  DramLists used_;
  std::vector<OpenBlock> open_;
  std::size_t turn_ = 0;
  std::vector<FlashCommand> commands_;
  TagCheckpoint* checkpoint_;
};

}  // namespace tessera
