#pragma once
// Runs a program of machine code in Debian's qemu-user, as a static Linux executable without libraries.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tessera::riscv {

/// Bytes that a program finds at an address, with room behind them that is zero.
struct Segment {
  std::uint64_t address;
  std::span<const std::byte> bytes;
  std::uint64_t room;  ///< in all
};

/// What the program, which begins at the first segment's begin, has written to its standard output when it exited with status 0. Throws
/// where it did not, and where there is no qemu-user: it is what the hart is held against, and a test without it would say nothing.
[[nodiscard]] std::vector<std::byte> run_in_qemu(bool wide, std::span<const Segment> segments);

}  // namespace tessera::riscv
