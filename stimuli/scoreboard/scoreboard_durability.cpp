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
    if (version.certain) replaced_for_good(version);
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
  lost_.clear();
  rivals_.clear();
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

}  // namespace tessera
