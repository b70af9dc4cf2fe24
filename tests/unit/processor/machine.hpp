#pragma once
// A hart with 64 KiB of memory at 0x8000'0000, for tests.
#include <cstring>

#include "processor/hart.hpp"
#include "unit/processor/assembler.hpp"

namespace tessera::riscv {

inline constexpr std::uint64_t memory_base = 0x8000'0000;
inline constexpr std::uint64_t handler = memory_base + 0x4000;
inline constexpr std::uint64_t data = memory_base + 0x8000;

struct Machine {
  explicit Machine(bool wide = true) : Machine(HartConfig{.wide = wide, .timing = {}}) {}
  explicit Machine(const HartConfig& config, LineMiss* lines = nullptr) : bytes(0x1'0000), hart(config, memory) {
    hart.set_lines(lines);
    memory.map(memory_base, bytes);
    hart.reset(memory_base);
    hart.set_csr(csr::mtvec, handler);
  }

  void put(std::uint64_t address, std::initializer_list<std::uint32_t> instructions) {
    for (const std::uint32_t instruction : instructions) {
      poke(address, instruction);
      address += sizeof instruction;
    }
  }
  void program(std::initializer_list<std::uint32_t> instructions) { put(memory_base, instructions); }

  template <class T>
  void poke(std::uint64_t address, T value) {
    std::memcpy(memory.find(address, sizeof value), &value, sizeof value);
    hart.memory_written(address, sizeof value);
  }
  template <class T>
  [[nodiscard]] T peek(std::uint64_t address) const {
    T value{};
    std::memcpy(&value, memory.find(address, sizeof value), sizeof value);
    return value;
  }
  /// As many steps, each of which only ends.
  void steps(unsigned count) {
    for (unsigned i = 0; i < count; ++i)
      if (hart.step() != Stop::limit) throw std::logic_error("a step stopped");
  }

  std::vector<std::byte> bytes;
  Memory memory;
  Hart hart;
};

}  // namespace tessera::riscv
