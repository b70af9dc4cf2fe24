#include "stimuli/scoreboard/scoreboard.hpp"

#include <algorithm>
#include <optional>

#include "stimuli/scoreboard/block_content.hpp"

namespace tessera {

namespace {

/// Removes and returns the entry of `request`.
template <class Pending>
Pending take(std::vector<Pending>& pending, const HostRequest& request) {
  const auto at = std::find_if(pending.begin(), pending.end(), [&](const Pending& p) { return p.request == &request; });
  TESSERA_CHECK(at != pending.end(), "the scoreboard was told of a request that it does not know");
  Pending entry = std::move(*at);
  pending.erase(at);
  return entry;
}

std::string in_words(Tag found) {
  if (found == destroyed) return "a destroyed sector";
  if ((found & prefill_mark) != 0) return "prefilled data of block " + std::to_string(found & ~prefill_mark);
  return found == never_written ? "a block never written" : "version " + std::to_string(found);
}

std::string expected_in_words(Tag entry) {
  if (entry == destroyed || (entry & trim_mark) == 0) return in_words(entry);
  return "anything older than the TRIM " + std::to_string(entry & ~trim_mark);
}

}  // namespace

Scoreboard::Scoreboard(ContentMode mode, DurabilityPromise promise) : mode_(mode), promise_(promise) {
  TESSERA_CHECK(mode != ContentMode::none, "a scoreboard needs content to look at");
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
    case HostOp::write:
      request.content.resize(request.blocks.count * kept);
      for (std::uint32_t i = 0; i < request.blocks.count; ++i)
        write_block(ContentSpan(request.content).subspan(i * kept, kept), next_tag_ + i);
      at_drive_.push_back({&request, request.blocks, next_tag_, clock_, 0, true, request.force_unit_access, {}});
      break;
    case HostOp::trim: at_drive_.push_back({&request, request.blocks, trim_mark | next_tag_, clock_, 0, true, false, {}}); break;
  }
  next_tag_ += request.blocks.count;
}

void Scoreboard::completed(const HostRequest& request) {
  ++clock_;
  switch (request.op) {
    case HostOp::read: {
      const PendingRead read = take(reads_, request);
      if (ok(request.status)) check(request, read);
      return;
    }
    case HostOp::flush: {
      const PendingFlush flush = take(flushes_, request);
      if (ok(request.status) && promise_ == DurabilityPromise::flushed) make_durable(flush.issued);
      return;
    }
    case HostOp::write:
    case HostOp::trim: ended(take(at_drive_, request), request.status);
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
  if (promise_ == DurabilityPromise::flushed) undurable_.push_back(std::move(version));
}

void Scoreboard::find_beside(Version& version) const {
  for (const Version& rival : rivals_) {
    if (!version.at_one_time(rival)) continue;
    const HostBlock end = std::min(rival.blocks.end(), version.blocks.end());
    for (HostBlock block = std::max(rival.blocks.first, version.blocks.first); block < end; ++block) {
      const bool over = std::any_of(rivals_.begin(), rivals_.end(), [&](const Version& later) {
        return later.certain && later.covers(block) && later.issued > rival.acknowledged;
      });
      if (!over) version.beside.emplace_back(block, rival.entry(block));
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
  while (count < undurable_.size() && undurable_[count].acknowledged < before) settle(durable_, undurable_[count++]);
  undurable_.erase(undurable_.begin(), undurable_.begin() + static_cast<std::ptrdiff_t>(count));
}

void Scoreboard::lost(const HostRequest& request) {
  switch (request.op) {
    case HostOp::read: take(reads_, request); return;
    case HostOp::flush: take(flushes_, request); return;
    case HostOp::write:
    case HostOp::trim: lost_.push_back(take(at_drive_, request));
  }
}

void Scoreboard::power_cut() {
  TESSERA_CHECK(at_drive_.empty() && reads_.empty() && flushes_.empty(), "a power cut left requests at the drive");
  for (const Version& version : undurable_) {
    if (version.durable) {
      settle(durable_, version);
    } else {
      add(durable_, version);
    }
  }
  for (const Version& version : undurable_) {
    for (HostBlock block = version.blocks.first; block < version.blocks.end(); ++block) {
      const std::vector<Tag> left = durable_.versions(block);
      current_.set(block, left.front());
      for (const Tag entry : left) current_.add(block, entry);
    }
  }
  for (const Version& version : lost_) {
    add(current_, version);
    if (promise_ == DurabilityPromise::flushed) add(durable_, version);
  }
  undurable_.clear();
  lost_.clear();
  rivals_.clear();
}

void Scoreboard::exempt(HostRun blocks) {
  for (HostBlock block = blocks.first; block < blocks.end(); ++block) {
    current_.add(block, destroyed);
    if (promise_ == DurabilityPromise::flushed) durable_.add(block, destroyed);
  }
}

void Scoreboard::exempt_torn(ConstContentSpan held, ConstContentSpan written) {
  const std::size_t kept = kept_per_block(mode_);
  const auto sector_blocks = static_cast<std::uint32_t>(held.size() / kept);
  if (sector_blocks == 0 || written.size() != held.size()) return;
  const auto may_be = [&](HostBlock block, ConstContentSpan sector, std::uint32_t i) {
    const std::optional<Tag> tag = read_block(sector.subspan(i * kept, kept));
    return tag && *tag != destroyed && current_.allows(block, *tag);
  };
  // Cuts are rare: looking for the sector among all that was written costs less than keeping an index of versions.
  for (const HostRun run : current_.runs(sector_blocks)) {
    const HostBlock first(run.first.value() / sector_blocks * sector_blocks);
    bool in_place = true;
    bool told_apart = false;  // blocks that were never written look alike everywhere
    for (std::uint32_t i = 0; i < sector_blocks && in_place; ++i) {
      in_place = may_be(first + i, held, i) && may_be(first + i, written, i);
      told_apart = told_apart || read_block(written.subspan(i * kept, kept)) != never_written;
    }
    if (in_place && told_apart) return exempt({first, sector_blocks});
  }
}

void Scoreboard::unreadable(const HostRequest& request) { complain(request, request.blocks.first, "a read that fails"); }

bool Scoreboard::exempted(HostRun blocks) const {
  for (HostBlock block = blocks.first; block < blocks.end(); ++block)
    if (current_.allows(block, destroyed)) return true;
  return false;
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
  messages_.push_back("request " + std::to_string(request.number) + ", block " + std::to_string(block.value()) + ": expected " + expected +
                      ", found " + found);
}

std::vector<HostRun> Scoreboard::written(std::uint32_t longest) const { return current_.runs(longest); }

void Scoreboard::report(MetricSet& metrics) const {
  metrics.add("scoreboard.checked", static_cast<double>(checked_), "1", "512 B blocks of reads that were compared with what was written");
  metrics.add("scoreboard.errors", static_cast<double>(errors_), "1", "512 B blocks that were not the newest acknowledged version");
}

}  // namespace tessera
