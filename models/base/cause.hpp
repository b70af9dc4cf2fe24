#pragma once
// Whose work a request waited for: a second division of its latency; the phases say where it waited.
#include <cstddef>
#include <cstdint>
#include <optional>

namespace tessera {

enum class Cause : std::uint8_t {
  host,        ///< the request's own work
  requests,    ///< work for other host requests, but for those at the flash
  cleaning,    ///< room was made: cleaning, merge, collection, eviction
  rmw,         ///< a read-modify-write of what overlaps or surrounds the sectors written
  checkpoint,  ///< a table or log was written down, or its room given back
  move,        ///< tracks were flipped, swapped, promoted or moved back
  destage,     ///< the write cache was written to the layer below
  read_ahead,  ///< the read cache read on
  recovery,    ///< bad sectors, commands sent again, the power off, the boot
  background,  ///< other background work
  tags,        ///< other host requests had all tags, or the replay policy held it back
  flash,       ///< other host requests' commands at the flash
  count_
};
inline constexpr std::size_t causes = static_cast<std::size_t>(Cause::count_);
[[nodiscard]] const char* to_string(Cause cause);

/// What firmware works for, by the word that it gives to a task, or to the events that begin and end the work, up to a dot after which
/// firmware may say more: "rmw.unit" is a read-modify-write. Nothing where the word says no more than is known.
[[nodiscard]] std::optional<Cause> cause_of_work(const char* word);

/// Whether the word of a piece of work inside says more than this: a destage that has to clean is a cleaning, a cleaning that has to write
/// a checkpoint stays one.
[[nodiscard]] constexpr bool is_general(Cause cause) {
  return cause == Cause::host || cause == Cause::destage || cause == Cause::read_ahead || cause == Cause::background;
}

}  // namespace tessera
