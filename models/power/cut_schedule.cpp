#include "power/cut_schedule.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"

namespace tessera {

CutSchedule::CutSchedule(std::vector<Picoseconds> cuts) : cuts_(std::move(cuts)) {
  std::ranges::sort(cuts_);
  cuts_.erase(std::unique(cuts_.begin(), cuts_.end()), cuts_.end());
}

bool CutSchedule::add(Picoseconds at) {
  const auto place = std::lower_bound(cuts_.begin() + static_cast<std::ptrdiff_t>(next_), cuts_.end(), at);
  if (place != cuts_.end() && *place == at) return false;
  cuts_.insert(place, at);
  return true;
}

std::optional<Picoseconds> CutSchedule::next() const { return next_ == cuts_.size() ? std::nullopt : std::optional(cuts_[next_]); }

void CutSchedule::happened(Picoseconds now) {
  TESSERA_CHECK(next_ < cuts_.size() && now >= cuts_[next_], "a power cut happened that was not scheduled");
  ++done_;
  ++next_;
}

void CutSchedule::dark_until(Picoseconds on) {
  for (; next_ < cuts_.size() && cuts_[next_] < on; ++next_) ++dropped_;
}

}  // namespace tessera
