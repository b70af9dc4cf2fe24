// Clauses of ACS-3 that a host tried one by one: commands that IDENTIFY DEVICE claims, power management, general purpose logs. Numbers are
// the standard's.
#include <catch2/catch.hpp>

#include "ahci_bench.hpp"

using namespace test;
using Driver = AhciDriver;

namespace {

/// A drive whose spindle the host stops and starts.
struct Spinning {
  bool stopped = false;
  unsigned stops = 0;
  AhciBench bench{config()};

  Spinning() { REQUIRE(bench.driver.begin()); }
  tessera::ahci::Config config() {
    tessera::ahci::Config config;
    config.spindle = {.stopped = [this] { return stopped; },
                      .stop =
                          [this] {
                            stopped = true;
                            ++stops;
                          },
                      .start = [this] { stopped = false; }};
    return config;
  }
  /// What CHECK POWER MODE says: the count in the register FIS.
  unsigned mode() {
    REQUIRE(bench.driver.call({.command = 0xe5}).ok());
    return bench.driver.load<std::uint8_t>(bench.driver.received() + 0x40 + 12);
  }
};

}  // namespace

TEST_CASE("ACS-3, READ VERIFY SECTOR(S) (EXT): reads from the media, moves nothing to the host, and reports what cannot be read") {
  const auto opcode = static_cast<std::uint8_t>(GENERATE(0x40, 0x42));
  AhciBench bench;
  REQUIRE(bench.driver.begin());
  const AhciRequest verify{.command = opcode, .lba = bench.blocks - 3, .count = 3};
  CHECK(bench.driver.call(verify).ok());
  REQUIRE(bench.seen.size() == 1);
  CHECK(bench.seen[0].op == tessera::BlockOp::read);
  CHECK(bench.seen[0].offset == (bench.blocks - 3) * 512);
  CHECK(bench.seen[0].bytes == 1536);
  CHECK(bench.driver.load<std::uint32_t>(bench.driver.header(0) + 4) == 0);
  CHECK(bench.driver.call({.command = opcode, .lba = bench.blocks - 2, .count = 3}).error == 0x10);
  REQUIRE(bench.driver.restart());
  bench.fails_at = (bench.blocks - 3) * 512;
  CHECK(bench.driver.call(verify).error == 0x40);
}

