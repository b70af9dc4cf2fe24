// A register is read or written at the simulated time of its instruction, before whatever comes later in the drive's calendar.
#include <catch2/catch.hpp>
#include <cstring>
#include <string>
#include <vector>

#include "firmware/hal/register_map.hpp"
#include "machine/hart_driver.hpp"
#include "unit/processor/assembler.hpp"

using namespace tessera;
using namespace tessera::riscv::assembly;

namespace {

std::string entry(const std::string& what, std::uint64_t picosecond) { return what + " at " + std::to_string(picosecond); }

/// A hart of 500 MHz that writes a register in cycle 3 and reads it in cycle 6; reads take 31 ns on the bus.
struct Drive {
  Drive() {
    memory.map(hal::dram_base, dram);
    const std::uint32_t program[] = {nop, nop, nop, sd(a1, a0, 0), nop, nop, ld(a2, a0, 0), sd(a2, a0, 0), wfi};
    std::memcpy(dram.data(), program, sizeof program);
    hart.reset(hal::dram_base);
    hart.set_x(a0, static_cast<std::uint64_t>(hal::Register::timer_alarm));
    hart.set_x(a1, 7);
    registers.connect(hal::Block::timer, unit);
  }

  struct Unit final : RegisterUnit {
    explicit Unit(Drive& of) : drive(of) {}
    std::uint64_t read(hal::Register) override {
      drive.log.push_back(entry("read", drive.timeline.now().value()));
      return 9;
    }
    void write(hal::Register, std::uint64_t value) override {
      drive.log.push_back(entry("write " + std::to_string(value), drive.timeline.now().value()));
    }
    Drive& drive;
  };
  struct Bystander final : TimelineListener {
    explicit Bystander(Drive& of) : drive(of) {}
    void on_time(std::uint64_t) override { drive.log.push_back(entry("somebody else", drive.timeline.now().value())); }
    Drive& drive;
  };

  std::vector<std::string> log;
  std::vector<std::byte> dram = std::vector<std::byte>(0x1000);
  Timeline timeline;
  riscv::Memory memory;
  riscv::Hart hart{riscv::HartConfig(), memory};
  RegisterFile registers;
  Unit unit{*this};
  Bystander bystander{*this};
  HartDriver driver{timeline,
                    hart,
                    registers,
                    Hertz(500'000'000),
                    {.place = [] { return std::string(); },
                     .account = [] { return std::string(); },
                     .worked = [](Picoseconds) {},
                     .register_read = [](std::uint32_t, Picoseconds at) { return at + Picoseconds(31'000); },
                     .move_line = [](DramAddress, std::uint32_t, Access, Picoseconds at) { return at; }}};
};

}  // namespace

TEST_CASE("hart driver: a register is accessed at the time of its instruction, in the order of the drive's calendar") {
  // Once beside nothing else, once with somebody else's action in the middle of what would be one slice.
  const std::uint64_t other = GENERATE(0, 5'000, 9'000);
  Drive drive;
  drive.driver.run_untimed([] {}, [] { return true; });  // nothing: from now on it runs in time
  drive.driver.start();
  if (other != 0) drive.timeline.post(Picoseconds(other), drive.bystander);
  drive.timeline.run();
  REQUIRE(drive.driver.waits());
  // Cycles of 2 ns. The read begins in cycle 6, its value has come 16 cycles later; behind the instruction's own cycle the
  // store, which takes what was loaded, stalls for one.
  const std::uint64_t cycle = 2'000;
  std::vector<std::string> expected{entry("write 7", 3 * cycle), entry("read", 6 * cycle), entry("write 9", (6 + 16 + 1 + 1) * cycle)};
  if (other == 5'000) expected.insert(expected.begin(), entry("somebody else", other));
  if (other == 9'000) expected.insert(expected.begin() + 1, entry("somebody else", other));
  CHECK(drive.log == expected);
}
