// Refresh where tracks overlap: one is rewritten with all that its rewrite destroys.
#include <algorithm>

#include "firmware/refresh/track_refresh.hpp"

namespace tessera {

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

}  // namespace tessera
