#pragma once
// The parameters of what our own layers have in front of the platters: the write buffer, and flash.
#include <cstdint>
#include <string>
#include <vector>

#include "firmware/caches/write_cache.hpp"
#include "firmware/flash/flash_tier_config.hpp"

namespace tessera::tiers {

/// All values are ours.
struct FrontConfig {
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

  // Second tier: flash
  FlashUse flash = FlashUse::on;
  std::uint32_t flash_run = 64;
  std::uint32_t flash_backlog = 8;  // 10 ms of one die: what a read may find in front of it
  std::uint32_t flash_free = 8;
  CopyForward copy_forward = CopyForward::on;
  Picoseconds evict_after{100'000'000'000};
  PairedPages paired_pages = PairedPages::lower_only;
  bool dump_tags = true;

  void describe_front(ParameterVisitor& v);
  void describe_buffer(ParameterVisitor& v);
  void describe_flash(ParameterVisitor& v);
  [[nodiscard]] bool buffered() const { return buffer.value() != 0; }
  [[nodiscard]] bool uses_flash() const { return flash == FlashUse::on; }
  [[nodiscard]] WriteCacheConfig write_buffer() const;
  [[nodiscard]] FlashTierConfig flash_tier() const;

  /// A sentence why a front of this description cannot run before `plan`, or nothing.
  [[nodiscard]] std::string problem_before(const FormatPlan& plan, const DriveGeometry& geometry) const;
  /// As LayerFactory::check_flash() and warnings().
  [[nodiscard]] std::string problem_with(const FlashShape& shape) const;
  [[nodiscard]] std::vector<std::string> warnings_of(const FlashShape& shape) const;
  [[nodiscard]] bool knows_lost_pages() const { return dump_tags || !uses_flash(); }
};

}  // namespace tessera::tiers
