#pragma once
// What an AHCI controller and the drive behind it are set up with.
#include <cstdint>
#include <functional>
#include <string>

#include "bus/host_controller.hpp"

namespace tessera::ahci {

struct Config {
  std::string serial = "TESSERA0001";
  std::string model = "Tessera";
  std::string revision = "0.1";
  std::uint32_t queue_depth = 32;        ///< command slots, and NCQ tags of the drive: 1 to 32
  std::uint32_t link_generation = 3;     ///< 1: 1.5 Gbit/s, 2: 3, 3: 6
  std::uint32_t rotation_rpm = 7200;     ///< 1,025 to 65,534; 0: not reported
  std::uint32_t physical_sector = 4096;  ///< bytes, a power of two from 512 on
  bool drive_managed_zones = false;      ///< the drive is shingled and hides it: the ZONED field of IDENTIFY DEVICE
  bool volatile_cache = true;            ///< what the drive acknowledges may be lost without a flush
  bool zeros_after_trim = false;         ///< what was trimmed reads as zeros; otherwise as that, or as before
  std::function<DriveHealth()> health;   ///< as of now; none: a drive like new
  std::function<Picoseconds()> now;      ///< simulated time
  SpindleControl spindle;                ///< without one the drive knows its power mode, and does nothing about it
};

/// InputError where it asks for what the standards do not allow.
[[nodiscard]] const Config& checked(const Config& config);

}  // namespace tessera::ahci
