// What faults of the description allow: versions that they destroyed, and blocks of which nobody can tell any more.
#include <algorithm>
#include <optional>

#include "stimuli/scoreboard/block_content.hpp"
#include "stimuli/scoreboard/scoreboard.hpp"
#include "stimuli/scoreboard/version_tag.hpp"

namespace tessera {

void Scoreboard::exempt(HostBlock block) {
  current_.add(block, tessera::destroyed);
  if (keeps_undurable()) durable_.add(block, tessera::destroyed);
  if (losses_untold_) allow_older_by_dump(block);
}

void Scoreboard::lose(HostBlock block) {
  once_destroyed_.insert(block.value());
  exempt(block);
}

void Scoreboard::lost_records_untold() {
  losses_untold_ = true;
  for (const std::uint64_t block : once_destroyed_)  // in any order: each block is by itself
    if (current_.allows(HostBlock(block), tessera::destroyed)) allow_older_by_dump(HostBlock(block));
}

void Scoreboard::untold(std::span<const HostRun> blocks, Piece piece) {
  if (!untold_.insert(piece).second) return;
  for (const HostRun& run : blocks)
    for (HostBlock block = run.first; block < run.end(); ++block)
      if (allow_older(block)) once_destroyed_.insert(block.value());
}

void Scoreboard::in_doubt(HostRun blocks) {
  for (HostBlock block = blocks.first; block < blocks.end(); ++block) lost_beside(block);
}

/// Gives whether there is anything older.
bool Scoreboard::allow_older(HostBlock block) {
  const Tag newest = current_.newest(block);
  if (((newest & prefill_mark) != 0 && !brings_zeros(newest)) || newest == never_written) return false;
  const Tag older = older_mark | (newest & ~zeros_mark);
  current_.add(block, older);
  if (keeps_undurable()) durable_.add(block, older);
  for (Version& version : undurable_)
    if (version.covers(block) && version.entry(block) == newest) version.beside.emplace_back(block, older);
  return true;
}

/// As allow_older(), where a dump took what could tell of the newest version.
void Scoreboard::allow_older_by_dump(HostBlock block) {
  if (const Tag newest = current_.newest(block); allow_older(block)) at_risk_.try_emplace(block.value(), newest);
}

/// The version's block may be gone when the version becomes current, if it is of that tag, or may leave that tag there; gives whether so.
bool Scoreboard::excuse(Version& version, HostBlock block, Tag tag) {
  if (!version.covers(block)) return false;
  if (version.entry(block) == tag || std::ranges::find(version.beside, std::pair(block, tag)) != version.beside.end()) {
    version.beside.emplace_back(block, tessera::destroyed);
    return true;
  }
  const auto over = std::ranges::find_if(version.replaced, [&](const auto& one) { return one.block == block && one.entry == tag; });
  if (over == version.replaced.end()) return false;
  version.replaced.push_back({block, tessera::destroyed, over->acknowledged});
  return true;
}

bool Scoreboard::Version::is_destroyed(HostBlock block) const {
  return std::ranges::find(beside, std::pair(block, tessera::destroyed)) != beside.end();
}

void Scoreboard::destroyed(ConstContentSpan sector) {
  undisturbed_ = false;
  const std::size_t kept = kept_per_block(mode_);
  std::vector<std::optional<Tag>> tags;
  std::optional<HostBlock> first;  // where the tags say that the sector belongs
  for (std::size_t at = 0; at + kept <= sector.size(); at += kept) {
    std::optional<Tag>& tag = tags.emplace_back(read_block(sector.subspan(at, kept)));
    if (tag && *tag != tessera::destroyed && (*tag & older_mark) != 0)
      tag.reset();  // what a failed dump left of an older loss: no write made it
    if (!first && tag && names_block(*tag)) first = HostBlock(block_of(*tag).value() - (tags.size() - 1));
  }
  if (!first) blank_destroyed_ = true;
  bool needed = false;  // it held what a read may still return: the sector is lost as a whole
  for (const std::optional<Tag>& tag : tags)
    if (tag && names_block(*tag)) needed = destroyed(block_of(*tag), *tag) || needed;
  for (std::size_t i = 0; needed && i < tags.size(); ++i)
    if (tags[i] == never_written) lost_beside(*first + i);
}

/// Gives whether a read may still have returned that version.
bool Scoreboard::destroyed(HostBlock block, Tag tag) {
  once_destroyed_.insert(block.value());
  ++destroyed_blocks_;
  bool needed = current_.allows(block, tag);
  if (needed) exempt(block);
  if (keeps_undurable() && durable_.allows(block, tag)) durable_.add(block, tessera::destroyed);  // what a cut may fall back to
  for (Version& version : at_drive_) needed = excuse(version, block, tag) || needed;
  for (Version& version : undurable_) needed = excuse(version, block, tag) || needed;
  for (Version& rival : rivals_) excuse(rival, block, tag);
  for (PendingRead& read : reads_)  // it was served what is over since
    if (std::ranges::find(read.replaced, std::pair(block, tag)) != read.replaced.end())
      read.replaced.emplace_back(block, tessera::destroyed);
  return needed;
}

/// A part of the sector was destroyed, of a write that brought no more or next to blocks that nobody wrote. The drive cannot make the
/// sector whole: the block may answer with an error until it is written again, whatever it held.
void Scoreboard::lost_beside(HostBlock block) {
  lose(block);
  for (std::vector<Version>* const versions : {&at_drive_, &undurable_, &rivals_})
    for (Version& version : *versions)
      if (version.covers(block)) version.beside.emplace_back(block, tessera::destroyed);
}

void Scoreboard::exempt_torn(ConstContentSpan held, ConstContentSpan written) {
  const std::size_t kept = kept_per_block(mode_);
  if (held.empty() || written.size() != held.size()) return;
  const std::size_t count = held.size() / kept;
  const auto tag_in = [&](ConstContentSpan sector, std::size_t i) { return read_block(sector.subspan(i * kept, kept)); };
  // What a TRIM or reset has left may be overwritten by another sector, and the drive need not know that it was none any more.
  for (std::size_t i = 0; i < count; ++i)
    if (const auto tag = tag_in(held, i); tag && names_block(*tag) &&
                                          (trimmed_since(block_of(*tag), *tag) || current_.allows_older(block_of(*tag))) &&
                                          current_.allows(block_of(*tag), *tag))
      lose(block_of(*tag));
  std::optional<HostBlock> first;  // where the tags say that the sector belongs
  for (const ConstContentSpan sector : {held, written})
    for (std::size_t i = 0; i < count && !first; ++i)
      if (const auto tag = tag_in(sector, i); tag && names_block(*tag)) first = HostBlock(block_of(*tag).value() - i);
  if (!first) {  // it held nothing, and nothing or zeros were on their way to it
    for (const HostRun trimmed : cut_zeros_) {
      const HostRun sectors = whole_sectors(trimmed);
      for (HostBlock block = sectors.first; block < sectors.end(); ++block)
        if (current_.allows(block, never_written)) lose(block);
    }
    return;
  }
  for (const ConstContentSpan sector : {held, written})
    for (std::size_t i = 0; i < count; ++i) {
      const auto tag = tag_in(sector, i);
      const HostBlock block = *first + i;
      if (!tag || (names_block(*tag) && block_of(*tag) != block) || !current_.allows(block, *tag)) return;
    }
  for (std::size_t i = 0; i < count; ++i) lose(*first + i);
}

void Scoreboard::unreadable(const HostRequest& request) {
  if (!exempted(request.blocks)) return complain(request, request.blocks.first, "a read that fails");
  for (HostBlock block = request.blocks.first; block < request.blocks.end(); ++block) find_lost(block, std::nullopt);
}

HostRun Scoreboard::whole_sectors(HostRun blocks) const {
  const std::uint64_t begin = blocks.first.value() / sector_blocks_ * sector_blocks_;
  const std::uint64_t end = (blocks.end().value() + sector_blocks_ - 1) / sector_blocks_ * sector_blocks_;
  return {HostBlock(begin), static_cast<std::uint32_t>(end - begin)};
}

bool Scoreboard::exempted(HostRun blocks) const {
  if (once_destroyed_.empty() && !blank_destroyed_) return false;
  const HostRun sectors = whole_sectors(blocks);
  for (HostBlock block = sectors.first; block < sectors.end(); ++block)
    if (current_.allows(block, tessera::destroyed) || (once_destroyed_.contains(block.value()) && current_.allows_older(block)) ||
        (blank_destroyed_ && current_.allows(block, never_written)))
      return true;
  return false;
}

bool Scoreboard::excused(const HostRequest& request) const {
  if (request.number == failed_ || exempted(request.blocks)) return true;
  const std::uint64_t begin = request.blocks.first.value() / sector_blocks_;
  const std::uint64_t end = (request.blocks.end().value() + sector_blocks_ - 1) / sector_blocks_;
  return std::ranges::any_of(at_drive_, [&](const Version& version) {
    return std::ranges::any_of(version.beside, [&](const auto& entry) {
      const std::uint64_t sector = entry.first.value() / sector_blocks_;
      return entry.second == tessera::destroyed && sector >= begin && sector < end;
    });
  });
}

/// Whether any sector was written in part alone: the drive has to read the rest, which a fault may have taken although nobody wrote it. A
/// write that failed may have written nothing.
bool Scoreboard::some_in_part() const {
  const auto in_part = [this](HostBlock first) {
    std::uint32_t blank = 0;
    for (std::uint32_t i = 0; i < sector_blocks_; ++i) blank += current_.allows(first + i, never_written) ? 1U : 0U;
    return blank != 0 && blank != sector_blocks_;
  };
  return std::ranges::any_of(written(~std::uint32_t{0}), [&](const HostRun& run) {
    if (run.first.value() % sector_blocks_ != 0 || run.end().value() % sector_blocks_ != 0) return true;
    for (HostBlock sector = run.first; sector < run.end(); sector = sector + sector_blocks_)
      if (in_part(sector)) return true;
    return false;
  });
}

bool Scoreboard::some_exempted() const {
  if (blank_destroyed_ && some_in_part()) return true;
  return std::ranges::any_of(once_destroyed_,
                             [this](std::uint64_t block) { return current_.allows(HostBlock(block), tessera::destroyed); });
}

}  // namespace tessera
