#include "firmware/caches/flash_read_cache.hpp"

#include <algorithm>

#include "firmware/flash/flash_reads.hpp"
#include "firmware/flash/shared_pages.hpp"
#include "firmware/layers/layer_statistics.hpp"

namespace tessera {

namespace {

/// Pages that wait in the staging buffer for each block that is being filled.
constexpr std::uint32_t staged_pages = 16;  // ours: with four blocks a read of 256 KiB finds room

}  // namespace

FlashReadCache::FlashReadCache(const DriveFlashConfig& settings, const Ports& ports, TranslationLayer& inner, BlockLender* lender)
    : settings_(settings),
      ports_(ports),
      inner_(inner),
      shape_(ports.flash->shape()),
      lender_(lender),
      first_block_(lender != nullptr ? 0 : shape_.blocks - settings.blocks(shape_)),
      blocks_count_(static_cast<std::uint32_t>(settings.blocks(shape_))),
      largest_read_(static_cast<std::uint32_t>(settings.largest_read.value() / ports.memory.shape().sector_bytes)),
      stage_size_(settings.parallel * staged_pages * shape_.subpages),
      index_(ports.memory, MemoryCategory::metadata, std::uint64_t{blocks_count_} * shape_.block_subpages() + stage_size_,
             "flash cache index"),
      stage_owners_(ports.memory, MemoryCategory::metadata, stage_size_, "flash cache staged sectors"),
      blocks_(ports.memory, *ports.flash,
              {{first_block_, first_block_ + blocks_count_}, 1, shape_.block_subpages(), std::min(settings.parallel, blocks_count_ / 2)},
              UnitOrder::filled, {"flash cache sectors", "flash cache blocks", "flash cache order"}, *this, lender),
      stage_(ports.memory.reserve_buffer(MemoryCategory::read_cache, stage_size_, "flash cache staging")),
      held_(ports.cpu, flash_cache_gauge, 0) {
  if (settings.admit == FlashAdmission::every_read) return;
  const std::uint64_t remembered = std::max<std::uint64_t>(1, std::uint64_t{blocks_.places()} * settings.history / 100);
  history_.emplace(ports.memory, MemoryCategory::metadata, remembered, "flash cache history");
}

FlashReadCache::Place FlashReadCache::find(LogicalSector sector) const {
  ports_.cpu.hash();
  return index_.find(sector.value());
}

/// Whether flash and staging buffer have every sector; where.
bool FlashReadCache::find_all(LogicalRun run, std::vector<Place>& places) const {
  places.clear();
  if (index_.size() == 0) return false;
  for (std::uint32_t i = 0; i < run.count; ++i) {
    places.push_back(find(run.first + i));
    if (places.back() == none) return false;
  }
  return true;
}

void FlashReadCache::enter(LogicalSector sector, Place place) {
  ports_.cpu.hash();
  index_.assign(sector.value(), place);
  if (is_staged(place))
    stage_owners_.write(slot_of(place)) = sector.value() + 1;
  else
    blocks_.set_owner(place, sector.value());
  held_.set(index_.size());
}

void FlashReadCache::drop(LogicalSector sector) {
  const Place place = find(sector);
  if (place == none) return;
  ++invalidated_;
  if (!is_staged(place)) return blocks_.release(place);
  stage_owners_.write(slot_of(place)) = 0;
  forget(sector.value());
}

/// The sector is neither in flash nor staged any more.
void FlashReadCache::forget(std::uint64_t sector) {
  ports_.cpu.hash();
  index_.erase(sector);
  held_.set(index_.size());
}

void FlashReadCache::drop(LogicalRun run) {
  for (std::uint32_t i = 0; i < run.count && index_.size() != 0; ++i) drop(run.first + i);
}

/// The sector could not be read where it was found.
void FlashReadCache::give_up(LogicalSector sector, Place place) {
  ++unreadable_;
  if (find(sector) == place) drop(sector);
}

bool FlashReadCache::holds(LogicalRun run) {
  if (inner_.holds(run)) return true;
  const auto scratch = scratches_.take();
  return find_all(run, scratch->places);
}

// --- Reads ---

Task<Status> FlashReadCache::read(LogicalRun run, DataSpan data) {
  if (inner_.holds(run)) return inner_.read(run, data);
  return look_up(run, data);
}

Task<Status> FlashReadCache::look_up(LogicalRun run, DataSpan data) {
  const auto scratch = scratches_.take();
  if (find_all(run, scratch->places)) {
    const bool served = co_await read_held(run, data, *scratch);
    if (served) co_return Status::ok;
  }
  misses_ += run.count;
  const Status status = co_await inner_.read(run, data);
  if (ok(status) && run.count <= largest_read_) admit(run, data);
  co_return status;
}

/// Whether all of it could be read; what could not be leaves the cache: the platters have it.
Task<bool> FlashReadCache::read_held(LogicalRun run, DataSpan data, Scratch& scratch) {
  std::vector<FlashCommand>& commands = scratch.commands;
  commands.clear();
  for (std::uint32_t i = 0; i < run.count; ++i) {
    const Place place = scratch.places[i];
    if (is_staged(place)) {
      ports_.memory.copy(stage_.part(slot_of(place), 1), data.part(i, 1));
      continue;
    }
    blocks_.begin_read(place);
    FlashCommand& command = commands.emplace_back();
    command.op = FlashOp::read;
    command.aim(subpage(place), shape_);
    command.data = data.part(i, 1);
  }
  const std::span<FlashCommand> all(commands);
  const Status status = co_await run_reads(*ports_.flash, all);
  for (const Place place : scratch.places)
    if (!is_staged(place)) blocks_.end_read(place);
  if (ok(status) && !any_lost(data)) {
    hits_ += run.count;
    co_return true;
  }
  for (const FlashCommand& command : commands)
    if (!ok(command.status)) give_up(run.first + (command.data.first - data.first), scratch.places[command.data.first - data.first]);
  for (std::uint32_t i = 0; i < run.count; ++i)
    if (is_staged(scratch.places[i]) && any_lost(data.part(i, 1))) give_up(run.first + i, scratch.places[i]);
  clear_lost(data);
  co_return false;
}

// --- Writes ---

Task<Status> FlashReadCache::write(LogicalRun run, DataSpan data, WriteOptions options) {
  drop(run);
  return inner_.write(run, data, options);
}

Task<Status> FlashReadCache::trim(LogicalRun run) {
  drop(run);
  return inner_.trim(run);
}

Task<Status> FlashReadCache::reset(LogicalRun zone) {
  drop(zone);
  return inner_.reset(zone);
}

// --- What is taken in ---

namespace {

bool is_block(CleanUnits::Unit unit) { return unit != CleanUnits::none; }

}  // namespace

/// Whether the lender of the blocks has the sector in one of its own.
bool FlashReadCache::is_elsewhere(LogicalSector sector) const { return lender_ != nullptr && lender_->has(sector); }

/// Whether the sector, just read from the platters, was read from there not long ago. Of two that share a place in the history the later
/// one is remembered.
bool FlashReadCache::wanted(LogicalSector sector) {
  if (!history_) return true;
  ports_.cpu.hash();
  const std::uint64_t place = (sector.value() * 0x9E3779B97F4A7C15U >> 20) % history_->size();  // as DramHashMap
  const auto name = static_cast<std::uint32_t>(sector.value() + 1);
  if (history_->read(place) == name) {
    history_->write(place) = 0;
    return true;
  }
  history_->write(place) = name;
  return false;
}

/// Sectors of `data`, just read from the platters, go to the staging buffer.
void FlashReadCache::admit(LogicalRun run, DataSpan data) {
  if (blocks_.retired() == blocks_count_) return;
  for (std::uint32_t i = 0; i < run.count; ++i) {
    const LogicalSector sector = run.first + i;
    if (any_lost(data.part(i, 1)) || find(sector) != none || is_elsewhere(sector) || !wanted(sector)) continue;
    if (staged_ == stage_size_) {
      ++skipped_;
      continue;
    }
    const std::uint32_t slot = (stage_first_ + staged_++) % stage_size_;
    ports_.memory.copy(data.part(i, 1), stage_.part(slot, 1));
    enter(sector, blocks_.places() + slot);
    ++admitted_;
  }
  if (filling_ || staged_ < shape_.subpages) return;
  filling_ = true;
  ports_.cpu.spawn(fill(), "flash_fill");
}

/// Programs what is staged, until less than a page is left.
Task<void> FlashReadCache::fill() {
  while (staged_ >= shape_.subpages) {
    co_await blocks_.open();
    const auto open = static_cast<std::uint32_t>(std::ranges::count_if(blocks_.opened(), is_block));
    if (open == 0) break;
    const std::uint32_t used = gather(open);
    if (!slots_.empty()) co_await program();
    for (const std::uint32_t slot : slots_) stage_owners_.write(slot) = 0;
    stage_first_ = (stage_first_ + used) % stage_size_;
    staged_ -= used;
    if (slots_.empty()) break;
  }
  filling_ = false;
}

/// The slots of the next whole pages, at most so many, in slots_. Gives how many slots of the ring are done with once they are programmed:
/// some may have been written in the meantime.
std::uint32_t FlashReadCache::gather(std::uint32_t most) {
  slots_.clear();
  std::uint32_t used = 0;
  for (std::uint32_t i = 0; i < staged_ && slots_.size() < std::size_t{most} * shape_.subpages; ++i) {
    const std::uint32_t slot = (stage_first_ + i) % stage_size_;
    if (stage_owners_.read(slot) != 0) slots_.push_back(slot);
    if (slots_.size() % shape_.subpages == 0) used = i + 1;
  }
  slots_.resize(slots_.size() / shape_.subpages * shape_.subpages);
  return used;
}

/// Each page goes to an open block of its own.
void FlashReadCache::aim_at_open_blocks() {
  commands_.assign(slots_.size(), FlashCommand{});
  auto open = blocks_.opened().begin();
  for (std::size_t i = 0; i < slots_.size(); i += shape_.subpages) {
    open = std::find_if(open, blocks_.opened().end(), is_block);
    const Place page = blocks_.give(*open++, shape_.subpages);
    for (std::uint32_t j = 0; j < shape_.subpages; ++j) {
      FlashCommand& command = commands_[i + j];
      command.op = FlashOp::program;
      command.aim(subpage(page + j), shape_);
      command.data = stage_.part(slots_[i + j], 1);
    }
  }
  join_pages(commands_, shape_);
}

Task<void> FlashReadCache::program() {
  aim_at_open_blocks();
  FlashBatch batch(commands_);
  co_await ports_.flash->run(batch);
  for (std::size_t i = 0; i < slots_.size(); ++i) settle(commands_[i], slots_[i]);
  const std::vector<CleanUnits::Unit> opened(blocks_.opened().begin(), blocks_.opened().end());
  for (const CleanUnits::Unit block : opened)
    if (is_block(block)) end_page(block);
}

/// A page of the open block was programmed, unless all pages went to others.
void FlashReadCache::end_page(CleanUnits::Unit block) {
  const auto is_of_block = [&](const FlashCommand& command) {
    return command.page.value() / shape_.pages_per_block == blocks_.first_block(block).value();
  };
  const auto mine = std::ranges::find_if(commands_, is_of_block);
  if (mine == commands_.end()) return;
  if (!ok(mine->status)) {
    ++failed_programs_;
    blocks_.retire(block);
  } else if (blocks_.is_full(block)) {
    blocks_.close(block);
  }
}

/// The sector may have been written while it was programmed.
void FlashReadCache::settle(const FlashCommand& command, std::uint32_t slot) {
  const std::uint64_t held = stage_owners_.read(slot);
  if (held == 0) return;
  const LogicalSector sector(held - 1);
  if (!ok(command.status)) return drop(sector);
  ++programmed_;
  enter(sector, static_cast<Place>(command.target(shape_) - subpage(0)));
}

// --- Figures ---

void FlashReadCache::report(MetricSet& metrics) const {
  const auto count = [&metrics](const char* name, std::uint64_t value, const char* unit, const char* description) {
    metrics.count(name, static_cast<double>(value), unit, description);
  };
  count("flash_cache.hits", hits_, "sectors", "sectors read from the flash cache");
  count("flash_cache.misses", misses_, "sectors", "sectors read that neither the caches in DRAM nor the flash cache had all of");
  metrics.add("flash_cache.hit_ratio",
              hits_ + misses_ == 0 ? std::nullopt : std::optional(static_cast<double>(hits_) / static_cast<double>(hits_ + misses_)), "1",
              "of the sectors read that the caches in DRAM did not have, the part that came from the flash cache");
  count("flash_cache.admitted", admitted_, "sectors", "sectors read from the platters that the flash cache took in");
  const std::uint64_t blocks = lender_ == nullptr ? blocks_count_ : blocks_.borrowed();
  report_fill(metrics, "flash_cache", {programmed_, hits_, misses_, blocks * shape_.block_subpages()});
  count("flash_cache.skipped", skipped_, "sectors",
        "sectors that the flash cache was to take in, and did not: its staging buffer was full");
  count("flash_cache.programmed", programmed_, "sectors", "sectors programmed to the flash cache");
  count("flash_cache.invalidated", invalidated_, "sectors",
        "sectors that left the flash cache because they were written, trimmed or unreadable");
  count("flash_cache.evicted", blocks_.evictions(), "sectors", "sectors that left the flash cache with their block");
  count("flash_cache.second_chances", blocks_.second_chances(), "1",
        "blocks of the flash cache that were read often enough to be passed over");
  count("flash_cache.unreadable", unreadable_, "sectors", "sectors in the flash cache that could not be read, and came from the platters");
  count("flash_cache.failed_programs", failed_programs_, "1",
        "pages of the flash cache that could not be programmed; their blocks were retired");
  metrics.add("flash_cache.retired_blocks", static_cast<double>(blocks_.retired()), "1",
              "blocks of the flash cache that are not used, from the factory or since");
  const std::uint64_t tables = stage_owners_.size() * sizeof(std::uint64_t) + (history_ ? history_->size() * sizeof(std::uint32_t) : 0);
  metrics.add("flash_cache.tables", static_cast<double>((index_.bytes() + blocks_.bytes() + Bytes(tables)).value()), "B",
              "DRAM that the flash cache's index, lists and history take");
  if (lender_ == nullptr) {
    metrics.add("flash.area.flash_cache.blocks", static_cast<double>(blocks_count_), "1", "flash blocks of this area, which wear in turn");
    count("flash.area.flash_cache.erases", blocks_.erases(), "1", "erases in this area of the flash");
  } else {
    metrics.add("flash_cache.borrowed_blocks", static_cast<double>(blocks_.borrowed()), "1",
                "blocks of the pool that hold copies of what the platters hold; the others are for writes");
  }
  inner_.report(metrics);
}

}  // namespace tessera
