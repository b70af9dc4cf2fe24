// The flash tier as one pool with what caches reads: the oldest block leaves, whatever it holds. Copies of what the platters hold go at
// once; writes go home when the host is idle, as without a pool.
#include "firmware/flash/flash_tier.hpp"

namespace tessera::tiers {

void FlashTier::lend_to(BlockBorrower& borrower) {
  borrower_ = &borrower;
  ages_.emplace(ports_.memory, MemoryCategory::metadata, shape_.blocks, "ages of flash blocks");
}

/// What is kept free stays.
std::optional<std::uint32_t> FlashTier::lend() {
  if (space_.free_blocks() > kept_free()) return space_.lend();
  if (lent_is_older())
    owed_ = 0;
  else if (owed_ < shape_.blocks)
    ++owed_;
  taken_.wake_all();
  return std::nullopt;
}

void FlashTier::renew(std::uint32_t block) { ages_->write(block) = ++youngest_; }

std::uint64_t FlashTier::age(std::uint32_t block) const { return ages_->read(block); }

/// Than any block of writes.
bool FlashTier::lent_is_older() const {
  const auto lent = borrower_ == nullptr ? std::nullopt : borrower_->oldest();
  const auto own = oldest();
  return !own || (lent && age(*lent) < age(*own));
}

/// Whether a block came free although the host is not idle: the oldest one, where nothing of it has to go to the platters.
Task<bool> FlashTier::free_without_writes() {
  if (borrower_ == nullptr || !short_of_blocks()) co_return false;
  auto turn = turn_.exclusive({});
  co_await turn;
  const std::optional<std::uint32_t> own = oldest();
  const bool came_back = co_await take_back(own ? age(*own) : ~std::uint64_t{0});
  if (came_back) co_return true;
  if (!own || owners_.valid_in(*own) != 0) co_return false;
  co_return ok(co_await evict_own(*own));
}

/// Whether a lent block that is older, and not in use, came back.
Task<bool> FlashTier::take_back(std::uint64_t age) {
  const std::optional<std::uint32_t> block = borrower_->give_back(age);
  if (!block) co_return false;
  evicting_ = true;
  co_await space_.take_back(*block);
  evicting_ = false;
  ++taken_back_;
  co_return true;
}

}  // namespace tessera::tiers
