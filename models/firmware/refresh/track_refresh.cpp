#include "firmware/refresh/track_refresh.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/check.hpp"
#include "firmware/layout/plan_regions.hpp"

namespace tessera {

namespace {

/// Others hold the firmware's own bytes, or copies that are void soon.
bool keeps_data(const Region& region) {
  constexpr std::string_view apart[] = {"data", "conventional", "buffer", "cache"};
  return region.format != RecordingFormat::conventional ||
         std::ranges::any_of(apart, [&](std::string_view name) { return region.name.starts_with(name); });
}

}  // namespace

TrackRefresh::TrackRefresh(const RefreshConfig& config, const Ports& ports, const DriveGeometry& geometry, const FormatPlan& plan)
    : config_(config),
      ports_(ports),
      surfaces_(geometry.surfaces),
      overlap_(plan),
      overlapped_(overlap_.any() ? std::make_unique<Overlapped>(ports, geometry, overlap_) : nullptr),
      queue_(ports.memory, MemoryCategory::metadata, queue_places, "tracks to refresh"),
      buffer_(ports.memory.reserve_buffer(MemoryCategory::merge_buffer, longest_track(geometry), "track under refresh")) {
  for (const Region& region : plan)
    if (keeps_data(region))
      data_.push_back({static_cast<std::uint32_t>(region.first), static_cast<std::uint32_t>(region.first + region.count)});
  if (overlapped_ != nullptr)
    overlapped_->hold.tell(
        this, [](void* whom, const MediaChain& chain) { static_cast<TrackRefresh*>(whom)->count(chain); },
        [](void* whom) { static_cast<TrackRefresh*>(whom)->hurry(); });
  const std::uint64_t counters = geometry.tracks() * config.counters_per_track();
  const Bytes size(counters * sizeof(Counter));
  const MemoryRegion region = config.dumped ? ports.memory.reserve_dumped(MemoryCategory::metadata, size, "counters of writes")
                                            : ports.memory.reserve(MemoryCategory::metadata, size, "counters of writes");
  torn_ = region.torn || !config.dumped;
  counters_at_ = region.address;
  counters_ = {reinterpret_cast<Counter*>(region.bytes.data()), counters};
}

void TrackRefresh::recount(bool after_power_cut) {
  if (!after_power_cut) {
    if (overlapped_ != nullptr) overlapped_->window.end();
    return;
  }
  ports_.cpu.scan(counters_.size());
  const std::uint64_t of_radius = std::uint64_t{surfaces_} * config_.counters_per_track();
  for (std::uint64_t i = 0; i < counters_.size(); ++i) {
    if (i % of_radius == 0 && data_of(static_cast<std::uint32_t>(i / of_radius)) == nullptr) {  // nothing counts for it
      std::fill_n(counters_.begin() + static_cast<std::ptrdiff_t>(i), of_radius, Counter{0});
      i += of_radius - 1;
      continue;
    }
    counters_[i] = torn_ ? static_cast<Counter>(config_.threshold) : static_cast<Counter>(counters_[i] & count_bits);
    // What waited when the power failed waits again; what was taken for reached is looked at by the next write that counts for it.
    if (!torn_ && reached(i) && enqueue(i)) counters_[i] |= waits;
  }
}

const TrackRefresh::Radii* TrackRefresh::data_of(std::uint32_t radius) const {
  const auto found = std::ranges::find_if(data_, [radius](const Radii& radii) { return radius >= radii.first && radius < radii.end; });
  return found == data_.end() ? nullptr : &*found;
}

TrackRefresh::Sides TrackRefresh::sides_of(PhysicalTrack track) const {
  Sides sides;
  const Radii* const radii = data_of(track.radius);
  if (radii == nullptr) return sides;
  if (track.radius > radii->first) sides.outer = PhysicalTrack{track.surface, track.radius - 1};
  if (track.radius + 1 < radii->end) sides.inner = PhysicalTrack{track.surface, track.radius + 1};
  return sides;
}

void TrackRefresh::submit(MediaChain& chain) {
  if (overlapped_ != nullptr) return overlapped_->hold.submit(chain);
  count(chain);
  ports_.media.submit(chain);
}

void TrackRefresh::count(const MediaChain& chain) {
  for (const MediaStep& step : chain.steps())
    if (step.op == MediaOp::write) count(step.run);
}

void TrackRefresh::count(const PhysicalRun& run) {
  const PhysicalTrack written = run.track;
  if (data_of(written.radius) == nullptr) return;
  if (config_.counters == RefreshCounters::track) {
    const Sides sides = sides_of(written);
    for (const std::optional<PhysicalTrack>& side : {sides.outer, sides.inner})
      if (side) raise(number(*side));
    return;
  }
  const std::uint64_t areas = config_.areas_per_track;
  const std::uint64_t sectors = sectors_on(written);
  if (sectors == 0) return;
  const std::uint64_t last = (std::uint64_t{run.first} + run.count - 1) * areas / sectors;
  for (std::uint64_t area = run.first * areas / sectors, n = 0; area <= last && n < areas; ++area, ++n)
    raise(number(written) * areas + area % areas);
}

void TrackRefresh::raise(std::uint64_t counter) {
  ports_.cpu.array();
  ports_.memory.touch(counters_at_ + counter * sizeof(Counter), sizeof(Counter), Access::write);
  Counter& value = counters_[counter];
  if ((value & count_bits) < count_bits) ++value;
  const std::uint32_t writes = value & count_bits;
  highest_ = std::max(highest_, writes);
  if (writes >= config_.threshold && (value & waits) == 0 && enqueue(counter)) value |= waits;
  if (writes >= urgent_at()) hurry();
}

/// Writes that were counted while the track waited stay counted: some may have come after its refresh.
void TrackRefresh::lower(std::uint64_t counter) {
  ports_.memory.touch(counters_at_ + counter * sizeof(Counter), sizeof(Counter), Access::write);
  const std::uint32_t writes = counters_[counter] & count_bits;
  counters_[counter] = static_cast<Counter>(writes > config_.threshold ? writes - config_.threshold : 0);
}

/// False where the queue is full: the next write that counts tries again.
bool TrackRefresh::enqueue(std::uint64_t counter) {
  if (put_ - taken_ == queue_places) return false;
  queue_.write(put_++ % queue_places) = static_cast<std::uint32_t>(counter);
  if (started_) begin_work();
  return true;
}

void TrackRefresh::start() {
  if (forgot_rewrite()) overlapped_->window.end();  // the layer knows
  started_ = true;
  begin_work();
}

void TrackRefresh::begin_work() {
  if (running_ || taken_ == put_) return;
  running_ = true;
  ports_.cpu.spawn(work(), "refresh");
}

/// A read that waits behind the host's commands is given up and goes with them: its turn may come seconds later, and what waits for its
/// tracks, or is written next to tracks that wait, does not.
void TrackRefresh::hurry() {
  hurried_ = true;
  if (behind_ != nullptr) ports_.media.abandon(*std::exchange(behind_, nullptr));
}

Task<void> TrackRefresh::work() {
  while (taken_ != put_) {
    const std::uint64_t counter = queue_.read(taken_++ % queue_places);
    // Another area of the same track may have had its neighbours refreshed.
    if (!reached(counter)) continue;
    const bool urgent = (counters_[counter] & count_bits) >= urgent_at();  // waited so long that it goes with the host's commands
    const std::uint64_t first = first_of_band(counter);
    co_await refresh(first, urgent);
    if (first != counter && reached(counter)) co_await refresh(counter, urgent);
  }
  running_ = false;
}

/// Of the counters of a band that are reached, or soon will be, the one whose rewrite goes over the most of the others' tracks. Logs write
/// all tracks of a band equally often, and a cut may take all counters: otherwise each would have the rest of the band rewritten for
/// itself.
std::uint64_t TrackRefresh::first_of_band(std::uint64_t counter) const {
  const std::uint64_t counters = config_.counters_per_track();
  std::uint64_t first = counter;
  PhysicalTrack at = track(counter / counters);
  while (const std::optional<std::uint32_t> before = overlap_.before(at.radius)) {
    at.radius = *before;
    const std::uint64_t begin = number(at) * counters;
    for (std::uint64_t i = begin; i < begin + counters; ++i)
      if ((counters_[i] & count_bits) >= soon_at()) first = i;
    ports_.cpu.scan(counters);
  }
  return first;
}

Task<void> TrackRefresh::refresh(std::uint64_t counter, bool urgent) {
  const MediaClass priority = urgent ? MediaClass::dependent : MediaClass::background;
  urgent_ += urgent ? 1 : 0;
  if (config_.counters == RefreshCounters::track) {
    co_await rewrite(track(counter), priority);
    if (overlapped_ == nullptr) lower(counter);
    co_return;
  }
  const std::uint64_t areas = config_.areas_per_track;
  Sides sides = sides_of(track(counter / areas));
  const bool at_once = drop_covered(sides);
  if (sides.outer) co_await rewrite(*sides.outer, priority);
  if (sides.inner) co_await rewrite(*sides.inner, priority);
  if (at_once) co_return;
  for (std::uint64_t area = counter / areas * areas, end = area + areas; area < end; ++area) lower(area);
}

Task<void> TrackRefresh::rewrite(PhysicalTrack track, MediaClass priority) {
  TESSERA_CHECK(data_of(track.radius) != nullptr, "a refresh of a track that holds none of the host's data");
  return overlapped_ != nullptr ? rewrite_overlapped(track, priority) : rewrite_alone(track, priority);
}

Task<void> TrackRefresh::rewrite_alone(PhysicalTrack track, MediaClass priority) {
  const std::uint32_t sectors = sectors_on(track);
  if (sectors == 0) co_return;
  ports_.cpu.event({"refresh", FirmwareEvent::Edge::begin, number(track), sectors});
  const PhysicalRun run{track, 0, sectors};
  const DataSpan data = buffer_.part(0, sectors);
  MediaChain chain(priority, LostSectors::carry);
  chain.read(run, data, StepHint::whole_track).write(run, data, StepHint::whole_track);
  const Status status = co_await this->run(chain);
  failed_ += ok(status) ? 0 : 1;
  ++refreshes_;
  sectors_ += sectors;
  ports_.cpu.event({"refresh", FirmwareEvent::Edge::end, number(track), sectors});
}

// --- Tracks that overlap: one is rewritten with all that its rewrite destroys ---

Task<void> TrackRefresh::rewrite_overlapped(PhysicalTrack track, MediaClass priority) {
  const std::vector<std::uint32_t> order = overlap_.order(track.radius);
  if (order.empty()) {
    renew(track, 0);
    co_return;
  }
  const auto [first, last] = std::ranges::minmax(order);
  co_await overlapped_->hold.take({track.surface, first, last + 1});
  hurried_ = overlapped_->hold.awaited();
  overlapped_->window.begin(track);
  co_await write_over(track, order, priority);
  overlapped_->window.end();
  overlapped_->hold.release();
}

Task<void> TrackRefresh::mend() {
  if (overlapped_ == nullptr) co_return;
  const std::optional<PhysicalTrack> begun = overlapped_->window.begun();
  if (!begun) co_return;
  const std::vector<std::uint32_t> order = overlap_.order(begun->radius);
  co_await write_over(*begun, order, MediaClass::dependent);
  overlapped_->window.end();
}

/// From where the window is in the order of `track`.
Task<void> TrackRefresh::write_over(PhysicalTrack track, const std::vector<std::uint32_t>& order, MediaClass priority) {
  TrackWindow& window = overlapped_->window;
  const auto tracks = static_cast<std::uint32_t>(order.size());
  const auto place = [&](std::uint32_t number) { return PhysicalTrack{track.surface, order[number]}; };
  // Counts of tracks that wait for their turn rise.
  const auto now = [&] { return hurried_ || taken_ != put_ ? MediaClass::dependent : priority; };
  ports_.cpu.event({"refresh", FirmwareEvent::Edge::begin, number(track), tracks});
  while (window.written() < tracks) {
    while (window.lacks(tracks)) {
      const MediaClass turn = now();
      behind_ = turn == MediaClass::background ? &window.buffer() : nullptr;
      co_await window.read_next(place(window.read()), turn);
      behind_ = nullptr;
    }
    const PhysicalTrack next = place(window.written());
    const std::uint32_t sectors = sectors_on(next);
    if (sectors != 0) count(PhysicalRun{next, 0, sectors});
    // As where a track's write follows its read in one chain: what was read is held.
    const bool all = co_await window.write_next(next, MediaClass::dependent);
    failed_ += all ? 0 : 1;
    ++refreshes_;
    sectors_ += sectors;
    if (config_.counters == RefreshCounters::track) renew(next, 0);
  }
  if (config_.counters == RefreshCounters::area) renew_between(track, order);
  ports_.cpu.event({"refresh", FirmwareEvent::Edge::end, number(track), tracks});
}

/// Whether the rewrite of one side goes over the other, and so over the track between them: then that side alone is left.
bool TrackRefresh::drop_covered(Sides& sides) const {
  if (!sides.outer || !sides.inner) return false;
  const auto goes_over = [this](PhysicalTrack from, PhysicalTrack other) {
    const std::vector<std::uint32_t> order = overlap_.order(from.radius);
    return std::ranges::find(order, other.radius) != order.end();
  };
  if (goes_over(*sides.outer, *sides.inner)) {
    sides.inner.reset();
    return true;
  }
  if (!goes_over(*sides.inner, *sides.outer)) return false;
  sides.outer.reset();
  return true;
}

/// All counters of the track: so many writes came since what they count for was rewritten.
void TrackRefresh::renew(PhysicalTrack track, std::uint32_t writes) {
  const std::uint64_t counters = config_.counters_per_track();
  const std::uint64_t first = number(track) * counters;
  ports_.memory.touch(counters_at_ + first * sizeof(Counter), static_cast<std::uint32_t>(counters * sizeof(Counter)), Access::write);
  std::fill_n(counters_.begin() + static_cast<std::ptrdiff_t>(first), counters, static_cast<Counter>(writes));
}

/// Tracks of which both sides were rewritten: their own rewrite came after that of one side.
void TrackRefresh::renew_between(PhysicalTrack track, const std::vector<std::uint32_t>& order) {
  const auto rewritten = [&](const std::optional<PhysicalTrack>& side) {
    return !side || std::ranges::find(order, side->radius) != order.end();
  };
  for (const std::uint32_t radius : order) {
    const PhysicalTrack between{track.surface, radius};
    const Sides sides = sides_of(between);
    if (rewritten(sides.outer) && rewritten(sides.inner)) renew(between, 1);
  }
}

// --- Figures ---

void TrackRefresh::report(MetricSet& metrics) const {
  const auto count = [&](const char* name, std::uint64_t value, const char* description) {
    metrics.count(std::string("refresh.") + name, static_cast<double>(value), "1", description);
  };
  count("tracks", refreshes_, "Tracks that were read and rewritten because their neighbours had been written often.");
  count("sectors", sectors_, "Sectors that refreshes rewrote.");
  count("urgent", urgent_, "Refreshes that waited so long that they went with the host's commands.");
  count("failed", failed_, "Refreshes that met a sector that could not be written.");
  metrics.add("refresh.highest_count", highest_, "1", "The most writes that a counter came to.");
  metrics.add("refresh.counters", static_cast<double>(counters_.size() * sizeof(Counter)), "B", "DRAM of the counters of writes.");
  if (overlapped_ == nullptr) return;
  metrics.add("refresh.window", static_cast<double>(overlapped_->window.bytes().value()), "B",
              "Dumped DRAM of the tracks that the rewrite of one has destroyed.");
  count("held", overlapped_->hold.held(), "Media commands that waited for tracks under rewrite.");
}

}  // namespace tessera
