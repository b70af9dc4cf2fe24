#include "firmware/caches/flash_read_cache.hpp"

#include <algorithm>

#include "firmware/flash/flash_reads.hpp"

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

}  // namespace tessera
