// What the hart's caches miss crosses the drive's bus, at the simulated time of the instruction that misses.
#include <catch2/catch.hpp>
#include <cstring>

#include "firmware/hal/register_map.hpp"
#include "machine/hart_driver.hpp"
#include "unit/processor/assembler.hpp"

using namespace tessera;
using namespace tessera::riscv::assembly;

namespace {

struct Line {
  std::uint64_t address;
  std::uint32_t bytes;
  Access access;
  Picoseconds at;
  bool operator==(const Line&) const = default;
};

/// A hart of 500 MHz with a data cache of one line, whose lines take 101 ns on the bus.
struct Drive {
  Drive() {
    memory.map(hal::dram_base, dram);
    const std::uint32_t program[] = {nop, nop, lw(a1, a0, 4), sw(a1, a0, 8), lw(a1, a0, 32), wfi};
    std::memcpy(dram.data(), program, sizeof program);
    hart.reset(hal::dram_base);
    hart.set_x(a0, hal::dram_base + 0x1000);
  }
  static riscv::HartConfig config() {
    riscv::HartConfig one_line;
    one_line.timing.data_cache = {.size = Bytes(32), .line = Bytes(32), .ways = 1, .latency = 1};
    return one_line;
  }

  std::vector<std::byte> dram = std::vector<std::byte>(0x2000);
  Timeline timeline;
  riscv::Memory memory;
  riscv::Hart hart{config(), memory};
  RegisterFile registers;
  std::vector<Line> moved;
  HartDriver driver{timeline,
                    hart,
                    registers,
                    Hertz(500'000'000),
                    {.place = [] { return std::string(); },
                     .account = [] { return std::string(); },
                     .worked = [](Picoseconds) {},
                     .register_read = [](std::uint32_t, Picoseconds at) { return at; },
                     .move_line =
                         [this](DramAddress line, std::uint32_t bytes, Access access, Picoseconds at) {
                           moved.push_back({line.value(), bytes, access, at});
                           return at + Picoseconds(101'000);
                         }}};
};

}  // namespace

TEST_CASE("hart driver: a line that misses is awaited from its instruction on, a dirty one leaves behind it") {
  Drive drive;
  drive.driver.run_untimed([] {}, [] { return true; });  // nothing: from now on it runs in time
  drive.driver.start();
  while (!drive.timeline.empty()) drive.timeline.step();
  REQUIRE(drive.driver.waits());
  // Cycles of 2 ns: the load begins in cycle 2 and waits 51 for its line. The store takes what it loaded, and stalls one: it begins in
  // cycle 2 + 51 + 1 + 1 and hits. The next load begins a cycle later, and waits 51 as well; WFI is an instruction of one.
  const std::uint64_t second = 2 + 51 + 1 + 1 + 1;
  CHECK(drive.moved == std::vector<Line>{{0x1000, 32, Access::read, Picoseconds(2 * 2'000)},
                                         {0x1020, 32, Access::read, Picoseconds(second * 2'000)},
                                         {0x1000, 32, Access::write, Picoseconds((second + 51) * 2'000)}});
  CHECK(drive.hart.cycles() == second + 51 + 1 + 1);
}

TEST_CASE("hart driver: before the hart runs in time its lines are there at once") {
  Drive drive;
  drive.driver.run_untimed([] {}, [] { return false; });
  CHECK(drive.moved.empty());
  CHECK(drive.hart.cycles() == 2 + 1 + 1 + 1 + 1 + 1);
  CHECK(drive.hart.caches().data().misses == 2);
}
