#pragma once
// What firmware finds at which address of the machine: memories, and the registers of each unit (registers.def).
#include <cstdint>
#include <span>

namespace tessera::hal {

inline constexpr std::uint64_t magic = 0x3141'5245'5353'4554;  // "TESSERA1"
/// Raised with every change of registers, descriptors or boot data: an image of another version is refused.
inline constexpr std::uint64_t map_version = 4;

inline constexpr std::uint64_t register_base = 0x4000'0000;
inline constexpr std::uint64_t block_bytes = 0x1000;  ///< from one unit's registers to the next unit's
/// The TCM, in front of the DRAM, so that an RV32 core reaches it too; the drive says how large it is (controller.tcm.size).
inline constexpr std::uint64_t tcm_base = 0x4400'0000;
inline constexpr std::uint64_t dram_base = 0x8000'0000;

enum class Block : std::uint8_t { ident, host, disk, flash, mover, memory, timer, interrupts, uart, probe };
inline constexpr std::size_t blocks = 10;
enum class RegisterAccess : std::uint8_t { read_only, write_only, read_write };

/// Each register, by its address: Register::host_ring and so on.
enum class Register : std::uint64_t {
#define TESSERA_REGISTER(block, name, offset, access, what) \
  block##_##name = register_base + static_cast<std::uint64_t>(Block::block) * block_bytes + (offset),
#include "firmware/hal/registers.def"
#undef TESSERA_REGISTER
};

/// What the firmware is asked to do.
enum class Request : std::uint64_t {
  none,
  prefill,  ///< puts the first `argument` sectors into the used state, in no time, before the first boot
  boot      ///< argument 1: after a power cut; 0: the first boot of an empty drive
};

enum class MoverOperation : std::uint64_t {
  copy = 1,         ///< `sectors` from `from` to `to`
  merge,            ///< one sector: the blocks of `to` outside `blocks` become those of `from`
  clear,            ///< `sectors` from `from` on: never written
  acquire,          ///< takes a staging buffer of `sectors`; result: its address, 0 where none is free
  release,          ///< gives back the one at `from`, of `sectors`
  first_lost,       ///< result: index of the first of `sectors` from `from` on whose data is lost, or `sectors`; and `lost_overwritten`
  mark_lost,        ///< marks them as lost
  mark_overwritten  ///< marks them as lost to the write of an overlapping track
};
/// In the result of first_lost: that sector is marked so.
inline constexpr std::uint64_t lost_overwritten = std::uint64_t{1} << 32;

/// Flags of a reservation, in Register::memory_reserve.
namespace reserve_flags {
inline constexpr std::uint64_t dumped = 1;  ///< saved when the power fails
inline constexpr std::uint64_t buffer = 2;  ///< of data: `bytes` is in whole sectors
}  // namespace reserve_flags

/// Flags of a figure, in Register::probe_figure.
namespace figure_flags {
inline constexpr std::uint64_t defined = 1;      ///< else a mean of nothing
inline constexpr std::uint64_t accumulates = 2;  ///< a count since power-on, of which a measurement takes the difference
}  // namespace figure_flags

/// Bits of the interrupt controller's registers.
namespace interrupt_lines {
inline constexpr std::uint64_t request = 1;
inline constexpr std::uint64_t host = 2;
inline constexpr std::uint64_t disk = 4;
inline constexpr std::uint64_t flash = 8;
inline constexpr std::uint64_t timer = 16;
}  // namespace interrupt_lines

inline constexpr std::uint64_t no_alarm = ~std::uint64_t{0};

}  // namespace tessera::hal
