// Loads and stores of the hart in its TCM are counted while it runs in time, and that takes none.
#include <catch2/catch.hpp>
#include <cstring>
#include <utility>

#include "firmware/hal/register_map.hpp"
#include "machine/hart_driver.hpp"
#include "machine/machine.hpp"
#include "unit/processor/assembler.hpp"

using namespace tessera;
using namespace tessera::riscv::assembly;

namespace {

/// A hart that loads and stores in its TCM and in the DRAM.
struct Drive {
  explicit Drive(bool counts) {
    memory.map(hal::dram_base, dram);
    memory.map(hal::tcm_base, tcm);
    const std::uint32_t program[] = {lw(a1, a0, 4), sw(a1, a0, 60), lw(a1, a2, 8), sw(a1, a2, 8), wfi, nop, lw(a1, a0, 4), wfi};
    std::memcpy(dram.data(), program, sizeof program);
    hart.reset(hal::dram_base);
    hart.set_x(a0, hal::tcm_base);
    hart.set_x(a2, hal::dram_base + 0x1000);
    HartDriver::Observer observer{.place = [] { return std::string(); },
                                  .account = [] { return std::string(); },
                                  .worked = [](Picoseconds) {},
                                  .register_read = [](std::uint32_t, Picoseconds at) { return at; },
                                  .move_line = [](DramAddress, std::uint32_t, Access, Picoseconds at) { return at; }};
    if (counts) observer.tcm_access = [this](DramAddress address, std::uint32_t bytes) { counted.emplace_back(address, bytes); };
    driver.emplace(timeline, hart, registers, Hertz(500'000'000), std::move(observer));
  }
  static riscv::HartConfig config() {
    riscv::HartConfig of_one_cycle;
    of_one_cycle.timing.tcm = {.base = hal::tcm_base, .bytes = 0x100};
    return of_one_cycle;
  }
  void run() {
    driver->run_untimed([] {}, [] { return true; });  // nothing: from now on it runs in time
    driver->start();
    while (!timeline.empty()) timeline.step();
  }

  std::vector<std::byte> dram = std::vector<std::byte>(0x2000);
  std::vector<std::byte> tcm = std::vector<std::byte>(0x100);
  Timeline timeline;
  riscv::Memory memory;
  riscv::Hart hart{config(), memory};
  RegisterFile registers;
  std::vector<std::pair<DramAddress, std::uint32_t>> counted;
  std::optional<HartDriver> driver;
};

}  // namespace

TEST_CASE("hart driver: loads and stores in the TCM are counted, those of the DRAM are not, and it takes no cycle") {
  Drive counting(true);
  counting.run();
  CHECK(counting.counted == std::vector<std::pair<DramAddress, std::uint32_t>>{{Machine::tcm + 4, 4}, {Machine::tcm + 60, 4}});
  Drive other(false);
  other.run();
  CHECK(counting.hart.cycles() == other.hart.cycles());
  CHECK(counting.hart.pc() == other.hart.pc());
}

TEST_CASE("hart driver: what the hart does in no time is not counted") {
  Drive drive(true);
  drive.driver->run_untimed([] {}, [] { return false; });
  CHECK(drive.driver->waits() == false);
  CHECK(drive.hart.instructions() == 5);
  CHECK(drive.counted.empty());
}
