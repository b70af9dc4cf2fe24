// Boot after a power cut. The paper is silent; here programming a page is the commit, and every page says what it is.
//
// Sub-tables are read of groups alone in which the scan found anything that the checkpoint does not know. Every program and every page that
// counts no more is recorded, so that the records are the mapping of all other groups.
#include <algorithm>

#include "firmware/flash/flash_reads.hpp"
#include "firmware/layers/mu_rmw/mu_rmw_layer.hpp"

namespace tessera::mu_rmw {

Task<Status> MuRmw::recover() {
  Status status = co_await places_.recover();
  if (!ok(status)) co_return status;
  Found found;
  status = co_await scan_pages(*ports_.flash, codec_, PageOrder(shape_, config_.paired()), user_sectors(), found, checkpoint_.get());
  if (!ok(status)) co_return status;
  next_seq_ = std::max({next_seq_, found.next_seq, places_.newest_watermark() + 1});
  restore_lists(found);
  status = co_await restore_tables(found);
  if (!ok(status)) co_return status;
  if (checkpoint_) {
    checkpoint_->restart(found.tags);
    for (const std::uint32_t page : found.unnamed) checkpoint_->discard(page);
    co_await checkpoint_->repair();
  }
  co_await erase_blocks(found.stale);
  co_return Status::ok;
}

/// Of the cached generation of its band: not merged into the band already.
bool MuRmw::live(const PageTag& tag) const { return tag.state == PageTag::State::good && tag.seq > places_.watermark(split_(tag.lsn).lbn); }

/// A block belongs to the band of its live pages; the lists are in the order in which blocks were first programmed. Blocks
/// without a live page are stale where anything was ever programmed to them: torn pages, erases that the cut prevented.
void MuRmw::restore_lists(Found& found) {
  struct Listed {
    std::uint64_t seq;
    std::uint32_t lbn;
    std::uint32_t block;
    std::uint32_t used;
  };
  std::vector<Listed> listed;
  for (std::uint32_t block = 0; block < shape_.blocks; ++block) {
    if (ports_.flash->is_bad(NandBlock(block))) pool_.retire(block);
    const std::uint64_t first = std::uint64_t{block} * shape_.block_subpages();
    std::uint32_t used = 0;
    std::optional<Listed> owner;
    for (std::uint32_t page = 0; page < shape_.block_subpages(); ++page) {
      const PageTag& tag = found.tags[first + page];
      if (tag.state != PageTag::State::blank) used = page + 1;
      if (!owner && live(tag)) owner = Listed{tag.seq, split_(tag.lsn).lbn, block, 0};
    }
    if (owner) {
      owner->used = pool_.retired(block) ? shape_.block_subpages() : used;
      listed.push_back(*owner);
    } else if (used > 0) {
      found.stale.push_back(block);
    } else {
      pool_.put(block);
    }
  }
  std::sort(listed.begin(), listed.end(), [](const Listed& a, const Listed& b) { return a.seq < b.seq; });
  for (const Listed& entry : listed) map_.append_block(entry.lbn, entry.block, entry.used);
}

/// Directories and valid counts out of the newest sub-table of each group.
Task<Status> MuRmw::restore_tables(Found& found) {
  const PageTags& tags = found.tags;
  std::vector<std::uint32_t> pages;  // live ones, group by group, newest first
  for (std::uint32_t page = 0; page < tags.size(); ++page)
    if (live(tags[page])) pages.push_back(page);
  std::sort(pages.begin(), pages.end(), [this, &tags](std::uint32_t a, std::uint32_t b) {
    const std::uint64_t group_a = group_of(tags[a].lsn);
    const std::uint64_t group_b = group_of(tags[b].lsn);
    return group_a != group_b ? group_a < group_b : tags[a].seq > tags[b].seq;
  });
  const std::vector<LogicalSector> gone = sectors_gone(tags);
  auto next_gone = gone.begin();
  for (auto first = pages.begin(); first != pages.end();) {
    const std::uint64_t group = group_of(tags[*first].lsn);
    const auto end = std::find_if(first, pages.end(), [&](std::uint32_t page) { return group_of(tags[page].lsn) != group; });
    while (next_gone != gone.end() && group_of(*next_gone) < group) ++next_gone;
    const std::span<const std::uint32_t> members(first, end);
    const bool known = next_gone == gone.end() || group_of(*next_gone) != group;
    if (known && std::ranges::all_of(members, [&tags](std::uint32_t page) { return tags[page].recorded; })) {
      take_recorded_table(group, members, tags);
    } else {
      const Status status = co_await read_table(group, members, found);
      if (!ok(status)) co_return status;
    }
    first = end;
  }
  for (std::uint32_t lbn = 0; lbn < bands_; ++lbn)
    for (std::uint32_t block = map_.first_block(lbn); block != ConcentratedMap::no_block; block = map_.block_after(block))
      map_.settle(lbn, block);
  co_return Status::ok;
}

/// Sectors, in order, whose newest recorded copy is not where it was recorded, and that have no other that the records know to be newer.
std::vector<LogicalSector> MuRmw::sectors_gone(const PageTags& tags) const {
  std::vector<LogicalSector> gone;
  if (!checkpoint_) return gone;
  std::vector<std::uint32_t> recorded;
  for (std::uint32_t page = 0; page < tags.size(); ++page) {
    const OobHeader header = checkpoint_->tag(page);
    if (header.seq != 0 && header.seq > places_.watermark(split_(header.lsn).lbn)) recorded.push_back(page);
  }
  std::sort(recorded.begin(), recorded.end(), [this](std::uint32_t a, std::uint32_t b) {
    const OobHeader tag_a = checkpoint_->tag(a);
    const OobHeader tag_b = checkpoint_->tag(b);
    return tag_a.lsn != tag_b.lsn ? tag_a.lsn < tag_b.lsn : tag_a.seq > tag_b.seq;
  });
  std::optional<LogicalSector> looked_at;
  for (const std::uint32_t page : recorded) {
    const LogicalSector lsn = checkpoint_->tag(page).lsn;
    if (looked_at != lsn && !tags[page].recorded) gone.push_back(lsn);
    looked_at = lsn;
  }
  return gone;
}

/// The table of a group in which nothing has changed since it was recorded: the newest page of each sector that counts.
void MuRmw::take_recorded_table(std::uint64_t group, std::span<const std::uint32_t> members, const PageTags& tags) {
  std::vector<bool> newer(split_.q());
  bool newest = true;
  for (const std::uint32_t page : members) {
    const PageTag& tag = tags[page];
    if (tag.discarded) continue;
    if (newest) map_.set_directory(group, page);
    const std::uint32_t off = split_(tag.lsn).off;
    if (!newer[off]) map_.validate(page);
    newer[off] = true;
    newest = false;
  }
}

/// Reads the sub-tables of a group, newest first, until one can be taken. Copies that are newer than what it names count no more.
Task<Status> MuRmw::read_table(std::uint64_t group, std::span<const std::uint32_t> members, Found& found) {
  std::uint32_t taken = no_page;
  const Scratches::Handle scratch = scratches_.take();
  for (const std::uint32_t page : members) {
    bool accepted = false;
    const Status status = co_await restore_table(group, page, found, *scratch, accepted);
    if (!ok(status)) co_return status;
    if (accepted) {
      taken = page;
      break;
    }
    found.tags[page].discarded = true;
  }
  if (taken == no_page) co_return Status::ok;
  for (const std::uint32_t page : members) {
    const PageTag& tag = found.tags[page];
    if (tag.seq > found.tags[taken].seq || tag.discarded) continue;
    const std::uint32_t named = scratch->table[split_(tag.lsn).off];
    if (named == no_page || tag.seq > found.tags[named].seq) found.unnamed.push_back(page);
  }
  co_return Status::ok;
}

/// Takes the sub-table in `page` for the group's newest, unless it names a page that is not what it says: then a program of the
/// same, never acknowledged write failed in front of this page. A block of which only a lost page is named stays with its band.
Task<Status> MuRmw::restore_table(std::uint64_t group, std::uint32_t page, Found& found, Scratch& work, bool& accepted) {
  const PageTags& tags = found.tags;
  work.table.resize(split_.q());
  work.commands.assign(1, FlashCommand{});
  FlashCommand& command = work.commands.front();
  work.images.resize(std::max<std::size_t>(work.images.size(), codec_.bytes()));
  command.op = FlashOp::read_oob;
  command.aim(page, shape_);
  command.oob = image(work, 0);
  const std::span<FlashCommand> commands(work.commands);
  const Status status = co_await run_reads(*ports_.flash, commands);
  if (!delivered(status)) co_return status;
  OobHeader header;
  SplitAddress at = split_(tags[page].lsn);
  if (!ok(status) && status != Status::lost) {
    header = tags[page].header();
    const auto tag_of = [&](std::uint32_t named) {
      return live(tags[named]) && !tags[named].discarded ? tags[named].header() : OobHeader{};
    };
    newest_pages(at, tag_of, work.table);
  } else if (!codec_.decode(image(work, 0), header, work.table)) {
    co_return Status::corrupt;
  }

  for (at.off = 0; at.off < split_.q(); ++at.off) {
    const std::uint32_t named = work.table[at.off];
    if (named == no_page) continue;
    // A page that cannot be read, and is named by a later one of its group, was lost since: so is its sector.
    if (named < tags.size() && tags[named].state == PageTag::State::unreadable) continue;
    if (named >= tags.size() || !live(tags[named]) || tags[named].lsn != split_.sector(at) || tags[named].seq > header.seq)
      co_return Status::ok;
  }
  accepted = true;
  map_.set_directory(group, page);
  for (at.off = 0; at.off < split_.q(); ++at.off) {
    const std::uint32_t named = work.table[at.off];
    if (named == no_page) continue;
    // From now on the lost page is known for what the sub-table says of it: older than that, newer than the other copies of its sector.
    PageTag& tag = found.tags[named];
    if (tag.state == PageTag::State::unreadable) tag = {header.seq - 1, split_.sector(at), OobHeader::Kind::data, PageTag::State::good};
    const std::uint32_t block = map_.block_of(named);
    if (std::erase(found.stale, block) != 0) map_.append_block(at.lbn, block, shape_.block_subpages());
    map_.validate(named);
  }
  co_return Status::ok;
}

}  // namespace tessera::mu_rmw
