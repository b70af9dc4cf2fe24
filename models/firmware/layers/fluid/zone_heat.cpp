#include "firmware/layers/fluid/zone_heat.hpp"

#include <algorithm>

namespace tessera::fluid {

namespace {

/// A count never exceeds twice the decay interval, as it is halved after each; far above that nothing is told apart.
std::uint32_t highest_count(std::uint64_t decay) { return static_cast<std::uint32_t>(std::min<std::uint64_t>(2 * decay, 1 << 18)); }

}  // namespace

ZoneHeat::ZoneHeat(MemoryPort& memory, CpuPort& cpu, std::uint32_t zones, const FluidConfig& config)
    : cpu_(cpu),
      rule_(config.hot_rule),
      hot_millionths_(static_cast<std::uint64_t>(config.hot_frac * 1e6)),
      decay_(config.hot_decay),
      most_(highest_count(decay_)),
      counts_(memory, MemoryCategory::metadata, zones, "write counts of the zones"),
      ranks_(memory, MemoryCategory::metadata, std::uint64_t{most_} + 1, "ranks of the write counts") {}

/// Adds `change` zones with `count` to the tree.
void ZoneHeat::rank(std::uint32_t count, std::int32_t change) {
  for (std::uint64_t i = count; i <= most_; i += i & (~i + 1)) ranks_.write(i) += static_cast<std::uint32_t>(change);
}

/// Zones that were seen and whose count is lower.
std::uint32_t ZoneHeat::zones_below(std::uint32_t count) const {
  std::uint32_t zones = 0;
  for (std::uint32_t i = count - 1; i != 0; i &= i - 1) zones += ranks_.read(i);
  return zones;
}

void ZoneHeat::count(std::uint32_t zone, std::uint32_t sectors) {
  cpu_.array();
  const std::uint32_t old = counts_.read(zone);
  const std::uint32_t now = static_cast<std::uint32_t>(std::min<std::uint64_t>(std::uint64_t{old} + sectors, most_));
  if (old != 0) rank(old, -1);
  if (old == 0) ++seen_;
  rank(now, 1);
  counts_.write(zone) = now;
  sum_ += now - old;
  since_halved_ += sectors;
  if (since_halved_ >= decay_) halve();
}

void ZoneHeat::halve() {
  since_halved_ = 0;
  cpu_.scan(counts_.size());
  for (std::uint32_t zone = 0; zone < counts_.size(); ++zone) {
    const std::uint32_t old = counts_.peek(zone);
    if (old == 0) continue;
    rank(old, -1);
    counts_.write(zone) = old / 2;
    sum_ -= old - old / 2;
    if (old / 2 != 0)
      rank(old / 2, 1);
    else
      --seen_;
  }
}

bool ZoneHeat::hot(std::uint32_t zone) const {
  cpu_.tree(seen_);
  const std::uint32_t count = counts_.read(zone);
  if (count == 0) return false;
  if (rule_ == HotRule::mean) return std::uint64_t{count} * seen_ >= 2 * sum_;
  const std::uint64_t hot_zones = (seen_ * hot_millionths_ + 999'999) / 1'000'000;
  return seen_ - zones_below(count) <= hot_zones;
}

}  // namespace tessera::fluid
