#pragma once
// Random programs of every instruction of RV32IMAC and RV64IMAC that a user's program may run: the oracle runs them as the hart does.
//
// A program ends: branches and jumps go forward, but for loops of a few rounds, whose counter nothing else in them writes. Loads and stores
// stay in `scratch`, at any alignment; atomic operations are aligned. Encodings are by hand from volume I, chapters 16 and 24.
#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "unit/processor/assembler.hpp"

namespace tessera::riscv {

/// Where things are, the same in the hart and in the oracle. Values to load lie behind gp, scratch before it, across a page's border.
struct ProgramLayout {
  static constexpr std::uint64_t code = 0x10'0000;
  static constexpr std::uint64_t data = 0x100'0000;
  static constexpr std::uint64_t scratch_bytes = 2048;
  static constexpr std::uint64_t values_bytes = 2048;
  static constexpr std::uint64_t gp = data + 0x1000 + 1024;
  static constexpr std::uint64_t log = data + 0x2000;
};

class RandomProgram {
 public:
  RandomProgram(bool wide, RandomStream& random) : wide_(wide), random_(random) {}

  /// Sets gp to the data, tp to the log, and sp, the only register that Linux has set, to zero.
  void prologue();
  /// One program of `units` random pieces, between loading registers with random values and writing them all to the log.
  void append(unsigned units);
  /// Writes data and log to the standard output and exits, as Linux has it.
  void epilogue(std::uint64_t log_bytes);

  /// Of one program.
  [[nodiscard]] std::uint64_t log_bytes() const { return 32 * register_bytes(); }
  [[nodiscard]] const std::vector<std::uint8_t>& code() const { return code_; }

 private:
  using Register = assembly::Register;
  enum class Patch : std::uint8_t { branch, jump, immediate, short_jump, short_branch };
  struct Forward {
    std::size_t at;      // of the instruction whose offset is to be set
    std::size_t origin;  // what the offset counts from
    Patch patch;
    unsigned units;  // pieces to go
  };

  [[nodiscard]] std::uint64_t register_bytes() const { return wide_ ? 8 : 4; }
  void put32(std::uint32_t bits);
  void put16(std::uint32_t bits);
  void load_constant(Register rd, std::uint64_t value);

  Register any() { return static_cast<Register>(random_.below(32)); }
  Register target(unsigned first = 0, unsigned count = 32);
  Register short_target() { return target(8, 8); }
  Register short_any() { return static_cast<Register>(8 + random_.below(8)); }
  std::int32_t immediate(unsigned bits) { return static_cast<std::int32_t>(random_.below(std::uint64_t{1} << bits)) - (1 << (bits - 1)); }
  std::uint32_t upto(std::uint64_t bound) { return static_cast<std::uint32_t>(random_.below(bound)); }
  std::int32_t pointer(Register base, std::int32_t room);

  void unit();
  void operation();
  void operation_with_immediate();
  void upper_immediate();
  void memory_access();
  void atomic();
  void reservation();
  void branch();
  void jump();
  void compressed_operation();
  void compressed_arithmetic();
  void compressed_memory();
  void compressed_stack();
  void compressed_jump();
  void loop();

  void forward(std::size_t at, std::size_t origin, Patch patch);
  void land(bool all);
  void patch(const Forward& forward);

  bool wide_;
  RandomStream& random_;
  std::vector<std::uint8_t> code_;
  std::vector<Forward> forwards_;
  std::uint32_t counter_ = 0;  // of the loop that is being written; 0: none
};

}  // namespace tessera::riscv
