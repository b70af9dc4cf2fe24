#include "firmware/caches/drive_flash_config.hpp"

namespace tessera {

#ifdef TESSERA_ON_TARGET
/// An image has no flash cache (DriveConfig::controller_for_firmware): it passes the values over.
void DriveFlashConfig::describe(ParameterVisitor& visitor) {
  constexpr int values = 11;  // as many as below
  std::uint64_t passed_over = 0;
  for (int i = 0; i < values; ++i) visitor.field("", passed_over, {}, "");
}
#else
void DriveFlashConfig::describe(ParameterVisitor& visitor) {
  visitor.field("capacity", capacity, {0, 1.1e12}, "flash in front of the layer, in whole blocks; 0 means no flash cache");
  const UnusedWhere without_cache(visitor, capacity.value() == 0, "firmware.flash_cache.capacity is 0 B");
  visitor.enumeration(
      "use", use, {"reads", "writes", "both"},
      "reads: what the host reads again is read from flash; writes: a persistent cache, in front of layers that use no flash "
      "themselves; both: in one pool, whose oldest block leaves");
  visitor.unused_where(use == FlashCacheUse::writes, "firmware.flash_cache.use is writes", [&] { describe_reads(visitor); });
  visitor.unused_where(use == FlashCacheUse::reads, "firmware.flash_cache.use is reads", [&] { describe_writes(visitor); });
}

void DriveFlashConfig::describe_reads(ParameterVisitor& visitor) {
  visitor.enumeration(
      "admit", admit, {"second_read", "every_read"},
      "sectors that go to flash when they were read from the platters: those that were read from there not long ago, or all");
  visitor.unused_where(admit == FlashAdmission::every_read, "firmware.flash_cache.admit is every_read", [&] {
    visitor.field("history", history, {1, 1000},
                  "sectors read from the platters last that are remembered, in percent of those that the cache can hold");
  });
  visitor.field("largest_read", largest_read, {512, 67'108'864.0},
                "longest read of which sectors go to flash; longer ones leave it as it is");
  visitor.field("parallel", parallel, {1, 64}, "flash blocks that are filled side by side; consecutive blocks lie on different dies");
}

void DriveFlashConfig::describe_writes(ParameterVisitor& visitor) {
  visitor.field("largest_write", largest_write, {512, 67'108'864.0}, "longest write that goes to flash; longer ones go to the platters");
  visitor.field("free_share", free_share, {0, 90}, "percent of the blocks that evictions in idle time keep free for writes");
  visitor.field("evict_after", evict_after, {0, 1e17}, "time without host commands after which such blocks are evicted");
  visitor.field("dump_tags", dump_tags,
                "the dump engine saves which sector each page holds, so that no older copy is taken for a page that becomes unreadable");
  describe_paired_pages(visitor, paired_pages);
}
#endif

}  // namespace tessera
