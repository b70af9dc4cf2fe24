// Boot of the flash tier after a power cut: every page says what it is.
#include <algorithm>

#include "firmware/flash/flash_tier.hpp"

namespace tessera::tiers {

namespace {
/// Above every subject of a void, so that the scan takes voids for what they are.
constexpr std::uint64_t all_subjects = 2 * VoidSubject::dead_mark;
}  // namespace

Task<Status> FlashTier::recover() {
  Status status = co_await inner_.recover();
  if (!ok(status)) co_return status;
  FoundPages found;
  status = co_await scan_pages(*ports_.flash, codec_, PageOrder(shape_, config_.paired), all_subjects, found, nullptr);
  if (!ok(status)) co_return status;
  next_seq_ = std::max(next_seq_, found.next_seq);
  find_lost(found);
  const std::vector<LogicalSector> left_out = restore_pages(found.tags);
  restore_blocks(found.tags);
  co_await void_left_out(left_out);
  co_return Status::ok;
}

/// A page that held a sector and cannot be read was lost since. It is newer than all other copies: had one of these been completed, the
/// table would name that one.
void FlashTier::find_lost(FoundPages& found) const {
  for (const HeldSectors::Held& held : held_.at_cut()) {
    PageTag& tag = found.tags[held.page];
    if (tag.state == PageTag::State::unreadable) tag = {next_seq_, held.sector, OobHeader::Kind::data, PageTag::State::good};
  }
}

/// Of the copies of a sector the newest one counts, unless a void is newer still, or its block is dead, or the dumped table knows none of
/// them: then they were void, or no program was reported before the cut. Gives the sectors that are left out for that reason alone.
std::vector<LogicalSector> FlashTier::restore_pages(const PageTags& tags) {
  struct Void {
    LogicalRun run;
    std::uint64_t seq;
  };
  std::vector<Void> voids;
  std::vector<std::uint32_t> pages;
  for (std::uint32_t page = 0; page < tags.size(); ++page) {
    const PageTag& tag = tags[page];
    if (tag.state != PageTag::State::good || tag.kind != OobHeader::Kind::mapping) continue;
    const std::uint64_t subject = tag.lsn.value();
    if (!VoidSubject::is_block(subject)) {
      voids.push_back({VoidSubject::run(subject), tag.seq});
      continue;
    }
    DeadBlock& dead = dead_[VoidSubject::block(subject)];
    if (dead.seq < tag.seq) dead = {tag.seq, page / shape_.block_subpages()};
  }
  const bool told = held_.survived();
  const auto held = [&](std::uint32_t page) { return told && held_.holds(page, tags[page].lsn); };
  const auto is_dead = [&](std::uint32_t page) {
    const auto dead = dead_.find(page / shape_.block_subpages());
    return dead != dead_.end() && tags[page].seq < dead->second.seq;
  };
  for (std::uint32_t page = 0; page < tags.size(); ++page) {
    const PageTag& tag = tags[page];
    if (tag.state != PageTag::State::good || tag.kind != OobHeader::Kind::data || tag.lsn.value() >= user_sectors()) continue;
    if (held(page) || !is_dead(page)) pages.push_back(page);
  }
  std::ranges::sort(pages, [&tags](std::uint32_t a, std::uint32_t b) {
    return tags[a].lsn != tags[b].lsn ? tags[a].lsn < tags[b].lsn : tags[a].seq > tags[b].seq;
  });
  std::vector<bool> stale(pages.size());
  for (const Void& one : voids) {
    const auto first = std::ranges::lower_bound(pages, one.run.first, {}, [&tags](std::uint32_t page) { return tags[page].lsn; });
    for (auto page = first; page != pages.end() && tags[*page].lsn < one.run.end(); ++page)
      if (tags[*page].seq < one.seq) stale[static_cast<std::size_t>(page - pages.begin())] = true;
  }
  std::vector<LogicalSector> left_out;
  for (std::size_t i = 0; i < pages.size();) {
    const LogicalSector sector = tags[pages[i]].lsn;
    std::uint32_t newest = none;
    bool known = !told;
    for (; i < pages.size() && tags[pages[i]].lsn == sector; ++i) {
      if (stale[i]) continue;
      if (newest == none) newest = pages[i];
      known = known || held(pages[i]);
    }
    if (newest == none) continue;
    if (known)
      enter(sector, newest);
    else
      left_out.push_back(sector);
  }
  held_.settle([this](std::uint32_t page) { return owners_.valid(page); });
  return left_out;
}

/// For good: at a boot where the table did not survive they would be back, older than what was written past the flash meanwhile. Where
/// there is no page for it, there is none for the void of such a write either.
Task<void> FlashTier::void_left_out(std::span<const LogicalSector> sectors) {
  for (std::size_t begin = 0; begin < sectors.size();) {
    std::size_t end = begin + 1;
    while (end < sectors.size() && sectors[end] == sectors[end - 1] + 1 && end - begin < VoidSubject::most_sectors) ++end;
    const LogicalRun run{sectors[begin], static_cast<std::uint32_t>(end - begin)};
    DeadBlock at;
    if (!ok(co_await program_void(VoidSubject::of(run), 0, at))) co_return;
    ++voids_;
    begin = end;
  }
}

/// In the order in which they were filled; those of copies, which say nothing of themselves, come first. None takes further pages, as a
/// void in it has to outlive what lies in blocks in front of it; none is erased here, for the same reason.
void FlashTier::restore_blocks(const PageTags& tags) {
  struct Block {
    std::uint64_t seq;
    std::uint32_t number;
  };
  std::vector<Block> used;
  for (std::uint32_t block = 0; block < shape_.blocks; ++block) {
    std::uint64_t seq = 0;
    bool blank = true;
    for (std::uint32_t page = 0; page < shape_.block_subpages(); ++page) {
      const PageTag& tag = tags[std::uint64_t{block} * shape_.block_subpages() + page];
      blank = blank && tag.state == PageTag::State::blank;
      if (tag.state == PageTag::State::good && (seq == 0 || tag.seq < seq)) seq = tag.seq;
    }
    if (blank)
      space_.restore(block, 0);
    else
      used.push_back({seq, block});
  }
  std::ranges::sort(used, [](const Block& a, const Block& b) { return a.seq != b.seq ? a.seq < b.seq : a.number < b.number; });
  for (const Block& block : used) {
    space_.restore(block.number, shape_.block_subpages());
    if (ages_) renew(block.number);
  }
}

}  // namespace tessera::tiers
