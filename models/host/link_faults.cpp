#include "host/link_faults.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.hpp"

namespace tessera {

namespace {

Picoseconds from_milliseconds(double ms) { return Picoseconds(static_cast<std::uint64_t>(std::llround(ms * 1e9))); }

}  // namespace

bool LinkFaults::any(const HostConfig& config) {
  return config.crc_errors_per_million != 0 || !config.crc_errors.empty() || !config.link_outages.empty();
}

LinkFaults::LinkFaults(const HostConfig& config, std::uint64_t seed)
    : per_million_(config.crc_errors_per_million), random_(seed, "host.crc_errors") {
  for (const NumberRow& row : config.crc_errors) {
    if (row[0] < 1 || row[1] < 1) throw InputError("host.crc_errors: frames count from 1, and each row has at least one failure");
    scripted_.emplace_back(static_cast<std::uint64_t>(row[0]), static_cast<std::uint64_t>(row[1]));
  }
  std::sort(scripted_.begin(), scripted_.end());
  for (const NumberRow& row : config.link_outages) {
    if (row[0] < 0 || row[1] <= 0) throw InputError("host.link_outages: expected a time from 0 on and a length above 0, in ms");
    outages_.push_back({from_milliseconds(row[0]), from_milliseconds(row[0]) + from_milliseconds(row[1])});
  }
  std::sort(outages_.begin(), outages_.end(), [](const Outage& a, const Outage& b) { return a.down < b.down; });
  for (std::size_t i = 1; i < outages_.size(); ++i)
    if (outages_[i].down < outages_[i - 1].up) throw InputError("host.link_outages: two of them overlap");
}

bool LinkFaults::check_fails(std::uint32_t repeats) {
  if (next_scripted_ < scripted_.size() && scripted_[next_scripted_].first == frames_) {
    if (repeats < scripted_[next_scripted_].second) return true;
    ++next_scripted_;
  }
  return per_million_ != 0 && random_.below(1'000'000) < per_million_;
}

/// Frames follow one another in time, so an outage that is over stays so.
Picoseconds LinkFaults::when_up(Picoseconds begin, Picoseconds duration) {
  while (next_outage_ < outages_.size() && begin + duration > outages_[next_outage_].down) {
    const Outage& outage = outages_[next_outage_++];
    if (begin >= outage.up) continue;
    down_ += outage.up - std::max(begin, outage.down);
    begin = outage.up;
  }
  return begin;
}

Picoseconds LinkFaults::carry(Picoseconds begin, Picoseconds duration) {
  ++frames_;
  Picoseconds end = when_up(begin, duration) + duration;
  for (std::uint32_t repeats = 0; check_fails(repeats); ++repeats) {
    ++errors_;
    repeated_ += duration;
    end = when_up(end, duration) + duration;
  }
  return end;
}

void LinkFaults::report(MetricSet& metrics) const {
  metrics.count("link.crc_errors", static_cast<double>(errors_), "1", "frames whose check failed and that were sent again");
  metrics.count("link.repeated", repeated_, "link time of the frames that were sent again");
  metrics.count("link.down", down_, "time that frames waited for a link that was down");
}

}  // namespace tessera
