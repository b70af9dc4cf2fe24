#include "base/shared_resource.hpp"

#include <algorithm>
#include <utility>

namespace tessera {

namespace {

constexpr Picoseconds never = Picoseconds::max();

}  // namespace

SharedResource::SharedResource(std::vector<Party> parties) : parties_(std::move(parties)), windows_(parties_.size()) {}

/// The extent before becomes part of a stretch where this one follows it closely, so that who is reserved late for a time gone by meets it.
inline void SharedResource::keep(Window& window, Picoseconds begin, Picoseconds end, Picoseconds work, Share wanted) {
  last_end_ = std::max(last_end_, end);
  if (window.work > Picoseconds(0) && begin - window.end <= (window.end - window.first) / 8) {
    window.before += window.work;
    window.had_before = 0;
  } else {
    window.first = begin;
    window.before = Picoseconds(0);
  }
  window.begin = begin;
  window.end = end;
  window.work = work;
  window.wanted = wanted;
  window.had = 0;
}

/// Adds an extent to those that no resource moves in less time than their work takes in a row; gives when that is over.
inline Picoseconds SharedResource::all_moved(Picoseconds begin, Picoseconds work) {
  Stretch& last = stretches_[last_];
  if (begin < last.from) return all_moved_before(begin, work);
  if (begin < last.until) return last.until += work;
  last_ = (last_ + 1) % most_stretches;
  stretches_[last_] = {begin, begin + work};
  return begin + work;
}

/// Of an extent in front of one that was reserved for a time to come: what it lengthens may reach that.
Picoseconds SharedResource::all_moved_before(Picoseconds begin, Picoseconds work) {
  std::ranges::rotate(stretches_, stretches_.begin() + static_cast<std::ptrdiff_t>((last_ + 1) % most_stretches));
  last_ = most_stretches - 1;
  std::size_t at = most_stretches;
  while (at > 0 && begin < stretches_[at - 1].from) --at;
  if (at == 0) return begin + work;  // in front of all that are kept
  if (begin < stretches_[at - 1].until) {
    stretches_[--at].until += work;
  } else {  // between two: the oldest makes room
    std::ranges::move(stretches_.begin() + 1, stretches_.begin() + static_cast<std::ptrdiff_t>(at), stretches_.begin());
    stretches_[--at] = {begin, begin + work};
  }
  for (; at + 1 < most_stretches && stretches_[at].until > stretches_[at + 1].from; ++at) {
    const Stretch both{stretches_[at].from, stretches_[at].until + (stretches_[at + 1].until - stretches_[at + 1].from)};
    std::ranges::move_backward(stretches_.begin(), stretches_.begin() + static_cast<std::ptrdiff_t>(at),
                               stretches_.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    stretches_[at + 1] = both;
    stretches_.front() = {};
  }
  return stretches_[at].until;
}

SharedResource::Grant SharedResource::reserve(std::size_t party, Picoseconds begin, Picoseconds work, Picoseconds pace) {
  if (party >= parties_.size()) [[unlikely]]
    add_parties(party + 1);
  const Picoseconds due = begin + pace;  // by then its source has delivered all
  const Picoseconds moved = all_moved(begin, work);
  begin = std::max(begin, windows_[party].end);
  return begin >= last_end_ ? undisturbed(party, begin, work, due) : beside_others(party, begin, work, due, moved);
}

inline SharedResource::Grant SharedResource::undisturbed(std::size_t party, Picoseconds begin, Picoseconds work, Picoseconds due) {
  const Picoseconds end = std::max(begin + work, due);
  keep(windows_[party], begin, end, work, end == due ? 0 : whole);
  return {end, due > begin ? end - due : Picoseconds(0)};
}

/// Others have reserved time after its begin; `moved`: when all that began since the resource had nothing to do can be.
SharedResource::Grant SharedResource::beside_others(std::size_t party, Picoseconds begin, Picoseconds work, Picoseconds due,
                                                    Picoseconds moved) {
  if (work == Picoseconds(0) || alone(party, begin, std::max(begin + work, due))) return undisturbed(party, begin, work, due);
  const Share inflow = due > begin ? std::min(whole, scale_rounded(work.value(), whole, (due - begin).value())) : 0;
  // What a source delivers faster than the resource can move it comes as fast as that.
  const Picoseconds least = begin + work;
  const Picoseconds delivered = std::max(due, least);
  Grant grant = contended(party, begin, work, delivered, inflow);
  if (inflow > 0) grant.behind += delivered - due;
  grant.end = std::max(grant.end, least);  // shares are rounded: the pieces may sum to a few picoseconds less
  if (const Picoseconds last = std::max(grant.end, last_end_); last < moved) [[unlikely]]
    grant.end += beyond_tolerance(moved - last, begin);
  keep(windows_[party], begin, grant.end, work, inflow == 0 ? whole : inflow);
  return grant;
}

/// What the others had is known as an average alone, and may leave the newcomer more than there is: so much of the work would be done too
/// early. A quarter of what is under way may be.
Picoseconds SharedResource::beyond_tolerance(Picoseconds early, Picoseconds begin) const {
  Picoseconds under_way;
  for (const Window& window : windows_)
    if (window.end > begin) under_way += window.work;
  return early - std::min(early, under_way / 4);
}

void SharedResource::add_parties(std::size_t count) {
  parties_.resize(count);
  windows_.resize(count);
}

bool SharedResource::alone(std::size_t party, Picoseconds begin, Picoseconds end) const {
  for (std::size_t other = 0; other < windows_.size(); ++other)
    if (other != party && windows_[other].first < end && begin < windows_[other].end) return false;
  return true;
}

SharedResource::Share SharedResource::Window::at(Picoseconds when) {
  if (when < begin) {
    if (had_before == 0) had_before = scale_rounded(before.value(), whole, (begin - first).value());
    return had_before;
  }
  if (had == 0) had = scale_rounded(work.value(), whole, (end - begin).value());
  return had;
}

/// Makes claims_ those of the newcomer (not yet known) and of the others at `at`; gives when the others change by themselves.
Picoseconds SharedResource::collect(std::size_t party, Picoseconds at) {
  Picoseconds change = never;
  claims_.assign(1, {party, 0, 0});
  for (const std::size_t other : others_) {
    Window& window = windows_[other];
    if (window.first > at) {
      change = std::min(change, window.first);
    } else if (window.end > at) {
      change = std::min(change, at < window.begin ? window.begin : window.end);
      claims_.push_back({other, at < window.begin ? window.at(at) : std::max(window.wanted, window.at(at)), 0});
    } else if (window.owed > Picoseconds(0)) {
      claims_.push_back({other, whole, 0});
    }
  }
  return change;
}

/// Piece by piece between the changes of the others; `begin` becomes the instant at which the extent first has the resource.
SharedResource::Grant SharedResource::contended(std::size_t party, Picoseconds& begin, Picoseconds work, Picoseconds due, Share pace) {
  others_.clear();
  for (std::size_t other = 0; other < windows_.size(); ++other)
    if (other != party && windows_[other].work > Picoseconds(0) && windows_[other].end > begin) others_.push_back(other);
  Picoseconds at = begin;
  Picoseconds coming = pace > 0 ? work : Picoseconds(0);  // from the source
  Picoseconds behind = work - coming;                     // delivered by it, and not yet moved
  Picoseconds most_behind;
  while (coming > Picoseconds(0) || behind > Picoseconds(0)) {
    Picoseconds change = collect(party, at);
    const Share inflow = coming > Picoseconds(0) ? pace : 0;
    if (inflow > 0) change = std::min(change, due);
    claims_.front().wanted = behind > Picoseconds(0) ? whole : inflow;
    arbitrate();
    const Share granted = claims_.front().granted;
    Picoseconds length = change == never ? never : change - at;
    for (const Claim& claim : claims_) {
      const Window& other = windows_[claim.party];
      if (claim.party != party && other.end <= at && claim.granted > 0)
        length = std::min(length, Picoseconds(scale_rounded(other.owed.value(), whole, claim.granted)));
    }
    bool catches_up = false;
    if (granted > inflow && behind > Picoseconds(0)) {
      const Picoseconds needed(scale_rounded(behind.value(), whole, granted - inflow));
      catches_up = needed <= length;
      length = std::min(length, needed);
    }
    TESSERA_CHECK(length != never, "an extent of a shared resource never ends");
    const Picoseconds arrived = at + length == due ? coming : std::min(coming, Picoseconds(scale_rounded(length.value(), inflow, whole)));
    const Picoseconds moved = granted == inflow ? arrived : Picoseconds(scale_rounded(length.value(), granted, whole));
    if (granted == 0 && begin == at) begin += length;
    coming -= arrived;
    behind = catches_up ? Picoseconds(0) : behind + arrived - std::min(behind + arrived, moved);
    most_behind = std::max(most_behind, behind);
    charge_others(at, length);
    at += length;
  }
  settle(at);
  return {std::max(at, due), pace > 0 ? most_behind : Picoseconds(0)};
}

/// What the others lost to the newcomer in a piece, or made up for behind their ends.
void SharedResource::charge_others(Picoseconds at, Picoseconds length) {
  for (std::size_t i = 1; i < claims_.size(); ++i) {
    const Claim& claim = claims_[i];
    Window& other = windows_[claim.party];
    if (other.end <= at) {
      other.owed -= std::min(other.owed, Picoseconds(scale_rounded(length.value(), claim.granted, whole)));
      if (other.owed == Picoseconds(0)) other.end = at + length;
      other.had = 0;
    } else if (claim.granted < other.at(at)) {
      other.owed += Picoseconds(scale_rounded(length.value(), other.at(at) - claim.granted, whole));
    }
  }
}

/// The newcomer has ended at `at`: the others have the resource for what they are still owed.
void SharedResource::settle(Picoseconds at) {
  for (const std::size_t other : others_) {
    Window& window = windows_[other];
    if (window.owed > Picoseconds(0)) {
      window.end = std::max(window.end, at) + window.owed;
      window.owed = Picoseconds(0);
      window.had = 0;
    }
    last_end_ = std::max(last_end_, window.end);
  }
}

void SharedResource::arbitrate() {
  Share sum = 0;
  for (const Claim& claim : claims_) sum += claim.wanted;
  if (sum <= whole) {
    for (Claim& claim : claims_) claim.granted = claim.wanted;
    return;
  }
  Share left = whole;
  std::int64_t above = std::int64_t{1} << 32;  // the priority that was served last
  while (left > 0) {
    std::int64_t next = -1;
    for (const Claim& claim : claims_)
      if (const std::int64_t priority = parties_[claim.party].priority; priority < above) next = std::max(next, priority);
    if (next < 0) return;
    divide(static_cast<std::uint32_t>(next), left);
    above = next;
  }
}

/// Who wants less than its share of what is left gets all of it, and the others share anew what that leaves.
void SharedResource::divide(std::uint32_t priority, Share& left) {
  const auto waits = [&](const Claim& claim) { return parties_[claim.party].priority == priority && claim.granted < claim.wanted; };
  for (bool contented = true; contented;) {
    contented = false;
    std::uint64_t weights = 0;
    for (const Claim& claim : claims_)
      if (waits(claim)) weights += parties_[claim.party].weight;
    if (weights == 0) return;
    const Share before = left;
    for (Claim& claim : claims_) {
      if (!waits(claim) || claim.wanted > before * parties_[claim.party].weight / weights) continue;
      claim.granted = claim.wanted;
      left -= claim.wanted;
      contented = true;
    }
    if (contented) continue;
    for (Claim& claim : claims_)
      if (waits(claim)) claim.granted = before * parties_[claim.party].weight / weights;
    left = 0;
  }
}

Picoseconds SharedResource::slip_between(Picoseconds at, Picoseconds length, Picoseconds turn) {
  if (turn == Picoseconds(0)) return at;
  Share taken = 0;
  Share most = 0;
  Window* largest = nullptr;
  for (Window& window : windows_) {
    if (window.first > at || window.end <= at || window.work == Picoseconds(0)) continue;
    const Share share = window.at(at);
    taken += share;
    if (share > most) largest = &window;
    most = std::max(most, share);
  }
  if (largest == nullptr) return at;
  if (most == whole && taken == whole) {
    const Picoseconds into_turn = (at - (at < largest->begin ? largest->first : largest->begin)) % turn;
    if (into_turn > Picoseconds(0)) at += turn - into_turn;
    if (at >= largest->end) return at;
  } else {
    at += Picoseconds(scale_rounded(turn.value() / 2, std::min(taken, whole), whole));
  }
  if (taken >= whole) {
    largest->end += length;
    largest->work += length;
    largest->had = 0;
    last_end_ = std::max(last_end_, largest->end);
  }
  return at;
}

bool SharedResource::busy(Picoseconds at) const {
  return std::ranges::any_of(windows_, [at](const Window& window) { return window.begin <= at && at < window.end; });
}

void SharedResource::clear() {
  std::ranges::fill(windows_, Window{});
  last_end_ = Picoseconds(0);
  stretches_.fill({});
}

}  // namespace tessera
