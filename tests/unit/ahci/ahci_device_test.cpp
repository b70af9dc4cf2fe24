// What the drive at the port answers (ACS-3).
#include <catch2/catch.hpp>
#include <string>

#include "ahci_bench.hpp"

using namespace test;
using Driver = AhciDriver;

TEST_CASE("ahci: IDENTIFY DEVICE has the drive's figures and adds up") {
  tessera::ahci::Config config;
  config.serial = "AB12";
  config.queue_depth = 8;
  config.rotation_rpm = 5980;
  config.drive_managed_zones = true;
  AhciBench bench(config);
  REQUIRE(bench.driver.begin());
  const std::uint64_t at = bench.driver.allocate();
  REQUIRE(bench.driver.call(Driver::identify(at)).ok());
  const auto word = [&](unsigned number) { return bench.driver.load<std::uint16_t>(at + 2 * number); };
  CHECK(bench.adds_up(at));
  CHECK(word(255) % 256 == 0xa5);
  CHECK(word(10) == ('A' << 8 | 'B'));
  CHECK(word(11) == ('1' << 8 | '2'));
  CHECK(word(12) == (' ' << 8 | ' '));
  CHECK(bench.driver.load<std::uint32_t>(at + 120) == bench.blocks);
  CHECK(bench.driver.load<std::uint64_t>(at + 200) == bench.blocks);
  CHECK((word(69) & 3) == 2);
  CHECK(word(75) == 7);
  CHECK((word(76) & 0x10e) == 0x10e);
  CHECK((word(82) & 0x21) == 0x21);
  CHECK((word(83) & 0x3400) == 0x3400);
  CHECK(word(106) == 0x6003);
  CHECK((word(108) >> 12) == 5);
  CHECK((word(169) & 1) == 1);
  CHECK(word(217) == 5980);
  CHECK(bench.driver.load<std::uint8_t>(bench.driver.received() + 0x20) == 0x5f);  // the PIO set-up FIS
  CHECK((bench.driver.read32(0x00) >> 8 & 0x1f) == 7);
}

TEST_CASE("ahci: a conventional drive without a volatile cache says neither zones nor cache") {
  tessera::ahci::Config config;
  config.volatile_cache = false;
  config.physical_sector = 512;
  AhciBench bench(config);
  REQUIRE(bench.driver.begin());
  CHECK((bench.word(69) & 3) == 0);
  CHECK((bench.word(82) & 0x20) == 0);
  CHECK((bench.word(85) & 0x20) == 0);
  CHECK(bench.word(106) == 0x4000);
}

TEST_CASE("ahci: a drive says whether what was trimmed reads as zeros") {
  tessera::ahci::Config config;
  config.zeros_after_trim = GENERATE(false, true);
  AhciBench bench(config);
  REQUIRE(bench.driver.begin());
  CHECK((bench.word(69) & (1U << 14 | 1U << 5)) == (config.zeros_after_trim ? 1U << 14 | 1U << 5 : 0));
  CHECK((bench.word(69) & 3) == 0);
}

TEST_CASE("ahci: forced writes are those that ask, and all while the cache is off") {
  AhciBench bench;
  REQUIRE(bench.driver.begin());
  const std::uint64_t at = bench.driver.allocate();
  const auto forced = [&](const AhciRequest& request) {
    REQUIRE(bench.driver.call(request).ok());
    return bench.seen.back().force_unit_access;
  };
  AhciRequest fua = Driver::direct(true, 0, 1, at);
  fua.command = 0x3d;
  CHECK_FALSE(forced(Driver::direct(true, 0, 1, at)));
  CHECK(forced(fua));
  CHECK_FALSE(forced(Driver::queued(true, 0, 0, 1, at)));
  CHECK(forced(Driver::queued(true, 0, 0, 1, at, true)));
  CHECK(bench.driver.call({.command = 0xef, .features = 0x82}).ok());
  CHECK(bench.seen.back().op == tessera::BlockOp::flush);
  CHECK((bench.word(85) & 0x20) == 0);
  CHECK(forced(Driver::direct(true, 0, 1, at)));
  CHECK(bench.driver.call({.command = 0xef, .features = 0x02}).ok());
  CHECK_FALSE(forced(Driver::queued(true, 0, 0, 1, at)));
}

