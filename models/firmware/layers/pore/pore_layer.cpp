#include "firmware/layers/pore/pore_layer.hpp"

#include <algorithm>
#include <queue>

namespace tessera::pore {

Pore::Pore(const Ports& ports, const PoreConfig& config, const DriveGeometry& geometry, const FormatPlan& plan)
    : FlashCacheLayer(ports, config.cache, geometry, plan, config.region_sectors(), 1),
      config_(config),
      period_(config.period_pages(shape_)),
      heat_(ports.memory, MemoryCategory::metadata, owners_.regions(), "heat of regions"),
      stamps_(ports.memory, MemoryCategory::metadata, config.mode == Mode::original ? shape_.all_subpages() : 0, "last use of pages"),
      chosen_(ports.memory, MemoryCategory::metadata, config.mode == Mode::original ? shape_.all_subpages() : 0, "pages to evict"),
      moves_(ports.memory, MemoryCategory::metadata, config.copybacks != 0 ? shape_.pages() : 0, "copybacks of pages"),
      copies_(ports.memory.reserve_buffer(MemoryCategory::merge_buffer, shape_.block_subpages() * config.reserve_blocks, "page copies")) {}

std::uint32_t Pore::admits(const PageSpace& space, std::uint32_t count) const { return std::min(count, space.room(reserve())); }

void Pore::stored(LogicalSector sector, std::uint32_t page, bool update) {
  if (update) ++heat_.write(owners_.region_of(sector));
  if (config_.mode == Mode::original) stamp(page);
  if (config_.copybacks != 0) moves_.write(page / shape_.subpages) = 0;
}

void Pore::read_hit(LogicalSector sector, std::uint32_t page) {
  ++heat_.write(owners_.region_of(sector));
  if (config_.mode != Mode::original) return;
  owners_.touch(page);
  stamp(page);
}

bool Pore::leaves(std::uint32_t page) const { return config_.mode == Mode::ef_smr || chosen_.test(page); }

/// Pages are listed in the order in which they were programmed: as good an order of use as is left. Nothing tells how often they were
/// moved.
void Pore::restored() {
  for (std::uint64_t page = 0; page < moves_.size(); ++page) moves_.peek(page) = static_cast<std::uint8_t>(config_.copybacks);
  if (config_.mode != Mode::original) return;
  for (std::uint32_t region = 0; region < owners_.regions(); ++region)
    for (std::uint32_t page = owners_.first(region); page != PageOwners::none; page = owners_.after(page)) stamp(page);
}

/// One cleaning: opens regions, evicts, and wins back what that left.
Task<Status> Pore::make_room(std::uint32_t) {
  while (spaces_[cache].room(reserve()) == 0) {
    const Picoseconds begin = ports_.cpu.now();
    ports_.cpu.event({"clean", FirmwareEvent::Edge::begin, cache, spaces_[cache].pages()});
    statistics_.dirty_bands.record(owners_.cached_regions());
    collect_candidates();
    if (config_.mode == Mode::ef_smr) {
      choose_bands();
    } else {
      choose_oldest_pages();
    }
    const std::uint32_t free = spaces_[cache].room(0);
    Status status = co_await evict();
    if (!ok(status)) co_return status;
    status = co_await reclaim();
    if (!ok(status)) co_return status;
    cool();
    statistics_.cleaning.record(ports_.cpu.now() - begin);
    ports_.cpu.event({"clean", FirmwareEvent::Edge::end, cache, bands_to_merge_.size()});
    if (spaces_[cache].room(0) <= free && bands_to_merge_.empty()) co_return Status::read_only;  // no good block is left
  }
  co_return Status::ok;
}

void Pore::collect_candidates() {
  candidates_.clear();
  for (std::uint32_t region = 0; region < owners_.regions(); ++region)
    if (const std::uint32_t pages = owners_.count(region); pages != 0) candidates_.push_back({region, pages, heat_.read(region)});
  ports_.cpu.scan(owners_.regions());
  for (const Candidate& candidate : candidates_) {
    ports_.cpu.tree(candidates_.size());  // its part of the sort
    valid_ += candidate.pages;
    kept_ += candidate.pages;
  }
  rank(candidates_);
}

/// A share of all bands is open, those with the highest score; all cached pages of an open band are evicted.
void Pore::choose_bands() {
  bands_to_merge_.clear();
  for (const Candidate& open : open_share(candidates_, owners_.regions(), config_.open_frac)) {
    bands_to_merge_.push_back(open.region);
    kept_ -= open.pages;
  }
  open_regions_.record(bands_to_merge_.size());
}

/// A period of the original: zones are opened until they hold as many pages as the period evicts; of those the ones used longest ago
/// leave the cache, whatever zone they are of (the tail of the oldest list at each step).
void Pore::choose_oldest_pages() {
  struct Tail {
    std::uint64_t used;
    std::uint32_t page;
  };
  const auto younger = [](const Tail& a, const Tail& b) { return a.used > b.used; };
  std::priority_queue<Tail, std::vector<Tail>, decltype(younger)> tails(younger);
  const auto add = [&](std::uint32_t page) {
    if (page != PageOwners::none) tails.push({stamps_.read(page), page});
  };
  const std::span<const Candidate> open = open_pages(candidates_, period_);
  for (const Candidate& zone : open) add(owners_.first(zone.region));
  open_regions_.record(open.size());
  chosen_pages_.clear();
  bands_to_merge_.clear();
  while (chosen_pages_.size() < period_ && !tails.empty()) {
    const std::uint32_t page = tails.top().page;
    tails.pop();
    ports_.cpu.tree(open.size());  // a match of the loser tree
    chosen_.set(page);
    chosen_pages_.push_back(page);
    bands_to_merge_.push_back(band_of(owners_.sector(page)));
    add(owners_.after(page));
  }
  std::sort(bands_to_merge_.begin(), bands_to_merge_.end());
  bands_to_merge_.erase(std::unique(bands_to_merge_.begin(), bands_to_merge_.end()), bands_to_merge_.end());
  kept_ -= chosen_pages_.size();
}

/// One read-modify-write for each band.
Task<Status> Pore::evict() {
  Status status = Status::ok;
  for (std::size_t i = 0; ok(status) && i < bands_to_merge_.size(); ++i) status = co_await merge_band(bands_to_merge_[i]);
  for (const std::uint32_t page : chosen_pages_) chosen_.reset(page);
  chosen_pages_.clear();
  co_return status;
}

void Pore::cool() {
  for (const Candidate& candidate : candidates_) heat_.write(candidate.region) = 0;
}

}  // namespace tessera::pore
