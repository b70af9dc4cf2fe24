#pragma once
// A conventional drive with bad sectors. One surface, 32 tracks of 16 sectors; logical sector n lies at radius n / 16, sector n % 16; two
// spare tracks: the table's places are sectors 0 and 1 of each, the 28 others are spares.
#include "firmware/layers/layer_factories.hpp"
#include "unit/firmware/test_drive.hpp"

namespace tessera::test {

inline constexpr std::uint32_t first_spare_radius = 32;

inline BenchConfig drive_with(const std::function<void(MediaConfig&)>& faults) {
  BenchConfig config = small_drive();
  faults(config.media);
  return config;
}

struct DefectDrive : TestDrive {
  explicit DefectDrive(const BenchConfig& config, const FirmwareConfig& firmware = {})
      : TestDrive(make_cmr_factory(), {}, config, firmware) {}
  explicit DefectDrive(const std::function<void(MediaConfig&)>& faults) : DefectDrive(drive_with(faults)) {}

  Status write(std::uint64_t sector, std::uint32_t count = 1) {
    return bench().write(sector * blocks_per_sector, count * blocks_per_sector);
  }
  Status read(std::uint64_t sector, std::uint32_t count = 1) { return bench().read(sector * blocks_per_sector, count * blocks_per_sector); }
  double defects(const std::string& name) { return metric("defects." + name); }
};

}  // namespace tessera::test
