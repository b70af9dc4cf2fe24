#include "firmware/flash/flash_cache_layer.hpp"

#include <algorithm>
#include <optional>

#include "firmware/layout/plan_regions.hpp"

namespace tessera {

FlashCacheLayer::FlashCacheLayer(const Ports& ports, const FlashCacheConfig& config, const DriveGeometry& geometry, const FormatPlan& plan,
                                 std::uint64_t region_sectors, std::uint32_t spaces)
    : ports_(ports),
      in_place_(config.in_place()),
      paired_(config.paired()),
      layout_(geometry, plan, config.band_sectors, ports.media),
      bands_(static_cast<std::uint32_t>(config.bands != 0 ? config.bands : layout_.bands() - config.spares())),
      shape_(ports.flash->shape()),
      codec_(0, sizeof(std::uint32_t)),
      map_(make_sector_map(config.map, ports, geometry, regions_named(plan, "map"), user_sectors(), shape_.all_subpages())),
      checkpoint_(make_tag_checkpoint(ports, geometry, plan, config.tags())),
      owners_(ports, user_sectors(), region_sectors),
      places_(ports, geometry, in_place_ ? FormatPlan{} : regions_named(plan, "log"), bands_, static_cast<std::uint32_t>(layout_.bands())),
      merge_(ports, layout_, config.round_sectors(geometry.sector_bytes)),
      reader_(ports, layout_, places_),
      free_blocks_(ports.cpu, free_blocks_gauge, 0),
      pages_(*ports.flash, ports.cpu, *this),
      locks_(ports.cpu),
      merging_(ports.cpu),
      table_(ports.memory, MemoryCategory::merge_buffer, config.band_sectors, "cached pages of a merge") {
  spaces_.reserve(spaces);
  for (std::uint64_t space = 0; space < spaces; ++space) {
    const auto first = static_cast<std::uint32_t>(shape_.blocks * space / spaces);
    const auto end = static_cast<std::uint32_t>(shape_.blocks * (space + 1) / spaces);
    spaces_.emplace_back(ports, first, end - first, config.parallel, config.free_list, config.paired(), &free_blocks_, checkpoint_.get());
  }
  for (std::uint32_t offset = 0; offset < table_.size(); ++offset) table_.peek(offset) = SectorMap::none;
}

Task<Status> FlashCacheLayer::format() {
  for (PageSpace& space : spaces_) space.format();
  if (checkpoint_) {
    const Status status = co_await checkpoint_->format();
    if (!ok(status)) co_return status;
  }
  co_return co_await places_.format();
}

LogicalRun FlashCacheLayer::within_band(LogicalRun rest) const {
  const std::uint64_t left = layout_.band_sectors() - rest.first.value() % layout_.band_sectors();
  rest.count = static_cast<std::uint32_t>(std::min<std::uint64_t>(rest.count, left));
  return rest;
}

// Reads

Task<Status> FlashCacheLayer::read(LogicalRun run, DataSpan data) {
  for (std::uint32_t done = 0; done < run.count;) {
    const LogicalRun piece = within_band({run.first + done, run.count - done});
    const DataSpan part = data.part(done, piece.count);
    const Status status = co_await read_piece(piece, part);
    if (!ok(status)) co_return status;
    done += piece.count;
  }
  co_return Status::ok;
}

/// The flash first, then the band.
Task<Status> FlashCacheLayer::read_piece(LogicalRun run, DataSpan data) {
  auto lock = locks_.shared(NumberRange::of(space_of(band_of(run.first))));
  co_await lock;
  const auto scratch = scratches_.take();
  std::vector<std::uint32_t>& pages = scratch->pages;
  pages.clear();
  while (pages.size() < run.count) {
    const auto done = static_cast<std::uint32_t>(pages.size());
    const LogicalRun piece = map_->piece({run.first + done, run.count - done});
    const Status status = co_await map_->pin(piece);
    if (!ok(status)) co_return status;
    for (std::uint32_t i = 0; i < piece.count; ++i) {
      const std::uint32_t page = map_->find(piece.first + i);
      pages.push_back(page);
      if (page != SectorMap::none) read_hit(piece.first + i, page);
    }
    map_->unpin(piece);
  }
  const std::span<const std::uint32_t> found(pages);
  const Status status = co_await reader_.read_flash(found, data, scratch->commands);
  if (!ok(status)) co_return status;
  co_return co_await reader_.read_bands(run, found, data);
}

// Writes

Task<Status> FlashCacheLayer::write(LogicalRun run, DataSpan data, WriteOptions) {
  for (std::uint32_t done = 0; done < run.count;) {
    const LogicalRun piece = within_band({run.first + done, run.count - done});
    const DataSpan part = data.part(done, piece.count);
    const Status status = co_await write_piece(piece, part);
    if (!ok(status)) co_return status;
    done += piece.count;
  }
  co_return Status::ok;
}

/// A write that finds its space full takes it for itself, cleans it and writes the rest. Where that makes no room, too many blocks have
/// failed.
Task<Status> FlashCacheLayer::write_piece(LogicalRun run, DataSpan data) {
  const std::uint32_t number = space_of(band_of(run.first));
  std::optional<NumberLocks::Lock> guard;
  LockMode mode = LockMode::shared;
  for (std::uint32_t done = 0; done < run.count;) {
    if (!guard) {
      guard.emplace(locks_, NumberRange::of(number), mode);
      NumberLocks::Lock& lock = *guard;
      co_await lock;
    }
    const LogicalRun rest = map_->piece({run.first + done, run.count - done});
    Status status = co_await map_->pin(rest);
    if (!ok(status)) co_return status;
    const LogicalRun piece{rest.first, admits(spaces_[number], rest.count)};
    if (piece.count != 0) {
      const DataSpan part = data.part(done, piece.count);
      done += co_await append(number, piece, part);
    }
    map_->unpin(rest);
    if (piece.count != 0) continue;
    if (mode == LockMode::shared) {
      mode = LockMode::exclusive;
      guard.reset();
      continue;
    }
    status = co_await make_room(number);
    if (!ok(status)) co_return status;
    if (admits(spaces_[number], rest.count) == 0) co_return Status::read_only;
  }
  co_return Status::ok;
}

/// Programs the sectors to the next pages of the space, which has room for them; gives how many of them are on flash.
Task<std::uint32_t> FlashCacheLayer::append(std::uint32_t space, LogicalRun run, DataSpan data) {
  const auto scratch = scratches_.take();
  scratch->commands.assign(run.count, FlashCommand{});
  scratch->sectors.clear();
  for (std::uint32_t i = 0; i < run.count; ++i) {
    FlashCommand& command = scratch->commands[i];
    command.aim(spaces_[space].take(reserve()), shape_);
    command.data = data.part(i, 1);
    scratch->sectors.push_back(run.first + i);
  }
  const std::span<FlashCommand> commands(scratch->commands);
  const std::span<const LogicalSector> sectors(scratch->sectors);
  co_await program(space, commands, sectors);
  std::uint32_t good = 0;
  for (; good < run.count && ok(commands[good].status); ++good) {
    const LogicalSector sector = run.first + good;
    const auto page = static_cast<std::uint32_t>(commands[good].target(shape_));
    const std::uint32_t old = map_->find(sector);
    const bool update = old != SectorMap::none;
    if (update) owners_.remove(old);
    updates_ += update ? 1 : 0;
    map_->set(sector, page);
    owners_.add(page, sector);
    stored(sector, page, update);
  }
  co_return good;
}

Task<void> FlashCacheLayer::program(std::uint32_t space, std::span<FlashCommand> commands, std::span<const LogicalSector> sectors) {
  const auto images = images_.take();
  images->resize(std::max<std::size_t>(images->size(), commands.size() * codec_.bytes()));
  const std::uint64_t seq = next_seq_;
  next_seq_ += commands.size();
  const auto header = [&](std::size_t i) { return OobHeader{sectors[i], seq + i, OobHeader::Kind::data}; };
  for (std::size_t i = 0; i < commands.size(); ++i) {
    if (commands[i].op != FlashOp::copyback) commands[i].op = FlashOp::program;
    commands[i].oob = std::span(*images).subspan(i * codec_.bytes(), codec_.bytes());
    codec_.encode(header(i), {}, commands[i].oob);
  }
  co_await pages_.program(space, commands);
  if (checkpoint_) {
    for (std::size_t i = 0; i < commands.size(); ++i)
      checkpoint_->programmed(static_cast<std::uint32_t>(commands[i].target(shape_)), header(i), ok(commands[i].status));
  }
  for (const FlashCommand& command : commands) {
    if (ok(command.status)) continue;
    ++statistics_.failed_programs;
    spaces_[space].fail(static_cast<std::uint32_t>(command.page.value() / shape_.pages_per_block));
  }
}

void FlashCacheLayer::close_page(std::uint32_t space) {
  const auto [first, end] = spaces_[space].close_page();
  if (checkpoint_) checkpoint_->pad(first, end, next_seq_ - 1);
}

}  // namespace tessera
