// Cycles of instructions, and that cutting a run changes none.
#include <catch2/catch.hpp>
#include <tuple>

#include "unit/processor/machine.hpp"
#include "unit/processor/random_program.hpp"

using namespace tessera;
using namespace tessera::riscv;
using namespace tessera::riscv::assembly;

namespace {

/// A time for each class that tells it from all others.
HartConfig distinct() {
  HartConfig config;
  config.timing = {.alu = 1,
                   .multiply = 10,
                   .divide = 20,
                   .divide_wide = 40,
                   .load = 100,
                   .load_use = 200,
                   .narrow_load_use = 400,
                   .store = 800,
                   .atomic = 900,
                   .branch = 3,
                   .jump = 5,
                   .misprediction = 50,
                   .csr = 7,
                   .trap = 70};
  return config;
}

/// Cycles of the first `count` instructions, stepped one by one and run at once: the same.
std::uint64_t cycles_of(unsigned count, std::initializer_list<std::uint32_t> instructions) {
  Machine stepped(distinct()), run(distinct());
  for (Machine* machine : {&stepped, &run}) {
    machine->program(instructions);
    machine->hart.set_x(a0, data);
    machine->hart.set_x(ra, memory_base + 8);
    machine->hart.set_x(t1, memory_base + 8);
  }
  stepped.steps(count);
  REQUIRE(run.hart.run(stepped.hart.cycles()) == Stop::limit);
  CHECK(run.hart.cycles() == stepped.hart.cycles());
  CHECK(run.hart.instructions() == stepped.hart.instructions());
  CHECK(run.hart.pc() == stepped.hart.pc());
  return stepped.hart.cycles();
}

}  // namespace

TEST_CASE("timing: each class of instruction has its cycles") {
  CHECK(cycles_of(2, {add(a1, a1, a1), lui(a1, 3)}) == 2);
  CHECK(cycles_of(1, {mul(a1, a1, a1)}) == 10);
  CHECK(cycles_of(1, {divw(a1, a1, a1)}) == 20);
  CHECK(cycles_of(1, {div(a1, a1, a1)}) == 40);
  CHECK(cycles_of(1, {sd(a1, a0, 0)}) == 800);
  CHECK(cycles_of(1, {amoadd_w(a1, a2, a0)}) == 900);
  CHECK(cycles_of(1, {csrrs(a1, csr::mscratch, zero)}) == 7);
  CHECK(cycles_of(1, {jal(zero, 8)}) == 5);
  CHECK(cycles_of(1, {fence_i}) == 1);
}

TEST_CASE("timing: an instruction behind a load waits if it takes what was loaded") {
  CHECK(cycles_of(2, {lw(a1, a0, 0), add(a2, a3, a3), nop}) == 101);
  CHECK(cycles_of(2, {lw(a1, a0, 0), add(a2, a1, a3), nop}) == 301);
  CHECK(cycles_of(2, {lw(a1, a0, 0), add(a2, a3, a1), nop}) == 301);
  CHECK(cycles_of(2, {ld(a1, a0, 0), sd(a1, a0, 8), nop}) == 1100);
  CHECK(cycles_of(2, {lb(a1, a0, 0), add(a2, a1, a3), nop}) == 501);
  CHECK(cycles_of(2, {lhu(a1, a0, 0), add(a2, a1, a3), nop}) == 501);
  CHECK(cycles_of(3, {lw(a1, a0, 0), nop, add(a2, a1, a3), nop}) == 102);
  CHECK(cycles_of(2, {lw(zero, a0, 0), add(a2, zero, zero), nop}) == 101);            // x0 is never loaded
  CHECK(cycles_of(2, {lw(a1, a0, 0), csrrwi(zero, csr::mscratch, 11), nop}) == 107);  // an immediate, and no register a1
  CHECK(cycles_of(2, {lw(a1, a0, 0), bne(a1, zero, 8), nop, nop}) == 303);
}

TEST_CASE("timing: backward branches and returns are predicted taken, other indirect jumps wrong") {
  CHECK(cycles_of(1, {beq(a0, zero, 8)}) == 3);
  CHECK(cycles_of(1, {beq(zero, zero, 8)}) == 53);
  CHECK(cycles_of(3, {jal(zero, 8), nop, beq(zero, zero, -4), nop}) == 5 + 3 + 1);
  CHECK(cycles_of(2, {jal(zero, 8), nop, beq(a0, zero, -4), nop}) == 5 + 53);
  CHECK(cycles_of(1, {ret}) == 5);
  CHECK(cycles_of(1, {jalr(zero, t1, 0)}) == 55);
  CHECK(cycles_of(1, {jalr(ra, ra, 0)}) == 55);
}