TEST_CASE("ACS-3, EXECUTE DEVICE DIAGNOSTIC: answers the signature and that nothing failed") {
  AhciBench bench;
  REQUIRE(bench.driver.begin());
  const AhciAnswer answer = bench.driver.call({.command = 0x90});
  CHECK(answer.ok());
  CHECK(answer.error == 1);
  CHECK((bench.driver.load<std::uint32_t>(bench.driver.received() + 0x44) & 0xff'ffff) == 1);
  CHECK(bench.driver.load<std::uint16_t>(bench.driver.received() + 0x4c) == 1);
  CHECK(bench.driver.call(Driver::flush()).ok());
}

TEST_CASE("ACS-3, SMART ENABLE/DISABLE ATTRIBUTE AUTOSAVE: taken while SMART is on, with the two values that it has") {
  AhciBench bench;
  REQUIRE(bench.driver.begin());
  AhciRequest autosave = Driver::smart(0xd2, 0);
  for (const unsigned count : {0xf1U, 0x00U}) {
    autosave.count = static_cast<std::uint16_t>(count);
    CHECK(bench.driver.call(autosave).ok());
  }
  autosave.count = 0x55;
  CHECK(is_refused(bench, autosave));
  REQUIRE(bench.driver.call(Driver::smart(0xd9, 0)).ok());
  autosave.count = 0xf1;
  CHECK(is_refused(bench, autosave));
}

TEST_CASE("ACS-3, NOP: is claimed, and always aborts") {
  AhciBench bench;
  REQUIRE(bench.driver.begin());
  CHECK((bench.word(82) & 1U << 14) != 0);
  CHECK((bench.word(85) & 1U << 14) != 0);
  CHECK(is_refused(bench, {.command = 0x00}));
}

TEST_CASE("ACS-3, power management: STANDBY flushes and stops the spindle, CHECK POWER MODE says so, IDLE starts it") {
  const auto opcode = static_cast<std::uint8_t>(GENERATE(0xe0, 0xe2));
  Spinning drive;
  CHECK((drive.bench.word(82) & 1U << 3) != 0);
  CHECK((drive.bench.word(85) & 1U << 3) != 0);
  CHECK(drive.mode() == 0xff);
  drive.bench.holds = true;
  drive.bench.driver.issue(0, {.command = opcode});
  drive.bench.work();
  REQUIRE(drive.bench.seen.size() == 1);
  CHECK(drive.bench.seen[0].op == tessera::BlockOp::flush);
  CHECK_FALSE(drive.stopped);  // before the flush has ended
  drive.bench.holds = false;
  CHECK(drive.bench.driver.finish(0).ok());
  drive.bench.driver.acknowledge();
  CHECK(drive.stopped);
  CHECK(drive.mode() == 0x00);
  CHECK(drive.bench.driver.call({.command = 0xe1}).ok());
  CHECK(drive.mode() == 0xff);
}

TEST_CASE("ACS-3, power management: a STANDBY whose flush failed leaves the spindle as it is") {
  Spinning drive;
  drive.bench.fails_at = 0;
  CHECK_FALSE(drive.bench.driver.call({.command = 0xe0}).ok());
  CHECK(drive.stops == 0);
}

TEST_CASE("ACS-3, power management: a drive without a spindle to stop is in Standby mode from the command to the next transfer") {
  AhciBench bench;
  REQUIRE(bench.driver.begin());
  CHECK((bench.word(82) & 1U << 3) != 0);
  CHECK((bench.word(85) & 1U << 3) != 0);
  CHECK((bench.word(49) & 1U << 13) == 0);  // the standby timer is the drive's own
  const std::uint64_t at = bench.driver.allocate();
  const auto mode = [&] {
    REQUIRE(bench.driver.call({.command = 0xe5}).ok());
    return unsigned{bench.driver.load<std::uint8_t>(bench.driver.received() + 0x40 + 12)};
  };
  CHECK(mode() == 0xff);
  CHECK(bench.driver.call({.command = 0xe0}).ok());
  CHECK(mode() == 0x00);
  CHECK((bench.word(0) & 0x8000) == 0);  // IDENTIFY DEVICE needs no media
  CHECK(mode() == 0x00);
  CHECK(bench.driver.call(Driver::direct(false, 0, 1, at)).ok());
  CHECK(mode() == 0xff);
  CHECK(bench.driver.call({.command = 0xe2}).ok());
  CHECK(bench.driver.call({.command = 0xe3}).ok());
  CHECK(mode() == 0xff);
}

TEST_CASE("ACS-3, SLEEP: stops the spindle, and answers nothing until a reset") {
  Spinning drive;
  auto& driver = drive.bench.driver;
  CHECK(driver.call({.command = 0xe6}).ok());
  CHECK(drive.stopped);
  driver.issue(0, Driver::flush());
  drive.bench.work();
  CHECK(driver.read32(Driver::ci) == 1);
  CHECK((driver.read32(Driver::tfd) & 0x80) != 0);
  driver.write32(Driver::cmd, 0x16);
  REQUIRE(driver.reset_link());
  REQUIRE(driver.restart());
  CHECK(drive.mode() == 0x00);  // in standby after that
  CHECK(driver.call(Driver::flush()).ok());
}

TEST_CASE("ACS-3, log 00h: lists the logs that there are, and the others are refused") {
  AhciBench bench;
  REQUIRE(bench.driver.begin());
  const std::uint64_t at = bench.driver.allocate();
  REQUIRE(bench.driver.call(Driver::log(0x00, at)).ok());
  const auto pages = [&](unsigned address) { return bench.driver.load<std::uint16_t>(at + 2 * address); };
  CHECK(pages(0x00) == 1);  // version
  CHECK(pages(0x03) == 1);
  CHECK(pages(0x04) == 5);
  CHECK(pages(0x10) == 1);
  CHECK(pages(0x30) == 9);
  CHECK(pages(0x80) == 16);
  CHECK(pages(0x9f) == 16);
  for (const std::uint8_t none : std::initializer_list<std::uint8_t>{0x01, 0x02, 0x07, 0x13, 0x7f, 0xa0, 0xff}) {
    CHECK(pages(none) == 0);
    CHECK(is_refused(bench, Driver::log(none, at)));
  }
  CHECK(is_refused(bench, Driver::log(0x04, at, 5)));
  CHECK(is_refused(bench, Driver::log(0x04, at, 4, 2)));
  CHECK(is_refused(bench, Driver::log(0x04, at, 0, 0)));
  CHECK(bench.driver.call(Driver::log(0x30, at, 0, 2)).ok());
  CHECK((bench.word(84) & 1U << 5) != 0);
  CHECK((bench.word(119) & 1U << 3) != 0);  // by DMA too
}

TEST_CASE("ACS-3, log 04h: device statistics count cycles, sectors, commands, relocations and errors") {
  tessera::ahci::Config config;
  config.health = [] { return tessera::DriveHealth{.relocations = 77, .busy = tessera::Picoseconds(3 * 3600 * tessera::ps_per_second)}; };
  config.now = [] { return tessera::Picoseconds(5 * 3600 * tessera::ps_per_second); };
  AhciBench bench(config);
  REQUIRE(bench.driver.begin());
  const std::uint64_t at = bench.driver.allocate(), data = bench.driver.allocate();
  REQUIRE(bench.driver.call(Driver::direct(true, 0, 5, data)).ok());
  REQUIRE(bench.driver.call(Driver::direct(true, 0, 1, data)).ok());
  REQUIRE(bench.driver.call(Driver::queued(false, 0, 0, 3, data)).ok());
  bench.controller.power_off();
  bench.controller.power_on();
  REQUIRE(bench.driver.begin());
  REQUIRE(bench.driver.call(Driver::log(0x04, at)).ok());
  CHECK(bench.driver.load<std::uint64_t>(at) == 1);
  CHECK(bench.driver.load<std::uint8_t>(at + 8) == 4);
  CHECK(bench.driver.load<std::uint32_t>(at + 9) == 0x0403'0100);
  REQUIRE(bench.driver.call(Driver::log(0x04, at, 1)).ok());
  CHECK(bench.driver.load<std::uint64_t>(at) == 0x1'0001);
  const auto figure = [&](unsigned offset) {
    const auto word = bench.driver.load<std::uint64_t>(at + offset);
    CHECK(word >> 62 == 3);  // supported, valid
    return word & 0xffff'ffff'ffff;
  };
  CHECK(figure(8) == 2);   // power-on resets
  CHECK(figure(16) == 5);  // hours
  CHECK(figure(24) == 6);
  CHECK(figure(32) == 2);
  CHECK(figure(40) == 3);
  CHECK(figure(48) == 1);
  REQUIRE(bench.driver.call(Driver::log(0x04, at, 2)).ok());
  CHECK(bench.driver.load<std::uint64_t>(at) == 0);
  REQUIRE(bench.driver.call(Driver::log(0x04, at, 3)).ok());
  CHECK(bench.driver.load<std::uint64_t>(at) == 0x3'0001);
  CHECK(figure(16) == 3);   // hours in which the heads worked
  CHECK(figure(32) == 77);  // relocated sectors
  bench.fails_at = 512;
  for (const bool writes : {false, true}) {
    CHECK_FALSE(bench.driver.call(Driver::direct(writes, 1, 1, data)).ok());
    REQUIRE(bench.driver.restart());
  }
  REQUIRE(bench.driver.call(Driver::log(0x04, at, 4)).ok());
  CHECK(bench.driver.load<std::uint64_t>(at) == 0x4'0001);
  CHECK(figure(8) == 1);  // uncorrectable, which a failed write is not
}

TEST_CASE("ACS-3, log 30h: IDENTIFY DEVICE by subject says what IDENTIFY DEVICE says") {
  tessera::ahci::Config config;
  config.serial = "AB12";
  config.queue_depth = 8;
  config.rotation_rpm = 5980;
  AhciBench bench(config);
  REQUIRE(bench.driver.begin());
  const std::uint64_t whole = bench.driver.allocate(), at = bench.driver.allocate(2);
  auto& driver = bench.driver;
  REQUIRE(driver.call({.command = 0xef, .features = 0x82}).ok());  // write cache off
  REQUIRE(driver.call(Driver::identify(whole)).ok());
  REQUIRE(driver.call(Driver::log(0x30, at, 0, 9)).ok());
  const auto word = [&](unsigned page, unsigned offset) { return driver.load<std::uint64_t>(at + page * 512 + offset); };
  const auto bytes = [&](std::uint64_t from) { return driver.memory.begin() + static_cast<std::ptrdiff_t>(from); };
  constexpr std::uint64_t valid = std::uint64_t{1} << 63;
  const std::vector<unsigned> listed{0, 1, 2, 3, 4, 5, 8};
  CHECK(driver.load<std::uint8_t>(at + 8) == listed.size());
  for (unsigned i = 0; i < listed.size(); ++i) {
    CHECK(driver.load<std::uint8_t>(at + 9 + i) == listed[i]);
    if (listed[i] != 1) CHECK(word(listed[i], 0) == (valid | listed[i] << 16 | 1));
  }
  CHECK(word(6, 0) == 0);
  CHECK(std::equal(bytes(whole), bytes(whole + 512), bytes(at + 512)));
  CHECK(word(2, 8) == (valid | bench.blocks));
  CHECK(word(2, 16) == (valid | std::uint64_t{1} << 62 | 3U << 16));  // 8 logical sectors in a physical one
  CHECK(word(2, 24) == (valid | 256));
  CHECK((word(3, 8) & (1U << 23 | 1U << 11 | 1U << 7 | 1U << 2)) == (1U << 23 | 1U << 11 | 1U << 7 | 1U << 2));  // SMART, logs, by DMA
  CHECK(word(3, 24) == (valid | 5980));
  CHECK(word(3, 56) >> 48 == driver.load<std::uint16_t>(whole + 2 * 108));
  CHECK((word(3, 56) & 0xffff) == driver.load<std::uint16_t>(whole + 2 * 111));
  CHECK(word(3, 72) == (valid | 8U << 16 | 1));
  CHECK(word(3, 136) == (valid | 7));
  CHECK(word(4, 8) == (valid | 1U << 7 | 1U << 6));  // look-ahead, SMART, no write cache
  CHECK(std::equal(bytes(whole + 20), bytes(whole + 40), bytes(at + 5 * 512 + 8)));
  CHECK(std::equal(bytes(whole + 54), bytes(whole + 94), bytes(at + 5 * 512 + 48)));
  CHECK(word(8, 8) == (valid | 1U << 23 | 1U << 7 | 7));
  CHECK(word(8, 16) == (valid | 1U << 8 | 3));
}

TEST_CASE("ACS-3, WRITE LOG EXT: writes the host's logs, which stay over a power cut, and no other") {
  const auto opcode = static_cast<std::uint8_t>(GENERATE(0x3f, 0x57));
  AhciBench bench;
  REQUIRE(bench.driver.begin());
  auto& driver = bench.driver;
  const std::uint64_t at = driver.allocate();
  std::fill_n(driver.memory.begin() + static_cast<std::ptrdiff_t>(at), 1024, static_cast<unsigned char>(0x5a));
  const auto write = [&](std::uint64_t lba, std::uint16_t count) {
    return AhciRequest{.command = opcode, .lba = lba, .count = count, .writes = true, .data = at, .bytes = count * 512U};
  };
  CHECK(driver.call(write(0x0e81, 2)).ok());  // log 81h, the last two pages
  CHECK(is_refused(bench, write(0x0f81, 2)));
  CHECK(is_refused(bench, write(0x0081, 0)));
  for (const std::uint64_t other : {0x00U, 0x04U, 0x10U, 0x30U, 0xa0U}) CHECK(is_refused(bench, write(other, 1)));
  bench.controller.power_off();
  bench.controller.power_on();
  REQUIRE(driver.begin());
  REQUIRE(driver.call(Driver::log(0x81, at, 13, 2)).ok());
  CHECK(driver.memory[at + 511] == 0);
  CHECK(driver.memory[at + 512] == 0x5a);
  REQUIRE(driver.call(Driver::log(0x82, at)).ok());
  CHECK(driver.memory[at] == 0);
  CHECK(bench.seen.empty());
}

TEST_CASE("AHCI 1.3.1, 3.3.7: a port that is stopped takes back what the drive does not have yet") {
  AhciBench bench;
  REQUIRE(bench.driver.begin());
  const std::uint64_t at = bench.driver.allocate();
  bench.holds = true;
  bench.takes = 1;
  for (unsigned tag = 0; tag < 3; ++tag) bench.driver.issue(tag, Driver::queued(true, tag, tag, 1, at));
  bench.work();
  REQUIRE(bench.transfers.size() == 3);
  bench.driver.write32(Driver::cmd, 0x16);
  CHECK(bench.transfers.size() == 1);
  bench.holds = false;
  bench.work();
  REQUIRE(bench.driver.reset_link());
  REQUIRE(bench.driver.restart());
  CHECK(bench.driver.call(Driver::queued(false, 0, 0, 1, at)).ok());
}
