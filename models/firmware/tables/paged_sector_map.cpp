#include "firmware/tables/paged_sector_map.hpp"

#include <algorithm>
#include <cstring>

namespace tessera {

PagedSectorMap::PagedSectorMap(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& region, std::uint64_t user_sectors,
                               Bytes cache)
    : ports_(ports),
      sector_bytes_(geometry.sector_bytes),
      entries_(sector_bytes_ / sizeof(std::uint32_t)),
      layout_(geometry, region, ports.media, ConventionalLayout::Reserve::none),
      pages_(ports.memory, MemoryCategory::metadata, cache.value() / sector_bytes_ * entries_, "map pages"),
      frames_(ports.memory, MemoryCategory::metadata, cache.value() / sector_bytes_, "map page states"),
      order_(ports.memory, MemoryCategory::metadata, static_cast<std::uint32_t>(frames_.size()), 1, "order of map pages"),
      resident_(ports.memory, MemoryCategory::metadata, frames_.size(), "directory of map pages"),
      stored_(ports.memory, MemoryCategory::metadata, (user_sectors + entries_ - 1) / entries_, "map pages on disk"),
      changed_(ports.cpu) {
  TESSERA_CHECK(layout_.sectors() >= copies * stored_.size(), "the region of map pages is too small");
  for (std::uint32_t frame = 0; frame < frames_.size(); ++frame) order_.push_back(least_recent, frame);
}

LogicalRun PagedSectorMap::piece(LogicalRun run) const {
  const auto left = static_cast<std::uint32_t>(entries_ - run.first.value() % entries_);
  return {run.first, std::min(run.count, left)};
}

Task<Status> PagedSectorMap::pin(LogicalRun piece) {
  const std::uint64_t map_page = map_page_of(piece.first);
  const Picoseconds begin = ports_.cpu.now();
  bool missed = false;
  for (;;) {
    ports_.cpu.hash();
    const std::uint32_t held = resident_.find(map_page);
    if (held != DramHashMap::none && !frames_.read(held).busy) {
      if (frames_.write(held).pins++ == 0) order_.remove(held);
      break;
    }
    missed = true;
    const std::uint32_t frame = held == DramHashMap::none ? order_.front(least_recent) : DramLists::none;
    if (frame == DramLists::none) {
      co_await changed_.change(LifePhase::lock);
      continue;
    }
    order_.remove(frame);
    const bool evict = frames_.read(frame).dirty;
    Status status = Status::ok;
    if (evict) {
      status = co_await write_back(frame);
    } else {
      status = co_await load(frame, map_page);
    }
    changed_.wake_all();
    if (!ok(status)) co_return status;
  }
  ++(missed ? statistics_.misses : statistics_.hits);
  if (missed) statistics_.time += ports_.cpu.now() - begin;
  co_return Status::ok;
}

void PagedSectorMap::unpin(LogicalRun piece) {
  const std::uint32_t frame = resident_.find(map_page_of(piece.first));
  if (--frames_.write(frame).pins != 0) return;
  order_.push_back(least_recent, frame);
  changed_.wake_all();
}

/// Afterwards the frame is clean and the first to be used.
Task<Status> PagedSectorMap::write_back(std::uint32_t frame) {
  frames_.write(frame).busy = true;
  const Status status = co_await transfer(MediaOp::write, frame);
  Frame& state = frames_.write(frame);
  state.busy = false;
  state.dirty = !ok(status);
  order_.push_front(least_recent, frame);
  ++statistics_.writes;
  if (ok(status)) stored_.set(state.map_page);
  co_return status;
}

/// Takes a clean frame that is in no list; afterwards it is the last to be used.
Task<Status> PagedSectorMap::load(std::uint32_t frame, std::uint64_t map_page) {
  if (frames_.read(frame).used) resident_.erase(frames_.peek(frame).map_page);
  frames_.write(frame) = {map_page, 0, true, false, true};
  resident_.insert(map_page, static_cast<std::uint32_t>(frame));
  Status status = Status::ok;
  if (stored_.test(map_page)) {
    status = co_await transfer(MediaOp::read, frame);
    ++statistics_.reads;
  } else {
    std::memset(&pages_.write(std::uint64_t{frame} * entries_), 0, sector_bytes_);
  }
  Frame& state = frames_.write(frame);
  state.busy = false;
  if (!ok(status)) {
    resident_.erase(map_page);
    state.used = false;
    order_.push_front(least_recent, frame);
    co_return status;
  }
  order_.push_back(least_recent, frame);
  co_return status;
}

/// Written to both of its places, read from the first that can be read.
Task<Status> PagedSectorMap::transfer(MediaOp op, std::uint32_t frame) {
  Status status = Status::ok;
  for (std::uint64_t copy = 0; copy < copies; ++copy) {
    MediaStep step;
    step.op = op;
    step.run = layout_.piece({LogicalSector(frames_.peek(frame).map_page * copies + copy), 1});
    step.system = std::as_writable_bytes(std::span(&pages_.peek(std::uint64_t{frame} * entries_), entries_));
    MediaChain chain(MediaClass::dependent);
    chain.add(step);
    status = co_await ports_.media.run(chain);
    if (ok(status) == (op == MediaOp::read)) break;
  }
  co_return status;
}

std::uint64_t PagedSectorMap::entry_of(LogicalSector sector) const {
  ports_.cpu.hash();
  const std::uint32_t frame = resident_.find(map_page_of(sector));
  TESSERA_CHECK(frame != DramHashMap::none && frames_.read(frame).pins > 0, "an entry of a map page is used that is not pinned");
  return std::uint64_t{frame} * entries_ + sector.value() % entries_;
}

std::uint32_t PagedSectorMap::find(LogicalSector sector) const { return pages_.read(entry_of(sector)) - 1; }

void PagedSectorMap::set(LogicalSector sector, std::uint32_t place) {
  const std::uint64_t entry = entry_of(sector);
  pages_.write(entry) = place + 1;
  frames_.write(entry / entries_).dirty = true;
}

// --- Figures ---

Bytes PagedSectorMap::paper_bytes() const { return Bytes(frames_.size() * (sector_bytes_ + sizeof(std::uint32_t))); }

Bytes PagedSectorMap::bytes() const {
  return Bytes(pages_.size() * sizeof(std::uint32_t) + frames_.size() * sizeof(Frame) + (stored_.size() + 63) / 64 * 8) + order_.bytes() +
         resident_.bytes();
}

void PagedSectorMap::report(MetricSet& metrics) const {
  const auto count = [&metrics](const char* name, std::uint64_t value, const char* what) {
    metrics.count(name, static_cast<double>(value), "1", what);
  };
  count("map.hits", statistics_.hits, "uses of a map page that was in DRAM");
  count("map.misses", statistics_.misses, "uses of a map page that had to wait for its place in DRAM");
  count("map.page_reads", statistics_.reads, "map pages read from disk");
  count("map.page_writes", statistics_.writes, "map pages written to disk");
  metrics.count("map.time", statistics_.time, "time in which requests waited for map pages, added up");
}

}  // namespace tessera
