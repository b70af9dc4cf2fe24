#include "base/request_life.hpp"

#include <algorithm>
#include <numeric>

#include "base/check.hpp"

namespace tessera {

void RequestLife::cut_short(Picoseconds at) {
  const auto take_back = [&](Picoseconds& part) {
    const Picoseconds beyond = std::min(part, mark - std::min(mark, at));
    part -= beyond;
    mark -= beyond;
  };
  for (const LifePhase phase : {LifePhase::cpu, LifePhase::dram, LifePhase::cpu_wait}) take_back(parts[static_cast<std::size_t>(phase)]);
  for (Picoseconds& part : parts) take_back(part);
  works_for = Cause::host;
  // What it waits for now may be charged already, and is an outage from here on.
  held_up_by[static_cast<std::size_t>(Cause::host)] = Picoseconds(0);
  Picoseconds charged;
  for (Picoseconds& time : held_up_by) {
    time = std::min(time, mark - arrival - charged);
    charged += time;
  }
}

std::array<Picoseconds, causes> RequestLife::by_cause() const {
  constexpr auto host = static_cast<std::size_t>(Cause::host);
  std::array<Picoseconds, causes> times = held_up_by;
  times[host] = Picoseconds(0);
  const Picoseconds others = std::accumulate(times.begin(), times.end(), Picoseconds(0));
  TESSERA_CHECK(others <= total(), "a request was held up for longer than it took");
  times[host] = total() - others;
  return times;
}

const char* to_string(LifePhase phase) {
  static constexpr const char* names[life_phases] = {
      "host_queue", "link",     "cpu_wait", "cpu",         "dram",  "lock",     "backup",         "media_queue", "background_wait",
      "seek",       "rotation", "transfer", "flash_queue", "flash", "cleaning", "error_recovery", "outage"};
  return names[static_cast<std::size_t>(phase)];
}

}  // namespace tessera
