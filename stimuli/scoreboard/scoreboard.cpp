// What a read may return: the versions of each block, as requests are issued, answered and lost.
#include "stimuli/scoreboard/scoreboard.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "base/error.hpp"
#include "stimuli/scoreboard/block_content.hpp"
#include "stimuli/scoreboard/version_tag.hpp"

namespace tessera {

namespace {

/// A version a block: 1 MiB of memory for a zone of 256 MiB.
constexpr std::size_t most_zones_of_reset = 1024;

/// Removes and returns the first entry of `request`; nothing where there is none any more.
template <class Pending>
std::optional<Pending> take_if_any(std::vector<Pending>& pending, const HostRequest& request) {
  const auto at = std::find_if(pending.begin(), pending.end(), [&](const Pending& p) { return p.request == &request; });
  if (at == pending.end()) return std::nullopt;
  std::optional<Pending> entry = std::move(*at);
  pending.erase(at);
  return entry;
}

/// Removes and returns the entry of `request`.
template <class Pending>
Pending take(std::vector<Pending>& pending, const HostRequest& request) {
  std::optional<Pending> entry = take_if_any(pending, request);
  TESSERA_CHECK(entry.has_value(), "the scoreboard was told of a request that it does not know");
  return std::move(*entry);
}

std::string in_words(Tag found) {
  if (found == destroyed) return "a destroyed sector";
  if ((found & prefill_mark) != 0) return "prefilled data of block " + std::to_string(block_of(found).value());
  if (found == never_written) return "a block never written";
  return "version " + std::to_string(version_of(found)) + " of block " + std::to_string(block_of(found).value());
}

std::string expected_in_words(Tag entry) {
  if (entry == nothing || brings_zeros(entry)) return "nothing, as it was trimmed";
  if (entry == destroyed || (entry & older_mark) == 0) return in_words(entry);
  return "anything older than version " + std::to_string(version_of(entry));
}

}  // namespace

Scoreboard::Scoreboard(ContentMode mode, DurabilityPromise promise, std::uint32_t sector_blocks, const PrefilledBlocks& prefilled)
    : mode_(mode), promise_(promise), sector_blocks_(sector_blocks), prefilled_(prefilled), current_(prefilled), durable_(prefilled) {
  TESSERA_CHECK(mode != ContentMode::none, "a scoreboard needs content to look at");
}

Tag Scoreboard::next_version(HostRun blocks) {
  if (++versions_ >= most_versions)
    throw InputError("--check tells apart " + std::to_string(most_versions) +
                     " writes, TRIMs to zeros and resets of zones, and this run has more: check a part of it");
  return version_tag(versions_, blocks.first);
}

void Scoreboard::issued(HostRequest& request) {
  ++clock_;
  const std::size_t kept = kept_per_block(mode_);
  switch (request.op) {
    case HostOp::read:
      request.content.assign(request.blocks.count * kept, std::byte{0xff});  // what the drive leaves out reads as destroyed
      reads_.push_back({&request, {}});
      return;
    case HostOp::flush: flushes_.push_back({&request, clock_}); return;
    case HostOp::write: {
      const Tag first = next_version(request.blocks);
      forget_unflushed(request.blocks);
      request.content.resize(request.blocks.count * kept);
      for (std::uint32_t i = 0; i < request.blocks.count; ++i) write_block(ContentSpan(request.content).subspan(i * kept, kept), first + i);
      at_drive_.push_back(
          {.request = &request, .blocks = request.blocks, .first = first, .issued = clock_, .durable = request.force_unit_access});
      return;
    }
    case HostOp::trim:
      at_drive_.push_back({.request = &request,
                           .blocks = request.blocks,
                           .first = trims_to_zeros_ ? zeros_mark | next_version(request.blocks) : nothing,
                           .issued = clock_});
      return;
    case HostOp::zone_reset:
      for (const HostRun zone : zones_of_reset(request)) {
        forget_unflushed(zone);
        zone_ends_.erase(zone.first.value() / zone_blocks_);
        at_drive_.push_back({.request = &request, .blocks = zone, .first = older_mark | next_version(zone), .issued = clock_});
      }
      return;
    default: return;  // what manages zones otherwise changes no data
  }
}

/// The zone, or all that hold anything.
std::vector<HostRun> Scoreboard::zones_of_reset(const HostRequest& request) const {
  if (zone_blocks_ == 0) return {};
  const auto zone = [this](std::uint64_t number) {
    return HostRun{HostBlock(number * zone_blocks_), static_cast<std::uint32_t>(zone_blocks_)};
  };
  if (!request.all_zones) return {zone(request.blocks.first.value() / zone_blocks_)};
  std::set<std::uint64_t> numbers;
  const auto add = [&](std::uint64_t first, std::uint64_t end) {
    for (std::uint64_t number = first / zone_blocks_; number * zone_blocks_ < end; ++number) numbers.insert(number);
    if (numbers.size() > most_zones_of_reset)
      throw InputError("--check follows a reset of all zones where at most " + std::to_string(most_zones_of_reset) + " of them hold data");
  };
  add(0, prefilled_.blocks);
  for (const HostRun run : current_.runs(~std::uint32_t{0})) add(run.first.value(), run.end().value());
  std::vector<HostRun> zones;
  zones.reserve(numbers.size());
  for (const std::uint64_t number : numbers) zones.push_back(zone(number));
  return zones;
}

void Scoreboard::completed(const HostRequest& request) {
  ++clock_;
  losses_untold_ = false;
  switch (request.op) {
    case HostOp::read: {
      const PendingRead read = take(reads_, request);
      if (ok(request.status)) {
        check(request, read);
      } else {
        const bool met = std::ranges::any_of(read.replaced, [this](const auto& entry) {
          const bool blank = entry.second == never_written || entry.second == nothing || brings_zeros(entry.second);
          return entry.second == tessera::destroyed || (blank && blank_destroyed_);
        });
        failed_ = met ? request.number : ~std::uint64_t{0};
      }
      return;
    }
    case HostOp::flush: {
      const PendingFlush flush = take(flushes_, request);
      if (ok(request.status) && keeps_undurable()) make_durable(flush.issued);
      return;
    }
    case HostOp::write:
    case HostOp::trim:
    case HostOp::zone_reset:
      failed_ = ~std::uint64_t{0};
      while (auto version = take_if_any(at_drive_, request)) {
        if (!ok(request.status) && version->met_destroyed) failed_ = request.number;
        if (!refused(request.status)) ended(std::move(*version), request.status);
      }
      return;
    default: return;
  }
}

void Scoreboard::ended(Version version, Status status) {
  version.acknowledged = clock_;
  version.certain = ok(status);
  undisturbed_ = undisturbed_ && version.certain;
  find_beside(version);
  keep_for_others(version);
  settle(current_, version);

  const std::uint64_t oldest = at_drive_.empty() ? clock_ : at_drive_.front().issued;
  std::erase_if(rivals_, [oldest](const Version& rival) { return rival.acknowledged < oldest; });
  if (std::any_of(at_drive_.begin(), at_drive_.end(), [&](const Version& other) { return other.meets(version.blocks); }))
    rivals_.push_back(version);
  if (keeps_undurable()) undurable_.push_back(std::move(version));
}

void Scoreboard::find_beside(Version& version) const {
  for (const Version& rival : rivals_) {
    if (!version.at_one_time(rival)) continue;
    const HostBlock end = std::min(rival.blocks.end(), version.blocks.end());
    for (HostBlock block = std::max(rival.blocks.first, version.blocks.first); block < end; ++block) {
      bool over = false;
      bool for_good = false;
      for (const Version& later : rivals_) {
        if (!later.certain || later.trims() || !later.covers(block) || later.issued <= rival.acknowledged) continue;
        over = true;
        for_good = for_good || later.durable;
      }
      if (!over) version.beside.emplace_back(block, rival.entry(block));
      if (!over && once_destroyed_.contains(block.value()) && rival.is_destroyed(block))
        version.beside.emplace_back(block, tessera::destroyed);
      if (!over || for_good || !version.durable) continue;
      version.replaced.push_back({block, rival.entry(block), rival.acknowledged});
      if (rival.is_destroyed(block)) version.replaced.push_back({block, tessera::destroyed, rival.acknowledged});
    }
  }
}

/// Makes a version, and what may stand in its place, the versions of its blocks; one that failed joins those that there are.
void Scoreboard::settle(VersionMap& map, const Version& version) {
  if (!version.certain || version.trims()) return add(map, version);
  map.set_run(version.blocks, version.first);
  for (const auto& [block, entry] : version.beside) map.add(block, entry);
}

void Scoreboard::add(VersionMap& map, const Version& version) {
  if (version.trims())
    map.trim(version.blocks);
  else
    for (HostBlock block = version.blocks.first; block < version.blocks.end(); ++block) map.add(block, version.entry(block));
  for (const auto& [block, entry] : version.beside)
    if (entry == tessera::destroyed) map.add(block, entry);  // a fault took it while it was at the drive
}

/// Before the version becomes current: what is at the drive may have met what it replaces.
void Scoreboard::keep_for_others(const Version& version) {
  for (Version& other : at_drive_)
    other.met_destroyed = other.met_destroyed || (other.meets(whole_sectors(version.blocks)) && exempted(other.blocks));
  for (PendingRead& read : reads_) {
    if (!version.meets(read.request->blocks)) continue;
    const HostBlock end = std::min(version.blocks.end(), read.request->blocks.end());
    for (HostBlock block = std::max(version.blocks.first, read.request->blocks.first); block < end; ++block)
      for (const Tag entry : current_.versions(block)) read.replaced.emplace_back(block, entry);
  }
}

void Scoreboard::lost(const HostRequest& request) {
  undisturbed_ = false;
  switch (request.op) {
    case HostOp::read: take(reads_, request); return;
    case HostOp::flush: take(flushes_, request); return;
    case HostOp::write:
    case HostOp::trim:
    case HostOp::zone_reset:
      while (auto version = take_if_any(at_drive_, request)) lost_.push_back(std::move(*version));
      return;
    default: return;
  }
}

void Scoreboard::check(const HostRequest& request, const PendingRead& read) {
  const std::size_t kept = kept_per_block(mode_);
  TESSERA_CHECK(request.content.size() == request.blocks.count * kept, "a read returned content of another size than it asked for");
  checked_ += request.blocks.count;
  std::vector<std::optional<Tag>> tags;
  for (std::uint32_t i = 0; i < request.blocks.count; ++i) {
    const HostBlock block = request.blocks.first + i;
    const std::optional<Tag> found = tags.emplace_back(read_block(ConstContentSpan(request.content).subspan(i * kept, kept)));
    if (!found) {
      complain(request, block, "bytes that no write made");
    } else if (!current_.allows(block, *found) && !written_meanwhile(block, *found, read)) {
      complain(request, block, in_words(*found));
    } else {
      if (undisturbed_) decide(block, *found, read);
      if (!unflushed_.empty()) check_zone_end(request, block, *found);
      if (!at_risk_.empty()) find_lost(block, *found);
    }
  }
  if (!unanswered_.empty()) check_whole_sectors(request, tags);
}

/// Of versions that may stand in each other's place, the one that a read has found there after all of them had ended is the block's.
void Scoreboard::decide(HostBlock block, Tag found, const PendingRead& read) {
  const std::vector<Tag> versions = current_.versions(block);
  const auto is_found = [found](Tag entry) { return entry == found || (brings_zeros(entry) && found == never_written); };
  const auto remains = std::ranges::find_if(versions, is_found);
  if (versions.size() == 1 || remains == versions.end() || current_.trimmed(block) || current_.allows_older(block)) return;
  const bool met = std::ranges::any_of(at_drive_, [&](const Version& version) { return version.covers(block); }) ||
                   std::ranges::any_of(read.replaced, [&](const auto& replaced) { return replaced.first == block; });
  if (met) return;
  for (PendingRead& other : reads_)  // which may have been served before
    if (const HostRun blocks = other.request->blocks; block >= blocks.first && block < blocks.end())
      for (const Tag entry : versions) other.replaced.emplace_back(block, entry);
  current_.set(block, *remains);
}

bool Scoreboard::written_meanwhile(HostBlock block, Tag found, const PendingRead& read) const {
  for (const Version& version : at_drive_)
    if (version.covers(block) && matches(version.entry(block), found, block)) return true;
  for (const auto& [at, entry] : read.replaced)
    if (at == block && matches(entry, found, block)) return true;
  return false;
}

void Scoreboard::complain(const HostRequest& request, HostBlock block, const std::string& found) {
  if (errors_++ >= kept_messages) return;
  std::string expected;
  for (const Tag entry : current_.versions(block)) expected += (expected.empty() ? "" : " or ") + expected_in_words(entry);
  messages_.push_back("request " + std::to_string(request.number) + ", block " + std::to_string(block.value()) + " of sector " +
                      std::to_string(block.value() / sector_blocks_) + ": expected " + expected + ", found " + found);
}

std::vector<HostRun> Scoreboard::written(std::uint32_t longest) const { return current_.runs(longest); }

void Scoreboard::report(MetricSet& metrics) const {
  metrics.add("scoreboard.checked", static_cast<double>(checked_), "1", "512 B blocks of reads that were compared with what was written");
  metrics.add("scoreboard.errors", static_cast<double>(errors_), "1", "512 B blocks that were not the newest acknowledged version");
  metrics.add("scoreboard.lost_in_dumps", static_cast<double>(lost_in_dumps_), "1",
              "512 B blocks of which a dump that failed took the version that was acknowledged last: an older one, or a read error, came");
  metrics.add("scoreboard.destroyed", static_cast<double>(destroyed_blocks_), "1",
              "512 B blocks that faults of the description destroyed: a read of them may fail until they are written again");
}

// --- Power cuts ---

// What a power cut may leave: the versions that are durable, and those that only a dump saves.

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
  cut_zeros_.clear();
  for (Version& version : lost_) {
    if (brings_zeros(version.first)) cut_zeros_.push_back(version.blocks);
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
        const std::uint64_t version = (tag & prefill_mark) != 0 && !brings_zeros(tag) ? 0 : version_of(tag);
        if (before.value_or(version) != version) return false;
        before = version;
      }
    }
    return true;
  };
  for (const Version& version : lost_) {
    if (version.empties()) continue;
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

bool Scoreboard::trimmed_since(HostBlock block, Tag write) const {
  return current_.trimmed(block) || std::ranges::any_of(current_.versions(block), [write](Tag entry) {
           return brings_zeros(entry) && version_of(entry) > version_of(write);
         });
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
      settled = settled || trimmed_since(block, write.first) || current_.allows_older(block) || !current_.allows(block, write.first + i);
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
  const bool undone = found && at->second == nothing;  // a TRIM that brings no zeros may leave what was there
  if (!overwritten && (later || undone || (found && matches(at->second, *found, block)))) return;
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
