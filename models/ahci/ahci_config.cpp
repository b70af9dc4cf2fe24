#include "ahci/ahci_config.hpp"

#include <bit>
#include <string>

#include "ahci/ata_wire.hpp"
#include "base/error.hpp"

namespace tessera::ahci {

const Config& checked(const Config& config) {
  if (config.queue_depth < 1 || config.queue_depth > 32)
    throw InputError("an AHCI controller of " + std::to_string(config.queue_depth) + " command slots; expected 1 to 32");
  if (config.link_generation < 1 || config.link_generation > 3)
    throw InputError("a Serial ATA link of generation " + std::to_string(config.link_generation) + "; expected 1 to 3");
  if (config.rotation_rpm != 0 && (config.rotation_rpm < 1025 || config.rotation_rpm > 65534))
    throw InputError("a Serial ATA drive of " + std::to_string(config.rotation_rpm) +
                     " rpm; expected 1,025 to 65,534, or 0 (not reported)");
  if (config.physical_sector < block_bytes || !std::has_single_bit(config.physical_sector))
    throw InputError("a Serial ATA drive with sectors of " + std::to_string(config.physical_sector) +
                     " B; expected a power of two from 512 on");
  return config;
}

}  // namespace tessera::ahci
