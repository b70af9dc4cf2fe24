#pragma once
// The parameters of the dm-zoned-like host. Defaults are those of the Linux device-mapper target dm-zoned (drivers/md/dm-zoned-reclaim.c,
// dm-zoned-target.c) and of its formatting tool dmzadm; what is ours is marked.
#include <cstdint>

#include "base/parameter.hpp"
#include "base/units.hpp"

namespace tessera {

struct DmzHostConfig {
  std::uint32_t reserved_zones = 0;             // 16: the default of dmzadm --seq
  double reclaim_below = 0.3;                   // DMZ_RECLAIM_LOW_UNMAP_ZONES
  double reclaim_until = 0.5;                   // DMZ_RECLAIM_HIGH_UNMAP_ZONES
  Picoseconds idle_after{10'000'000'000'000};   // 10 s, DMZ_IDLE_PERIOD
  Picoseconds flush_every{10'000'000'000'000};  // 10 s, DMZ_FLUSH_PERIOD
  Bytes copy{std::uint64_t{512} << 10};         // sub-jobs of dm-kcopyd, DEFAULT_SUB_JOB_SIZE_KB

  void describe(ParameterVisitor& v) {
    v.field("reserved_zones", reserved_zones, {0, 1e6},
            "sequential zones that the application does not see, for reclaim; 0: 16, or a sixteenth of them where that is less");
    v.field("reclaim_below", reclaim_below, {0, 1},
            "share of free conventional zones at or below which zones are reclaimed whatever the application does");
    v.field("reclaim_until", reclaim_until, {0, 1}, "share of free conventional zones at which that ends");
    v.field("idle_after", idle_after, {0, 1e15}, "time without a request after which all conventional zones are reclaimed");
    v.field("flush_every", flush_every, {1e9, 1e15}, "longest time that changed metadata stays in host memory alone");
    v.field("copy", copy, {512, 64e6}, "largest read and write of reclaim");
  }
};

}  // namespace tessera
