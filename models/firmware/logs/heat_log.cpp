#include "firmware/logs/heat_log.hpp"

#include <algorithm>
#include <bit>

namespace tessera {

HeatLog::HeatLog(CpuPort& cpu, MemoryPort& memory, std::uint32_t interval)
    : cpu_(cpu), log_(memory, MemoryCategory::metadata, interval, "tracks written in an interval") {}

void HeatLog::note(std::uint64_t track, bool low, bool high) {
  TESSERA_CHECK(track < std::uint64_t{1} << 30, "a track number does not fit the log of writes");
  if (interval_over()) return;
  cpu_.array();
  log_.write(used_++) = static_cast<std::uint32_t>(track << 2 | (high ? 2U : 0U) | (low ? 1U : 0U));
}

void HeatLog::count() {
  cpu_.scan(std::uint64_t{used_} * static_cast<std::uint64_t>(std::bit_width(used_)));
  sorted_.clear();
  for (std::uint32_t i = 0; i < used_; ++i) sorted_.push_back(log_.peek(i));
  std::ranges::sort(sorted_);
  by_track_.clear();
  for (const std::uint32_t entry : sorted_) {
    if (by_track_.empty() || by_track_.back().track != entry >> 2) by_track_.push_back({entry >> 2, 0, 0, 0});
    TrackHeat& heat = by_track_.back();
    ++heat.writes;
    heat.low += entry & 1U;
    heat.high += entry >> 1 & 1U;
  }
  hottest_ = by_track_;
  std::ranges::stable_sort(hottest_, std::ranges::greater{}, &TrackHeat::writes);
  used_ = 0;
  ++intervals_;
}

std::uint32_t HeatLog::writes_of(std::uint64_t track) const {
  const auto found = std::ranges::lower_bound(by_track_, track, {}, &TrackHeat::track);
  return found == by_track_.end() || found->track != track ? 0 : found->writes;
}

}  // namespace tessera
