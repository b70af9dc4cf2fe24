#pragma once
// The writes that wait for their zone to be free: what the checkpoint of a collection looks at.
#include <algorithm>
#include <vector>

#include "firmware/zones/zone_store.hpp"

namespace tessera::amphisbaena {

class BlockedWrites {
 public:
  void add(ZoneRun run) { runs_.push_back(run); }
  /// `run` was added before.
  void remove(ZoneRun run) {
    const auto same = [&](const ZoneRun& each) { return each.zone == run.zone && each.offset == run.offset && each.count == run.count; };
    runs_.erase(std::ranges::find_if(runs_, same));
  }
  /// Whether one of them to `zone` writes one of these offsets, which ascend.
  [[nodiscard]] bool touch(std::uint32_t zone, const std::vector<std::uint32_t>& offsets) const {
    return std::ranges::any_of(runs_, [&](const ZoneRun& run) {
      const auto at = std::ranges::lower_bound(offsets, run.offset);
      return run.zone == zone && at != offsets.end() && *at < run.offset + run.count;
    });
  }

 private:
  std::vector<ZoneRun> runs_;
};

}  // namespace tessera::amphisbaena
