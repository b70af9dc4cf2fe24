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
  if (entry == destroyed || (entry & trim_mark) == 0) return in_words(entry);
  return "anything older than the TRIM " + std::to_string(version_of(entry));
}

}  // namespace

Scoreboard::Scoreboard(ContentMode mode, DurabilityPromise promise, std::uint32_t sector_blocks, const PrefilledBlocks& prefilled)
    : mode_(mode), promise_(promise), sector_blocks_(sector_blocks), prefilled_(prefilled), current_(prefilled), durable_(prefilled) {
  TESSERA_CHECK(mode != ContentMode::none, "a scoreboard needs content to look at");
}

Tag Scoreboard::next_version(HostRun blocks) {
  if (++versions_ >= most_versions)
    throw InputError("--check tells apart " + std::to_string(most_versions) +
                     " writes and TRIMs, and this run has more: check a part of it");
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
      request.content.resize(request.blocks.count * kept);
      for (std::uint32_t i = 0; i < request.blocks.count; ++i) write_block(ContentSpan(request.content).subspan(i * kept, kept), first + i);
      at_drive_.push_back(
          {.request = &request, .blocks = request.blocks, .first = first, .issued = clock_, .durable = request.force_unit_access});
      return;
    }
    case HostOp::trim:
      at_drive_.push_back(
          {.request = &request, .blocks = request.blocks, .first = trim_mark | next_version(request.blocks), .issued = clock_});
      return;
    case HostOp::zone_reset:
      for (const HostRun zone : zones_of_reset(request))
        at_drive_.push_back({.request = &request, .blocks = zone, .first = trim_mark | next_version(zone), .issued = clock_});
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
        const bool met = std::ranges::any_of(read.replaced, [](const auto& entry) { return entry.second == tessera::destroyed; });
        failed_read_ = met ? request.number : ~std::uint64_t{0};
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
      while (auto version = take_if_any(at_drive_, request))
        if (!refused(request.status)) ended(std::move(*version), request.status);
      return;
    default: return;
  }
}

void Scoreboard::ended(Version version, Status status) {
  version.acknowledged = clock_;
  version.certain = ok(status);
  find_beside(version);
  keep_for_readers(version);
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
        if (!later.certain || !later.covers(block) || later.issued <= rival.acknowledged) continue;
        over = true;
        for_good = for_good || later.durable;
      }
      if (!over) version.beside.emplace_back(block, rival.entry(block));
      if (over && !for_good && version.durable) version.replaced.push_back({block, rival.entry(block), rival.acknowledged});
    }
  }
}

/// Makes a version, and what may stand in its place, the versions of its blocks; one that failed joins those that there are.
void Scoreboard::settle(VersionMap& map, const Version& version) {
  if (!version.certain) return add(map, version);
  map.set_run(version.blocks, version.first);
  for (const auto& [block, entry] : version.beside) map.add(block, entry);
}

void Scoreboard::add(VersionMap& map, const Version& version) {
  for (HostBlock block = version.blocks.first; block < version.blocks.end(); ++block) map.add(block, version.entry(block));
  for (const auto& [block, entry] : version.beside)
    if (entry == tessera::destroyed) map.add(block, entry);  // a fault took it while it was at the drive
}

void Scoreboard::keep_for_readers(const Version& version) {
  for (PendingRead& read : reads_) {
    if (!version.meets(read.request->blocks)) continue;
    const HostBlock end = std::min(version.blocks.end(), read.request->blocks.end());
    for (HostBlock block = std::max(version.blocks.first, read.request->blocks.first); block < end; ++block)
      for (const Tag entry : current_.versions(block)) read.replaced.emplace_back(block, entry);
  }
}

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

