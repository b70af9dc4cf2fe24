#pragma once
// Who called whom, from a hart that stopped: by the chain of frame pointers where the image was compiled with it
// (-fno-omit-frame-pointer), or else by looking through the stack for addresses behind call instructions.
#include <cstdint>
#include <string>
#include <vector>

namespace tessera::riscv {

class ElfImage;
class Memory;

/// Registers of the hart.
struct StackState {
  std::uint64_t pc = 0;
  std::uint64_t return_address = 0;  ///< x1
  std::uint64_t stack_pointer = 0;   ///< x2
  std::uint64_t frame_pointer = 0;   ///< x8
};

struct BackTrace {
  std::vector<std::uint64_t> addresses;  ///< pc, then behind each call, innermost first
  bool guessed = false;                  ///< found by looking through the stack: may be incomplete, and may hold calls that have returned

  /// A line each, with the function's name.
  [[nodiscard]] std::string text(const ElfImage& image) const;
};

[[nodiscard]] BackTrace back_trace(const ElfImage& image, const Memory& memory, const StackState& state);

}  // namespace tessera::riscv
