#include "firmware/flash/flash_cache_layer.hpp"

#include <algorithm>
#include <optional>

#include "firmware/layers/layer_statistics.hpp"
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
      places_(ports, geometry, in_place_ ? FormatPlan{} : regions_named(plan, "log"), bands_, static_cast<std::uint32_t>(layout_.bands()),
              layout_.band_sectors()),
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
  trims_.written(run);
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

// --- Merges of a band with its pages ---

Task<Status> FlashCacheLayer::merge_band(std::uint32_t band) {
  auto lock = merging_.exclusive(NumberRange::of(0));  // spaces are cleaned side by side, with one merge buffer
  co_await lock;
  if (!ok(places_.status())) co_return places_.status();
  const Picoseconds begin = ports_.cpu.now();
  ports_.cpu.event({"merge", FirmwareEvent::Edge::begin, band, layout_.band_sectors()});
  const std::uint32_t cached = gather(band);
  const std::uint64_t from = places_.physical(band);
  const std::uint64_t to = in_place_ ? from : places_.spare(band);
  const std::span<const std::uint32_t> pages(&table_.peek(0), table_.size());
  const std::uint32_t held = places_.held(band);
  Status status = co_await merge_.run(from, to, pages, held);
  // Before any erase: of several copies of a sector, a cut must not leave an older one as the newest.
  if (ok(status) && !in_place_) status = co_await places_.commit(band, next_seq_ - 1, BandMerge::end_of(pages, held));
  if (ok(status)) status = co_await drop(band, Dropped::leaving);
  if (!ok(status)) {
    forget_gathered();
    co_return status;
  }
  statistics_.merged(ports_.cpu.now() - begin, cached, merge_.times());
  ports_.cpu.event({"merge", FirmwareEvent::Edge::end, band, cached});
  co_return Status::ok;
}

/// Fills the table with the band's cached pages; gives how many there are. A crash-safe merge takes all of them, since the watermark
/// makes them all void; pages that do not leave the cache then hold what the band holds.
std::uint32_t FlashCacheLayer::gather(std::uint32_t band) {
  const LogicalSector start = band_start(band);
  const LogicalSector last = start + (layout_.band_sectors() - 1);
  std::uint32_t cached = 0;
  for (std::uint32_t region = owners_.region_of(start); region <= owners_.region_of(last); ++region) {
    for (std::uint32_t page = owners_.first(region); page != PageOwners::none; page = owners_.after(page)) {
      const LogicalSector sector = owners_.sector(page);
      if (sector < start || sector > last || (in_place_ && !leaves(page))) continue;
      table_.write(sector - start) = page;
      ++cached;
    }
  }
  return cached;
}

void FlashCacheLayer::forget_gathered() {
  for (std::uint32_t offset = 0; offset < table_.size(); ++offset) table_.peek(offset) = SectorMap::none;
}

/// Pages of the table that leave the cache, or all, are not valid any more; the table is empty afterwards.
Task<Status> FlashCacheLayer::drop(std::uint32_t band, Dropped which) {
  const LogicalSector start = band_start(band);
  const auto sectors = static_cast<std::uint32_t>(table_.size());
  const std::uint32_t* const table = &table_.peek(0);
  const auto cached = [](std::uint32_t page) { return page != SectorMap::none; };
  for (std::uint32_t done = 0; done < sectors;) {
    const auto next = static_cast<std::uint32_t>(std::find_if(table + done, table + sectors, cached) - table);
    if (next == sectors) break;
    const LogicalRun piece = map_->piece({start + next, sectors - next});
    const Status status = co_await map_->pin(piece);
    if (!ok(status)) co_return status;
    for (std::uint32_t i = next; i < next + piece.count; ++i) {
      const std::uint32_t page = table_.peek(i);
      if (page == SectorMap::none) continue;
      table_.write(i) = SectorMap::none;
      if (which == Dropped::leaving && !leaves(page)) continue;
      owners_.remove(page);
      map_->erase(start + i);
    }
    map_->unpin(piece);
    done = next + piece.count;
  }
  co_return Status::ok;
}

// TRIM

Task<Status> FlashCacheLayer::trim(LogicalRun run) {
  if (in_place_) co_return Status::ok;  // no log would know of it
  trims_.add(run);
  for (std::uint32_t done = 0; done < run.count;) {
    const LogicalRun piece = within_band({run.first + done, run.count - done});
    co_await trim_band(band_of(piece.first), piece);
    done += piece.count;
  }
  co_return Status::ok;
}

/// What was trimmed up to the end of what the band holds is none of it any more. Cached pages are newer, and stay, unless all of the band
/// was trimmed: then one record makes them void, too. Where the record cannot be written nothing has changed.
Task<void> FlashCacheLayer::trim_band(std::uint32_t band, LogicalRun run) {
  auto space = locks_.exclusive(NumberRange::of(space_of(band)));
  co_await space;
  auto merging = merging_.exclusive(NumberRange::of(0));
  co_await merging;
  const LogicalSector start = band_start(band);
  const LogicalSector begin = std::max(trims_.begin_of(run), start);
  const auto kept = static_cast<std::uint32_t>(begin - start);
  const std::uint32_t held = places_.held(band);
  if (run.end() < start + held || !ok(places_.status())) co_return;
  const bool all = kept == 0 && run.end() == start + layout_.band_sectors();
  const std::uint32_t cached = all ? gather(band) : 0;
  if (kept >= held && cached == 0) co_return;
  Status status = co_await places_.shorten(band, all ? next_seq_ - 1 : places_.watermark(band), kept);
  if (ok(status) && all) status = co_await drop(band, Dropped::all);
  if (!ok(status)) forget_gathered();
}