TEST_CASE("ahci: transfers of every kind reach the drive where they should, up to its last block") {
  AhciBench bench;
  REQUIRE(bench.driver.begin());
  const std::uint64_t at = bench.driver.allocate(40);
  struct Kind {
    std::uint8_t command;
    bool writes;
  };
  for (const Kind kind :
       {Kind{0x25, false}, {0x35, true}, {0x24, false}, {0x34, true}, {0xc8, false}, {0xca, true}, {0x20, false}, {0x30, true}}) {
    AhciRequest request = Driver::direct(kind.writes, bench.blocks - 3, 3, at);
    request.command = kind.command;
    CHECK(bench.driver.call(request).ok());
    CHECK(bench.seen.back().op == (kind.writes ? tessera::BlockOp::write : tessera::BlockOp::read));
    CHECK(bench.seen.back().offset == (bench.blocks - 3) * 512);
    CHECK(bench.seen.back().bytes == 1536);
    request.lba = bench.blocks - 2;
    const AhciAnswer beyond = bench.driver.call(request);
    CHECK((beyond.status & 1) == 1);
    CHECK(beyond.error == 0x10);
    CHECK(bench.driver.restart());
  }
  AhciRequest all = Driver::direct(false, 0, 0, at);  // 0 blocks: 256 of a short command
  all.command = 0xc8;
  all.bytes = 256 * 512;
  CHECK(bench.driver.call(all).ok());
  CHECK(bench.seen.back().bytes == 256 * 512);
}

TEST_CASE("ahci: TRIM reaches the drive range by range, and skips empty ones") {
  AhciBench bench;
  REQUIRE(bench.driver.begin());
  const std::uint64_t at = bench.driver.allocate();
  bench.driver.store<std::uint64_t>(at, 64U | std::uint64_t{8} << 48);
  bench.driver.store<std::uint64_t>(at + 16, 1024U | std::uint64_t{16} << 48);
  const AhciRequest trim{.command = 0x06, .count = 1, .features = 1, .writes = true, .data = at, .bytes = 512};
  REQUIRE(bench.driver.call(trim).ok());
  REQUIRE(bench.seen.size() == 2);
  CHECK(bench.seen[0].op == tessera::BlockOp::trim);
  CHECK(bench.seen[0].offset == 64 * 512);
  CHECK(bench.seen[1].offset == 1024 * 512);
  CHECK(bench.seen[1].bytes == 16 * 512);
  bench.driver.store<std::uint64_t>(at + 8, (bench.blocks - 1) | std::uint64_t{2} << 48);
  CHECK(bench.driver.call(trim).error == 0x10);
  CHECK(bench.seen.size() == 2);
}

TEST_CASE("ahci: SMART has the drive's health, and counts blocks, cycles and cuts") {
  tessera::ahci::Config config;
  config.health = [] { return tessera::DriveHealth{.spare_percent = 9, .relocations = 77}; };
  AhciBench bench(config);
  REQUIRE(bench.driver.begin());
  const std::uint64_t at = bench.driver.allocate(), data = bench.driver.allocate();
  CHECK(bench.driver.call(Driver::direct(true, 0, 5, at)).ok());
  bench.controller.power_off();
  bench.controller.power_on();
  REQUIRE(bench.driver.begin());
  REQUIRE(bench.driver.call(Driver::smart(0xd0, data)).ok());
  CHECK(bench.adds_up(data));
  const auto raw = [&](unsigned id) {
    for (std::uint64_t entry = data + 2; bench.driver.memory[entry] != 0; entry += 12)
      if (bench.driver.memory[entry] == id) return bench.driver.load<std::uint32_t>(entry + 5);
    return ~0U;
  };
  CHECK(raw(5) == 77);
  CHECK(raw(12) == 2);
  CHECK(raw(192) == 1);
  CHECK(raw(194) == 35);
  CHECK(raw(241) == 5);
  REQUIRE(bench.driver.call(Driver::smart(0xda, 0)).ok());  // fails: LBA mid and high in the register FIS
  CHECK((bench.driver.load<std::uint32_t>(bench.driver.received() + 0x44) >> 8 & 0xffff) == 0x2cf4);
  CHECK(bench.driver.call(Driver::smart(0xd9, 0)).ok());
  CHECK(bench.driver.call(Driver::smart(0xd0, data)).error == 4);
  CHECK(bench.driver.restart());
  CHECK((bench.word(85) & 1) == 0);
}

TEST_CASE("ahci: an announced end of power is no unsafe one") {
  AhciBench bench;
  REQUIRE(bench.driver.begin());
  CHECK(bench.driver.call({.command = 0xe0}).ok());
  CHECK(bench.seen.back().op == tessera::BlockOp::flush);
  bench.controller.power_off();
  bench.controller.power_on();
  REQUIRE(bench.driver.begin());
  const std::uint64_t data = bench.driver.allocate();
  REQUIRE(bench.driver.call(Driver::smart(0xd0, data)).ok());
  for (std::uint64_t entry = data + 2; bench.driver.memory[entry] != 0; entry += 12)
    if (bench.driver.memory[entry] == 192) CHECK(bench.driver.load<std::uint32_t>(entry + 5) == 0);
}
