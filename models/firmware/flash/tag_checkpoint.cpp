#include "firmware/flash/tag_checkpoint.hpp"

#include <algorithm>
#include <cstring>

#include "firmware/layout/plan_regions.hpp"

namespace tessera {

void TagCheckpointConfig::describe(ParameterVisitor& v) {
  v.field("checkpoint", region, {0, 1e12}, "conventional space for checkpoints of the pages' tags, which shorten recovery; 0: none");
  v.field("checkpoint_every", every, {0, 1e12}, "pages programmed between two checkpoints; 0: an eighth of the flash");
}

std::string TagCheckpointConfig::problem(const FlashShape& shape) const {
  constexpr std::uint32_t sector_bytes = 4096;
  const std::uint64_t needed =
      TableLog::least_sectors(shape.pages() * sizeof(TagCheckpoint::Tag), sector_bytes, 1, TableLog::Checkpoints::once) * sector_bytes;
  if (region.value() == 0 || region.value() >= needed) return {};
  return "checkpoint of " + std::to_string(region.value()) + " bytes cannot hold two checkpoints of the tags of " +
         std::to_string(shape.pages()) + " flash pages: they take " + std::to_string(needed) + " bytes (or 0, for none)";
}

TagCheckpoint::TagCheckpoint(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& region, const TagCheckpointConfig& config,
                             PairedPages paired)
    : cpu_(ports.cpu),
      pages_per_block_(ports.flash->shape().pages_per_block),
      order_(ports.flash->shape(), paired),
      every_(config.every != 0 ? config.every : std::max<std::uint64_t>(1, ports.flash->shape().pages() / 8)),
      tags_(ports.memory, MemoryCategory::metadata, ports.flash->shape().pages(), "tags of flash pages"),
      log_(ports.media, geometry, region, RecordType::page_tags, *this, TableLog::Checkpoints::once) {}

void TagCheckpoint::save(std::span<std::byte> image) const { std::memcpy(image.data(), &tags_.peek(0), image_bytes()); }

void TagCheckpoint::load(std::span<const std::byte> image) {
  std::memcpy(&tags_.peek(0), image.data(), image_bytes());
  for (std::uint64_t page = 0; page < tags_.size(); ++page) next_seq_ = std::max(next_seq_, tags_.peek(page).seq + 1);
}

Task<void> TagCheckpoint::recover() {
  const Status status = co_await log_.recover();
  if (ok(status)) co_return;
  for (std::uint64_t page = 0; page < tags_.size(); ++page) tags_.peek(page) = {};
}

std::span<const TagCheckpoint::Tag> TagCheckpoint::unchanged(std::uint32_t block, const OobHeader& first) const {
  const std::span<const Tag> tags(&tags_.peek(std::uint64_t{block} * pages_per_block_), pages_per_block_);
  const Tag now = Tag::of(first);
  if (tags.front().seq != now.seq || tags.front().sector != now.sector) return {};
  for (std::uint32_t place = 0; place < order_.count(); ++place)
    if (tags[order_.page(place)].seq == 0) return {};
  return tags;
}

void TagCheckpoint::restart(const PageTags& tags) {
  for (std::uint64_t page = 0; page < tags.size(); ++page) {
    const PageTag& tag = tags[page];
    tags_.peek(page) = tag.state == PageTag::State::good ? Tag::of({tag.lsn, tag.seq, tag.kind}) : Tag{};
  }
}

/// The first page of a block tells that the block was erased: what was known of the others is void.
void TagCheckpoint::programmed(std::uint32_t page, const OobHeader& header, bool good) {
  tags_.write(page) = good ? Tag::of(header) : Tag{};
  if (page % pages_per_block_ == 0)
    for (std::uint32_t other = page + 1; other < page + pages_per_block_; ++other) tags_.peek(other) = {};
  if (++programs_ < every_ || writing_) return;
  programs_ = 0;
  writing_ = true;
  cpu_.spawn(write());
}

/// One that fails leaves the one before in force.
Task<void> TagCheckpoint::write() {
  static_cast<void>(co_await log_.format());
  writing_ = false;
}

std::unique_ptr<TagCheckpoint> make_tag_checkpoint(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& plan,
                                                   const TagCheckpointConfig& config, PairedPages paired) {
  if (config.region.value() == 0) return nullptr;
  return std::make_unique<TagCheckpoint>(ports, geometry, regions_named(plan, "checkpoint"), config, paired);
}

}  // namespace tessera
