#include "firmware/flash/page_space.hpp"

#include <algorithm>

#include "firmware/flash/block_erase.hpp"

namespace tessera {

PageSpace::PageSpace(const Ports& ports, std::uint32_t first, std::uint32_t blocks, std::uint32_t parallel, FreeOrder order,
                     PairedPages paired, Gauge* free_blocks, TagCheckpoint* checkpoint)
    : flash_(*ports.flash),
      first_(first),
      blocks_(blocks),
      pages_per_block_(flash_.shape().block_subpages()),
      order_(flash_.shape(), paired),
      pool_(blocks, order, free_blocks),
      used_(ports.memory, MemoryCategory::metadata, blocks, 1, "blocks in use of a flash cache"),
      open_(parallel, OpenBlock{0, order_.count()}),
      checkpoint_(checkpoint) {
  ports.memory.reserve(MemoryCategory::metadata, pool_.bytes() + Bytes(open_.size() * sizeof(OpenBlock)), "free blocks of a flash cache");
}

void PageSpace::format() {
  for (std::uint32_t block = 0; block < blocks_; ++block) {
    if (flash_.is_bad(NandBlock(first_ + block))) pool_.retire(block);
    pool_.put(block);
  }
}

void PageSpace::restore(std::uint32_t block, std::uint32_t used) {
  const bool bad = flash_.is_bad(NandBlock(block));
  if (bad) pool_.retire(block - first_);
  if (used == 0) {
    pool_.put(block - first_);
    return;
  }
  used_.push_back(0, block - first_);
  const auto slot = std::find_if(open_.begin(), open_.end(), [this](const OpenBlock& open) { return open.used == block_pages(); });
  if (!bad && slot != open_.end()) *slot = {block, order_.before(used)};
}

std::uint32_t PageSpace::room(std::uint32_t reserve) const {
  std::uint32_t room = pool_.free() > reserve ? (pool_.free() - reserve) * block_pages() : 0;
  for (const OpenBlock& open : open_) room += block_pages() - open.used;
  return room;
}

PageSpace::OpenBlock& PageSpace::next_open(std::uint32_t reserve) {
  TESSERA_CHECK(room(reserve) > 0, "a page is taken from a full flash cache");
  for (;; turn_ = (turn_ + 1) % open_.size()) {
    OpenBlock& open = open_[turn_];
    if (open.used == block_pages() && pool_.free() > reserve) {
      open = {first_ + pool_.take(), 0};
      used_.push_back(0, open.block - first_);
    }
    if (open.used < block_pages()) return open;
  }
}

std::uint32_t PageSpace::take(std::uint32_t reserve) {
  OpenBlock& open = next_open(reserve);
  const std::uint32_t page = open.block * pages_per_block_ + order_.page(open.used++);
  if (order_.page_end(open.used) == open.used) turn_ = (turn_ + 1) % open_.size();
  return page;
}

std::pair<std::uint32_t, std::uint32_t> PageSpace::close_page() {
  OpenBlock& open = open_[turn_];
  const std::uint32_t left = order_.page_end(open.used) - open.used;
  if (left == 0) return {0, 0};
  const std::uint32_t first = open.block * pages_per_block_ + order_.page(open.used);
  open.used += left;
  turn_ = (turn_ + 1) % open_.size();
  return {first, first + left};
}

void PageSpace::fail(std::uint32_t block) {
  pool_.retire(block - first_);
  for (OpenBlock& open : open_)
    if (open.block == block) open.used = block_pages();
}

bool PageSpace::open(std::uint32_t block) const {
  return std::any_of(open_.begin(), open_.end(), [&](const OpenBlock& open) { return open.block == block && open.used < block_pages(); });
}

std::vector<std::uint32_t> PageSpace::used() const {
  std::vector<std::uint32_t> blocks;
  for (std::uint32_t block = used_.front(0); block != DramLists::none; block = used_.after(block)) blocks.push_back(first_ + block);
  return blocks;
}

Task<void> PageSpace::erase(std::span<const std::uint32_t> blocks) {
  std::vector<std::uint32_t> local(blocks.begin(), blocks.end());
  for (std::uint32_t& block : local) {
    for (OpenBlock& open : open_)
      if (open.block == block) open.used = block_pages();
    block -= first_;
    used_.remove(block);
  }
  co_await erase_blocks(flash_, pool_, local, commands_, first_, checkpoint_);
}

Task<void> PageSpace::take_back(std::uint32_t block) {
  const std::uint32_t local = block - first_;
  co_await erase_blocks(flash_, pool_, {&local, 1}, commands_, first_, checkpoint_);
}

}  // namespace tessera