void Scoreboard::lost(const HostRequest& request) {
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

void Scoreboard::exempt(HostBlock block) {
  current_.add(block, tessera::destroyed);
  if (keeps_undurable()) durable_.add(block, tessera::destroyed);
  if (losses_untold_) allow_older_by_dump(block);
}

void Scoreboard::lost_records_untold() {
  losses_untold_ = true;
  for (const std::uint64_t block : once_destroyed_)  // in any order: each block is by itself
    if (current_.allows(HostBlock(block), tessera::destroyed)) allow_older_by_dump(HostBlock(block));
}

void Scoreboard::untold(HostRun blocks, Piece piece) {
  if (!untold_.insert(piece).second) return;
  for (HostBlock block = blocks.first; block < blocks.end(); ++block)
    if (allow_older(block)) once_destroyed_.insert(block.value());
}

void Scoreboard::in_doubt(HostRun blocks) {
  for (HostBlock block = blocks.first; block < blocks.end(); ++block) lost_beside(block);
}

/// As after a TRIM of that age. Gives whether there is anything older.
bool Scoreboard::allow_older(HostBlock block) {
  const Tag newest = current_.newest(block);
  if ((newest & (prefill_mark | trim_mark)) != 0 || newest == never_written) return false;
  current_.add(block, trim_mark | newest);
  if (keeps_undurable()) durable_.add(block, trim_mark | newest);
  for (Version& version : undurable_)
    if (version.covers(block) && version.entry(block) == newest) version.beside.emplace_back(block, trim_mark | newest);
  return true;
}

/// As allow_older(), where a dump took what could tell of the newest version.
void Scoreboard::allow_older_by_dump(HostBlock block) {
  if (const Tag newest = current_.newest(block); allow_older(block)) at_risk_.try_emplace(block.value(), newest);
}

/// The version's block may be gone when the version becomes current, if it is of that tag; gives whether it is.
bool Scoreboard::excuse(Version& version, HostBlock block, Tag tag) {
  if (!version.covers(block) || version.entry(block) != tag) return false;
  version.beside.emplace_back(block, tessera::destroyed);
  return true;
}

void Scoreboard::destroyed(ConstContentSpan sector) {
  const std::size_t kept = kept_per_block(mode_);
  std::vector<std::optional<Tag>> tags;
  std::optional<HostBlock> first;  // where the tags say that the sector belongs
  for (std::size_t at = 0; at + kept <= sector.size(); at += kept) {
    const std::optional<Tag> tag = tags.emplace_back(read_block(sector.subspan(at, kept)));
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
  return needed;
}

/// A part of the sector was destroyed, of a write that brought no more or next to blocks that nobody wrote. The drive cannot make the
/// sector whole: the block may answer with an error until it is written again, whatever it held.
void Scoreboard::lost_beside(HostBlock block) {
  once_destroyed_.insert(block.value());
  exempt(block);
  for (std::vector<Version>* const versions : {&at_drive_, &undurable_})
    for (Version& version : *versions)
      if (version.covers(block)) version.beside.emplace_back(block, tessera::destroyed);
}

void Scoreboard::exempt_torn(ConstContentSpan held, ConstContentSpan written) {
  const std::size_t kept = kept_per_block(mode_);
  if (held.empty() || written.size() != held.size()) return;
  const std::size_t count = held.size() / kept;
  const auto tag_in = [&](ConstContentSpan sector, std::size_t i) { return read_block(sector.subspan(i * kept, kept)); };
  // What a TRIM has left may be overwritten by another sector, and the drive need not know that it was none any more.
  for (std::size_t i = 0; i < count; ++i)
    if (const auto tag = tag_in(held, i);
        tag && names_block(*tag) && current_.trimmed(block_of(*tag)) && current_.allows(block_of(*tag), *tag))
      once_destroyed_.insert(block_of(*tag).value());
  std::optional<HostBlock> first;  // where the tags say that the sector belongs
  for (const ConstContentSpan sector : {held, written})
    for (std::size_t i = 0; i < count && !first; ++i)
      if (const auto tag = tag_in(sector, i); tag && names_block(*tag)) first = HostBlock(block_of(*tag).value() - i);
  if (!first) return;  // it held nothing and nothing was on its way to it
  for (const ConstContentSpan sector : {held, written})
    for (std::size_t i = 0; i < count; ++i) {
      const auto tag = tag_in(sector, i);
      const HostBlock block = *first + i;
      if (!tag || (names_block(*tag) && block_of(*tag) != block) || !current_.allows(block, *tag)) return;
    }
  for (std::size_t i = 0; i < count; ++i) {
    once_destroyed_.insert((*first + i).value());  // a TRIM may leave it as it is
    exempt(*first + i);
  }
}

void Scoreboard::unreadable(const HostRequest& request) {
  if (!exempted(request.blocks)) return complain(request, request.blocks.first, "a read that fails");
  for (HostBlock block = request.blocks.first; block < request.blocks.end(); ++block) find_lost(block, std::nullopt);
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

HostRun Scoreboard::whole_sectors(HostRun blocks) const {
  const std::uint64_t begin = blocks.first.value() / sector_blocks_ * sector_blocks_;
  const std::uint64_t end = (blocks.end().value() + sector_blocks_ - 1) / sector_blocks_ * sector_blocks_;
  return {HostBlock(begin), static_cast<std::uint32_t>(end - begin)};
}

bool Scoreboard::exempted(HostRun blocks) const {
  const HostRun sectors = whole_sectors(blocks);
  for (HostBlock block = sectors.first; block < sectors.end(); ++block)
    if (current_.allows(block, tessera::destroyed) || (once_destroyed_.contains(block.value()) && current_.trimmed(block)) ||
        (blank_destroyed_ && current_.allows(block, never_written)))
      return true;
  return false;
}

bool Scoreboard::excused(const HostRequest& request) const {
  if (request.number == failed_read_ || exempted(request.blocks)) return true;
  const std::uint64_t begin = request.blocks.first.value() / sector_blocks_;
  const std::uint64_t end = (request.blocks.end().value() + sector_blocks_ - 1) / sector_blocks_;
  return std::ranges::any_of(at_drive_, [&](const Version& version) {
    return std::ranges::any_of(version.beside, [&](const auto& entry) {
      const std::uint64_t sector = entry.first.value() / sector_blocks_;
      return entry.second == tessera::destroyed && sector >= begin && sector < end;
    });
  });
}

/// Whether any sector was written in part alone: the drive has to read the rest, which a fault may have taken although nobody wrote it.
bool Scoreboard::some_in_part() const {
  return std::ranges::any_of(written(~std::uint32_t{0}), [this](const HostRun& run) {
    return run.first.value() % sector_blocks_ != 0 || run.end().value() % sector_blocks_ != 0;
  });
}

bool Scoreboard::some_exempted() const {
  if (blank_destroyed_ && some_in_part()) return true;
  return std::ranges::any_of(once_destroyed_,
                             [this](std::uint64_t block) { return current_.allows(HostBlock(block), tessera::destroyed); });
}

void Scoreboard::check(const HostRequest& request, const PendingRead& read) {
  const std::size_t kept = kept_per_block(mode_);
  TESSERA_CHECK(request.content.size() == request.blocks.count * kept, "a read returned content of another size than it asked for");
  checked_ += request.blocks.count;
  for (std::uint32_t i = 0; i < request.blocks.count; ++i) {
    const HostBlock block = request.blocks.first + i;
    const std::optional<Tag> found = read_block(ConstContentSpan(request.content).subspan(i * kept, kept));
    if (!found) {
      complain(request, block, "bytes that no write made");
    } else if (!current_.allows(block, *found) && !written_meanwhile(block, *found, read)) {
      complain(request, block, in_words(*found));
    } else if (!at_risk_.empty()) {
      find_lost(block, *found);
    }
  }
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

}  // namespace tessera
