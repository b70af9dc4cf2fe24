/// A small drive with flash in front of its layer, of blocks of four pages with a sector each.
#pragma once

#include "unit/firmware/test_drive.hpp"

namespace tessera::test {

constexpr std::uint32_t pages = 4;  // of a block

inline BenchConfig drive_with_flash(std::uint64_t blocks) {
  BenchConfig config = small_drive();
  config.nand.emplace();
  config.nand->blocks = blocks;
  config.nand->pages_per_block = pages;
  config.nand->oob_size = Bytes(64);
  return config;
}

/// A cache of so many blocks that fills one of them at a time, unless a test says otherwise: sectors lie in the order in which they were
/// taken in.
inline FirmwareConfig with_flash_cache(std::uint64_t blocks) {
  FirmwareConfig config;
  config.flash_cache.capacity = Bytes(blocks * pages * 4096);
  config.flash_cache.parallel = 1;
  return config;
}

}  // namespace tessera::test
