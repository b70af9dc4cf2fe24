// The machine as firmware in the simulator's process has it: pointers, addresses and the bytes that it shares with devices.
#include "machine/linked_machine.hpp"

#include <catch2/catch.hpp>
#include <cstring>

#include "base/error.hpp"
#include "machine/machine.hpp"

using namespace tessera;

namespace {

/// Registers that keep what is written.
struct Bus final : RegisterBus {
  std::map<std::uint64_t, std::uint64_t> values;
  void connect(RegisterFile*) override {}
  std::uint64_t load(std::uint64_t address) override { return values[address]; }
  void store(std::uint64_t address, std::uint64_t value) override { values[address] = value; }
};

/// 64 KiB of DRAM, of which the last 4 KiB are shared, and 4 KiB of TCM.
struct Bench {
  Bus bus;
  alignas(64) std::array<std::byte, 65'536> dram{};
  unsigned writes = 0;  // between the two
  std::array<std::byte, 4096> tcm{};
  LinkedMachine machine{bus, dram, tcm, std::span(dram).last(4096), [this] { ++writes; }};
};

}  // namespace

TEST_CASE("what lies in the DRAM is named by its address there, from the first byte to the last, anything else by one in the window") {
  Bench bench;
  std::byte own{};
  CHECK(bench.machine.address_of(&bench.dram.front()) == 0x8000'0000);
  CHECK(bench.machine.address_of(&bench.dram.back()) == 0x8000'ffff);
  CHECK(bench.machine.address_of(bench.dram.data() + bench.dram.size()) > Machine::process_window);
  CHECK(bench.machine.address_of(&bench.dram.front() - 1) > Machine::process_window);
  CHECK(bench.machine.address_of(&own) > Machine::process_window);
  for (std::byte* const place : {&bench.dram.front(), &bench.dram[12'345], &bench.dram.back(), &own})
    CHECK(bench.machine.at(bench.machine.address_of(place)) == place);
  CHECK_THROWS_AS(bench.machine.at(0x8001'0000), ModelBug);
  CHECK_THROWS_AS(bench.machine.at(0x7fff'ffff), ModelBug);
}

TEST_CASE("what lies in the TCM is named by its address there, and found by it") {
  Bench bench;
  CHECK(bench.machine.address_of(&bench.tcm.front()) == hal::tcm_base);
  CHECK(bench.machine.address_of(&bench.tcm.back()) == hal::tcm_base + 4095);
  CHECK(bench.machine.address_of(bench.tcm.data() + bench.tcm.size()) > Machine::process_window);
  CHECK(bench.machine.at(hal::tcm_base) == &bench.tcm.front());
  CHECK(bench.machine.at(hal::tcm_base + 4095) == &bench.tcm.back());
  CHECK_THROWS_AS(bench.machine.at(hal::tcm_base + 4096), ModelBug);
  CHECK_THROWS_AS(bench.machine.at(hal::tcm_base - 1), ModelBug);
}

TEST_CASE("shared bytes are whole lines of their part of the DRAM, zeroed each time, and run out with a sentence") {
  Bench bench;
  std::byte* const first = bench.machine.share(65);
  CHECK(bench.machine.address_of(first) == 0x8000'f000);
  CHECK(bench.machine.address_of(bench.machine.share(1)) == 0x8000'f080);
  std::memset(first, 0xff, 65);
  bench.machine.give_back(first);
  std::byte* const again = bench.machine.share(100);  // two lines, too
  CHECK(again == first);
  CHECK(std::count(again, again + 100, std::byte{}) == 100);
  CHECK(bench.machine.address_of(bench.machine.share(4096 - 192)) == 0x8000'f0c0);
  CHECK_THROWS_WITH(bench.machine.share(1), Catch::Contains("no room is left at the DRAM's end"));
}

TEST_CASE("a register is read and written over the bus, and behind each write comes what it has raised") {
  Bench bench;
  bench.machine.write(hal::Register::timer_alarm, 7);
  CHECK(bench.bus.values.at(0x4000'6008) == 7);
  CHECK(bench.writes == 1);
  CHECK_FALSE(bench.machine.writing());
  CHECK(bench.machine.read(hal::Register::timer_alarm) == 7);
  CHECK(bench.writes == 1);
}
