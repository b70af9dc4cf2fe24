#pragma once
// How the layer `tessera` uses flash. All values are ours.
#include <cstdint>

#include "base/units.hpp"
#include "firmware/flash/page_order.hpp"

namespace tessera::tiers {

enum class FlashUse : std::uint32_t { off, on };
/// Whether what was read since it was written stays in flash when its block is evicted.
enum class CopyForward : std::uint32_t { off, on };

struct FlashTierConfig {
  std::uint32_t run = 0;         ///< longest write that goes to flash
  std::uint32_t backlog = 0;     ///< sectors on their way to flash above which background writes wait, and others go past it
  std::uint32_t free_share = 0;  ///< percent of the blocks that evictions in idle time keep free
  CopyForward copy_forward = CopyForward::on;
  Picoseconds idle_after;
  PairedPages paired = PairedPages::lower_only;
  bool dump_tags = true;  ///< the dump engine saves which sector each page holds
};

}  // namespace tessera::tiers
