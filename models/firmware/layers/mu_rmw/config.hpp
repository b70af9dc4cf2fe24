#pragma once
// The parameters of MU-RMW. Defaults are the paper's section IV-A; what the paper leaves open is marked.
#include <cstdint>

#include "base/parameter.hpp"
#include "base/units.hpp"
#include "firmware/flash/block_pool.hpp"

namespace tessera::mu_rmw {

struct MuRmwConfig {
  std::uint32_t band_sectors = 10240;  // P: 40 MiB of 4 KiB sectors
  std::uint32_t head_width = 3;        // "the write-head width is three times as large as the read-head width"
  std::uint64_t bands = 0;             // U: the paper has 256
  std::uint32_t spare_bands = 1;       // ours: where a merge is written before the band it replaces is given up
  std::uint32_t slots = 64;            // Q
  std::uint32_t slot_bytes = 4;        // "4 bytes are required to represent one specific logical sector number"
  std::uint32_t ecc_bytes = 104;       // ours: BCH over 8 x 512 B, 8 bits each, 13 B a codeword
  bool paper = false;
  bool crash_safe = true;
  FreeOrder free_list = FreeOrder::fifo;  // the paper is silent
  Bytes merge_buffer{0};
  std::uint32_t log_radii = 4;  // ours

  /// Bands are rewritten where they lie, as in the paper: a power cut in the middle of it loses the band.
  [[nodiscard]] bool in_place() const { return paper || !crash_safe; }
  [[nodiscard]] std::uint32_t spares() const { return in_place() ? 0 : spare_bands; }
  [[nodiscard]] std::uint32_t guard_tracks() const { return head_width - 1; }
  /// Sectors of one round of a merge.
  [[nodiscard]] std::uint32_t round_sectors(std::uint32_t sector_bytes) const {
    const std::uint64_t whole = merge_buffer.value() / sector_bytes;
    return whole == 0 || whole > band_sectors ? band_sectors : static_cast<std::uint32_t>(whole);
  }

  void describe(ParameterVisitor& v) {
    v.field("band_sectors", band_sectors, {1, 1 << 24}, "P: sectors of a band");
    v.field("head_width", head_width, {2, 16}, "W: tracks that the write head covers; a band ends with W-1 guard tracks");
    v.field("bands", bands, {0, 4e9}, "U: bands of user data; 0: as many as fit the drive");
    v.field("spare_bands", spare_bands, {1, 1024}, "bands kept for merging when crash_safe is on");
    v.field("slots", slots, {1, 4096}, "Q: mapping slots in the out-of-band area of a page");
    v.field("slot_bytes", slot_bytes, {2, 4}, "bytes of a slot: 2 (fewer than 65,535 flash pages) or 4");
    v.field("ecc_bytes", ecc_bytes, {0, 4096}, "out-of-band bytes that error correction needs");
    v.field("paper", paper, "as published: no room for error correction is asked of the out-of-band area, merges are in place");
    v.field("crash_safe", crash_safe, "merge into a spare band and log a watermark before the first erase; off: rewrite bands in place");
    v.enumeration("free_list", free_list, {"fifo", "lifo", "lowest"}, "order in which free blocks are handed out");
    v.field("merge_buffer", merge_buffer, {0, 1e12}, "DRAM for merging: a merge is band/buffer rounds; 0: a whole band");
    v.field("log_radii", log_radii, {1, 65536}, "conventional tracks a surface, amid the bands, for the merge log and its checkpoints");
  }
};

}  // namespace tessera::mu_rmw
