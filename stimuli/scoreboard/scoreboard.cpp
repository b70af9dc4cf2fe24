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
  if (entry == nothing) return "nothing, as it was trimmed";
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
                     " writes and resets of zones, and this run has more: check a part of it");
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
    case HostOp::trim: at_drive_.push_back({.request = &request, .blocks = request.blocks, .first = nothing, .issued = clock_}); return;
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
          return entry.second == tessera::destroyed || (entry.second == never_written && blank_destroyed_);
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
      if (over && !for_good && version.durable) version.replaced.push_back({block, rival.entry(block), rival.acknowledged});
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
  if (versions.size() == 1 || std::ranges::find(versions, found) == versions.end() || current_.trimmed(block) ||
      current_.allows_older(block))
    return;
  const bool met = std::ranges::any_of(at_drive_, [&](const Version& version) { return version.covers(block); }) ||
                   std::ranges::any_of(read.replaced, [&](const auto& replaced) { return replaced.first == block; });
  if (met) return;
  for (PendingRead& other : reads_)  // which may have been served before
    if (const HostRun blocks = other.request->blocks; block >= blocks.first && block < blocks.end())
      for (const Tag entry : versions) other.replaced.emplace_back(block, entry);
  current_.set(block, found);
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
