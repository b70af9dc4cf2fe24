#pragma once
// What a drive promises of an acknowledged write, from its description.
#include "platforms/drive/drive_config.hpp"
#include "stimuli/scoreboard/scoreboard.hpp"

namespace tessera {

[[nodiscard]] inline DurabilityPromise promise_of(const DriveConfig& drive) {
  if (drive.hosts.translates()) return drive.hosts.promises_flushed_only() ? DurabilityPromise::flushed : DurabilityPromise::acknowledged;
  const WriteCacheConfig cache = drive.firmware_for_layer().write_cache;
  const bool little =
      (cache.capacity.value() != 0 && cache.durability == CacheDurability::volatile_memory) || drive.selected().promises_flushed_only();
  return little ? DurabilityPromise::flushed : DurabilityPromise::acknowledged;
}

}  // namespace tessera
