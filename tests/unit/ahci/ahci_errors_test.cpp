// Errors, and what stops a port.
#include <catch2/catch.hpp>

#include "ahci_bench.hpp"

using namespace test;
using Driver = AhciDriver;

TEST_CASE("ahci: a command that the drive does not know ends with a task file error, and the port waits for the driver") {
  AhciBench bench;
  REQUIRE(bench.driver.begin());
  const AhciAnswer answer = bench.driver.call({.command = 0x51});
  CHECK(answer.status == 0x41);
  CHECK(answer.error == 4);
  CHECK((bench.driver.read32(Driver::pis) & 0x4000'0001) == 0x4000'0001);
  CHECK(bench.driver.read32(Driver::ci) == 1);
  CHECK((bench.driver.read32(Driver::cmd) >> 8 & 0x1f) == 0);
  bench.driver.issue(1, Driver::flush());
  bench.work();
  CHECK(bench.driver.read32(Driver::ci) == 3);  // nothing more is fetched
  REQUIRE(bench.driver.restart());
  CHECK(bench.driver.read32(Driver::ci) == 0);
  CHECK(bench.driver.call(Driver::flush()).ok());
}

TEST_CASE("ahci: a failed read is uncorrectable data, a failed write a device fault") {
  AhciBench bench;
  REQUIRE(bench.driver.begin());
  const std::uint64_t at = bench.driver.allocate();
  bench.fails_at = 512;
  AhciAnswer answer = bench.driver.call(Driver::direct(false, 1, 1, at));
  CHECK(answer.status == 0x41);
  CHECK(answer.error == 0x40);
  REQUIRE(bench.driver.restart());
  answer = bench.driver.call(Driver::direct(true, 1, 1, at));
  CHECK(answer.status == 0x61);
  REQUIRE(bench.driver.restart());
  CHECK(bench.driver.call(Driver::direct(true, 2, 1, at)).ok());
}

TEST_CASE("ahci: an error in the queue gives up all of it until its log page is read") {
  AhciBench bench;
  REQUIRE(bench.driver.begin());
  const std::uint64_t at = bench.driver.allocate(3), log = bench.driver.allocate();
  bench.fails_at = 0x123 * 512;
  bench.holds = true;
  for (const unsigned tag : {2U, 9U, 11U}) bench.driver.issue(tag, Driver::queued(false, tag, tag == 9 ? 0x123 : tag, 1, at));
  bench.work();
  std::rotate(bench.transfers.begin(), bench.transfers.begin() + 1, bench.transfers.end());  // 9 first
  bench.holds = false;
  bench.work();
  CHECK(bench.driver.read32(Driver::tfd) == 0x4041);
  CHECK(bench.driver.read32(Driver::sact) == (1U << 2 | 1U << 9 | 1U << 11));
  CHECK((bench.driver.read32(Driver::pis) & 0x4000'0008) == 0x4000'0008);
  REQUIRE(bench.driver.restart());
  CHECK(bench.driver.read32(Driver::sact) == 0);
  CHECK(bench.driver.call(Driver::queued(false, 0, 0, 1, at)).error == 4);  // not before the log page is read
  REQUIRE(bench.driver.restart());
  REQUIRE(bench.driver.call(Driver::queue_log(log)).ok());
  CHECK(bench.adds_up(log));
  CHECK(bench.driver.load<std::uint8_t>(log) == 9);
  CHECK(bench.driver.load<std::uint8_t>(log + 2) == 0x41);
  CHECK(bench.driver.load<std::uint8_t>(log + 3) == 0x40);
  CHECK((bench.driver.load<std::uint32_t>(log + 4) & 0xff'ffff) == 0x123);
  CHECK(bench.driver.load<std::uint32_t>(bench.driver.received() + 0x5c) == ~0U);
  CHECK(bench.driver.call(Driver::queued(false, 0, 0, 1, at)).ok());
  REQUIRE(bench.driver.call(Driver::queue_log(log)).ok());
  CHECK(bench.driver.load<std::uint8_t>(log) == 0x80);  // no error: not of a queued command
}

TEST_CASE("ahci: a queued command beyond the drive is refused before it is accepted, and logged") {
  AhciBench bench;
  REQUIRE(bench.driver.begin());
  const std::uint64_t at = bench.driver.allocate(), log = bench.driver.allocate();
  const AhciAnswer answer = bench.driver.call(Driver::queued(true, 0, bench.blocks, 1, at));
  CHECK(answer.error == 0x10);
  CHECK((bench.driver.read32(Driver::pis) & 9) == 1);  // by a register FIS
  REQUIRE(bench.driver.restart());
  REQUIRE(bench.driver.call(Driver::queue_log(log)).ok());
  CHECK(bench.driver.load<std::uint8_t>(log + 3) == 0x10);
}

TEST_CASE("ahci: a command of another kind, or a tag twice, among queued ones gives the queue up") {
  const bool twice = GENERATE(false, true);
  AhciBench bench;
  REQUIRE(bench.driver.begin());
  const std::uint64_t at = bench.driver.allocate(), log = bench.driver.allocate();
  bench.holds = true;
  bench.driver.issue(5, Driver::queued(false, 5, 0, 1, at));
  bench.work();
  bench.driver.issue(6, twice ? Driver::queued(false, 5, 8, 1, at) : Driver::direct(false, 8, 1, at));
  bench.work();
  CHECK(bench.driver.read32(Driver::tfd) == 0x0441);
  CHECK(bench.seen.size() == 1);
  bench.holds = false;
  bench.work();
  CHECK((bench.driver.read32(Driver::sact) >> 5 & 1) == 1);
  REQUIRE(bench.driver.restart());
  REQUIRE(bench.driver.call(Driver::queue_log(log)).ok());
  CHECK((bench.driver.load<std::uint8_t>(log) & 0x80) == (twice ? 0 : 0x80));
}

TEST_CASE("ahci: a platform that refuses an access stops the port with a host bus error") {
  AhciBench bench;
  REQUIRE(bench.driver.begin());
  const std::uint64_t nowhere = bench.driver.memory.size();
  for (const bool writes : {false, true}) {
    bench.driver.issue(0, Driver::direct(writes, 0, 1, nowhere));
    bench.work();
    CHECK((bench.driver.read32(Driver::pis) & 1U << 29) != 0);
    CHECK(bench.driver.read32(Driver::ci) == 1);
    bench.driver.write32(Driver::cmd, 0x16);
    REQUIRE(bench.driver.reset_link());
    REQUIRE(bench.driver.restart());
  }
  bench.driver.prepare(0, Driver::flush());
  bench.driver.store<std::uint64_t>(bench.driver.header(0) + 8, nowhere);
  bench.driver.write32(Driver::ci, 1);
  bench.work();
  CHECK((bench.driver.read32(Driver::pis) & 1U << 29) != 0);
}

TEST_CASE("ahci: a command without a FIS that a drive can take stops the port with an interface error") {
  AhciBench bench;
  REQUIRE(bench.driver.begin());
  const bool is_short = GENERATE(false, true);
  bench.driver.prepare(0, Driver::flush());
  if (is_short)
    bench.driver.store<std::uint32_t>(bench.driver.header(0), 4);
  else
    bench.driver.memory[bench.driver.table(0)] = 0x34;
  bench.driver.write32(Driver::ci, 1);
  bench.work();
  CHECK((bench.driver.read32(Driver::pis) & 1U << 27) != 0);
  CHECK(bench.seen.empty());
}

TEST_CASE("ahci: regions too small for the data overflow: a read ends without the rest, a write waits for a reset of the link") {
  AhciBench bench;
  REQUIRE(bench.driver.begin());
  const std::uint64_t at = bench.driver.allocate();
  std::fill_n(bench.content.begin(), 1024, static_cast<unsigned char>(9));
  AhciRequest request = Driver::direct(false, 0, 2, at);
  request.bytes = 512;
  bench.driver.issue(0, request);
  bench.work();
  CHECK(bench.driver.read32(Driver::ci) == 0);
  CHECK((bench.driver.acknowledge() & 1U << 24) != 0);
  CHECK(bench.driver.memory[at + 511] == 9);
  CHECK(bench.driver.memory[at + 512] == 0);
  CHECK(bench.driver.load<std::uint32_t>(bench.driver.header(0) + 4) == 512);
  request.command = 0x35;
  request.writes = true;
  bench.driver.issue(0, request);
  bench.work();
  CHECK((bench.driver.read32(Driver::tfd) & 0x80) != 0);
  CHECK(bench.seen.size() == 1);
  bench.driver.write32(Driver::cmd, 0x16);
  CHECK(bench.driver.reset_link());
  CHECK(bench.driver.restart());
}

TEST_CASE("ahci: a port that is stopped in any access of a command ends the step without effect") {
  for (unsigned access = 1; access < 12; ++access) {
    AhciBench bench;
    REQUIRE(bench.driver.begin());
    const std::uint64_t at = bench.driver.allocate();
    bench.driver.issue(0, Driver::queued(access % 2 == 0, 0, 4, 2, at));
    unsigned seen = 0;
    bench.on_access = [&] {
      if (++seen == access) bench.driver.write32(Driver::cmd, 0x16);
    };
    bench.work();
    bench.on_access = nullptr;
    if (seen < access) continue;
    CHECK((bench.driver.read32(Driver::sact) | bench.driver.read32(Driver::ci)) == 0);
    CHECK((bench.driver.read32(Driver::cmd) & 0x8001) == 0);
    bench.driver.acknowledge();
    REQUIRE(bench.driver.reset_link());
    REQUIRE(bench.driver.start());
    CHECK(bench.driver.call(Driver::queued(false, 0, 4, 2, at)).ok());
  }
}

TEST_CASE("ahci: a power cut in any access of a command is a new beginning") {
  for (unsigned access = 1; access < 12; ++access) {
    AhciBench bench;
    REQUIRE(bench.driver.begin());
    const std::uint64_t at = bench.driver.allocate(2);
    bench.driver.issue(0, Driver::direct(access % 2 == 0, 4, 16, at));
    unsigned seen = 0;
    bench.on_access = [&] {
      if (++seen == access) bench.controller.power_off();
    };
    bench.work();
    bench.on_access = nullptr;
    if (seen < access) continue;
    bench.transfers.clear();
    bench.controller.power_on();
    CHECK(bench.driver.read32(Driver::ci) == 0);
    REQUIRE(bench.driver.begin());
    CHECK(bench.driver.call(Driver::direct(false, 4, 16, at)).ok());
  }
}
