// Printable names of the model's enumerations.
#include "base/request_life.hpp"

namespace tessera {

const char* to_string(LifePhase phase) {
  static constexpr const char* names[life_phases] = {
      "host_queue", "link",     "cpu_wait", "cpu",         "dram",  "lock",     "backup",         "media_queue", "background_wait",
      "seek",       "rotation", "transfer", "flash_queue", "flash", "cleaning", "error_recovery", "outage"};
  return names[static_cast<std::size_t>(phase)];
}

}  // namespace tessera
