#pragma once
// Identify data structures (NVMe 1.4, 5.15), of 4 KiB each.
#include <cstdint>
#include <vector>

#include "nvme/nvme_config.hpp"

namespace tessera::nvme {

/// A part of the drive that the host addresses by number.
struct Namespace {
  std::uint64_t offset = 0;  ///< on the drive, bytes
  std::uint64_t blocks = 0;  ///< of 512 B
};

inline constexpr std::uint64_t block_bytes = 512;
inline constexpr std::uint8_t most_events = 4;  // asynchronous event requests that are held
inline constexpr std::uint8_t most_aborts = 4;
inline constexpr std::uint8_t io_controller = 1;  // CNTRLTYPE

/// The namespaces of a drive of `capacity` bytes, as the configuration divides it; what does not fit has no blocks.
[[nodiscard]] std::vector<Namespace> namespaces_of(const Config& config, std::uint64_t capacity);

[[nodiscard]] std::vector<std::byte> identify_controller(const Config& config, std::uint32_t namespaces);
[[nodiscard]] std::vector<std::byte> identify_namespace(const Config& config, std::uint32_t number, const Namespace& space);
/// Numbers of active namespaces above `after`, ascending.
[[nodiscard]] std::vector<std::byte> active_namespaces(const std::vector<Namespace>& spaces, std::uint32_t after);
/// Its EUI-64, made of the serial number and the namespace's.
[[nodiscard]] std::vector<std::byte> namespace_descriptors(const Config& config, std::uint32_t number);

}  // namespace tessera::nvme
