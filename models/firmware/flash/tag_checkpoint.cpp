#include "firmware/flash/tag_checkpoint.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "firmware/layout/plan_regions.hpp"

namespace tessera {

namespace {

/// Room for the changes of two checkpoints and twice as many, as programs go on while one is written. At the least what a flash of some
/// blocks takes while a merge holds the platters, 24 KiB; at the most 1.5 MiB, so that checkpoints that hardly ever come ask no dump of all
/// tags: they come then when the ring is half full.
std::uint64_t recent_changes(const TagCheckpointConfig& config, const FlashShape& shape) {
  constexpr std::uint64_t least = 1024, most = 65'536;
  return std::clamp<std::uint64_t>(4 * std::min(config.every, most) * shape.subpages, least, most);
}

}  // namespace

TagCheckpoint::TagCheckpoint(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& region, const TagCheckpointConfig& config)
    : cpu_(ports.cpu),
      pages_per_block_(ports.flash->shape().block_subpages()),
      every_(config.every),
      most_changes_(std::max<std::uint64_t>(ports.flash->shape().all_subpages() / 4, 1)),  // more are as well written with the rest
      changes_a_sector_(geometry.sector_bytes / sizeof(Change)),
      tags_(ports.memory, MemoryCategory::metadata, ports.flash->shape().all_subpages(), "tags of flash pages"),
      recent_(ports.memory, recent_changes(config, ports.flash->shape()), config.dump_tags ? Survival::dumped : Survival::volatile_memory),
      log_(ports, geometry, region, RecordType::page_tags, *this) {
  static_assert(sizeof(Change) == sizeof(RecentTags::Change));
  ports.memory.reserve(MemoryCategory::metadata, Bytes(image_bytes()), "checkpoint of flash pages");
}

Task<Status> TagCheckpoint::format() {
  recent_.logged(recent_.end());
  co_return co_await log_.format();
}

/// The first page of a block tells that the block was erased: what was known of the others from before is void. Writes that share the
/// page, or take the next ones, may come here first.
void TagCheckpoint::set(std::uint64_t page, const Tag& tag) {
  tags_.write(page) = tag;
  if (page % pages_per_block_ != 0) return;
  for (std::uint64_t other = page + 1; other < page + pages_per_block_; ++other)
    if (tag.seq == 0 || tags_.peek(other).seq < tag.seq) tags_.peek(other) = {};
}

void TagCheckpoint::save(std::span<std::byte> image) const { std::memcpy(image.data(), &tags_.peek(0), image_bytes()); }

void TagCheckpoint::load(std::span<const std::byte> image) {
  std::memcpy(&tags_.peek(0), image.data(), image_bytes());
  for (std::uint64_t page = 0; page < tags_.size(); ++page) next_seq_ = std::max(next_seq_, tags_.peek(page).seq + 1);
}

void TagCheckpoint::replay(const TableLog::Words& words, std::span<const std::byte> sector) {
  const std::uint64_t count = std::min<std::uint64_t>(words[0], changes_a_sector_);
  for (std::uint64_t i = 0; i < count; ++i) {
    Change change;
    std::memcpy(&change, &sector[i * sizeof(Change)], sizeof(Change));
    replay(change);
  }
}

void TagCheckpoint::replay(const Change& change) {
  if (change.page >= tags_.size()) return;
  set(change.page, change.tag);
  next_seq_ = std::max(next_seq_, change.tag.seq + 1);
}

Task<void> TagCheckpoint::recover() {
  const Status status = co_await log_.recover();
  if (!ok(status)) {
    for (std::uint64_t page = 0; page < tags_.size(); ++page) tags_.peek(page) = {};
    whole_ = true;
  }
  found_ = ok(status);
  knows_every_page_ = found_ && recent_.complete();
  for (std::uint64_t number = recent_.begin(); number < recent_.end(); ++number) replay(std::bit_cast<Change>(recent_.at(number)));
}

/// What the scan discarded comes first: it must not count where a cut keeps the changes that say why from the log.
void TagCheckpoint::restart(const PageTags& tags) {
  recent_.restart();
  for (std::uint64_t page = 0; page < tags.size(); ++page)
    if (tags[page].recorded && tags[page].discarded && !tags_.peek(page).discarded()) discard(page);
  for (std::uint64_t first = 0; first < tags.size(); first += pages_per_block_) {
    bool begun = false;  // the change of the first page makes void what is recorded of the others
    for (std::uint64_t page = first; page < first + pages_per_block_; ++page) {
      const PageTag& found = tags[page];
      if (found.recorded && !begun) continue;
      const bool good = found.state == PageTag::State::good;
      const bool gone = tags_.peek(page).seq != 0 && !good;
      tags_.peek(page) = good ? Tag::of(found.header()) : Tag{};
      if (found.discarded) tags_.peek(page).sector |= Tag::discard_mark;
      if (good || gone) changed(page);
      begun = begun || (page == first && good);
    }
  }
  recent_.added();
}

Task<void> TagCheckpoint::repair() {
  const std::uint64_t end = recent_.end();
  const bool repaired = co_await log_.repair();
  if (repaired) recent_.logged(end);
}

/// Before the erase: pages that a cut in it leaves unreadable hold nothing.
void TagCheckpoint::erased(std::uint32_t block) {
  const std::uint64_t page = std::uint64_t{block} * pages_per_block_;
  set(page, {});
  note(page);
}

void TagCheckpoint::programmed(std::uint32_t page, const OobHeader& header, bool good) {
  set(page, good ? Tag::of(header) : Tag{});
  changed(page);
  if ((since_ < every_ && 2 * recent_.count() < recent_.capacity()) || writing_) return;
  writing_ = true;
  cpu_.spawn(write(), "checkpoint");
}

/// Without it a boot would read each page that is not full, to see whether there is more in it than was recorded.
void TagCheckpoint::pad(std::uint32_t first, std::uint32_t end, std::uint64_t seq) {
  for (std::uint32_t page = first; page < end; ++page) {
    set(page, {seq, Tag::padding_mark});
    note(page);
  }
}

void TagCheckpoint::discard(std::uint64_t page) {
  tags_.write(page).sector |= Tag::discard_mark;
  changed(page);
}

void TagCheckpoint::changed(std::uint64_t page) {
  ++since_;
  note(page);
}

void TagCheckpoint::note(std::uint64_t page) {
  if (recent_.count() == recent_.capacity()) whole_ = true;
  recent_.add(std::bit_cast<RecentTags::Change>(Change{page, tags_.peek(page)}));
}

/// One that fails leaves the one before in force, which cannot be gone on with.
Task<void> TagCheckpoint::write() {
  since_ = 0;
  const std::uint64_t end = recent_.end();
  const std::uint64_t sectors = (recent_.count() + changes_a_sector_ - 1) / changes_a_sector_;
  Status status = Status::ok;
  if (whole_ || recent_.count() > most_changes_ || sectors > log_.room()) {
    whole_ = false;
    status = co_await log_.checkpoint();
  } else {
    status = co_await write_changes(end);
  }
  if (ok(status))
    recent_.logged(end);
  else
    whole_ = true;
  writing_ = false;
}

Task<Status> TagCheckpoint::write_changes(std::uint64_t end) {
  under_way_.clear();
  for (std::uint64_t number = recent_.begin(); number < end; ++number) under_way_.push_back(std::bit_cast<Change>(recent_.at(number)));
  std::vector<std::byte> sectors;
  std::vector<TableLog::Words> words;
  for (std::size_t done = 0; done < under_way_.size();) {
    const std::size_t count = std::min(under_way_.size() - done, changes_a_sector_);
    const std::span<const std::byte> bytes = std::as_bytes(std::span(under_way_).subspan(done, count));
    words.push_back({count, 0, 0, 0});
    sectors.resize(words.size() * log_.sector_bytes());
    std::ranges::copy(bytes, sectors.end() - static_cast<std::ptrdiff_t>(log_.sector_bytes()));
    done += count;
    if (words.size() < TableLog::most_together && done < under_way_.size()) continue;
    const Status status = co_await log_.append_together(words, sectors);
    if (!ok(status)) co_return status;
    words.clear();
    sectors.clear();
  }
  co_return Status::ok;
}

std::unique_ptr<TagCheckpoint> make_tag_checkpoint(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& plan,
                                                   const TagCheckpointConfig& config) {
  if (config.region.value() == 0) return nullptr;
  return std::make_unique<TagCheckpoint>(ports, geometry, regions_named(plan, "checkpoint"), config);
}

}  // namespace tessera
