#include "processor/back_trace.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "processor/elf_image.hpp"
#include "processor/memory.hpp"

namespace tessera::riscv {

namespace {

constexpr std::size_t most_frames = 64;
/// How far up a stack without frame pointers is looked through.
constexpr std::uint64_t searched_bytes = 16U << 10U;

/// Opcodes of the unprivileged specification, chapters 2.5 and 16.4; x1 is the link register of calls.
constexpr std::uint32_t jal_to_x1 = 0x0ef, jal_mask = 0xfff;
constexpr std::uint32_t jalr_to_x1 = 0x0e7, jalr_mask = 0x7fff;
constexpr std::uint32_t compressed_jalr = 0x9002, compressed_jalr_mask = 0xf07f, compressed_jalr_register = 0x0f80;
constexpr std::uint32_t compressed_jal = 0x2001, compressed_jal_mask = 0xe003;  // RV32 alone

class Walk {
 public:
  Walk(const ElfImage& image, const Memory& memory) : image_(image), memory_(memory), word_bytes_(image.wide() ? 8 : 4) {}

  /// By frame pointers: 8 bytes (RV64) below a frame's address lies where it returns to, 16 below the caller's frame address.
  [[nodiscard]] std::vector<std::uint64_t> chain(const StackState& state) const {
    std::vector<std::uint64_t> found;
    std::uint64_t frame = state.frame_pointer;
    std::uint64_t below = state.stack_pointer;
    if (frame % word_bytes_ != 0) return found;
    // A function that calls nothing saves the caller's frame address alone, in the first place.
    if (const auto saved = word(frame - word_bytes_); saved && !is_return(*saved) && *saved > frame && is_return(state.return_address)) {
      found.push_back(state.return_address);
      below = frame;
      frame = *saved;
    }
    while (found.size() < most_frames && frame > below && frame % word_bytes_ == 0) {
      const auto to = word(frame - word_bytes_);
      const auto caller = word(frame - 2 * word_bytes_);
      if (!to || !caller || !is_return(*to)) break;
      found.push_back(*to);
      below = frame;
      frame = *caller;
    }
    return found;
  }

  [[nodiscard]] std::vector<std::uint64_t> search(const StackState& state) const {
    std::vector<std::uint64_t> found;
    if (is_return(state.return_address)) found.push_back(state.return_address);
    const std::uint64_t begin = state.stack_pointer / word_bytes_ * word_bytes_;
    for (std::uint64_t offset = 0; offset < searched_bytes && found.size() < most_frames; offset += word_bytes_) {
      const auto value = word(begin + offset);
      if (!value) break;
      if (is_return(*value) && (found.empty() || found.back() != *value)) found.push_back(*value);
    }
    return found;
  }

 private:
  /// Whether a call instruction ends right before `address`.
  [[nodiscard]] bool is_return(std::uint64_t address) const {
    if (address % 2 != 0 || address < 4 || !image_.is_code(address - 2)) return false;
    const std::uint32_t half = value(address - 2, 2).value_or(0);
    if ((half & compressed_jalr_mask) == compressed_jalr && (half & compressed_jalr_register) != 0) return true;
    if (!image_.wide() && (half & compressed_jal_mask) == compressed_jal) return true;
    const std::uint32_t whole = value(address - 4, 4).value_or(0);
    return (whole & jal_mask) == jal_to_x1 || (whole & jalr_mask) == jalr_to_x1;
  }

  [[nodiscard]] std::optional<std::uint64_t> word(std::uint64_t address) const { return read<std::uint64_t>(address, word_bytes_); }
  [[nodiscard]] std::optional<std::uint32_t> value(std::uint64_t address, std::uint64_t bytes) const {
    return read<std::uint32_t>(address, bytes);
  }

  template <class Word>
  [[nodiscard]] std::optional<Word> read(std::uint64_t address, std::uint64_t bytes) const {
    const std::byte* const place = memory_.find(address, bytes);
    if (place == nullptr) return std::nullopt;
    Word word = 0;
    std::memcpy(&word, place, bytes);
    return word;
  }

  const ElfImage& image_;
  const Memory& memory_;
  std::uint64_t word_bytes_;
};

}  // namespace

BackTrace back_trace(const ElfImage& image, const Memory& memory, const StackState& state) {
  const Walk walk(image, memory);
  BackTrace trace;
  std::vector<std::uint64_t> callers = walk.chain(state);
  if (callers.empty()) {
    trace.guessed = true;
    callers = walk.search(state);
  }
  trace.addresses.push_back(state.pc);
  trace.addresses.insert(trace.addresses.end(), callers.begin(), callers.end());
  return trace;
}

std::string BackTrace::text(const ElfImage& image) const {
  std::string lines;
  for (std::size_t i = 0; i < addresses.size(); ++i) lines += "#" + std::to_string(i) + "  " + image.place(addresses[i], i != 0) + "\n";
  if (guessed) lines += "(found by looking through the stack: may be incomplete, and may hold calls that have returned)\n";
  return lines;
}

}  // namespace tessera::riscv