TEST_CASE("timing: the way into a trap and back take their cycles, and no stall goes along") {
  Machine machine(distinct());
  machine.program({lw(a1, a0, 0), ecall});
  machine.put(handler, {add(a2, a1, a1), mret});
  machine.hart.set_x(a0, data);
  machine.steps(2);
  CHECK(machine.hart.cycles() == 100 + 70);
  machine.steps(1);
  CHECK(machine.hart.cycles() == 100 + 70 + 1);
  machine.steps(1);
  CHECK(machine.hart.cycles() == 100 + 70 + 1 + 70);
}

TEST_CASE("timing: the last instruction of a run begins before the limit") {
  HartConfig config;
  config.timing.multiply = 10;
  Machine machine(config);
  machine.program({nop, mul(a1, a1, a1), nop, nop, wfi});
  Hart& hart = machine.hart;
  CHECK(hart.run(1) == Stop::limit);
  CHECK(hart.instructions() == 1);
  CHECK(hart.run(2) == Stop::limit);
  CHECK(hart.cycles() == 11);
  CHECK(hart.instructions() == 2);
  CHECK(hart.run(11) == Stop::limit);
  CHECK(hart.instructions() == 2);
  CHECK(hart.run(12) == Stop::limit);
  CHECK(hart.instructions() == 3);
}

namespace {

/// Lines that take 40 cycles to be fetched, and a note of each.
struct Lines final : LineMiss {
  struct Asked {
    std::uint64_t address;
    bool write;
    std::uint64_t cycle;
    bool operator==(const Asked&) const = default;
  };
  std::uint64_t miss(std::uint64_t address, std::uint64_t bytes, bool write, std::uint64_t cycle) override {
    CHECK(bytes == 32);
    asked.push_back({address, write, cycle});
    return 40;
  }
  std::vector<Asked> asked;
};

CacheConfig two_lines() { return {.size = Bytes(64), .line = Bytes(32), .ways = 1, .latency = 1}; }

}  // namespace

TEST_CASE("caches: a load waits for its line once, a dirty victim leaves behind the line that takes its place") {
  HartConfig config = distinct();
  config.timing.data_cache = two_lines();
  Lines lines;
  Machine machine(config, &lines);
  machine.program({sw(a1, a0, 0), lw(a1, a0, 28), lw(a1, a0, 64), lw(a1, a0, 32), lw(a1, a0, 92)});
  machine.hart.set_x(a0, data);
  machine.steps(5);
  // the store misses at 0; the load at 28 hits; 64 shares the set of 0, which is dirty; 32 has the other set; 92 hits in 64
  const std::uint64_t third = 800 + 40 + 100;
  CHECK(lines.asked ==
        std::vector<Lines::Asked>{{data, false, 0}, {data + 64, false, third}, {data, true, third + 40}, {data + 32, false, third + 140}});
  CHECK(machine.hart.cycles() == 800 + 4 * 100 + 3 * 40);
  CHECK(machine.hart.caches().data().hits == 2);
  CHECK(machine.hart.caches().data().misses == 3);
  CHECK(machine.hart.caches().data().write_backs == 1);
}

TEST_CASE("caches: an access that crosses into a second line waits for both, and a look-up takes its latency") {
  HartConfig config = distinct();
  config.timing.data_cache = two_lines();
  config.timing.data_cache.latency = 3;
  config.timing.line_fill = 25;
  Machine machine(config);
  machine.program({ld(a1, a0, 28), lw(a2, a0, 32)});
  machine.hart.set_x(a0, data);
  machine.steps(2);
  CHECK(machine.hart.cycles() == 2 * (100 + 2) + 2 * 25);
}

TEST_CASE("caches: code waits for each line as its first instruction begins, and FENCE.I empties the cache") {
  HartConfig config = distinct();
  config.timing.code_cache = two_lines();
  Lines lines;
  Machine machine(config, &lines);
  machine.program({nop, nop, nop, nop, nop, nop, nop, nop, nop, fence_i, nop});
  machine.steps(11);
  CHECK(lines.asked == std::vector<Lines::Asked>{{memory_base, false, 0}, {memory_base + 32, false, 48}, {memory_base + 32, false, 90}});
  CHECK(machine.hart.cycles() == 11 + 3 * 40);
  CHECK(machine.hart.caches().code().misses == 3);
}

