#include "firmware/layers/pore/pore_layer.hpp"

#include <algorithm>
#include <deque>
#include <queue>

#include "firmware/flash/flash_reads.hpp"

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

// --- Reclamation ---

// "PC-level" reclamation: every block with a page that is not valid is won back; the valid pages in it, of forbidden bands, are copied
// to fresh blocks first. The order is copy, then erase: a copy has a newer sequence number than what it was copied from.

Task<Status> Pore::reclaim() {
  co_await erase_empty();
  // Groups of blocks whose valid pages fit the buffer and the room that is left, so that their copies and erases run side by side.
  const std::vector<std::uint32_t> blocks = spaces_[cache].used();
  std::vector<std::uint32_t> group;
  std::uint32_t pages = 0;
  for (const std::uint32_t block : blocks) {
    const std::uint32_t valid = owners_.valid_in(block);
    if (spaces_[cache].open(block) || whole_pages(valid) == spaces_[cache].block_pages()) continue;  // nothing to win
    const std::uint32_t room = std::min(copies_.sectors(), spaces_[cache].room(0));
    if (!group.empty() && pages + valid > room) {
      const Status status = co_await empty_blocks(group);
      if (!ok(status)) co_return status;
      group.clear();
      pages = 0;
    }
    if (valid > std::min(copies_.sectors(), spaces_[cache].room(0))) continue;  // blocks have failed: this one has to wait
    group.push_back(block);
    pages += valid;
  }
  if (group.empty()) co_return Status::ok;
  co_return co_await empty_blocks(group);
}

/// Blocks without a valid page need no copying.
Task<void> Pore::erase_empty() {
  std::vector<std::uint32_t> empty;
  for (const std::uint32_t block : spaces_[cache].used())
    if (owners_.valid_in(block) == 0 && !spaces_[cache].open(block)) empty.push_back(block);
  if (!empty.empty()) co_await spaces_[cache].erase(empty);
}

Task<Status> Pore::empty_blocks(std::span<const std::uint32_t> blocks) {
  std::vector<std::uint32_t> pages;
  for (const std::uint32_t block : blocks) {
    const std::uint32_t first = block * shape_.block_subpages();
    for (std::uint32_t page = first; page < first + shape_.block_subpages(); ++page)
      if (owners_.valid(page)) pages.push_back(page);
  }
  const std::span<const std::uint32_t> valid(pages);
  const Status status = co_await copy_pages(valid);
  if (!ok(status)) co_return status;
  std::vector<std::uint32_t> emptied;
  for (const std::uint32_t block : blocks)
    if (owners_.valid_in(block) == 0) emptied.push_back(block);
  if (!emptied.empty()) co_await spaces_[cache].erase(emptied);
  co_return Status::ok;
}

/// A place for each copy. Copybacks move whole pages inside a plane: each place goes to such a page of its plane, if there is one, that was
/// not moved too often since it last went through error correction.
void Pore::pair_up(std::span<const std::uint32_t> pages) {
  pairs_.clear();
  const std::uint32_t whole = shape_.subpages;
  const auto plane_of = [this](std::uint32_t sector) { return shape_.plane_of(NandPage(sector / shape_.subpages)); };
  std::vector<std::deque<std::uint32_t>> movable(shape_.planes);  // by plane: the first sector of each page
  std::deque<std::uint32_t> others;
  for (std::size_t i = 0; i < pages.size();) {
    const bool all_valid = pages[i] % whole == 0 && i + whole <= pages.size() && pages[i + whole - 1] == pages[i] + whole - 1;
    if (all_valid && config_.copybacks != 0 && moves_.read(pages[i] / whole) < config_.copybacks) {
      movable[plane_of(pages[i])].push_back(pages[i]);
      i += whole;
    } else {
      others.push_back(pages[i++]);
    }
  }

  while (pairs_.size() < pages.size()) {
    std::deque<std::uint32_t>& beside = movable[plane_of(spaces_[cache].next_block(0) * shape_.block_subpages())];
    if (!beside.empty()) {
      for (std::uint32_t part = 0; part < whole; ++part) pairs_.push_back({beside.front() + part, spaces_[cache].take(0), true});
      beside.pop_front();
      continue;
    }
    while (others.size() < whole) {  // so that the next place begins a page again
      std::deque<std::uint32_t>& most = *std::ranges::max_element(movable, {}, &std::deque<std::uint32_t>::size);
      if (most.empty()) break;
      for (std::uint32_t part = 0; part < whole; ++part) others.push_back(most.front() + part);
      most.pop_front();
    }
    for (std::uint32_t part = 0; part < whole && !others.empty(); ++part) {
      pairs_.push_back({others.front(), spaces_[cache].take(0), false});
      others.pop_front();
    }
  }
}

