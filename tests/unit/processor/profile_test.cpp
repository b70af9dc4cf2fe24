// Where cycles go: every cycle to one instruction and one cause, and nothing of what the hart does changes.
#include <catch2/catch.hpp>
#include <numeric>

#include "processor/hart_profile.hpp"
#include "unit/processor/machine.hpp"
#include "unit/processor/random_program.hpp"

using namespace tessera;
using namespace tessera::riscv;
using namespace tessera::riscv::assembly;

namespace {

using Cause = HartProfile::Cause;

/// Functions of 64 bytes.
HartProfile made() {
  return HartProfile([](std::uint64_t at) { return at & ~std::uint64_t{63}; });
}

HartConfig slow() {
  HartConfig config;
  config.timing.load_use = 7;
  config.timing.narrow_load_use = 11;
  config.timing.misprediction = 20;
  config.timing.trap = 50;
  return config;
}

std::uint64_t sum(const HartProfile::Count& count) { return std::accumulate(count.cycles.begin(), count.cycles.end(), std::uint64_t{0}); }

HartProfile::Count whole(const HartProfile& profile) {
  HartProfile::Count all;
  for (const auto& [address, count] : profile.instructions()) {
    all.executed += count.executed;
    for (std::size_t cause = 0; cause < HartProfile::causes; ++cause) all.cycles[cause] += count.cycles[cause];
  }
  return all;
}

std::uint64_t of(const HartProfile& profile, std::uint64_t instruction, Cause cause) {
  return profile.instructions().at(memory_base + 4 * instruction).cycles[static_cast<std::size_t>(cause)];
}

}  // namespace

TEST_CASE("profile: cycles are those of the instruction's class, of the load that it follows and of the transfer that was not foreseen") {
  Machine machine(slow());
  machine.program({ld(a1, a0, 0), add(a1, a1, a1), lb(a2, a0, 0), beq(a2, zero, 8), wfi, jalr(zero, t1, 0), wfi});
  machine.hart.set_x(a0, data);
  machine.hart.set_x(t1, memory_base + 24);
  HartProfile profile = made();
  profile.begins(machine.hart, machine.memory);
  CHECK(profile.advance(machine.hart, 1'000'000) == Stop::wait);
  CHECK(of(profile, 0, Cause::load_use) + of(profile, 1, Cause::load_use) == 7);
  CHECK(of(profile, 2, Cause::load_use) + of(profile, 3, Cause::load_use) == 11);
  CHECK(of(profile, 3, Cause::branch) == 20);
  CHECK(of(profile, 5, Cause::branch) == 20);
  CHECK(of(profile, 5, Cause::execute) == 1);
  CHECK(profile.instructions().count(memory_base + 16) == 0);
  CHECK(whole(profile).executed == machine.hart.instructions());
  CHECK(sum(whole(profile)) == machine.hart.cycles());
}

TEST_CASE("profile: a device's access and sleep have causes of their own, as far as the hart stood still for them") {
  Machine machine;
  machine.program({lw(a1, a0, 0), sw(a1, a0, 0), wfi, add(a1, a1, a1), wfi});
  machine.hart.set_x(a0, 0x1000);
  machine.hart.set_csr(csr::mie, 1U << 11);
  HartProfile profile = made();
  profile.begins(machine.hart, machine.memory);
  REQUIRE(profile.advance(machine.hart, 1'000'000) == Stop::device);
  machine.hart.skip_to(machine.hart.cycles() + 100);
  machine.hart.finish_device(5);
  REQUIRE(profile.advance(machine.hart, 1'000'000) == Stop::device);
  machine.hart.finish_device(0);
  REQUIRE(profile.advance(machine.hart, 1'000'000) == Stop::wait);
  machine.hart.skip_to(machine.hart.cycles() + 1000);
  machine.hart.set_external_interrupt(true);
  REQUIRE(profile.advance(machine.hart, machine.hart.cycles() + 1) == Stop::limit);
  CHECK(of(profile, 0, Cause::device) == 100);
  CHECK(of(profile, 0, Cause::execute) == 1);
  CHECK(of(profile, 1, Cause::device) == 0);
  CHECK(of(profile, 2, Cause::asleep) == 1000);
  CHECK(sum(whole(profile)) == machine.hart.cycles());
}

