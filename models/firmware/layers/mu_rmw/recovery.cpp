// Boot after a power cut. The paper is silent; here programming a page is the commit, and every page says what it is.
#include <algorithm>

#include "firmware/flash/flash_reads.hpp"
#include "firmware/layers/mu_rmw/layer.hpp"

namespace tessera::mu_rmw {

Task<Status> MuRmw::recover() {
  Status status = co_await places_.recover();
  if (!ok(status)) co_return status;
  FoundPages found;
  status = co_await scan_pages(*ports_.flash, codec_, PageOrder(shape_, config_.paired()), user_sectors(), found, checkpoint_.get());
  if (!ok(status)) co_return status;
  next_seq_ = std::max({next_seq_, found.next_seq, places_.newest_watermark() + 1});
  std::vector<std::uint32_t> stale;
  restore_lists(found.tags, stale);
  status = co_await restore_tables(found.tags, stale);
  if (ok(status)) co_await erase_blocks(stale);
  co_return status;
}

/// Of the cached generation of its band: not merged into the band already.
bool MuRmw::live(const PageTag& tag) const { return tag.state == PageTag::State::good && tag.seq > places_.watermark(split_(tag.lsn).lbn); }

/// A block belongs to the band of its live pages; the lists are in the order in which blocks were first programmed. Blocks
/// without a live page are stale where anything was ever programmed to them: torn pages, erases that the cut prevented.
void MuRmw::restore_lists(const PageTags& tags, std::vector<std::uint32_t>& stale) {
  struct Listed {
    std::uint64_t seq;
    std::uint32_t lbn;
    std::uint32_t block;
    std::uint32_t used;
  };
  std::vector<Listed> listed;
  for (std::uint32_t block = 0; block < shape_.blocks; ++block) {
    if (ports_.flash->is_bad(NandBlock(block))) pool_.retire(block);
    const std::uint64_t first = std::uint64_t{block} * shape_.pages_per_block;
    std::uint32_t used = 0;
    std::optional<Listed> owner;
    for (std::uint32_t page = 0; page < shape_.pages_per_block; ++page) {
      const PageTag& tag = tags[first + page];
      if (tag.state != PageTag::State::blank) used = page + 1;
      if (!owner && live(tag)) owner = Listed{tag.seq, split_(tag.lsn).lbn, block, 0};
    }
    if (owner) {
      owner->used = pool_.retired(block) ? shape_.pages_per_block : used;
      listed.push_back(*owner);
    } else if (used > 0) {
      stale.push_back(block);
    } else {
      pool_.put(block);
    }
  }
  std::sort(listed.begin(), listed.end(), [](const Listed& a, const Listed& b) { return a.seq < b.seq; });
  for (const Listed& entry : listed) map_.append_block(entry.lbn, entry.block, entry.used);
}

/// Directories and valid counts out of the newest sub-table of each group.
Task<Status> MuRmw::restore_tables(const PageTags& tags, std::vector<std::uint32_t>& stale) {
  std::vector<std::uint32_t> newest(std::uint64_t{bands_} * split_.n(), no_page);
  for (std::uint32_t page = 0; page < tags.size(); ++page) {
    if (!live(tags[page])) continue;
    std::uint32_t& best = newest[group_of(tags[page].lsn)];
    if (best == no_page || tags[best].seq < tags[page].seq) best = page;
  }
  for (std::uint64_t group = 0; group < newest.size(); ++group) {
    for (std::uint32_t page = newest[group]; page != no_page; page = newest_before(group, tags[page].seq, tags)) {
      bool accepted = false;
      const Status status = co_await restore_table(group, page, tags, stale, accepted);
      if (!ok(status)) co_return status;
      if (accepted) break;
    }
  }
  for (std::uint32_t lbn = 0; lbn < bands_; ++lbn)
    for (std::uint32_t block = map_.first_block(lbn); block != ConcentratedMap::no_block; block = map_.block_after(block))
      map_.settle(lbn, block);
  co_return Status::ok;
}

/// Takes the sub-table in `page` for the group's newest, unless it names a page that is not what it says: then a program of the
/// same, never acknowledged write failed in front of this page. A block of which only a lost page is named stays with its band.
Task<Status> MuRmw::restore_table(std::uint64_t group, std::uint32_t page, const PageTags& tags, std::vector<std::uint32_t>& stale,
                                  bool& accepted) {
  const Scratches::Handle scratch = scratches_.take();
  Scratch& work = *scratch;
  work.table.resize(split_.q());
  work.commands.assign(1, FlashCommand{});
  FlashCommand& command = work.commands.front();
  work.images.resize(std::max<std::size_t>(work.images.size(), codec_.bytes()));
  command.op = FlashOp::read_oob;
  command.page = NandPage(page);
  command.oob = image(work, 0);
  const std::span<FlashCommand> commands(work.commands);
  const Status status = co_await run_reads(*ports_.flash, commands);
  if (!delivered(status)) co_return status;
  OobHeader header;
  SplitAddress at = split_(tags[page].lsn);
  if (!ok(status) && status != Status::lost) {
    header = {tags[page].lsn, tags[page].seq, tags[page].kind};
    const auto tag_of = [&](std::uint32_t named) {
      return live(tags[named]) ? OobHeader{tags[named].lsn, tags[named].seq, tags[named].kind} : OobHeader{};
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
  for (const std::uint32_t named : work.table) {
    if (named == no_page) continue;
    const std::uint32_t block = map_.block_of(named);
    if (std::erase(stale, block) != 0) map_.append_block(at.lbn, block, shape_.pages_per_block);
    map_.validate(named);
  }
  if (header.kind == OobHeader::Kind::mapping) map_.validate(page);
  co_return Status::ok;
}

/// The newest live page of a group that is older than `seq`.
std::uint32_t MuRmw::newest_before(std::uint64_t group, std::uint64_t seq, const PageTags& tags) const {
  std::uint32_t best = no_page;
  for (std::uint32_t page = 0; page < tags.size(); ++page) {
    const PageTag& tag = tags[page];
    if (tag.seq < seq && live(tag) && group_of(tag.lsn) == group && (best == no_page || tags[best].seq < tag.seq)) best = page;
  }
  return best;
}

}  // namespace tessera::mu_rmw
