#pragma once
// What a drive promises of an acknowledged write, from its description.
#include "platforms/drive/drive_health.hpp"
#include "stimuli/scoreboard/scoreboard.hpp"

namespace tessera {

[[nodiscard]] inline DurabilityPromise promise_of(const DriveConfig& drive) {
  const bool host_flushes = drive.hosts.translates() && drive.hosts.promises_flushed_only();
  return host_flushes || has_volatile_cache(drive) ? DurabilityPromise::flushed : DurabilityPromise::acknowledged;
}

/// Whether a cut may take acknowledged writes that no FLUSH made durable.
[[nodiscard]] inline bool may_forget_writes(const DriveConfig& drive) {
  return promise_of(drive) == DurabilityPromise::flushed || drive.power.dumps_can_fail();
}

}  // namespace tessera