// --- Boot ---

// Boot of a flash cache after a power cut: programming a page is the commit, and every page says what it is.

Task<Status> FlashCacheLayer::recover() {
  Status status = co_await places_.recover();
  if (!ok(status)) co_return status;
  FoundPages found;
  status = co_await scan_pages(*ports_.flash, codec_, PageOrder(shape_, paired_), user_sectors(), found, checkpoint_.get());
  if (!ok(status)) co_return status;
  if (checkpoint_) {
    checkpoint_->restart(found.tags);
    co_await checkpoint_->repair();
  }
  next_seq_ = std::max({next_seq_, found.next_seq, places_.newest_watermark() + 1});
  status = co_await restore_map(found.tags);
  if (!ok(status)) co_return status;
  co_await restore_spaces(found.tags);
  restored();
  co_return Status::ok;
}

/// Not merged into its band already.
bool FlashCacheLayer::live(const PageTag& tag) const {
  return tag.state == PageTag::State::good && tag.seq > places_.watermark(band_of(tag.lsn));
}

/// Of the live copies of a sector the newest one is cached. They are entered in the order of their sectors, so that each map page is
/// needed once, and listed in the order in which they were written.
Task<Status> FlashCacheLayer::restore_map(const PageTags& tags) {
  std::vector<std::uint32_t> pages;
  for (std::uint32_t page = 0; page < tags.size(); ++page)
    if (live(tags[page])) pages.push_back(page);
  std::sort(pages.begin(), pages.end(), [&tags](std::uint32_t a, std::uint32_t b) {
    return tags[a].lsn != tags[b].lsn ? tags[a].lsn < tags[b].lsn : tags[a].seq > tags[b].seq;
  });
  const auto older = [&tags](std::uint32_t a, std::uint32_t b) { return tags[a].lsn == tags[b].lsn; };
  pages.erase(std::unique(pages.begin(), pages.end(), older), pages.end());
  const auto lsn_of = [&tags, &pages](std::size_t i) { return tags[pages[i]].lsn; };
  for (std::size_t i = 0; i < pages.size();) {
    const LogicalRun rest{lsn_of(i), static_cast<std::uint32_t>(tags[pages.back()].lsn - lsn_of(i) + 1)};
    const LogicalRun piece = map_->piece(rest);
    const Status status = co_await map_->pin(piece);
    if (!ok(status)) co_return status;
    for (; i < pages.size() && lsn_of(i) < piece.end(); ++i) map_->set(lsn_of(i), pages[i]);
    map_->unpin(piece);
  }
  std::sort(pages.begin(), pages.end(), [&tags](std::uint32_t a, std::uint32_t b) { return tags[a].seq < tags[b].seq; });
  for (const std::uint32_t page : pages) owners_.add(page, tags[page].lsn);
  co_return Status::ok;
}

/// Blocks without a valid page are erased where anything was ever programmed to them.
Task<void> FlashCacheLayer::restore_spaces(const PageTags& tags) {
  for (PageSpace& space : spaces_) {
    std::vector<std::uint32_t> stale;
    for (std::uint32_t block = 0; block < shape_.blocks; ++block) {
      if (!space.contains(block)) continue;
      const std::uint64_t first = std::uint64_t{block} * shape_.block_subpages();
      std::uint32_t used = 0;
      for (std::uint32_t page = 0; page < shape_.block_subpages(); ++page)
        if (tags[first + page].state != PageTag::State::blank) used = page + 1;
      space.restore(block, used);
      if (used != 0 && owners_.valid_in(block) == 0) stale.push_back(block);
    }
    if (!stale.empty()) co_await space.erase(stale);
  }
}

// --- Figures ---

BandLevels FlashCacheLayer::band_levels() const {
  BandLevels levels(bands_);
  for (std::uint32_t band = 0; band < bands_; ++band) levels[band] = {layout_.band_sectors(), places_.peek_held(band), 0};
  owners_.each_sector([&](LogicalSector sector) { ++levels[band_of(sector)].cached; });
  return levels;
}

void FlashCacheLayer::report_common(MetricSet& metrics, Bytes paper_bytes, Bytes own_bytes) const {
  statistics_.report(metrics);
  reader_.report(metrics);
  map_->report(metrics);
  if (shape_.subpages > 1) pages_.report(metrics);
  std::uint64_t retired = 0;
  Bytes taken = map_->bytes() + owners_.bytes() + places_.bytes() + own_bytes;
  if (checkpoint_) taken += checkpoint_->bytes();
  for (const PageSpace& space : spaces_) {
    retired += space.retired_blocks();
    taken += space.bytes();
  }
  metrics.count("hit.write.flash", static_cast<double>(updates_), "sectors", "sectors written of which the flash cache held a copy");
  metrics.add("flash.retired_blocks", static_cast<double>(retired), "1", "blocks that are not used, from the factory or since");
  metrics.count("log.sectors", static_cast<double>(places_.sectors_written()), "sectors", "sectors of the merge log and its checkpoints");
  if (checkpoint_)
    metrics.count("checkpoint.sectors", static_cast<double>(checkpoint_->sectors_written()), "sectors",
                  "sectors of checkpoints of flash pages' tags");
  report_mapping_memory(metrics, map_->paper_bytes() + paper_bytes, taken);
}

}  // namespace tessera
