#include "media/fail_slow.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {

namespace {

constexpr std::uint64_t million = 1'000'000;
constexpr double longest = 1e9;  // ms: eleven days
constexpr double most_times = 1000;

enum Column : std::size_t { first_surface, last_surface, first_radius, last_radius, from, to, times, stall, rate, columns };

Picoseconds in_time(double milliseconds) { return Picoseconds(static_cast<std::uint64_t>(std::llround(milliseconds * 1e9))); }

bool whole(double value, double most) { return value >= 0 && value <= most && value == std::floor(value); }

}  // namespace

FailSlow::FailSlow(const MediaConfig& config, Picoseconds turn, std::uint64_t seed) : turn_(turn), random_(seed, "media.fail_slow") {
  for (const NumberRow& row : config.fail_slow) {
    const Picoseconds stalled = in_time(row[stall]);
    spells_.push_back({.first_surface = static_cast<std::uint32_t>(row[first_surface]),
                       .last_surface = static_cast<std::uint32_t>(row[last_surface]),
                       .first_radius = static_cast<std::uint32_t>(row[first_radius]),
                       .last_radius = static_cast<std::uint32_t>(row[last_radius]),
                       .begin = in_time(row[from]),
                       .end = in_time(row[to]),
                       .more = row[times] - 1,
                       .rate = static_cast<std::uint64_t>(row[rate]),
                       .stall = turn * ((stalled.value() + turn.value() - 1) / turn.value())});
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
    if (spell.rate != 0 && random_.below(million) < spell.rate) lost += spell.stall;
  }
  return lost;
}

void check_fail_slow(const MediaConfig& config, std::vector<std::string>& problems) {
  for (std::size_t number = 0; number < config.fail_slow.size(); ++number) {
    const NumberRow& row = config.fail_slow[number];
    const std::string where = "fail_slow: row " + std::to_string(number + 1);
    if (row.size() != columns) return problems.push_back(where + " does not have " + std::to_string(columns) + " columns");
    if (!whole(row[first_surface], config.surfaces - 1.0))
      problems.push_back(where + " begins with a surface that the drive does not have; expected 0 to " +
                         std::to_string(config.surfaces - 1));
    if (!whole(row[last_surface], 4294967295.0) || !whole(row[first_radius], 4294967295.0) || !whole(row[last_radius], 4294967295.0))
      return problems.push_back(where + " names surfaces or radii that are no whole numbers");
    if (row[last_surface] < row[first_surface] || row[last_radius] < row[first_radius])
      problems.push_back(where + " ends before it begins: surfaces and radii are first, last");
    if (!(row[from] >= 0) || !(row[to] > row[from]) || !(row[to] <= longest))
      problems.push_back(where + " is of no time: from_ms has to come before to_ms, at most 1000000000");
    if (!(row[times] >= 1) || !(row[times] <= most_times)) problems.push_back(where + ": times is not 1 (as fast as ever) to 1000");
    if (!(row[stall] >= 0) || !(row[stall] <= 1e7)) problems.push_back(where + ": stall_ms is not 0 to 10000000");
    if (!whole(row[rate], 1e6)) problems.push_back(where + ": per_million is not a whole number from 0 to 1000000");
    if ((row[rate] == 0) != (row[stall] == 0))
      problems.push_back(where + ": a stall needs both, stall_ms and per_million; without one both are 0");
    if (row[times] == 1 && row[rate] == 0) problems.push_back(where + " slows nothing: times is 1, and nothing stalls");
  }
}

}  // namespace tessera
