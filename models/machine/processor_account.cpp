#include "machine/processor_account.hpp"

#include <cstdio>

#include "processor/back_trace.hpp"
#include "processor/elf_image.hpp"
#include "processor/hart.hpp"
#include "processor/memory.hpp"

namespace tessera {

namespace {

/// Names of the calling convention (RISC-V ELF psABI 1.0, "Integer Register Convention").
constexpr const char* names[] = {"zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
                                 "a6",   "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
constexpr unsigned registers = 32;
constexpr unsigned by_line = 4;

}  // namespace

std::string account_of(const riscv::Hart& hart, const riscv::Memory& memory, const riscv::ElfImage& image) {
  std::string text;
  for (unsigned number = 0; number < registers; ++number) {
    char field[40];
    std::snprintf(field, sizeof field, "%5s %016llx", names[number], static_cast<unsigned long long>(hart.x(number)));
    text += number % by_line == 0 ? "  " : " ";
    text += field;
    if (number % by_line == by_line - 1) text += "\n";
  }
  const riscv::BackTrace trace = riscv::back_trace(
      image, memory, {.pc = hart.pc(), .return_address = hart.x(1), .stack_pointer = hart.x(2), .frame_pointer = hart.x(8)});  // ra, sp, s0
  text += trace.text(image);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace tessera
