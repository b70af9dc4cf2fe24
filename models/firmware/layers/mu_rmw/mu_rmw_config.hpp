#pragma once
// The parameters of MU-RMW. Defaults are the paper's section IV-A; what the paper leaves open is marked.
#include <cstdint>

#include "firmware/flash/band_cache_config.hpp"
#include "firmware/flash/block_pool.hpp"
#include "firmware/layers/mu_rmw/concentrated_map.hpp"

namespace tessera::mu_rmw {

struct MuRmwConfig : BandCacheConfig {
  std::uint32_t slots = 64;               // Q
  std::uint32_t slot_bytes = 4;           // "4 bytes are required to represent one specific logical sector number"
  std::uint32_t ecc_bytes = 104;          // ours: BCH over 8 x 512 B, 8 bits each, 13 B a codeword
  FreeOrder free_list = FreeOrder::fifo;  // the paper is silent
  MergeVictim victim = MergeVictim::longest;
  bool erase_while_writing = false;  // "in the meantime" (section III-D); not safe at a power cut

  void describe(ParameterVisitor& v) {
    describe_bands(v);
    v.field("slots", slots, {1, 4096}, "Q: mapping slots in the out-of-band area of a page");
    v.field("slot_bytes", slot_bytes, {2, 4}, "bytes of a slot: 2 (fewer than 65,535 flash pages) or 4");
    v.unused_where(paper, "paper is true", [&] {
      v.field("ecc_bytes", ecc_bytes, {0, 4096}, "out-of-band bytes that error correction needs");
    });
    v.field("paper", paper, "as published: no room for error correction is asked of the out-of-band area, merges are in place");
    v.unused_where(paper, "paper is true", [&] {
      v.field("crash_safe", crash_safe, "merge into a spare band and log a watermark before the first erase; off: rewrite bands in place");
    });
    v.enumeration("free_list", free_list, {"fifo", "lifo", "lowest"}, "order in which free blocks are handed out");
    v.enumeration(
        "victim", victim, {"longest", "most_invalid", "cost"},
        "band that is merged: the longest list (Algorithm 1), the most superseded pages, or the most pages won for the sectors moved");
    v.field("erase_while_writing", erase_while_writing,
            "the merged band's blocks are erased while the band is written, as published; takes merges in place, in one round");
    describe_merging(v);
  }
};

}  // namespace tessera::mu_rmw
