#pragma once
// What lies where on the controller's bus.
#include <cstdint>

namespace tessera {

/// Windows of the address map: the upper address bits name the target.
namespace address_map {
inline constexpr unsigned window_bits = 56;
inline constexpr std::uint64_t dram = 0;
inline constexpr std::uint64_t disk_channel = std::uint64_t{1} << window_bits;
inline constexpr std::uint64_t nand = std::uint64_t{2} << window_bits;
inline constexpr std::uint64_t mailbox = std::uint64_t{3} << window_bits;
/// DeviceRegister, 4 B each: the bus takes the time of an access; what a register says is between the controller's own parts.
inline constexpr std::uint64_t registers = std::uint64_t{4} << window_bits;
/// Offset in its window.
[[nodiscard]] constexpr std::uint64_t offset(std::uint64_t address) { return address & ((std::uint64_t{1} << window_bits) - 1); }
}  // namespace address_map

}  // namespace tessera
