#include "firmware/shared/read_cache.hpp"

#include <algorithm>

namespace tessera {

namespace {
/// Steps of a read-ahead that are on their way at once.
constexpr std::uint32_t steps_at_once = 2;

bool overlap(LogicalRun a, LogicalRun b) { return a.first < b.end() && b.first < a.end(); }
}  // namespace

void ReadCacheConfig::describe(ParameterVisitor& visitor) {
  visitor.field("segments", segments, {0, 1024}, "segments of the read cache; 0 means no read cache");
  visitor.field("segment_sectors", segment_sectors, {1, 65536}, "drive sectors a segment");
  visitor.field("read_ahead", read_ahead, {0, 65536}, "drive sectors read beyond a read that missed, as far as the segment has room");
  visitor.field("read_ahead_step", read_ahead_step, {1, 65536},
                "drive sectors of a step of it: a command that comes waits for two steps at most");
}

ReadCache::ReadCache(const ReadCacheConfig& config, const Ports& ports, TranslationLayer& inner)
    : config_(config), ports_(ports), inner_(inner), segments_(config.segments) {
  for (Segment& segment : segments_)
    segment.buffer = ports.memory.reserve_buffer(MemoryCategory::read_cache, config.segment_sectors, "read cache segment");
}

ReadCache::Segment* ReadCache::holding(LogicalRun run) {
  ports_.cpu.scan(segments_.size());
  for (Segment& segment : segments_) {
    if (!segment.stale && segment.run.first <= run.first && run.end() <= segment.run.end()) return &segment;
  }
  return nullptr;
}

ReadCache::Segment* ReadCache::least_recent() {
  Segment* oldest = nullptr;
  for (Segment& segment : segments_) {
    if (segment.steps == 0 && (oldest == nullptr || segment.used < oldest->used)) oldest = &segment;
  }
  return oldest;
}

Task<Status> ReadCache::read(LogicalRun run, DataSpan data) {
  if (Segment* const hit = holding(run)) {
    ++hits_;
    hit->used = ++uses_;
    ports_.memory.copy(hit->buffer.part(static_cast<std::uint32_t>(run.first - hit->run.first), run.count), data);
    if (!any_lost(data)) co_return Status::ok;
    hit->run.count = 0;  // lost in the segment; below it is not
    co_return co_await inner_.read(run, data);
  }
  ++misses_;
  end_read_aheads();
  const Status status = co_await inner_.read(run, data);
  Segment* const segment = least_recent();
  if (!ok(status) || segment == nullptr || run.count > config_.segment_sectors) co_return status;

  segment->used = ++uses_;
  segment->run = run;
  ports_.memory.copy(data, segment->buffer.part(0, run.count));
  const std::uint64_t behind = inner_.user_sectors() - run.end().value();
  const auto ahead = static_cast<std::uint32_t>(std::min<std::uint64_t>({config_.read_ahead, config_.segment_sectors - run.count, behind}));
  segment->next = run.end();
  segment->end = run.end() + ahead;
  read_ahead(*segment);
  co_return status;
}

/// Sends steps of the segment's read-ahead on their way.
void ReadCache::read_ahead(Segment& segment) {
  while (segment.steps < steps_at_once && segment.next < segment.end) {
    const LogicalRun step{segment.next,
                          static_cast<std::uint32_t>(std::min<std::uint64_t>(config_.read_ahead_step, segment.end - segment.next))};
    segment.next = step.end();
    ++segment.steps;
    ++filling_;
    ports_.cpu.spawn(fill(segment, step), "read_ahead");
  }
}

/// Reads one step, behind what the segment holds or the step in front of it brings.
Task<void> ReadCache::fill(Segment& segment, LogicalRun step) {
  const DataSpan data = segment.buffer.part(static_cast<std::uint32_t>(step.first - segment.run.first), step.count);
  const Status status = co_await inner_.read(step, data);
  --segment.steps;
  --filling_;
  if (!segment.stale && ok(status) && segment.run.end() == step.first)
    segment.run.count += step.count;
  else
    segment.end = segment.next;
  if (segment.stale && segment.steps == 0) {
    segment.run.count = 0;
    segment.stale = false;
  }
  read_ahead(segment);
}

void ReadCache::end_read_aheads() {
  for (Segment& segment : segments_) segment.end = segment.next;
}

/// A segment that holds any sector of `run`, or is reading ahead and may have read it, is given up.
void ReadCache::forget(LogicalRun run) {
  ports_.cpu.scan(segments_.size());
  for (Segment& segment : segments_) {
    if (segment.steps != 0)
      segment.stale = segment.stale || overlap({segment.run.first, config_.segment_sectors}, run);
    else if (overlap(segment.run, run))
      segment.run.count = 0;
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

void ReadCache::report(MetricSet& metrics) const {
  metrics.count("read_cache.hits", static_cast<double>(hits_), "1", "reads served from a segment of the read cache");
  metrics.count("read_cache.misses", static_cast<double>(misses_), "1", "reads that no segment of the read cache held");
  inner_.report(metrics);
}

}  // namespace tessera
