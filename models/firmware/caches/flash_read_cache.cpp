#include "firmware/caches/flash_read_cache.hpp"

#include <algorithm>

#include "firmware/flash/flash_reads.hpp"

namespace tessera {

namespace {

/// Pages that wait in the staging buffer for each block that is being filled.
constexpr std::uint32_t staged_pages = 16;  // ours: with four blocks a read of 256 KiB finds room

}  // namespace

FlashReadCache::FlashReadCache(const DriveFlashConfig& settings, const Ports& ports, TranslationLayer& inner)
    : settings_(settings),
      ports_(ports),
      inner_(inner),
      shape_(ports.flash->shape()),
      first_block_(shape_.blocks - settings.read_blocks(shape_)),
      blocks_count_(static_cast<std::uint32_t>(settings.read_blocks(shape_))),
      largest_read_(static_cast<std::uint32_t>(settings.largest_read.value() / ports.memory.shape().sector_bytes)),
      stage_size_(settings.parallel * staged_pages * shape_.subpages),
      index_(ports.memory, MemoryCategory::metadata, std::uint64_t{blocks_count_} * shape_.block_subpages() + stage_size_,
             "flash cache index"),
      owners_(ports.memory, MemoryCategory::metadata, std::uint64_t{blocks_count_} * shape_.block_subpages(), "flash cache sectors"),
      stage_owners_(ports.memory, MemoryCategory::metadata, stage_size_, "flash cache staged sectors"),
      blocks_(ports.memory, MemoryCategory::metadata, blocks_count_, "flash cache blocks"),
      order_(ports.memory, MemoryCategory::metadata, blocks_count_, lists, "flash cache order"),
      stage_(ports.memory.reserve_buffer(MemoryCategory::read_cache, stage_size_, "flash cache staging")),
      open_(std::min(settings.parallel, blocks_count_ / 2)),
      held_(ports.cpu, flash_cache_gauge, 0) {
  if (settings.admit == FlashAdmission::second_read) {
    const std::uint64_t remembered = std::max<std::uint64_t>(1, owners_.size() * settings.history / 100);
    history_.emplace(ports.memory, MemoryCategory::metadata, remembered, "flash cache history");
  }
  for (std::uint32_t block = 0; block < blocks_count_; ++block) {
    if (ports.flash->is_bad(NandBlock(first_block_ + block)))
      ++retired_;
    else
      order_.push_back(fresh, block);
  }
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

std::uint64_t& FlashReadCache::owner(Place place) {
  return is_staged(place) ? stage_owners_.write(place - subpages()) : owners_.write(place);
}

void FlashReadCache::enter(LogicalSector sector, Place place) {
  ports_.cpu.hash();
  index_.assign(sector.value(), place);
  owner(place) = sector.value() + 1;
  held_.set(index_.size());
}

void FlashReadCache::drop(LogicalSector sector) {
  const Place place = find(sector);
  if (place == none) return;
  owner(place) = 0;
  index_.erase(sector.value());
  held_.set(index_.size());
  ++invalidated_;
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
      ports_.memory.copy(stage_.part(place - subpages(), 1), data.part(i, 1));
      continue;
    }
    Block& block = blocks_.write(block_of(place));
    ++block.readers;
    ++block.hits;
    FlashCommand& command = commands.emplace_back();
    command.op = FlashOp::read;
    command.aim(first_block_ * shape_.block_subpages() + place, shape_);
    command.data = data.part(i, 1);
  }
  const std::span<FlashCommand> all(commands);
  const Status status = co_await run_reads(*ports_.flash, all);
  for (const Place place : scratch.places)
    if (!is_staged(place)) --blocks_.write(block_of(place)).readers;
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

}  // namespace tessera
