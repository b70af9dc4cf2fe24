#include "media/fail_slow.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {

namespace {

constexpr std::uint64_t all_steps = 1'000'000;  // of which a rate is a part
constexpr double longest_spell = 1e9;           // ms: eleven days
constexpr double longest_stall = 1e7;           // ms
constexpr double most_times = 1000;

/// A row of the description, by name.
struct SlowRow {
  static constexpr std::size_t columns = 9;
  double first_surface, last_surface, first_radius, last_radius, from_ms, to_ms, times, stall_ms, per_million;
  explicit SlowRow(const NumberRow& row)
      : first_surface(row[0]),
        last_surface(row[1]),
        first_radius(row[2]),
        last_radius(row[3]),
        from_ms(row[4]),
        to_ms(row[5]),
        times(row[6]),
        stall_ms(row[7]),
        per_million(row[8]) {}
};

Picoseconds in_time(double milliseconds) { return Picoseconds(static_cast<std::uint64_t>(std::llround(milliseconds * 1e9))); }

bool whole_up_to(double most, double value) { return value >= 0 && value <= most && value == std::floor(value); }

}  // namespace

FailSlow::FailSlow(const MediaConfig& config, Picoseconds turn, std::uint64_t seed) : turn_(turn), random_(seed, "media.fail_slow") {
  for (const NumberRow& numbers : config.fail_slow) {
    const SlowRow row(numbers);
    const Picoseconds stall = in_time(row.stall_ms);
    spells_.push_back({.first_surface = static_cast<std::uint32_t>(row.first_surface),
                       .last_surface = static_cast<std::uint32_t>(row.last_surface),
                       .first_radius = static_cast<std::uint32_t>(row.first_radius),
                       .last_radius = static_cast<std::uint32_t>(row.last_radius),
                       .begin = in_time(row.from_ms),
                       .end = in_time(row.to_ms),
                       .more = row.times - 1,
                       .rate = static_cast<std::uint64_t>(row.per_million),
                       .stall = turn * ((stall.value() + turn.value() - 1) / turn.value())});
  }
}

Picoseconds FailSlow::lost(PhysicalTrack track, Picoseconds now, Picoseconds time) {
  Picoseconds lost;
  for (Spell& spell : spells_) {
    if (now < spell.begin || now >= spell.end || track.surface < spell.first_surface || track.surface > spell.last_surface ||
        track.radius < spell.first_radius || track.radius > spell.last_radius)
      continue;
    spell.owed += Picoseconds(static_cast<std::uint64_t>(std::llround(static_cast<double>(time.value()) * spell.more)));
    const Picoseconds turns = turn_ * (spell.owed.value() / turn_.value());
    spell.owed -= turns;
    lost += turns;
    if (spell.rate != 0 && random_.below(all_steps) < spell.rate) lost += spell.stall;
  }
  return lost;
}

void check_fail_slow(const MediaConfig& config, std::vector<std::string>& problems) {
  if (config.fail_slow.empty() || !problems.empty()) return;
  const GeometryZone last = zones_of(config).back().shape;
  const double radii = double{1} * last.first_radius + last.radii + config.spare_tracks;
  for (std::size_t number = 0; number < config.fail_slow.size(); ++number) {
    const std::string where = "fail_slow: row " + std::to_string(number + 1);
    if (config.fail_slow[number].size() != SlowRow::columns)
      return problems.push_back(where + " does not have " + std::to_string(SlowRow::columns) + " columns");
    const SlowRow row(config.fail_slow[number]);
    const auto refuse_unless = [&](bool fits, const std::string& sentence) {
      if (!fits) problems.push_back(where + sentence);
    };
    constexpr double any = 4294967295.0;
    refuse_unless(whole_up_to(config.surfaces - 1.0, row.first_surface),
                  " begins with a surface that the drive does not have; expected 0 to " + std::to_string(config.surfaces - 1));
    refuse_unless(whole_up_to(any, row.last_surface) && whole_up_to(any, row.first_radius) && whole_up_to(any, row.last_radius),
                  " names surfaces or radii that are no whole numbers");
    refuse_unless(row.first_radius < radii, " begins with a radius that the drive does not have; expected 0 to " +
                                                std::to_string(static_cast<std::uint64_t>(radii) - 1));
    refuse_unless(row.last_surface >= row.first_surface && row.last_radius >= row.first_radius,
                  " ends before it begins: surfaces and radii are first, last");
    refuse_unless(row.from_ms >= 0 && row.to_ms > row.from_ms && row.to_ms <= longest_spell,
                  " is of no time: from_ms has to come before to_ms, at most 1000000000");
    refuse_unless(row.times >= 1 && row.times <= most_times, ": times is not 1 (as fast as ever) to 1000");
    refuse_unless(row.stall_ms >= 0 && row.stall_ms <= longest_stall, ": stall_ms is not 0 to 10000000");
    refuse_unless(whole_up_to(double{all_steps}, row.per_million), ": per_million is not a whole number from 0 to 1000000");
    refuse_unless((row.per_million == 0) == (row.stall_ms == 0), ": a stall needs both, stall_ms and per_million; without one both are 0");
    refuse_unless(row.times != 1 || row.per_million != 0, " slows nothing: times is 1, and nothing stalls");
  }
}

}  // namespace tessera
