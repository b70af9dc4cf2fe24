#pragma once
// Boot: sectors that a read did not bring, in a buffer of which the rest is there. They may come with a later read, and a write over them
// would end that: so they are read again by themselves, and writes leave them out.
#include <cstdint>

#include "firmware/ports/media_port.hpp"
#include "firmware/ports/task.hpp"

namespace tessera {

/// Reads after which a sector counts as one that never comes. Each has the drive's own retries in it, so it stands for many more turns.
inline constexpr std::uint32_t most_looks = 40;

/// Sectors side by side in a span, all of them lost, or none.
struct Stretch {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};
/// The first such sectors of `data` after `before`; empty where there are none any more.
[[nodiscard]] Stretch next_stretch(DataSpan data, Stretch before, bool lost);
/// Where a part of `run` lies; runs may wrap.
[[nodiscard]] PhysicalRun part_of(const MediaPort& media, PhysicalRun run, Stretch part);

/// Reads what of `data` is lost from `run`, its place; what does not come stays lost.
[[nodiscard]] Task<Status> read_lost(MediaPort& media, PhysicalRun run, DataSpan data);
/// The same until all is there, most_looks times.
[[nodiscard]] Task<Status> read_lost_again(MediaPort& media, PhysicalRun run, DataSpan data);
/// Writes what of `data` is not lost to `run`. The first status that is not ok, after the others were tried.
[[nodiscard]] Task<Status> write_present(MediaPort& media, PhysicalRun run, DataSpan data);

}  // namespace tessera
