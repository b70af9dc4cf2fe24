#include "media/head_wear.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace tessera {

namespace {

constexpr double longest_ps = 1e12;
constexpr double watt_uw = 1e6;

}  // namespace

void HeatConfig::describe(ParameterVisitor& visitor) {
  visitor.field("laser_warm_up", laser_warm_up, {0, longest_ps},
                "Time from laser on to the first sector of a write, on the track; a write that goes on where one ended finds it on.");
  visitor.field("laser_power", laser_power, {0, 100 * watt_uw}, "Power of a laser that is on, on top of write_power.");
  visitor.field("head_life", head_life, {0, 1e18}, "What a head writes until it has worn out; 0: for ever.");
  visitor.unused_where(head_life == Bytes(0), "media.heat.head_life is 0", [&] {
    visitor.field("worn_faults_per_million", worn_faults_per_million, {0, 1e6},
                  "Sectors of a million at which a write of a worn head stops, as at write_fault_sectors, but once.");
  });
  visitor.field(
      "write_width", write_width, {0, 3200},
      "Width of what a write heats, in percent of the track pitch: conventional tracks that lie under it are lost; 0: it keeps to its "
      "track.");
  visitor.unused_where(write_width == 0, "media.heat.write_width is 0", [&] {
    visitor.field("read_width", read_width, {1, 100}, "Percent of the pitch that has to be left of a track, from one side, to read it.");
  });
}

HeadWear::HeadWear(const MediaConfig& config)
    : life_(config.heat.head_life.value() / config.sector_size.value()),
      worn_faults_(config.heat.worn_faults_per_million),
      written_(config.surfaces) {}

void HeadWear::report(MetricSet& metrics) const {
  if (!any()) return;
  const auto used = [&](std::uint64_t sectors) { return static_cast<double>(sectors) / static_cast<double>(life_); };
  for (std::size_t head = 0; head < written_.size(); ++head)
    metrics.add("media.head." + std::to_string(head) + ".wear", used(written_[head]), "1",
                "What the head has written, as a share of its life.");
  metrics.add("media.wear.used", used(*std::ranges::max_element(written_)), "1", "The same of the head that has written most.");
}

void HeadWear::save_state(StateWriter& out) const {
  for (const std::uint64_t sectors : written_) out.number(sectors);
}

void HeadWear::load_state(StateReader& in) {
  for (std::uint64_t& sectors : written_) sectors = in.number();
}

}  // namespace tessera
