// Instructions a CPU-second of the hart, its timing on: items_per_second. Target: 50 M/s on code that touches memory.
#include <benchmark/benchmark.h>

#include <cstring>
#include <vector>

#include "processor/hart.hpp"
#include "tests/unit/processor/assembler.hpp"

namespace {

using namespace tessera::riscv;
using namespace tessera::riscv::assembly;

constexpr std::uint64_t code = 0x8000'0000, data = 0x8010'0000;

/// Runs `program`, a loop without end, a million cycles at a time, as a drive's events cut it.
void run(benchmark::State& state, const std::vector<std::uint32_t>& program, const HartTiming& timing = {}) {
  std::vector<std::byte> instructions(page_bytes), bytes(1 << 20);
  std::memcpy(instructions.data(), program.data(), program.size() * sizeof(std::uint32_t));
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 7 >> 3);
  Memory memory;
  memory.map(code, instructions);
  memory.map(data, bytes);
  Hart hart({.wide = state.range(0) == 64, .timing = timing}, memory);
  hart.reset(code);
  for (auto _ : state)
    if (hart.run(hart.cycles() + 1'000'000) != Stop::limit) state.SkipWithError("the hart stopped");
  state.SetItemsProcessed(static_cast<std::int64_t>(hart.instructions()));
}

/// Adds 64 KiB of words to others, again and again: two loads and a store in seven instructions.
const std::vector<std::uint32_t> adds_arrays = {
    lui(a0, 0x40080), slli(a0, a0, 1), lui(a2, 0x10),   add(a1, a0, a2), add(a2, a0, a2),                   // from, to, end
    lw(a3, a0, 0),    lw(a4, a1, 0),   addi(a0, a0, 4), add(a3, a3, a4), sw(a3, a1, 0),   addi(a1, a1, 4),  //
    bne(a0, a2, -24), jal(zero, -48)};
void hart_adds_arrays(benchmark::State& state) { run(state, adds_arrays); }
BENCHMARK(hart_adds_arrays)->Arg(64)->Arg(32);

/// The same through caches of 32 KiB, whose lines are all missed in turn.
void hart_adds_arrays_through_caches(benchmark::State& state) {
  HartTiming timing;
  timing.code_cache.size = timing.data_cache.size = tessera::Bytes(32 << 10);
  run(state, adds_arrays, timing);
}
BENCHMARK(hart_adds_arrays_through_caches)->Arg(64)->Arg(32);

/// Hashes keys and counts in a table of 256 KiB, by a call each: scattered loads and stores, multiplication, calls, a branch that is taken
/// half of the time.
void hart_counts_in_a_table(benchmark::State& state) {
  run(state, {lui(s0, 0x40080),
              slli(s0, s0, 1),
              lui(s1, 0x9e378),
              lui(s2, 0x40),
              addi(s2, s2, -4),
              addi(a0, zero, 1),  //
              addi(a0, a0, 1),
              jal(ra, 12),
              add(a5, a5, a1),
              jal(zero, -12),  // keys in turn
              mul(a1, a0, s1),
              i_type(0x13, 5, a1, a1, 12),
              r_type(0x33, 7, 0, a1, a1, s2),
              add(a1, a1, s0),  // its place
              lw(a2, a1, 0),
              addi(a2, a2, 1),
              i_type(0x13, 7, a3, a2, 1),
              beq(a3, zero, 8),
              addi(a4, a4, 1),
              sw(a2, a1, 0),
              ret});
}
BENCHMARK(hart_counts_in_a_table)->Arg(64)->Arg(32);

/// Counts in memory that shares its page with the code, as the first variables behind a program's text do.
void hart_counts_beside_code(benchmark::State& state) {
  run(state, {auipc(a0, 0), lw(a1, a0, 1024), addi(a1, a1, 1), sw(a1, a0, 1024), addi(a2, a2, 3), jal(zero, -16)});
}
BENCHMARK(hart_counts_beside_code)->Arg(64)->Arg(32);

}  // namespace
