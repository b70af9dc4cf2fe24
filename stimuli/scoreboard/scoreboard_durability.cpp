// What a power cut may leave: the versions that are durable, and those that only a dump saves.
#include <algorithm>

#include "stimuli/scoreboard/scoreboard.hpp"
#include "stimuli/scoreboard/version_tag.hpp"

namespace tessera {

/// A FLUSH issued at `before` makes durable what was acknowledged by then.
void Scoreboard::make_durable(std::uint64_t before) {
  std::size_t count = 0;
  for (; count < undurable_.size() && undurable_[count].acknowledged < before; ++count) {
    const Version& version = undurable_[count];
    if (!version.in_durable) settle(durable_, version);
    if (version.certain && !version.trims()) replaced_for_good(version);
  }
  undurable_.erase(undurable_.begin(), undurable_.begin() + static_cast<std::ptrdiff_t>(count));
  for (Version& rival : rivals_) rival.durable = rival.durable || rival.acknowledged < before;
}

void Scoreboard::replaced_for_good(const Version& by) {
  for (Version& version : undurable_)
    std::erase_if(version.replaced, [&by](const auto& one) { return by.covers(one.block) && by.issued > one.acknowledged; });
}

void Scoreboard::power_cut() {
  TESSERA_CHECK(at_drive_.empty() && reads_.empty() && flushes_.empty(), "a power cut left requests at the drive");
  undisturbed_ = false;
  if (cut_at_ends_ && promise_ == DurabilityPromise::flushed) note_unflushed();
  if (promise_ == DurabilityPromise::flushed) fall_back(false);
  ++clock_;
  for (Version& version : lost_) {
    add(current_, version);
    if (promise_ == DurabilityPromise::flushed) add(durable_, version);
    if (!dumps_can_fail_) continue;
    version.acknowledged = clock_;
    version.certain = version.durable = false;
    undurable_.push_back(std::move(version));
  }
  if (!dumps_can_fail_) undurable_.clear();
  if (promise_ == DurabilityPromise::acknowledged && !dumps_can_fail_) find_unanswered();
  lost_.clear();
  rivals_.clear();
}

/// Sectors that a write that the cut took covers as a whole, and that one write had brought before: all or none of their blocks are there,
/// unless another write met it. Of a part of a sector, and of one whose blocks came apart, each block is old or new: a cache that holds
/// parts of sectors writes into them.
void Scoreboard::find_unanswered() {
  const auto came_together = [this](HostRun blocks, const Version& by) {
    std::optional<std::uint64_t> before;
    for (HostBlock block = blocks.first; block < blocks.end(); ++block) {
      for (const Tag tag : current_.versions(block)) {
        if (tag == by.entry(block)) continue;
        const std::uint64_t version = (tag & prefill_mark) != 0 ? 0 : version_of(tag);
        if (before.value_or(version) != version) return false;
        before = version;
      }
    }
    return true;
  };
  for (const Version& version : lost_) {
    if (version.trims()) continue;
    const HostRun sectors = whole_sectors(version.blocks);
    for (HostBlock sector = sectors.first; sector < sectors.end(); sector = sector + sector_blocks_) {
      const HostRun blocks{sector, sector_blocks_};
      const auto meets = [&](const Version& other) { return &other != &version && other.meets(blocks); };
      unanswered_.erase(sector.value() / sector_blocks_);
      if (sector < version.blocks.first || sector + sector_blocks_ > version.blocks.end() || sector_blocks_ < 2) continue;
      if (!came_together(blocks, version) || std::ranges::any_of(lost_, meets) || std::ranges::any_of(rivals_, meets)) continue;
      unanswered_[sector.value() / sector_blocks_] = {blocks, version.entry(sector)};
    }
  }
}

/// What was written or trimmed since says nothing of it.
void Scoreboard::check_whole_sectors(const HostRequest& request, const std::vector<std::optional<Tag>>& found) {
  const HostRun sectors = whole_sectors(request.blocks);
  for (auto at = unanswered_.lower_bound(sectors.first.value() / sector_blocks_);
       at != unanswered_.end() && at->second.blocks.first < sectors.end();) {
    const Unanswered& write = at->second;
    std::optional<HostBlock> old;
    std::optional<HostBlock> renewed;
    bool settled = false;
    for (std::uint32_t i = 0; i < write.blocks.count; ++i) {
      const HostBlock block = write.blocks.first + i;
      settled = settled || current_.trimmed(block) || current_.allows_older(block) || !current_.allows(block, write.first + i);
      if (block < request.blocks.first || block >= request.blocks.end()) continue;
      const std::optional<Tag>& tag = found[block - request.blocks.first];
      if (tag == write.first + i)
        renewed = block;
      else if (tag && ((*tag & prefill_mark) != 0 || version_of(*tag) < version_of(write.first)))
        old = block;
    }
    if (settled) {
      at = unanswered_.erase(at);
      continue;
    }
    const bool met = std::ranges::any_of(at_drive_, [&](const Version& version) { return version.meets(write.blocks); });
    if (old && renewed && !met) complain(request, *old, "the sector half written: block " + std::to_string(renewed->value()) + " is new");
    ++at;
  }
}

/// What was not durable may be gone: of each block any version from the last durable one on is left, or a read error where there are any,
/// and then the other blocks of its sector may answer with one, too. A version enters durable_ once: what faults and cuts allow of its
/// blocks later stays with them.
void Scoreboard::fall_back(bool errors) {
  for (Version& version : undurable_) {
    const bool kept = version.durable && version.certain;
    if (!kept) version.certain = false;
    if (!version.in_durable) settle(durable_, version);
    if (kept && !version.in_durable)
      for (const Version::Replaced& one : version.replaced) durable_.add(one.block, one.entry);
    version.in_durable = true;
    if (kept || !errors) continue;
    const HostRun sectors = whole_sectors(version.blocks);
    for (HostBlock block = sectors.first; block < sectors.end(); ++block) {
      once_destroyed_.insert(block.value());
      durable_.add(block, tessera::destroyed);
      current_.add(block, tessera::destroyed);
    }
  }
  for (const Version& version : undurable_) {
    for (HostBlock block = version.blocks.first; block < version.blocks.end(); ++block) {
      const std::vector<Tag> left = durable_.versions(block);
      current_.set(block, left.front());
      for (const Tag entry : left) current_.add(block, entry);
    }
  }
}

void Scoreboard::dump_failed() {
  TESSERA_CHECK(dumps_can_fail_, "a dump failed where none could");
  for (const Version& version : undurable_)
    for (HostBlock block = version.blocks.first; block < version.blocks.end(); ++block)
      if (version.certain) at_risk_.insert_or_assign(block.value(), version.entry(block));
  fall_back(true);
}

/// What a read after a failed dump gave of a block, or nothing, tells whether the block's last acknowledged version is lost. A later one,
/// of a write that the cut took from the drive, is no loss.
void Scoreboard::find_lost(HostBlock block, std::optional<Tag> found) {
  const auto at = at_risk_.find(block.value());
  if (at == at_risk_.end()) return;
  const bool overwritten = !current_.allows(block, at->second);
  const bool later = found && names_block(*found) && (*found & prefill_mark) == 0 && version_of(*found) > version_of(at->second);
  if (!overwritten && (later || (found && matches(at->second, *found, block)))) return;
  if (!overwritten) ++lost_in_dumps_;
  at_risk_.erase(at);
}

void Scoreboard::note_unflushed() {
  unflushed_.clear();
  zone_ends_.clear();
  for (const Version& version : undurable_) {
    const bool may_go = version.certain && !version.durable && !version.trims() && (version.first & older_mark) == 0;
    for (HostBlock block = version.blocks.first; block < version.blocks.end(); ++block) {
      if (may_go)
        unflushed_.insert_or_assign(block.value(), version.entry(block));
      else
        unflushed_.erase(block.value());
    }
  }
}

void Scoreboard::forget_unflushed(HostRun blocks) {
  unflushed_.erase(unflushed_.lower_bound(blocks.first.value()), unflushed_.lower_bound(blocks.end().value()));
}

/// A version that is newer is that of a write that the cut took from the drive.
void Scoreboard::check_zone_end(const HostRequest& request, HostBlock block, Tag found) {
  const auto at = unflushed_.find(block.value());
  if (at == unflushed_.end() || found == tessera::destroyed) return;
  const bool kept = matches(at->second, found, block);
  if (!kept && names_block(found) && (found & prefill_mark) == 0 && version_of(found) > version_of(at->second)) return;
  ZoneEnd& end = zone_ends_[block.value() / zone_blocks_];
  if (kept)
    end.kept = std::max(end.kept.value_or(block), block);
  else
    end.lost = std::min(end.lost.value_or(block), block);
  if (end.lost && end.kept && *end.lost < *end.kept)
    complain(request, *end.lost, "what a cut took in front of block " + std::to_string(end.kept->value()) + " of its zone, which it left");
}

}  // namespace tessera
