// Boot of a flash cache after a power cut: programming a page is the commit, and every page says what it is.
#include <algorithm>

#include "firmware/flash/flash_cache_layer.hpp"

namespace tessera {

Task<Status> FlashCacheLayer::recover() {
  Status status = co_await places_.recover();
  if (!ok(status)) co_return status;
  FoundPages found;
  status = co_await scan_pages(*ports_.flash, codec_, PageOrder(shape_, paired_), user_sectors(), found, checkpoint_.get());
  if (!ok(status)) co_return status;
  if (checkpoint_) {
    checkpoint_->restart(found.tags);
    co_await checkpoint_->repair();
  }
  next_seq_ = std::max({next_seq_, found.next_seq, places_.newest_watermark() + 1});
  status = co_await restore_map(found.tags);
  if (!ok(status)) co_return status;
  co_await restore_spaces(found.tags);
  restored();
  co_return Status::ok;
}

/// Not merged into its band already.
bool FlashCacheLayer::live(const PageTag& tag) const {
  return tag.state == PageTag::State::good && tag.seq > places_.watermark(band_of(tag.lsn));
}

/// Of the live copies of a sector the newest one is cached. They are entered in the order of their sectors, so that each map page is
/// needed once, and listed in the order in which they were written.
Task<Status> FlashCacheLayer::restore_map(const PageTags& tags) {
  std::vector<std::uint32_t> pages;
  for (std::uint32_t page = 0; page < tags.size(); ++page)
    if (live(tags[page])) pages.push_back(page);
  std::sort(pages.begin(), pages.end(), [&tags](std::uint32_t a, std::uint32_t b) {
    return tags[a].lsn != tags[b].lsn ? tags[a].lsn < tags[b].lsn : tags[a].seq > tags[b].seq;
  });
  const auto older = [&tags](std::uint32_t a, std::uint32_t b) { return tags[a].lsn == tags[b].lsn; };
  pages.erase(std::unique(pages.begin(), pages.end(), older), pages.end());
  const auto lsn_of = [&tags, &pages](std::size_t i) { return tags[pages[i]].lsn; };
  for (std::size_t i = 0; i < pages.size();) {
    const LogicalRun rest{lsn_of(i), static_cast<std::uint32_t>(tags[pages.back()].lsn - lsn_of(i) + 1)};
    const LogicalRun piece = map_->piece(rest);
    const Status status = co_await map_->pin(piece);
    if (!ok(status)) co_return status;
    for (; i < pages.size() && lsn_of(i) < piece.end(); ++i) map_->set(lsn_of(i), pages[i]);
    map_->unpin(piece);
  }
  std::sort(pages.begin(), pages.end(), [&tags](std::uint32_t a, std::uint32_t b) { return tags[a].seq < tags[b].seq; });
  for (const std::uint32_t page : pages) owners_.add(page, tags[page].lsn);
  co_return Status::ok;
}

/// Blocks without a valid page are erased where anything was ever programmed to them.
Task<void> FlashCacheLayer::restore_spaces(const PageTags& tags) {
  for (PageSpace& space : spaces_) {
    std::vector<std::uint32_t> stale;
    for (std::uint32_t block = 0; block < shape_.blocks; ++block) {
      if (!space.contains(block)) continue;
      const std::uint64_t first = std::uint64_t{block} * shape_.block_subpages();
      std::uint32_t used = 0;
      for (std::uint32_t page = 0; page < shape_.block_subpages(); ++page)
        if (tags[first + page].state != PageTag::State::blank) used = page + 1;
      space.restore(block, used);
      if (used != 0 && owners_.valid_in(block) == 0) stale.push_back(block);
    }
    if (!stale.empty()) co_await space.erase(stale);
  }
}

}  // namespace tessera