TEST_CASE("profile: calls, tail calls and traps nest as they return") {
  Machine machine(slow());
  // 0x00: call 0x40; call 0x40; wfi.   0x40: tail call of 0x80.   0x80: ecall; return.   handler: skips the ecall.
  machine.program({jal(ra, 0x40), jal(ra, 0x3c), wfi});
  machine.put(memory_base + 0x40, {jal(zero, 0x40)});
  machine.put(memory_base + 0x80, {ecall, jalr(zero, ra, 0)});
  machine.put(handler, {csrrs(t0, csr::mepc, zero), addi(t0, t0, 4), csrrw(zero, csr::mepc, t0), mret});
  HartProfile profile = made();
  profile.begins(machine.hart, machine.memory);
  REQUIRE(profile.advance(machine.hart, 1'000'000) == Stop::wait);
  const auto calls = profile.calls();
  CHECK(calls.at({memory_base, memory_base + 0x40}).calls == 1);
  CHECK(calls.at({memory_base + 4, memory_base + 0x40}).calls == 1);
  CHECK(calls.at({memory_base + 0x40, memory_base + 0x80}).calls == 2);
  CHECK(calls.at({memory_base + 0x80, handler}).calls == 2);
  std::map<std::uint64_t, std::uint64_t> own;
  for (const HartProfile::Context& context : profile.contexts()) own[context.function] += context.cycles;
  CHECK(own.at(memory_base) == 3);  // two calls, and the wait for an interrupt
  CHECK(own.at(memory_base + 0x40) == 2);
  std::uint64_t all = 0;
  for (const auto& [function, cycles] : own) all += cycles;
  CHECK(all == machine.hart.cycles());
  CHECK(sum(calls.at({memory_base, memory_base + 0x40}).inside) + sum(calls.at({memory_base + 4, memory_base + 0x40}).inside) == all - 3);
}

TEST_CASE("profile: random programs take the same cycles, with caches and a slow TCM, and every cycle has a place") {
  for (const bool wide : {true, false}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      HartConfig config = slow();
      config.wide = wide;
      if (seed % 2 == 0) config.timing.code_cache = config.timing.data_cache = CacheConfig{Bytes(1024), Bytes(64), 2, 2};
      if (seed % 3 == 0) config.timing.tcm = {.base = ProgramLayout::data, .bytes = 0x1400, .latency = 3, .width = 8};
      RandomStream random(seed, "profile");
      RandomProgram program(wide, random);
      program.prologue();
      for (unsigned part = 0; part < 8; ++part) program.append(20);
      struct Run {
        explicit Run(const HartConfig& config, const std::vector<std::uint8_t>& code)
            : code_bytes(0x10'000), data_bytes(0x10'000), hart(config, memory) {
          REQUIRE(code.size() + 4 <= code_bytes.size());
          std::memcpy(code_bytes.data(), code.data(), code.size());
          memory.map(ProgramLayout::code, code_bytes);
          memory.map(ProgramLayout::data, data_bytes);
          hart.reset(ProgramLayout::code);
        }
        std::vector<std::byte> code_bytes, data_bytes;
        Memory memory;
        Hart hart;
      } plain(config, program.code()), counted(config, program.code());
      const Stop end = plain.hart.run(1'000'000);  // at the zeroes behind the program: an illegal instruction
      CHECK(end == Stop::fault);
      HartProfile profile = made();
      profile.begins(counted.hart, counted.memory);
      std::uint64_t limit = 0;
      while (profile.advance(counted.hart, limit) == Stop::limit) limit += 1 + seed % 5;
      CHECK(counted.hart.cycles() == plain.hart.cycles());
      CHECK(counted.hart.instructions() == plain.hart.instructions());
      CHECK(counted.hart.pc() == plain.hart.pc());
      CHECK(counted.data_bytes == plain.data_bytes);
      const HartProfile::Count all = whole(profile);
      CHECK(all.executed == counted.hart.instructions());
      CHECK(sum(all) == counted.hart.cycles());
      for (const std::uint64_t cycles : all.cycles) CHECK(cycles <= counted.hart.cycles());  // none below zero
      CHECK((seed % 2 != 0 || all.cycles[static_cast<std::size_t>(Cause::code)] > 0));
      CHECK((seed % 2 != 0 && seed % 3 != 0) == (all.cycles[static_cast<std::size_t>(Cause::data)] == 0));
    }
  }
}
