#pragma once
// The parameters of the layer `tessera`: each of its ideas can be switched off, so that its page can say what each is worth.
#include <cstdint>
#include <string>

#include "firmware/caches/write_cache.hpp"
#include "firmware/layers/media_cache/media_cache_config.hpp"
#include "firmware/layers/tessera/flash_tier_config.hpp"

namespace tessera::tiers {

/// All values are ours.
struct TiersConfig {
  // First tier: the write buffer in dumped DRAM
  Bytes buffer{12 << 20};  // what the layers hwsr and sblock have dumped on the drive `common`
  EdgeReads edges = EdgeReads::behind;
  bool make_way = true;
  Picoseconds destage_after{10'000'000'000'000};  // 10 s: what is dumped on power loss need not hurry, and is overwritten meanwhile
  std::uint32_t trickle_mark = 50;
  std::uint32_t high_mark = 75;
  std::uint32_t low_mark = 50;
  std::uint32_t destage_depth = 64;  // eight packets of eight writes
  Bytes destage_run{256 << 10};      // 64 of these are as much DRAM as a merge takes

  // Middle tier: flash
  FlashUse flash = FlashUse::on;
  std::uint32_t flash_run = 64;
  std::uint32_t flash_backlog = 8;  // 10 ms of one die: what a read may find in front of it
  std::uint32_t flash_free = 8;
  CopyForward copy_forward = CopyForward::on;
  Picoseconds evict_after{100'000'000'000};
  PairedPages paired_pages = PairedPages::lower_only;
  bool dump_tags = true;

  // Last tier: the log of packets in front of the bands
  Bytes log{0};
  std::uint32_t map_entries = 0;
  std::uint32_t packet_writes = 8;
  std::uint32_t checkpoint_every = 8192;
  std::uint32_t band_tracks = 20;
  std::uint32_t head_width = 3;  // as the flash caches have it (MU-RMW, section IV-A)
  Bytes merge_buffer{14'680'064};
  std::uint32_t bands_a_cleaning = 2;
  Bytes stream{std::uint64_t{2} << 20};
  media_cache::IdleCleaning idle_cleaning = media_cache::IdleCleaning::on;
  Picoseconds idle_after{5'000'000'000'000};
  std::uint32_t idle_mark = 75;  // a quarter of the log is free for a burst; below that, what is written again costs no merge

  void describe(ParameterVisitor& v);
  [[nodiscard]] bool buffered() const { return buffer.value() != 0; }
  [[nodiscard]] bool uses_flash() const { return flash == FlashUse::on; }
  [[nodiscard]] WriteCacheConfig write_buffer() const;
  [[nodiscard]] FlashTierConfig flash_tier() const;
  [[nodiscard]] media_cache::MediaCacheConfig bands(const DriveGeometry& geometry) const;
  /// Regions of the platters; empty, with a sentence in `problem`, where they do not fit.
  [[nodiscard]] FormatPlan plan(const DriveGeometry& geometry, std::string& problem) const;
};

}  // namespace tessera::tiers