/// Copies valid pages to the next pages of the cache, one that cannot be read as lost; one whose program fails stays where it is, and so
/// does its block.
Task<Status> Pore::copy_pages(std::span<const std::uint32_t> pages) {
  if (pages.empty()) co_return Status::ok;
  pair_up(pages);
  reads_.clear();
  for (std::uint32_t i = 0; i < pairs_.size(); ++i) {
    if (pairs_[i].inside) continue;
    FlashCommand& read = reads_.emplace_back();
    read.op = FlashOp::read;
    read.aim(pairs_[i].from, shape_);
    read.data = copies_.part(i, 1);
  }
  const std::span<FlashCommand> reads(reads_);
  const Status status = co_await run_reads(*ports_.flash, reads);
  if (!delivered(status)) co_return status;
  commands_.assign(pages.size(), FlashCommand{});
  std::vector<LogicalSector> sectors;
  for (std::uint32_t i = 0; i < pairs_.size(); ++i) {
    const Copy& copy = pairs_[i];
    sectors.push_back(owners_.sector(copy.from));
    commands_[i].aim(copy.to, shape_);
    if (copy.inside) {
      commands_[i].op = FlashOp::copyback;
      commands_[i].from = NandPage(copy.from / shape_.subpages);
    } else {
      commands_[i].data = copies_.part(i, 1);
    }
  }
  const std::span<FlashCommand> commands(commands_);
  const std::span<const LogicalSector> copied(sectors);
  co_await program(cache, commands, copied);
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    if (!ok(commands_[i].status)) continue;
    const Copy copy = pairs_[i];
    const LogicalRun piece{sectors[i], 1};
    const Status pinned = co_await map_->pin(piece);
    if (!ok(pinned)) co_return pinned;
    owners_.replace(copy.from, copy.to);
    map_->set(sectors[i], copy.to);
    map_->unpin(piece);
    if (config_.mode == Mode::original) stamps_.write(copy.to) = stamps_.read(copy.from);
    if (config_.copybacks != 0) count_moves(copy);
    ++copied_;
    moved_ += copy.inside ? 1 : 0;
  }
  co_return Status::ok;
}

void Pore::count_moves(const Copy& copy) {
  const std::uint8_t before = copy.inside ? moves_.read(copy.from / shape_.subpages) : std::uint8_t{0};
  moves_.write(copy.to / shape_.subpages) = static_cast<std::uint8_t>(before + (copy.inside ? 1 : 0));
}

// --- Figures ---

void Pore::report(MetricSet& metrics) const {
  const Bytes own(heat_.size() * sizeof(std::uint32_t) + stamps_.size() * sizeof(std::uint64_t) + (chosen_.size() + 63) / 64 * 8 +
                  moves_.size());
  const Bytes lists(16 * owners_.regions());  // head, tail, count and heat of each region
  report_common(metrics, lists, own);
  metrics.count("nand.page_copies", static_cast<double>(copied_), "1", "pages copied from flash to flash");
  metrics.count("nand.page_copybacks", static_cast<double>(moved_), "1", "of these, pages that the flash moved inside their plane");
  metrics.add("open.regions_mean", open_regions_.mean(), "1", "regions that a cleaning opened");
  metrics.add("forbidden.pages_share", valid_ == 0 ? std::nullopt : std::optional(static_cast<double>(kept_) / static_cast<double>(valid_)),
              "1", "valid cached pages that cleanings kept over those that they found");
}

}  // namespace tessera::pore
