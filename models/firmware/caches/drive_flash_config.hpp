#pragma once
// What the drive does with flash in front of its layer. The cache has the last blocks of the flash; the layer has the others.
#include <cstdint>
#include <string>

#include "base/parameter.hpp"
#include "firmware/ports/flash_port.hpp"

namespace tessera {

/// Which sectors, read from the platters, go to flash.
enum class FlashAdmission : std::uint32_t {
  second_read,  ///< those that were read from there not long ago: LARC (Huang et al., MSST 2013)
  every_read
};

struct DriveFlashConfig {
  Bytes capacity;  ///< 0: no cache
  FlashAdmission admit = FlashAdmission::second_read;
  std::uint32_t history = 50;     // percent of the cache: LARC adapts it between 10 and 90
  Bytes largest_read{256 << 10};  // ours: the platters of `common` bring it in 1.3 ms, a tenth of what it takes to get there
  std::uint32_t parallel = 4;     // ours: as many dies as two channels of a small drive's flash have
  static constexpr std::uint32_t least_blocks = 4;

  void describe(ParameterVisitor& visitor);
  [[nodiscard]] bool used() const { return capacity.value() != 0; }
  /// Flash blocks that the cache takes.
  [[nodiscard]] std::uint64_t blocks(const FlashShape& flash) const {
    const std::uint64_t block_bytes = std::uint64_t{flash.pages_per_block} * flash.page_bytes;
    return (capacity.value() + block_bytes - 1) / block_bytes;
  }
  /// A sentence why the cache cannot have its part of this flash, or nothing.
  [[nodiscard]] std::string problem(const FlashShape& flash) const;
};

}  // namespace tessera
