// Cycles of instructions, and that cutting a run changes none.
#include <catch2/catch.hpp>

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

TEST_CASE("timing: a run that is cut, stepped and full of breakpoints is the same run") {
  for (const auto& [wide, cached] : {std::pair(false, false), std::pair(true, false), std::pair(false, true), std::pair(true, true)}) {
    RandomStream random(3, "cut");
    RandomProgram program(wide, random);
    program.prologue();
    constexpr unsigned programs = 40;
    for (unsigned i = 0; i < programs; ++i) program.append(40);
    program.epilogue(programs * program.log_bytes());
    struct Run {
      Run(bool is_wide, bool has_caches, const std::vector<std::uint8_t>& text)
          : code(std::as_bytes(std::span(text)).begin(), std::as_bytes(std::span(text)).end()),
            bytes(0x2'0000),
            hart({.wide = is_wide, .timing = timing(has_caches)}, memory) {
        memory.map(ProgramLayout::code, code);
        memory.map(ProgramLayout::data, bytes);
        hart.reset(ProgramLayout::code);
      }
      static HartTiming timing(bool has_caches) {
        HartTiming times{.load_use = 3, .narrow_load_use = 5};
        if (has_caches) times.code_cache = times.data_cache = {.size = Bytes(1024), .line = Bytes(16), .ways = 2, .latency = 2};
        return times;
      }
      std::vector<std::byte> code, bytes;
      Memory memory;
      Hart hart;
    };
    Run whole(wide, cached, program.code()), cut(wide, cached, program.code());
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
