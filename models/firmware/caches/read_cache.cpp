#include "firmware/caches/read_cache.hpp"

#include <algorithm>
#include <utility>

namespace tessera {

namespace {
/// Steps of a read-ahead that are on their way at once.
constexpr std::uint32_t steps_at_once = 2;
}  // namespace

ReadCache::ReadCache(const ReadCacheConfig& config, const Ports& ports, TranslationLayer& inner, SegmentLender* lender, ArmShares arms)
    : config_(config),
      ports_(ports),
      inner_(inner),
      arms_(std::move(arms)),
      lender_(config.pool == SegmentMemory::with_writes ? lender : nullptr),
      segments_(config.segments),
      steps_ended_(ports.cpu),
      below_(arms_.arms()) {
  if (lender_ != nullptr) {
    borrowed_.resize(config.segments);
    lender_->lend_to(*this);
    return;
  }
  for (Segment& segment : segments_) {
    memory_.push_back(ports.memory.reserve_buffer(MemoryCategory::read_cache, config.segment_sectors, "read cache segment"));
    segment.held.add_piece(memory_.back().all());
  }
}

ReadCache::Segment* ReadCache::reaching(LogicalSector sector) {
  ports_.cpu.scan(segments_.size());
  Segment* at_end = nullptr;
  for (Segment& segment : segments_) {
    if (segment.stale || !segment.reaches(sector)) continue;
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

/// Copies what the segment holds of `run`, all of it, to the host's buffer.
void ReadCache::serve(Segment& segment, LogicalRun run, DataSpan data) {
  segment.used = ++uses_;
  segment.delivered = std::max(segment.delivered, run.end());
  segment.held.each_part(run, [&](DataSpan piece, std::uint32_t offset) { ports_.memory.copy(piece, data.part(offset, piece.count)); });
  const Picoseconds now = ports_.cpu.now();
  if (run.count > 0 && data.buffer != nullptr) data.buffer->read_flow().arrived(data.first, run.count, now, now);
}

Task<Status> ReadCache::read(LogicalRun run, DataSpan data) {
  const bool fits = !config_.keep_delivered || run.count <= config_.segment_sectors;
  Segment* segment = fits ? reaching(run.first) : nullptr;
  const Segment* joined = nullptr;
  while (segment != nullptr && segment->steps != 0 && !segment->held.holds(run)) {
    if (std::exchange(joined, segment) != segment || segment->followed == 0) ++segment->followed;
    join(*segment, run);
    extend_read_ahead(*segment, run);  // for this read, and beyond it
    co_await steps_ended_.change(LifePhase::media_queue);
    leave(*segment, run);
    segment = reaching(run.first);
  }
  if (segment == nullptr) {
    ++misses_;
    end_read_aheads(run);
    segment = fits ? segment_for_stream() : nullptr;
    if (fits && segment == nullptr) {
      std::uint32_t& below = below_[arms_.of(run.first)];
      ++below;  // so that no read-ahead goes on meanwhile
      while (segment == nullptr && comes_free(run)) {
        co_await steps_ended_.change(LifePhase::media_queue);
        segment = segment_for_stream();
      }
      --below;
    }
    if (segment == nullptr) co_return co_await read_without_segment(run, data);
    restart(*segment, run.first);
    segment->followed = 0;
    co_return co_await read_on(*segment, run, data, looks_ahead_at_once());
  }
  if (!segment->held.holds(run)) {
    ++(segment->held.end() > run.first ? partial_hits_ : misses_);
    end_read_aheads(run);
    ++segment->followed;
    co_return co_await read_on(*segment, run, data, true);
  }
  ++hits_;
  if (joined == nullptr && (segment->followed != 0 || run.first >= segment->kept_from)) ++segment->followed;
  serve(*segment, run, data);
  if (any_lost(data)) {  // lost in the segment; below it is not
    begin_again(*segment, run.first);
    co_return co_await read_below(run, data);
  }
  if (!config_.keep_delivered) segment->held.give_up_before(run.end());
  if (config_.extend_at_hit || (segment->steps != 0 && segment->next < segment->end)) extend_read_ahead(*segment, run);
  co_return Status::ok;
}

/// A read of the host that goes to the platters.
Task<Status> ReadCache::read_below(LogicalRun run, DataSpan data, EarlySectors* early) {
  std::uint32_t& below = below_[arms_.of(run.first)];
  ++below;
  Status status;
  if (early != nullptr)
    status = co_await inner_.read_early(run, data, *early);
  else
    status = co_await inner_.read(run, data);
  --below;
  co_return status;
}

/// In a segment that begins with `run`: none where it does not, or all room is for the read and the first step of its read-ahead.
EarlySectors ReadCache::room_in_front(Segment& segment, LogicalRun run) {
  const std::uint64_t behind = run.count + std::uint64_t{config_.read_ahead_step};
  if (!config_.zero_latency || !config_.keep_delivered || segment.held.first() != run.first || behind >= segment.held.capacity()) return {};
  const auto room = static_cast<std::uint32_t>(std::min<std::uint64_t>(segment.held.capacity() - behind, run.first.value()));
  return {segment.held.room_in_front(room)};
}

/// Every segment has steps under way, or none could hold the run. One may have become free by the time that the data is here.
Task<Status> ReadCache::read_without_segment(LogicalRun run, DataSpan data) {
  const Status status = co_await read_below(run, data);
  Segment* const segment = !config_.keep_delivered || run.count <= config_.segment_sectors ? segment_for_stream() : nullptr;
  if (!ok(status) || segment == nullptr) co_return status;
  segment->used = ++uses_;
  restart(*segment, run.first);
  segment->followed = 0;
  segment->kept_from = run.first;
  take_in(*segment, run, data);
  if (looks_ahead_at_once()) extend_read_ahead(*segment, run);
  co_return status;
}

/// The segment holds the first sectors of `run`, or ends where it begins: the others come from below, and the segment grows by them.
Task<Status> ReadCache::read_on(Segment& segment, LogicalRun run, DataSpan data, bool looks_ahead) {
  const auto held = static_cast<std::uint32_t>(segment.held.end() - run.first);
  serve(segment, {run.first, held}, data.part(0, held));
  if (any_lost(data.part(0, held))) {
    begin_again(segment, run.first);
    co_return co_await read_below(run, data);
  }
  const LogicalRun rest{run.first + held, run.count - held};
  const DataSpan rest_data = data.part(held, rest.count);
  ++segment.steps;
  ++segment.reads;
  segment.reading = true;
  segment.waiting.push_back(run.first);
  segment.next = segment.end = segment.kept_from = rest.end();
  EarlySectors early = room_in_front(segment, rest);
  segment.from = segment.held.first() - early.place.count;
  // Spawned, a step runs when this task waits: it is queued right after the host's read.
  if (looks_ahead && config_.read_ahead_start == ReadAheadStart::with_read) extend_read_ahead(segment, run);
  const Status status = co_await read_below(rest, rest_data, early.place.count != 0 ? &early : nullptr);
  segment.reading = false;
  --segment.reads;
  segment.waiting.erase(std::ranges::find(segment.waiting, run.first));
  const bool grown = ok(status) && !segment.stale && segment.held.end() == rest.first;
  if (grown && early.count != 0) {
    segment.held.grow_in_front(early.count);
    early_sectors_ += early.count;
  }
  if (grown) take_in(segment, rest, rest_data);
  if (!grown) give_up(segment);
  step_ended(segment);
  if (grown && looks_ahead) extend_read_ahead(segment, run);
  co_return status;
}

/// `run`, which begins where the segment ends, was read into `data` for the host.
void ReadCache::take_in(Segment& segment, LogicalRun run, DataSpan data) {
  segment.delivered = std::max(segment.delivered, run.end());
  if (!config_.keep_delivered) return segment.held.give_up_before(run.end());
  segment.held.make_room(run.end());
  segment.held.each_part(run, [&](DataSpan piece, std::uint32_t offset) { ports_.memory.copy(data.part(offset, piece.count), piece); });
  segment.held.grow_to(run.end());
}

/// Reads on as far as the description says, counted from the end of `after`, which the host has read or is reading, or as far as it was to
/// go for another read.
void ReadCache::extend_read_ahead(Segment& segment, LogicalRun after) {
  if (segment.steps == 0) segment.next = segment.end = segment.held.end();
  const std::uint64_t user = inner_.user_sectors() - after.end().value();
  const std::uint64_t capacity = segment.held.capacity();
  // A stream is worth as much as it has been so far: where it ends, no more than it has taken is read for nothing.
  const std::uint64_t worth = is_stream(segment) ? std::max(after.end(), segment.began) - segment.began : capacity;
  const auto ahead = static_cast<std::uint32_t>(std::min<std::uint64_t>(
      {config_.read_ahead * segment.held.pieces().size(), config_.keep_delivered ? capacity - after.count : capacity, worth, user}));
  segment.end = std::max(segment.end, after.end() + ahead);
  read_ahead(segment);
}

/// Sectors that the next step may bring without overwriting what is under way, nor, where delivered sectors are given up, what the host has
/// not had yet.
std::uint64_t ReadCache::room(const Segment& segment) const {
  const LogicalSector from = is_stream(segment)       ? floor_of(segment)
                             : config_.keep_delivered ? segment.held.end()
                                                      : std::max(segment.held.first(), segment.kept_from);
  const std::uint64_t used = segment.next > from ? segment.next - from : 0;
  const std::uint32_t capacity = segment.held.capacity();
  return used < capacity ? capacity - used : 0;
}

/// Sends steps of the segment's read-ahead on their way. Of a stream what reads wait for goes all at once; of others nothing goes while
/// another command of the host needs the platters.
void ReadCache::read_ahead(Segment& segment) {
  if ((!is_lasting(segment) && others_wait(segment)) || broken(segment)) segment.end = segment.next;
  while (!broken(segment)) {
    const bool awaited = segment.next < segment.asked;
    if (!awaited && ((is_stream(segment) ? segment.reads : segment.steps) >= steps_at_once || segment.next >= segment.end)) break;
    const std::uint64_t left = room(segment);
    if (left == 0) break;
    const std::uint64_t most =
        awaited ? segment.asked - segment.next : std::min<std::uint64_t>(config_.read_ahead_step, segment.end - segment.next);
    const auto wanted = static_cast<std::uint32_t>(std::min(most, left));
    if (segment.next + wanted > segment.held.first() + segment.held.capacity()) widen(segment);
    segment.held.make_room(segment.next + wanted);
    const LogicalRun step{segment.next, std::min(wanted, segment.held.unbroken(segment.next))};
    segment.next = step.end();
    ++segment.steps;
    ++segment.reads;
    ++filling_;
    ports_.cpu.spawn(fill(segment, step), awaited ? "read" : "read_ahead");
  }
}

/// Reads one step, behind what the segment holds or the step in front of it brings.
Task<void> ReadCache::fill(Segment& segment, LogicalRun step) {
  DataSpan place;
  segment.held.each_part(step, [&](DataSpan piece, std::uint32_t) { place = piece; });
  Status status = Status::aborted;
  if (is_stream(segment) || step.first < segment.asked || !others_wait(segment))
    status = co_await inner_.read(step, place);  // they may have come since it was spawned
  --filling_;
  --segment.reads;
  if (is_stream(segment)) read_ahead(segment);
  // The disk channel may have served it before the step in front of it: where bands end, that one waits for longer.
  while (ok(status) && !segment.stale && !broken(segment) && segment.held.end() < step.first && segment.steps > 1)
    co_await steps_ended_.change(LifePhase::media_queue);
  if (!segment.stale && ok(status) && segment.held.end() == step.first)
    segment.held.grow_to(step.end());
  else if (!segment.stale && (ok(status) || status == Status::aborted))
    take_back(segment, step);
  else
    give_up(segment);
  step_ended(segment);
  read_ahead(segment);
}

/// The segment holds nothing, and a read of `first` is the first of its reads.
void ReadCache::restart(Segment& segment, LogicalSector first) {
  segment.held.restart(first);
  segment.asked = segment.delivered = segment.began = first;
}

/// A read waits for steps of the segment: it is of its stream, and a command that needs the platters.
void ReadCache::join(Segment& segment, LogicalRun run) {
  if (config_.read_ahead_until != ReadAheadUntil::limit) return;
  segment.waiting.push_back(run.first);
  segment.asked = std::max(segment.asked, run.end());
  ++below_[arms_.of(run.first)];
  end_read_aheads(run);
}

void ReadCache::leave(Segment& segment, LogicalRun run) {
  if (config_.read_ahead_until != ReadAheadUntil::limit) return;
  segment.waiting.erase(std::ranges::find(segment.waiting, run.first));
  --below_[arms_.of(run.first)];
}

/// Of a stream the first sector that somebody may still ask for.
LogicalSector ReadCache::floor_of(const Segment& segment) const {
  LogicalSector floor = segment.delivered;
  for (const LogicalSector first : segment.waiting) floor = std::min(floor, first);
  if (segment.reading && segment.from < segment.held.first()) return segment.from;  // sectors in front of it may come
  return std::max(segment.held.first(), floor);
}

/// What the segment holds is lost. Steps under way wait for one another to reach its end: none can now.
void ReadCache::begin_again(Segment& segment, LogicalSector first) {
  if (segment.steps == 0) return restart(segment, first);
  segment.stale = true;
  steps_ended_.wake_all();
}

/// A step brought nothing that the segment can grow by.
void ReadCache::give_up(Segment& segment) {
  segment.broken = true;
  segment.end = segment.next;
}

/// A step was given up, or one in front of it was. It may be asked for again when nothing that was asked for after it is under way.
void ReadCache::take_back(Segment& segment, LogicalRun step) {
  std::vector<LogicalRun>& gaps = segment.gaps;
  gaps.push_back(step);
  for (auto last = gaps.end(); (last = std::ranges::find(gaps, segment.next, &LogicalRun::end)) != gaps.end(); gaps.erase(last))
    segment.next = last->first;
  segment.end = segment.next;
}

void ReadCache::step_ended(Segment& segment) {
  --segment.steps;
  if (segment.steps == 0) {
    segment.asked = segment.held.end();  // who waits still asks again
    segment.broken = false;
    segment.gaps.clear();
    if (segment.stale) segment.held.clear();
    segment.stale = false;
    if (lender_ != nullptr) lender_->part_came_free();
  }
  steps_ended_.wake_all();
}

/// A command needs the platters: of its arm nothing more is asked for, and what is on its way is given up.
void ReadCache::end_read_aheads(LogicalRun command) {
  const std::size_t arm = arms_.of(command.first);
  for (Segment& segment : segments_) {
    if (arm_of(segment) != arm || is_lasting(segment) || segment.asked > segment.held.end()) continue;
    segment.end = segment.next;
    if (!reads_ahead(segment)) continue;
    for (const DataSpan& piece : segment.held.pieces()) ports_.media.abandon(*piece.buffer);
  }
}

/// A segment that holds any sector of `run`, or is reading ahead and may have read it, is given up; with `writes_end_segments` each is.
void ReadCache::forget(LogicalRun run) {
  ports_.cpu.scan(segments_.size());
  for (Segment& segment : segments_) {
    const bool read_by_now = segment.steps != 0 && run.first < segment.next && segment.held.end() < run.end();
    const bool read_early = segment.reading && run.first < segment.held.first() && segment.from < run.end();
    if (!config_.writes_end_segments && !read_by_now && !read_early && !segment.held.overlaps(run.first, run.end())) continue;
    if (segment.steps != 0)
      segment.stale = true;
    else
      segment.held.clear();
  }
}

Task<Status> ReadCache::write(LogicalRun run, DataSpan data, WriteOptions options) {
  end_read_aheads(run);
  std::uint32_t& below = below_[arms_.of(run.first)];
  ++below;
  const Status status = co_await inner_.write(run, data, options);
  --below;
  forget(run);  // afterwards: a read-ahead that began meanwhile may have read the old data
  co_return status;
}

Task<Status> ReadCache::trim(LogicalRun run) {
  const Status status = co_await inner_.trim(run);
  forget(run);  // afterwards, as after a write
  co_return status;
}

Task<Status> ReadCache::reset(LogicalRun zone) {
  const Status status = co_await inner_.reset(zone);
  forget(zone);
  co_return status;
}

// --- Which segment has how much of the memory ---

/// Of those that can be given up.
ReadCache::Segment* ReadCache::least_recent() {
  Segment* oldest = nullptr;
  for (Segment& segment : segments_) {
    if (segment.free() && (oldest == nullptr || segment.used < oldest->used)) oldest = &segment;
  }
  return oldest;
}

ReadCache::Segment* ReadCache::without_memory() {
  const auto found = std::ranges::find_if(segments_, [](const Segment& segment) { return segment.held.pieces().empty(); });
  return found == segments_.end() ? nullptr : &*found;
}

/// For a read that no segment reaches: memory that writes can do without, or the segment used least recently; null where all are in use.
ReadCache::Segment* ReadCache::segment_for_stream() {
  if (lender_ != nullptr)
    if (Segment* const fresh = without_memory(); fresh != nullptr && borrow(*fresh)) return fresh;
  Segment* oldest = config_.read_ahead_until == ReadAheadUntil::limit ? without_stream(nullptr) : nullptr;
  if (oldest == nullptr) oldest = least_recent();
  if (oldest != nullptr) shrink(*oldest);
  return oldest;
}

/// Whether a segment's read-ahead, which was given up for `command`, is about to end: with the sector under the head, at the latest. Those
/// of reads of the host, and of other arms, end in their own time.
bool ReadCache::comes_free(LogicalRun command) const {
  const std::size_t arm = arms_.of(command.first);
  return std::ranges::any_of(segments_, [&](const Segment& segment) {
    return segment.steps != 0 && !segment.reading && !is_stream(segment) && arm_of(segment) == arm;
  });
}

/// Adds a part of the write cache's buffer to the segment, if one can be had.
bool ReadCache::borrow(Segment& segment) {
  const auto parts = static_cast<std::uint32_t>(borrowed_.size());
  ports_.cpu.scan(parts);
  for (std::uint32_t tried = 0; tried < parts; ++tried) {
    const std::uint32_t part = next_part_;
    next_part_ = (next_part_ + 1) % parts;
    if (borrowed_[part]) continue;
    const DataSpan piece = lender_->lend(part * config_.segment_sectors, config_.segment_sectors);
    if (piece.count == 0) continue;
    borrowed_[part] = true;
    segment.held.add_piece(piece);
    return true;
  }
  return false;
}

/// A write finds no other room: it takes from the segment used least recently.
bool ReadCache::give_back_one() {
  ports_.cpu.scan(segments_.size());
  Segment* const oldest = least_recent();
  if (oldest == nullptr) return false;
  const DataSpan piece = oldest->held.take_piece();
  borrowed_[piece.first / config_.segment_sectors] = false;
  lender_->take_back(piece);
  ++given_to_writes_;
  return true;
}

/// A stream of one read needs no more than one piece: the others are for those that come next.
void ReadCache::shrink(Segment& segment) {
  while (segment.held.pieces().size() > 1) {
    Segment* const next = without_memory();
    next->held.add_piece(segment.held.take_piece());
    next->used = 0;
  }
}

/// Of those other than `but` that belong to no stream which goes on, the one used least recently.
ReadCache::Segment* ReadCache::without_stream(const Segment* but) {
  constexpr std::uint64_t uses_of_all = 4;  // ours: a stream that none of so many reads per segment belongs to has ended
  Segment* oldest = nullptr;
  for (Segment& segment : segments_) {
    const bool ended = segment.followed == 0 || uses_ - segment.used > uses_of_all * segments_.size();
    if (segment.free() && &segment != but && ended && (oldest == nullptr || segment.used < oldest->used)) oldest = &segment;
  }
  return oldest;
}

/// The stream of the segment goes on beyond its memory: it gets a piece that writes can do without, or one of the segment used least
/// recently of those without a stream. What it holds must not go around its ring.
void ReadCache::widen(Segment& segment) {
  if (config_.segmentation == Segmentation::fixed || !segment.held.in_order(segment.next)) return;
  if (segment.held.capacity() + config_.segment_sectors > config_.largest_segment_sectors) return;
  ports_.cpu.scan(segments_.size());
  if (lender_ == nullptr || !borrow(segment)) {
    Segment* const oldest = without_stream(&segment);
    if (oldest == nullptr) return;
    segment.held.add_piece(oldest->held.take_piece());
  }
  ++widened_;
}

// --- Figures ---

void ReadCache::report(MetricSet& metrics) const {
  metrics.count("read_cache.hits", static_cast<double>(hits_), "1", "reads served from a segment of the read cache");
  metrics.count("read_cache.partial_hits", static_cast<double>(partial_hits_), "1",
                "reads whose first sectors a segment held and whose others came from the platters");
  metrics.count("read_cache.misses", static_cast<double>(misses_), "1",
                "reads of which no segment of the read cache held the first sector");
  if (config_.zero_latency && config_.keep_delivered)
    metrics.count("read_cache.early_sectors", static_cast<double>(early_sectors_), "sectors",
                  "sectors in front of reads that passed under the head before them and stayed in segments");
  if (config_.segmentation == Segmentation::adaptive)
    metrics.count("read_cache.widened", static_cast<double>(widened_), "1", "times that the segment of a stream got memory of another");
  if (lender_ != nullptr)
    metrics.count("read_cache.given_to_writes", static_cast<double>(given_to_writes_), "1", "segments that writes took from reads");
  inner_.report(metrics);
}

}  // namespace tessera
