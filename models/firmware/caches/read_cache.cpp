#include "firmware/caches/read_cache.hpp"

#include <algorithm>

namespace tessera {

namespace {
/// Steps of a read-ahead that are on their way at once.
constexpr std::uint32_t steps_at_once = 2;
}  // namespace

ReadCache::ReadCache(const ReadCacheConfig& config, const Ports& ports, TranslationLayer& inner)
    : config_(config), ports_(ports), inner_(inner), steps_ended_(ports.cpu) {
  for (std::uint32_t i = 0; i < config.segments; ++i)
    segments_.emplace_back(ports.memory.reserve_buffer(MemoryCategory::read_cache, config.segment_sectors, "read cache segment"));
}

ReadCache::Segment* ReadCache::reaching(LogicalSector sector) {
  ports_.cpu.scan(segments_.size());
  Segment* at_end = nullptr;
  for (Segment& segment : segments_) {
    if (segment.stale || !segment.held.reaches(sector)) continue;
    if (sector < segment.held.end()) return &segment;
    at_end = &segment;
  }
  return at_end;
}

bool ReadCache::holds(LogicalRun run) {
  const Segment* const segment = reaching(run.first);
  return (segment != nullptr && (segment->held.holds(run) || segment->steps != 0)) || inner_.holds(run);
}

bool ReadCache::has(LogicalSector sector) {
  const Segment* const segment = reaching(sector);
  return segment != nullptr && segment->held.holds({sector, 1});
}

bool ReadCache::takes_parts(LogicalRun run, std::uint32_t head, std::uint32_t tail) {
  if (!inner_.takes_parts(run, 0, 0)) return false;  // of no write: the segments need not be searched
  const bool at_hand = (head == 0 || has(run.first)) && (tail == 0 || has(run.end() - 1));
  return !at_hand && inner_.takes_parts(run, head, tail);
}

ReadCache::Segment* ReadCache::least_recent() {
  Segment* oldest = nullptr;
  for (Segment& segment : segments_) {
    if (segment.steps == 0 && (oldest == nullptr || segment.used < oldest->used)) oldest = &segment;
  }
  return oldest;
}

/// Copies what the segment holds of `run`, all of it, to the host's buffer.
void ReadCache::serve(Segment& segment, LogicalRun run, DataSpan data) {
  segment.used = ++uses_;
  segment.held.each_piece(run, [&](DataSpan piece, std::uint32_t offset) { ports_.memory.copy(piece, data.part(offset, piece.count)); });
  const Picoseconds now = ports_.cpu.now();
  if (run.count > 0 && data.buffer != nullptr) data.buffer->read_flow().arrived(data.first, run.count, now, now);
}

Task<Status> ReadCache::read(LogicalRun run, DataSpan data) {
  Segment* segment = reaching(run.first);
  if (run.count > config_.segment_sectors) segment = nullptr;
  while (segment != nullptr && segment->steps != 0 && !segment->held.holds(run)) {
    begin_read_ahead(*segment, run);  // for this read, and in front of it
    co_await steps_ended_.change(LifePhase::media_queue);
    segment = reaching(run.first);
  }
  if (segment == nullptr) {
    ++misses_;
    co_return co_await read_anew(run, data);
  }
  if (!segment->held.holds(run)) co_return co_await read_on(*segment, run, data);
  ++hits_;
  serve(*segment, run, data);
  if (any_lost(data)) {  // lost in the segment; below it is not
    segment->held.restart(run.first);
    co_return co_await inner_.read(run, data);
  }
  if (segment->steps != 0 && segment->next < segment->end) begin_read_ahead(*segment, run);
  co_return Status::ok;
}

/// The segment holds the first sectors of `run`, or ends where it begins: the others come from below, and the segment grows by them.
Task<Status> ReadCache::read_on(Segment& segment, LogicalRun run, DataSpan data) {
  const auto held = static_cast<std::uint32_t>(segment.held.end() - run.first);
  ++(held > 0 ? partial_hits_ : misses_);
  end_read_aheads();
  serve(segment, {run.first, held}, data.part(0, held));
  if (any_lost(data.part(0, held))) {
    segment.held.restart(run.first);
    co_return co_await inner_.read(run, data);
  }
  const LogicalRun rest{run.first + held, run.count - held};
  const DataSpan rest_data = data.part(held, rest.count);
  ++segment.steps;
  segment.next = segment.end = rest.end();
  const Status status = co_await inner_.read(rest, rest_data);
  if (ok(status) && !segment.stale && segment.held.end() == rest.first) {
    segment.held.make_room(rest.end());
    segment.held.each_piece(rest,
                            [&](DataSpan piece, std::uint32_t offset) { ports_.memory.copy(rest_data.part(offset, piece.count), piece); });
    segment.held.grow_to(rest.end());
  }
  const bool grown = !segment.stale && segment.held.holds(run);
  step_ended(segment);
  if (grown && segment.steps == 0) begin_read_ahead(segment, run);
  co_return status;
}

Task<Status> ReadCache::read_anew(LogicalRun run, DataSpan data) {
  end_read_aheads();
  const Status status = co_await inner_.read(run, data);
  Segment* const segment = least_recent();
  if (!ok(status) || segment == nullptr || run.count > config_.segment_sectors) co_return status;
  segment->used = ++uses_;
  segment->held.restart(run.first);
  segment->held.each_piece(run, [&](DataSpan piece, std::uint32_t offset) { ports_.memory.copy(data.part(offset, piece.count), piece); });
  segment->held.grow_to(run.end());
  begin_read_ahead(*segment, run);
  co_return status;
}

/// Reads on as far as the description says, but not over the sectors that the host has just read; `behind` ends where the segment ends, or
/// before.
void ReadCache::begin_read_ahead(Segment& segment, LogicalRun behind) {
  if (segment.steps == 0) segment.next = segment.held.end();
  const std::uint64_t user = inner_.user_sectors() - behind.end().value();
  const auto ahead =
      static_cast<std::uint32_t>(std::min<std::uint64_t>({config_.read_ahead, config_.segment_sectors - behind.count, user}));
  segment.end = std::max(segment.next, behind.end() + ahead);
  read_ahead(segment);
}

/// Sends steps of the segment's read-ahead on their way.
void ReadCache::read_ahead(Segment& segment) {
  while (segment.steps < steps_at_once && segment.next < segment.end) {
    const auto wanted = static_cast<std::uint32_t>(std::min<std::uint64_t>(config_.read_ahead_step, segment.end - segment.next));
    segment.held.make_room(segment.next + wanted);
    const LogicalRun step{segment.next, std::min(wanted, segment.held.unbroken(segment.next))};
    segment.next = step.end();
    ++segment.steps;
    ++filling_;
    ports_.cpu.spawn(fill(segment, step), "read_ahead");
  }
}

/// Reads one step, behind what the segment holds or the step in front of it brings.
Task<void> ReadCache::fill(Segment& segment, LogicalRun step) {
  DataSpan place;
  segment.held.each_piece(step, [&](DataSpan piece, std::uint32_t) { place = piece; });
  const Status status = co_await inner_.read(step, place);
  --filling_;
  if (!segment.stale && ok(status) && segment.held.end() == step.first)
    segment.held.grow_to(step.end());
  else
    segment.end = segment.next;
  step_ended(segment);
  read_ahead(segment);
}

void ReadCache::step_ended(Segment& segment) {
  --segment.steps;
  if (segment.stale && segment.steps == 0) {
    segment.held.restart(segment.next);
    segment.stale = false;
  }
  steps_ended_.wake_all();
}

/// A command needs the platters: nothing more is asked for, and what is on its way is given up.
void ReadCache::end_read_aheads() {
  for (Segment& segment : segments_) {
    segment.end = segment.next;
    if (segment.steps != 0) ports_.media.abandon(segment.held.buffer());
  }
}

/// A segment that holds any sector of `run`, or is reading ahead and may have read it, is given up.
void ReadCache::forget(LogicalRun run) {
  ports_.cpu.scan(segments_.size());
  for (Segment& segment : segments_) {
    if (segment.steps != 0)
      segment.stale =
          segment.stale || segment.held.overlaps(run.first, run.end()) || (run.first < segment.next && segment.held.end() < run.end());
    else if (segment.held.overlaps(run.first, run.end()))
      segment.held.restart(run.first);
  }
}

Task<Status> ReadCache::write(LogicalRun run, DataSpan data, WriteOptions options) {
  end_read_aheads();
  const Status status = co_await inner_.write(run, data, options);
  forget(run);  // afterwards: a read-ahead that began meanwhile may have read the old data
  co_return status;
}

Task<Status> ReadCache::trim(LogicalRun run) {
  forget(run);
  co_return co_await inner_.trim(run);
}

}  // namespace tessera