TEST_CASE("caches: an instruction that lies in two lines waits for the second where it begins") {
  HartConfig config = distinct();
  config.timing.code_cache = two_lines();
  Lines lines;
  Machine machine(config, &lines);
  const std::uint64_t begin = memory_base + 26;
  machine.put(begin, {nop, nop, nop});
  machine.hart.set_pc(begin);
  REQUIRE(machine.hart.run(1000) != Stop::device);
  REQUIRE(lines.asked.size() >= 2);
  CHECK(lines.asked[0] == Lines::Asked{memory_base, false, 0});
  CHECK(lines.asked[1] == Lines::Asked{memory_base + 32, false, 41});
}

namespace {

/// All classes of one cycle, and a TCM whose words of 8 B take four at the second KiB of the memory and the third.
HartConfig tight(std::uint32_t latency = 4) {
  HartConfig config;
  config.timing.tcm = {.base = memory_base + 0x400, .bytes = 0x800, .latency = latency, .width = 8};
  return config;
}

constexpr std::uint64_t in_tcm = memory_base + 0x400;

/// Cycles of `count` of these instructions at `address`, stepped one by one and run at once: the same.
std::uint64_t tight_cycles(const HartConfig& config, std::uint64_t address, unsigned count, std::initializer_list<std::uint32_t> program) {
  Machine stepped(config), run(config);
  for (Machine* machine : {&stepped, &run}) {
    machine->put(address, program);
    machine->hart.set_pc(address);
    machine->hart.set_x(a0, in_tcm + 0x400);
    machine->hart.set_x(a1, memory_base + 0x1000);
  }
  stepped.steps(count);
  REQUIRE(run.hart.run(stepped.hart.cycles()) == Stop::limit);
  CHECK(run.hart.cycles() == stepped.hart.cycles());
  CHECK(run.hart.instructions() == stepped.hart.instructions());
  return stepped.hart.cycles();
}

}  // namespace

TEST_CASE("TCM: loads and stores wait for each of their words, those of the DRAM for none") {
  CHECK(tight_cycles(tight(), memory_base, 1, {lw(a2, a0, 0), jal(zero, 0)}) == 1 + 3);
  CHECK(tight_cycles(tight(), memory_base, 1, {sd(a2, a0, 8), jal(zero, 0)}) == 1 + 3);
  CHECK(tight_cycles(tight(), memory_base, 1, {sd(a2, a0, 4), jal(zero, 0)}) == 1 + 2 * 3);  // across two words
  CHECK(tight_cycles(tight(), memory_base, 1, {amoadd_w(a2, a3, a0), jal(zero, 0)}) == 4 + 3);
  CHECK(tight_cycles(tight(), memory_base, 3, {lw(a2, a1, 0), sw(a3, a1, 0), lb(a4, a0, 0), jal(zero, 0)}) == 3 + 3);
  CHECK(tight_cycles(tight(), memory_base, 2, {lw(a2, a0, 0), add(a3, a2, a2), jal(zero, 0)}) == 1 + 3 + 1 + 1);  // and the stall
  CHECK(tight_cycles(tight(), memory_base, 1, {lw(a2, a0, 0x3fc), jal(zero, 0)}) == 1 + 3);                       // its last word
  CHECK(tight_cycles(tight(), memory_base, 1, {lw(a2, a0, 0x400), jal(zero, 0)}) == 1);                           // behind it
  CHECK(tight_cycles(tight(), memory_base, 1, {lw(a2, a0, -0x404), jal(zero, 0)}) == 1);                          // in front of it
}

TEST_CASE("TCM: code waits for each word once, in a line and at the target of a jump") {
  CHECK(tight_cycles(tight(), in_tcm, 1, {nop, nop, nop, nop}) == 3 + 1);
  CHECK(tight_cycles(tight(), in_tcm, 2, {nop, nop, nop, nop}) == 3 + 2 + 3);  // the third's word: it stands before it, fetched
  CHECK(tight_cycles(tight(), in_tcm, 5, {nop, nop, nop, nop, nop, nop}) == 3 * 3 + 5);
  CHECK(tight_cycles(tight(), in_tcm + 4, 2, {nop, nop, nop, nop}) == 2 * 3 + 2);
  // A jump to the word in hand waits for nothing, one to another for that, held before or not.
  CHECK(tight_cycles(tight(), in_tcm, 1, {jal(zero, 4), nop, nop, nop}) == 3 + 1);
  CHECK(tight_cycles(tight(), in_tcm, 3, {nop, jal(zero, 12), nop, nop, nop, nop}) == 3 + 2 + 3 + 1);
  CHECK(tight_cycles(tight(), in_tcm, 4, {nop, jal(zero, 12), nop, nop, jal(zero, -16)}) == 3 + 2 + 3 + 1 + 3 + 1);
}

