// Stacks by hand. Code: `outer` calls at offset 0 (jal, 4 bytes) and 8 (jalr), `inner` at offset 16 calls by c.jalr at 18.
#include "processor/back_trace.hpp"

#include <catch2/catch.hpp>
#include <cstring>

#include "processor/elf_image.hpp"
#include "processor/memory.hpp"
#include "support/elf_file.hpp"

using namespace tessera;
using namespace tessera::riscv;

namespace {

constexpr std::uint64_t dram = 0x8000'0000;
constexpr std::uint64_t behind_jal = dram + 4, behind_jalr = dram + 12, behind_compressed = dram + 20;
constexpr std::uint64_t stack_end = dram + 0x1000;

std::vector<std::byte> code() {
  // jal x1; addi x0,x0,0; jalr x1,0(x5); nop; c.nop, c.jalr x10; jalr x0,0(x1)
  const std::uint32_t words[] = {0x010000ef, 0x00000013, 0x000280e7, 0x00000013, 0x95020001, 0x00008067};
  std::vector<std::byte> bytes(sizeof words);
  std::memcpy(bytes.data(), words, sizeof words);
  return bytes;
}

template <bool Wide>
struct Stack {
  using Word = std::conditional_t<Wide, std::uint64_t, std::uint32_t>;
  std::vector<std::byte> bytes = std::vector<std::byte>(0x1000);
  Memory memory;
  ElfImage image = make();

  Stack() {
    memory.map(dram, bytes);
    image.load(memory);
  }
  static ElfImage make() {
    test::ElfBytes<Wide> elf;
    elf.header.e_entry = dram;
    elf.add_segment(dram, code(), 24);
    elf.add_symbol("outer", dram, 16, STT_FUNC);
    elf.add_symbol("inner", dram + 16, 8, STT_FUNC);
    elf.lay_out();
    return {"fw.elf", elf.bytes(), {dram, 0x1000}};
  }
  /// Word `index` counted down from the end of the stack, beginning with 1.
  void put(unsigned index, std::uint64_t value) {
    const Word word = static_cast<Word>(value);
    std::memcpy(bytes.data() + bytes.size() - index * sizeof word, &word, sizeof word);
  }
  static std::uint64_t place(unsigned index) { return stack_end - index * sizeof(Word); }
};

using Addresses = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE("back-trace: the chain of frame pointers is followed to its end") {
  const auto holds = []<bool Wide>(std::bool_constant<Wide>) {
    Stack<Wide> stack;
    stack.put(1, behind_jal);  // frame of outer: its frame address is the end of the stack
    stack.put(2, 0);           // nobody called it
    stack.put(3, behind_compressed);
    stack.put(5, behind_jalr);
    stack.put(6, Stack<Wide>::place(0));
    const auto trace = back_trace(stack.image, stack.memory, {dram + 16, behind_jalr, Stack<Wide>::place(8), Stack<Wide>::place(4)});
    CHECK(trace.addresses == Addresses{dram + 16, behind_jalr, behind_jal});
    CHECK_FALSE(trace.guessed);
    CHECK(trace.text(stack.image) == "#0  inner\n#1  outer+0xc\n#2  outer+0x4\n");
  };
  holds(std::true_type{});
  holds(std::false_type{});
}

TEST_CASE("back-trace: a function that calls nothing saved the frame address alone") {
  const auto holds = []<bool Wide>(std::bool_constant<Wide>) {
    Stack<Wide> stack;
    stack.put(1, behind_jal);
    stack.put(2, 0);
    stack.put(5, Stack<Wide>::place(0));
    const auto trace = back_trace(stack.image, stack.memory, {dram + 22, behind_jalr, Stack<Wide>::place(8), Stack<Wide>::place(4)});
    CHECK(trace.addresses == Addresses{dram + 22, behind_jalr, behind_jal});
    CHECK_FALSE(trace.guessed);
  };
  holds(std::true_type{});
  holds(std::false_type{});
}

TEST_CASE("back-trace: without frame pointers the stack is looked through for addresses behind calls") {
  const auto holds = []<bool Wide>(std::bool_constant<Wide>) {
    Stack<Wide> stack;
    stack.put(2, behind_jal);
    stack.put(3, behind_jalr);
    stack.put(4, dram + 8);         // in code, behind no call
    stack.put(5, behind_jalr + 1);  // odd
    stack.put(6, stack_end + 4);    // no code
    stack.put(7, behind_compressed);
    stack.put(9, behind_jal);  // below the stack pointer: gone
    const auto trace = back_trace(stack.image, stack.memory, {dram + 22, dram + 2, Stack<Wide>::place(8), 0x1234});
    CHECK(trace.addresses == Addresses{dram + 22, behind_compressed, behind_jalr, behind_jal});
    CHECK(trace.guessed);
    CHECK(trace.text(stack.image) ==
          "#0  inner+0x6\n#1  inner+0x4\n#2  outer+0xc\n#3  outer+0x4\n"
          "(found by looking through the stack: may be incomplete, and may hold calls that have returned)\n");
  };
  holds(std::true_type{});
  holds(std::false_type{});
}

TEST_CASE("back-trace: a stack pointer and a frame pointer outside of memory, or a chain in a circle, end it") {
  Stack<true> stack;
  CHECK(back_trace(stack.image, stack.memory, {dram, 0, ~0ULL, ~0ULL - 7}).addresses == Addresses{dram});
  CHECK(back_trace(stack.image, stack.memory, {dram, behind_jal, 0, 0}).addresses == Addresses{dram, behind_jal});
  stack.put(1, behind_jal);
  stack.put(2, stack_end);  // a frame that names itself
  CHECK(back_trace(stack.image, stack.memory, {dram, 0, stack_end - 16, stack_end}).addresses == Addresses{dram, behind_jal});
}

TEST_CASE("back-trace: c.jal is a call on RV32 alone") {
  // 0x2001 is c.jal on RV32 and c.addiw x0 on RV64.
  const auto callers = []<bool Wide>(std::bool_constant<Wide>) {
    Stack<Wide> stack;
    const std::uint16_t half = 0x2001;
    std::memcpy(stack.bytes.data() + 4, &half, sizeof half);
    return back_trace(stack.image, stack.memory, {dram, dram + 6, stack_end, 0}).addresses.size() - 1;
  };
  CHECK(callers(std::false_type{}) == 1);
  CHECK(callers(std::true_type{}) == 0);
}
