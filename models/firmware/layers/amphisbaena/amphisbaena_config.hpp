#pragma once
// The parameters of Amphisbaena (Zhang et al., Applied Sciences 14(2), 630, 2024). Defaults are those of the paper's section 6.1; what
// it leaves open is marked.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "firmware/zones/zone_config.hpp"

namespace tessera::amphisbaena {

/// How the victim zone of a cleaning is chosen: the paper's equations (3) and (4) as printed, the same with their counting errors
/// put right, by chunks alone, or by chunks won over sectors moved.
enum class VictimRule : std::uint32_t { paper, corrected, count, cost };
/// How a count of ghost hits becomes chunks: "60 divided by 16, rounded to 4".
enum class ChunkRounding : std::uint32_t { floor, round, ceil };
/// End of the filter list that a block degraded from the resident list goes to.
enum class Demotion : std::uint32_t { lru, mru };
/// What becomes of the bottom SUP block where a block is promoted that only the filter list has: it stays, and the filter list is
/// shorter than its share until the next promotion ("does not trigger a pruning operation", section 5.2.2), or it is demoted as at others.
enum class FilterHit : std::uint32_t { keep, demote };
/// Which writes end a collection at its next checkpoint: those that "may update the victim" (section 5.3), blocked on sectors that are
/// collected; any write to the victim's zone that is at the drive, one that only queues for space too; none.
enum class AbortScope : std::uint32_t { victim, zone, off };

/// Which chunks the high-frequency buffer gives back after a period that did not ask for more (section 5.2.3: "if any block in a
/// reallocated chunk ... is not updated"): those of which no block was updated; as printed, those of which any was not; the one with the
/// fewest that were; none.
enum class GiveBack : std::uint32_t { idle, any, fewest, none };

struct AmphisbaenaConfig {
  ZoneConfig zones;
  Bytes chunk{64 << 10};
  double filter_share = 0.1;  // lambda
  double hfb_share = 0.25;    // "at system initialization", and the least
  double hfb_share_max = 0.75;
  std::uint32_t window = 1024;
  std::uint64_t sampling = 10000;
  std::uint32_t history = 2;  // ours: the paper bounds it by the bottom of the resident list only
  VictimRule victim = VictimRule::corrected;
  ChunkRounding chunk_rounding = ChunkRounding::round;
  Demotion demotion = Demotion::lru;  // section 5.2.2
  FilterHit filter_hit = FilterHit::keep;
  AbortScope abort_scope = AbortScope::victim;
  GiveBack give_back = GiveBack::idle;  // as printed nearly all would go

  [[nodiscard]] std::uint32_t chunk_sectors(std::uint32_t sector_bytes) const {
    return static_cast<std::uint32_t>(chunk.value() / sector_bytes);
  }
  /// Chunks of space that the high-frequency buffer has at least and at most, of `frames`; either buffer has at least one.
  [[nodiscard]] std::uint32_t least_hfb(std::uint32_t frames) const { return share(frames, hfb_share); }
  [[nodiscard]] std::uint32_t most_hfb(std::uint32_t frames) const { return std::max(least_hfb(frames), share(frames, hfb_share_max)); }

  void describe(ParameterVisitor& v) {
    zones.describe(v);
    v.field("chunk", chunk, {512, 1 << 20}, "chunk: unit of space of the low-frequency buffer");
    v.field("filter_share", filter_share, {0, 1}, "lambda: share of the filter list in the high-frequency buffer");
    v.field("hfb_share", hfb_share, {0, 1}, "share of the high-frequency buffer at first and at least");
    v.field("hfb_share_max", hfb_share_max, {0, 1}, "share of the high-frequency buffer at most");
    v.field("window", window, {1, 1 << 20}, "WINDOW_LENGTH: writes over which the mean size is taken");
    v.field("sampling", sampling, {1, 1e12}, "writes after which the sizes of the buffers are reviewed");
    v.field("history", history, {0, 64}, "ghost and shadow blocks remembered at most, for each block of the high-frequency buffer");
    v.enumeration("victim", victim, {"paper", "corrected", "count", "cost"},
                  "victim zone: equation 4 as printed or corrected, most chunks, or most chunks for the sectors moved");
    v.enumeration("chunk_rounding", chunk_rounding, {"floor", "round", "ceil"}, "chunks taken for the ghost hits of a period");
    v.enumeration("demotion", demotion, {"lru", "mru"}, "end of the filter list that degraded blocks go to");
    v.enumeration("filter_hit", filter_hit, {"keep", "demote"},
                  "a hit of a block that only the filter list has: promoted alone, as published, or another one is degraded for it");
    v.enumeration("abort_scope", abort_scope, {"victim", "zone", "off"},
                  "collections end at the next chunk for a blocked write of what they collect, for any write to the zone, or never");
    v.enumeration(
        "give_back", give_back, {"idle", "any", "fewest", "none"},
        "borrowed chunks that go back after a period: with no block updated, with any that was not (as printed), the one with the "
        "fewest updated blocks, or none");
  }

 private:
  /// In millionths, as a share of 0.25 must not depend on how a product is rounded.
  [[nodiscard]] static std::uint32_t share(std::uint32_t frames, double of) {
    const auto whole = static_cast<std::uint32_t>(frames * static_cast<std::uint64_t>(std::llround(of * 1e6)) / 1'000'000);
    return std::clamp<std::uint32_t>(whole, 1, frames - 1);
  }
};

}  // namespace tessera::amphisbaena
