#include "base/request_life.hpp"

#include <algorithm>

namespace tessera {

void RequestLife::cut_short(Picoseconds at) {
  const auto take_back = [&](Picoseconds& part) {
    const Picoseconds beyond = std::min(part, mark - std::min(mark, at));
    part -= beyond;
    mark -= beyond;
  };
  for (const LifePhase phase : {LifePhase::cpu, LifePhase::dram, LifePhase::cpu_wait}) take_back(parts[static_cast<std::size_t>(phase)]);
  for (Picoseconds& part : parts) take_back(part);
}

const char* to_string(LifePhase phase) {
  static constexpr const char* names[life_phases] = {
      "host_queue", "link",     "cpu_wait", "cpu",         "dram",  "lock",     "backup",         "media_queue", "background_wait",
      "seek",       "rotation", "transfer", "flash_queue", "flash", "cleaning", "error_recovery", "outage"};
  return names[static_cast<std::size_t>(phase)];
}

}  // namespace tessera
