#pragma once
// The machine under a bare-metal image: its registers, and what to do when the firmware cannot go on.
#include <cstddef>
#include <cstdint>

#include "firmware/hal/register_file.hpp"
#include "firmware/hal/runtime.hpp"

namespace tessera::image {

class Registers final : public hal::RegisterFile {
 public:
  [[nodiscard]] std::uint64_t read(hal::Register which) override {
    if constexpr (sizeof(void*) == 8) return *word<std::uint64_t>(which, 0);
    const std::uint64_t low = *word<std::uint32_t>(which, 0);
    return low | std::uint64_t{*word<std::uint32_t>(which, 4)} << 32;
  }
  /// What it does happens with the lower half.
  void write(hal::Register which, std::uint64_t value) override {
    if constexpr (sizeof(void*) == 8) {
      *word<std::uint64_t>(which, 0) = value;
    } else {
      *word<std::uint32_t>(which, 4) = static_cast<std::uint32_t>(value >> 32);
      *word<std::uint32_t>(which, 0) = static_cast<std::uint32_t>(value);
    }
  }

 private:
  template <class Word>
  static volatile Word* word(hal::Register which, std::uintptr_t offset) {
    return reinterpret_cast<volatile Word*>(static_cast<std::uintptr_t>(which) + offset);
  }
};

/// The firmware, once it is made.
extern hal::Runtime* runtime;

/// Says `sentence` on the serial line and in ident.panic, and stays there.
[[noreturn]] void panic(const char* sentence);

/// What is allocated from now on lies in `room`, of `bytes`.
void take_heap_from(std::byte* room, std::size_t bytes);

inline void wait_for_interrupt() { asm volatile("wfi" ::: "memory"); }

}  // namespace tessera::image
