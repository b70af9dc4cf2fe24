// What is left of a mapping group whose newest sub-table cannot be read: the tags of its pages, which firmware with checkpoints has in
// memory.
#include "firmware/layers/mu_rmw/mu_rmw_layer.hpp"

namespace tessera::mu_rmw {

/// False where there are no tags.
bool MuRmw::table_from_tags(SplitAddress at, std::span<std::uint32_t> table) const {
  if (!checkpoint_) return false;
  const auto tag_of = [this](std::uint32_t page) { return checkpoint_->tag(page); };
  newest_pages(at, tag_of, table);
  return true;
}

/// Merges the band of a group, so that nothing of it is cached, and takes the band again.
Task<Status> MuRmw::merge_lost_table(Group& group) {
  const std::uint32_t lbn = group.at.lbn;
  group.band->unlock();
  {
    const std::uint32_t number = merger_of(lbn);
    NumberLocks::Lock lock(reclaim_lock_, NumberRange::of(number), LockMode::exclusive);
    co_await lock;
    mergers_[number].busy = true;
    const Status status = co_await merge_band(lbn);
    mergers_[number].busy = false;
    if (!ok(status)) co_return status;
  }
  co_return co_await read_newest_table(group);
}

}  // namespace tessera::mu_rmw