TEST_CASE("TCM: of one cycle it adds nothing") {
  for (const std::uint64_t place : {memory_base, in_tcm})
    CHECK(tight_cycles(tight(1), place, 4, {lw(a2, a0, 0), sw(a3, a0, 4), sd(a2, a0, 12), nop, nop}) == 4);
}

TEST_CASE("TCM: neither cache holds it, nor is looked up for its data") {
  HartConfig config = tight(1);
  config.timing.code_cache = config.timing.data_cache = {.size = Bytes(64), .line = Bytes(32), .ways = 1, .latency = 3};
  Machine machine(config);
  machine.put(in_tcm, {lw(a2, a0, 0), sw(a3, a0, 32), lw(a2, a0, 64), lw(a2, a1, 0), nop});
  machine.hart.set_pc(in_tcm);
  machine.hart.set_x(a0, in_tcm + 0x100);
  machine.hart.set_x(a1, memory_base + 0x1000);
  machine.steps(3);
  CHECK(machine.hart.cycles() == 3);
  CHECK(machine.hart.caches().data().misses + machine.hart.caches().data().hits == 0);
  machine.steps(1);  // in the DRAM
  CHECK(machine.hart.cycles() == 3 + (1 + 2) + config.timing.line_fill);
  CHECK(machine.hart.caches().data().misses == 1);
  CHECK(machine.hart.caches().code().misses + machine.hart.caches().code().hits == 0);
}

TEST_CASE("timing: a run that is cut, stepped and full of breakpoints is the same run") {
  for (const auto& [wide, cached, slow_tcm] :
       {std::tuple(false, false, false), std::tuple(true, false, false), std::tuple(false, true, false), std::tuple(true, true, false),
        std::tuple(true, false, true), std::tuple(false, true, true)}) {
    RandomStream random(3, "cut");
    RandomProgram program(wide, random);
    program.prologue();
    constexpr unsigned programs = 40;
    for (unsigned i = 0; i < programs; ++i) program.append(40);
    program.epilogue(programs * program.log_bytes());
    struct Run {
      Run(bool is_wide, bool has_caches, bool has_tcm, const std::vector<std::uint8_t>& text)
          : code(std::as_bytes(std::span(text)).begin(), std::as_bytes(std::span(text)).end()),
            bytes(0x2'0000),
            hart({.wide = is_wide, .timing = timing(has_caches, has_tcm)}, memory) {
        memory.map(ProgramLayout::code, code);
        memory.map(ProgramLayout::data, bytes);
        hart.reset(ProgramLayout::code);
      }
      static HartTiming timing(bool has_caches, bool has_tcm) {
        HartTiming times{.load_use = 3, .narrow_load_use = 5};
        if (has_caches) times.code_cache = times.data_cache = {.size = Bytes(1024), .line = Bytes(16), .ways = 2, .latency = 2};
        // Code lies in the TCM but for its first KiB, data does in part.
        if (has_tcm)
          times.tcm = {.base = ProgramLayout::code + 0x400,
                       .bytes = ProgramLayout::data + 0x800 - ProgramLayout::code - 0x400,
                       .latency = 3,
                       .width = 4};
        return times;
      }
      std::vector<std::byte> code, bytes;
      Memory memory;
      Hart hart;
    };
    Run whole(wide, cached, slow_tcm, program.code()), cut(wide, cached, slow_tcm, program.code());
    REQUIRE(whole.hart.run(10'000'000) == Stop::fault);
    Stop stop = Stop::limit;
    for (std::uint64_t at = 0; stop != Stop::fault; ++at) {
      REQUIRE(at < 1'000'000);
      for (int i = 0; i < 4; ++i) cut.hart.set_breakpoint(cut.hart.pc() + 2 * random.below(40));
      stop = random.below(3) == 0 ? cut.hart.step() : cut.hart.run(cut.hart.cycles() + 1 + random.below(60));
    }
    CHECK(cut.hart.cycles() == whole.hart.cycles());
    CHECK(cut.hart.instructions() == whole.hart.instructions());
    CHECK(cut.bytes == whole.bytes);
    for (unsigned i = 0; i < 32; ++i) CHECK(cut.hart.x(i) == whole.hart.x(i));
  }
}
