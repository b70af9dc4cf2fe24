// A debugger that stops the hart wherever it may: the hart does the same at the same time, in the same slices.
#include <catch2/catch.hpp>
#include <cstring>

#include "base/firmware_fault.hpp"
#include "firmware/hal/register_map.hpp"
#include "machine/hart_driver.hpp"
#include "unit/processor/assembler.hpp"

using namespace tessera;
using namespace tessera::riscv::assembly;

namespace {

struct Debugger final : HartDebugger {
  explicit Debugger(bool steps) : steps_(steps) {}
  [[nodiscard]] bool begins(riscv::Hart&, const riscv::Memory&, const RegisterFile&) override {
    ++begun;
    return steps_;
  }
  void ends() override { ++ended; }
  [[nodiscard]] bool stopped(riscv::Stop reason) override {
    stops.push_back(reason);
    return steps_;
  }
  [[nodiscard]] bool wants_stop() override {
    ++asked;
    return asked == interrupts_at;
  }
  void failed(const std::string& sentence) override { said = sentence; }

  unsigned begun = 0, ended = 0, asked = 0, interrupts_at = 0;
  std::vector<riscv::Stop> stops;
  std::string said;

 private:
  bool steps_;
};

struct Identification final : RegisterUnit {
  std::uint64_t read(hal::Register) override { return 7; }
  void write(hal::Register, std::uint64_t) override {}
};

/// 2 instructions a round; a register in the middle, which takes 101 ns.
constexpr std::int32_t rounds = 900;
const std::vector<std::uint32_t> counts{addi(a2, zero, rounds), addi(a2, a2, -1), bne(a2, zero, -4), ld(a1, a3, 0),
                                        addi(a2, zero, rounds), addi(a2, a2, -1), bne(a2, zero, -4), wfi};
constexpr std::uint64_t instructions = 2 + 1 + 2 * 2 * rounds + 1;

struct Drive {
  Drive(const std::vector<std::uint32_t>& program, HartDebugger* debugger) {
    memory.map(hal::dram_base, dram);
    std::memcpy(dram.data(), program.data(), program.size() * sizeof(std::uint32_t));
    registers.connect(hal::Block::ident, identification);
    hart.reset(hal::dram_base);
    hart.set_x(a3, hal::register_base);
    driver.attach(debugger, memory);
  }
  void run_in_time() {
    driver.run_untimed([] {}, [] { return true; });
    driver.start();
    timeline.run();
  }

  std::vector<std::byte> dram = std::vector<std::byte>(0x1000);
  Timeline timeline;
  riscv::Memory memory;
  riscv::Hart hart{{}, memory};
  Identification identification;
  RegisterFile registers;
  HartDriver driver{timeline,
                    hart,
                    registers,
                    Hertz(500'000'000),
                    {.place = [] { return std::string("here"); },
                     .account = [] { return std::string(); },
                     .worked = [](Picoseconds) {},
                     .register_read = [](std::uint32_t, Picoseconds at) { return at + Picoseconds(101'000); },
                     .move_line = [](DramAddress, std::uint32_t, Access, Picoseconds at) { return at; }}};
};

}  // namespace

TEST_CASE("hart driver: single steps are one an instruction, and change neither its time nor its slices") {
  Drive alone(counts, nullptr);
  alone.run_in_time();
  REQUIRE(alone.driver.waits());
  REQUIRE(alone.hart.instructions() == instructions);
  Debugger debugger(true);
  Drive stepped(counts, &debugger);
  stepped.run_in_time();
  REQUIRE(stepped.driver.waits());
  CHECK(debugger.stops == std::vector<riscv::Stop>(instructions - 1, riscv::Stop::limit));  // behind WFI it waits
  CHECK(stepped.hart.cycles() == alone.hart.cycles());
  CHECK(stepped.timeline.now() == alone.timeline.now());
  CHECK(stepped.timeline.actions() == alone.timeline.actions());
  CHECK(stepped.hart.x(a1) == 7);
}

TEST_CASE("hart driver: breakpoints, and a debugger that interrupts once, leave its slices as they are") {
  Drive alone(counts, nullptr);
  alone.run_in_time();
  Debugger debugger(false);
  debugger.interrupts_at = 2;
  Drive stopped(counts, &debugger);
  stopped.hart.set_breakpoint(hal::dram_base + 4);
  stopped.run_in_time();
  CHECK(std::ranges::count(debugger.stops, riscv::Stop::breakpoint) == rounds);
  CHECK(std::ranges::count(debugger.stops, riscv::Stop::limit) == 1);
  CHECK(stopped.hart.cycles() == alone.hart.cycles());
  CHECK(stopped.timeline.actions() == alone.timeline.actions());
}

TEST_CASE("hart driver: steps before it runs in time are one an instruction, too") {
  Debugger debugger(true);
  Drive drive(counts, &debugger);
  drive.driver.run_untimed([] {}, [] { return false; });
  CHECK(debugger.stops.size() == instructions - 1);
  CHECK(drive.hart.instructions() == instructions);
}

TEST_CASE("hart driver: a debugger hears of a fault before the run ends, and of the hart's end") {
  Debugger debugger(false);
  {
    Drive drive({nop, 0}, &debugger);
    CHECK(debugger.begun == 1);
    CHECK_THROWS_AS(drive.run_in_time(), FirmwareFault);
    CHECK(debugger.said == "at 0.000000 ms, here: an illegal instruction (cause 2, value 0x0), and no handler for it");
    CHECK(debugger.ended == 0);
  }
  CHECK(debugger.ended == 1);
}
