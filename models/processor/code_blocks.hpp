#pragma once
// Decoded code: runs of instructions that are entered at the first only. Decoded once, they are found by their address until the memory
// they came from is written, or a breakpoint comes to lie among them.
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "processor/hart_timing.hpp"
#include "processor/instruction.hpp"

namespace tessera::riscv {

/// An instruction of a block.
struct Step {
  Instruction instruction;
  std::uint32_t begin = 0;   ///< cycles from the block's begin to this instruction's, past what it waits for a load before it and its fetch
  std::uint16_t offset = 0;  ///< bytes from the block's address to its
};

struct Block {
  std::uint64_t pc = 0;
  bool breakpoint = false;  ///< a debugger's, on its first instruction
  std::vector<Step> steps;  ///< its instructions, and one behind them that says where the block ends

  Instruction loading;  ///< its last instruction, if that is a load

  [[nodiscard]] const Step* first() const { return steps.data(); }
  [[nodiscard]] const Step* end() const { return steps.data() + steps.size() - 1; }
  [[nodiscard]] const Step& last() const { return steps[steps.size() - 2]; }
  [[nodiscard]] std::uint64_t bytes() const { return end()->offset; }
  /// Behind the last instruction that begins within so many cycles of the block's begin; the first one does.
  [[nodiscard]] const Step* end_within(std::uint64_t cycles) const;
};

class CodeBlocks {
 public:
  /// With a code cache, a block lies in one of its lines of `line` bytes, or is one instruction that lies in two.
  CodeBlocks(bool wide, const HartTiming& timing, std::uint64_t line) : wide_(wide), timing_(timing), line_(line) {}

  /// The block that begins at `pc`, or null.
  [[nodiscard]] const Block* find(std::uint64_t pc) const {
    const Block* block = recent_[index(pc)];
    return block != nullptr && block->pc == pc ? block : find_older(pc);
  }

  /// Decodes what is at `pc`: `code` are the bytes from there on, to the end of the page at most but for its last instruction. They hold
  /// one instruction at least.
  const Block& decode(std::uint64_t pc, std::span<const std::byte> code);

  /// Is any of this page decoded?
  [[nodiscard]] bool holds_code(std::uint64_t address) const { return pages_.contains(address >> page_shift); }
  /// Drops the blocks that hold any of these bytes; true if there were any. A block that runs stays in being until release().
  bool drop(std::uint64_t address, std::uint64_t bytes);
  void drop_all();
  /// No dropped block runs any more.
  void release() { dropped_.clear(); }

  void set_breakpoint(std::uint64_t address);
  void clear_breakpoint(std::uint64_t address);

 private:
  /// A page that holds decoded code.
  struct CodePage {
    std::vector<std::uint64_t> blocks;  // addresses of those that it has part of
    std::uint64_t lines = 0;            // its 64ths that may hold code: data beside code costs a look, no search
  };
  static constexpr std::size_t recent_size = 4096;
  static constexpr unsigned page_shift = 12;
  static constexpr std::size_t longest = 32;  // instructions of a block
  static std::size_t index(std::uint64_t pc) { return pc >> 1 & (recent_size - 1); }
  [[nodiscard]] const Block* find_older(std::uint64_t pc) const;
  /// The lines of a page that some of these bytes lie in.
  [[nodiscard]] static std::uint64_t lines(std::uint64_t page, std::uint64_t address, std::uint64_t bytes);
  [[nodiscard]] bool ends_before(std::uint64_t pc, std::uint64_t next, unsigned bytes) const;
  void remove(std::uint64_t pc);

  bool wide_;
  const HartTiming& timing_;
  std::uint64_t line_;                                                // 0: there is no code cache
  std::unordered_map<std::uint64_t, std::unique_ptr<Block>> blocks_;  // by address
  std::unordered_map<std::uint64_t, CodePage> pages_;                 // by number
  std::vector<std::unique_ptr<Block>> dropped_;
  std::vector<std::uint64_t> breakpoints_;
  mutable std::array<const Block*, recent_size> recent_{};
};

}  // namespace tessera::riscv
