#include "media/spindle_index.hpp"

#include <algorithm>
#include <utility>

namespace tessera {

SpindleIndex::SpindleIndex(SignalScope& signals, const TrackGeometry& geometry, const PowerConditions& power)
    : index_(signals.bit("spindle_index")), geometry_(geometry), power_(power) {
  signals.set_source(*this);
}

/// Edge by edge: a recorder that is told of one may ask for what comes after it before the next is told here.
Picoseconds SpindleIndex::tell_until(Picoseconds at) {
  if (!index_.watched()) from_ = std::max(from_, at + Picoseconds(1));
  while (powered_ && index_.watched()) {
    const Picoseconds edge = next_edge();
    if (edge > at) return edge;
    from_ = edge + Picoseconds(1);
    if (!high_ && !power_.at_speed(edge)) continue;
    high_ = !high_;
    index_.set(high_ ? 1 : 0, edge);
  }
  return Picoseconds::max();
}

/// From from_ on.
Picoseconds SpindleIndex::next_edge() const {
  const Picoseconds turn = geometry_.revolution();
  const Picoseconds pulse = turn / 100;
  const Picoseconds angle(geometry_.angle_at(from_));
  if (high_) return from_ + (pulse - std::min(pulse, angle));
  return angle == Picoseconds(0) ? from_ : from_ + (turn - angle);
}

void SpindleIndex::cut(Picoseconds now) {
  pass(now);
  powered_ = false;
  if (std::exchange(high_, false)) index_.set(0, now);
}

void SpindleIndex::restore(Picoseconds now) {
  powered_ = true;
  from_ = now;
}

}  // namespace tessera
