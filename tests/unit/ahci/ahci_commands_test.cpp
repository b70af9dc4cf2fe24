// Clauses of ACS-3, command by command: modes, settings, addresses, logs of errors, and what is not claimed. Numbers are the standard's.
#include <catch2/catch.hpp>

#include "ahci_bench.hpp"

using namespace test;
using Driver = AhciDriver;

TEST_CASE("ACS-3, READ and WRITE MULTIPLE (EXT, FUA EXT): refused until SET MULTIPLE MODE, then in pieces of so many blocks") {
  AhciBench bench;
  REQUIRE(bench.driver.begin());
  auto& driver = bench.driver;
  const std::uint64_t at = driver.allocate(2);
  CHECK(bench.word(47) == 0x8010);
  CHECK(bench.word(59) == 0);
  const std::uint8_t opcodes[] = {0xc4, 0x29, 0xc5, 0x39, 0xce};
  const auto request = [&](std::uint8_t opcode) {
    AhciRequest transfer = Driver::direct(opcode != 0xc4 && opcode != 0x29, bench.blocks - 6, 6, at);
    transfer.command = opcode;
    return transfer;
  };
  for (const std::uint8_t opcode : opcodes) CHECK(is_refused(bench, request(opcode)));
  for (const unsigned wrong : {3U, 17U, 32U}) CHECK(is_refused(bench, {.command = 0xc6, .count = static_cast<std::uint16_t>(wrong)}));
  for (const unsigned count : {16U, 1U, 4U}) {
    CHECK(driver.call({.command = 0xc6, .count = static_cast<std::uint16_t>(count)}).ok());
    CHECK(bench.word(59) == (0x100 | count));
  }
  for (const std::uint8_t opcode : opcodes) {
    const bool writes = request(opcode).writes;
    driver.issue(0, request(opcode));
    CHECK(driver.finish(0).ok());
    CHECK(driver.acknowledge() == (writes ? 3 : 2));
    CHECK(bench.seen.back().op == (writes ? tessera::BlockOp::write : tessera::BlockOp::read));
    CHECK(bench.seen.back().offset == (bench.blocks - 6) * 512);
    CHECK(bench.seen.back().bytes == 3072);
    CHECK(bench.seen.back().force_unit_access == (opcode == 0xce));
    CHECK(driver.load<std::uint16_t>(driver.received() + 0x30) == 1024);  // the last piece
    CHECK(driver.load<std::uint32_t>(driver.header(0) + 4) == 3072);
  }
  CHECK(driver.call({.command = 0xc6}).ok());  // 0: off
  CHECK(is_refused(bench, request(0xc4)));
  CHECK(bench.word(59) == 0);
}

TEST_CASE("ACS-3, SET FEATURES: transfer modes show in words 63 and 88, and others are refused") {
  AhciBench bench;
  REQUIRE(bench.driver.begin());
  const auto set = [](unsigned mode) { return AhciRequest{.command = 0xef, .count = static_cast<std::uint16_t>(mode), .features = 0x03}; };
  CHECK(bench.word(63) == 0x0007);
  CHECK(bench.word(88) == 0x407f);
  CHECK(bench.driver.call(set(0x22)).ok());
  CHECK(bench.word(63) == 0x0407);
  CHECK(bench.word(88) == 0x007f);
  CHECK(bench.driver.call(set(0x45)).ok());
  CHECK(bench.word(63) == 0x0007);
  CHECK(bench.word(88) == 0x207f);
  for (const unsigned pio : {0x00U, 0x01U, 0x08U, 0x0cU}) CHECK(bench.driver.call(set(pio)).ok());
  for (const unsigned none : {0x02U, 0x0dU, 0x10U, 0x23U, 0x47U, 0x80U}) CHECK(is_refused(bench, set(none)));
  CHECK(bench.word(88) == 0x207f);
}

TEST_CASE("ACS-3, SET FEATURES: settings stay over a COMRESET until the host switches that off, and not over a power cut") {
  AhciBench bench;
  REQUIRE(bench.driver.begin());
  auto& driver = bench.driver;
  CHECK(bench.word(78) == 0x40);
  CHECK(bench.word(79) == 0x40);
  const auto change = [&] {
    CHECK(driver.call({.command = 0xef, .features = 0x82}).ok());
    CHECK(driver.call({.command = 0xef, .features = 0x55}).ok());
    CHECK(driver.call({.command = 0xc6, .count = 8}).ok());
  };
  const auto again = [&] {
    driver.write32(Driver::cmd, 0x16);
    REQUIRE(driver.reset_link());
    REQUIRE(driver.start());
  };
  change();
  again();
  CHECK((bench.word(85) & 0x60) == 0);
  CHECK(bench.word(59) == 0x108);
  CHECK(driver.call({.command = 0xef, .count = 0x06, .features = 0x90}).ok());
  CHECK(bench.word(79) == 0);
  again();
  CHECK((bench.word(85) & 0x60) == 0x60);
  CHECK(bench.word(59) == 0);
  CHECK(driver.call({.command = 0xef, .count = 0x06, .features = 0x10}).ok());
  CHECK(bench.word(79) == 0x40);
  for (const unsigned other : {0x01U, 0x02U, 0x03U, 0x05U, 0x07U})
    CHECK(is_refused(bench, {.command = 0xef, .count = static_cast<std::uint16_t>(other), .features = 0x10}));
  change();
  bench.controller.power_off();
  bench.controller.power_on();
  REQUIRE(driver.begin());
  CHECK((bench.word(85) & 0x60) == 0x60);
}

TEST_CASE("ACS-3, SET FEATURES: a drive without a volatile cache has none to switch") {
  tessera::ahci::Config config;
  config.volatile_cache = false;
  AhciBench bench(config);
  REQUIRE(bench.driver.begin());
  for (const unsigned feature : {0x02U, 0x82U})
    CHECK(is_refused(bench, {.command = 0xef, .features = static_cast<std::uint16_t>(feature)}));
  CHECK((bench.word(82) & 0x20) == 0);
}

TEST_CASE("ACS-3, commands of feature sets that IDENTIFY DEVICE does not claim are refused") {
  AhciBench bench;
  REQUIRE(bench.driver.begin());
  // Microcode, buffers, sanitize, uncorrectable, trusted computing, packets, reset, native maximum, accessible maximum, security, zones,
  // queued commands without data or of another kind, streaming, sense data.
  for (const std::uint8_t opcode : std::initializer_list<std::uint8_t>{
           0x92, 0x93, 0xe4, 0xe9, 0xe8, 0xeb, 0xb4, 0x45, 0x5b, 0x5c, 0x5d, 0x5e, 0x5f, 0xa0, 0xa1, 0x08, 0xf8, 0x27, 0xf9,
           0x37, 0x78, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0x4a, 0x9f, 0x63, 0x64, 0x65, 0x2a, 0x2b, 0x3a, 0x3b, 0x0b})
    CHECK(is_refused(bench, {.command = opcode}));
  CHECK((bench.word(82) & 0x3592) == 0);  // buffers, host protected area, reset, packets, removable, security
  CHECK((bench.word(83) & 0x0aff) == 0);  // automatic acoustics, SET MAX, power-up in standby, advanced power management, microcode
  CHECK((bench.word(84) & 0x3e9e) == 0);  // unload, queued, streaming, media serial number, self-test
  CHECK((bench.word(119) & 0x03f6) == 0);
  CHECK(bench.word(128) == 0);
  CHECK(bench.word(206) == 0);
}

TEST_CASE("ACS-3, IDENTIFY DEVICE: what has a fixed value, or is repeated, is as the standard has it") {
  AhciBench bench;
  REQUIRE(bench.driver.begin());
  CHECK((bench.word(0) & 0x8000) == 0);
  CHECK(bench.word(2) == 0xc837);
  CHECK(bench.word(48) == 0x4000);
  CHECK((bench.word(49) & 0x0300) == 0x0300);
  CHECK((bench.word(50) & 0xc000) == 0x4000);
  CHECK((bench.word(53) & 6) == 6);
  CHECK(bench.word(80) == 0x07e0);
  for (const unsigned number : {83U, 84U, 87U, 119U, 120U, 106U, 209U}) CHECK((bench.word(number) & 0xc000) == 0x4000);
  CHECK((bench.word(84) & 0x3fff) == (bench.word(87) & 0x3fff));
  CHECK((bench.word(83) & 0x3fff) == (bench.word(86) & 0x3fff));
  CHECK(bench.word(82) == bench.word(85));
  CHECK(bench.word(119) == bench.word(120));
  CHECK((bench.word(86) & 0x8000) != 0);
  CHECK(bench.word(93) == 0);
  CHECK(bench.word(222) == 0x107e);
}

TEST_CASE("ACS-3, NCQ: a tag that the queue does not have ends it with an error") {
  tessera::ahci::Config config;
  config.queue_depth = 8;
  AhciBench bench(config);
  REQUIRE(bench.driver.begin());
  const std::uint64_t at = bench.driver.allocate(), log = bench.driver.allocate();
  bench.driver.issue(7, Driver::queued(false, 7, 0, 1, at));
  CHECK(bench.driver.finish(7).ok());
  bench.driver.acknowledge();
  bench.driver.prepare(0, Driver::queued(false, 8, 0, 1, at));
  bench.driver.write32(Driver::ci, 1);
  CHECK(bench.driver.finish(0).error == 4);
  REQUIRE(bench.driver.restart());
  REQUIRE(bench.driver.call(Driver::queue_log(log)).ok());
  CHECK(bench.driver.load<std::uint8_t>(log) == 8);
}

TEST_CASE("ACS-3, counts: 0 is 65,536 blocks of a command with 48 bits, and of a queued one") {
  AhciBench bench;
  REQUIRE(bench.driver.begin());
  const std::uint64_t at = bench.driver.allocate();
  for (const AhciRequest& request : {Driver::direct(false, 0, 0, at), Driver::queued(false, 0, 0, 0, at)}) {
    CHECK(bench.driver.call(request).error == 0x10);  // more than this drive has
    REQUIRE(bench.driver.restart());
    bench.driver.call(Driver::queue_log(at));
  }
  CHECK(bench.seen.empty());
}

TEST_CASE("ACS-3, addresses without the LBA bit are refused, and those of 28 bits continue in the device register") {
  AhciBench bench;
  REQUIRE(bench.driver.begin());
  const std::uint64_t at = bench.driver.allocate();
  AhciRequest request = Driver::direct(false, 5, 1, at);
  request.device = 0;
  CHECK(is_refused(bench, request));
  request.command = 0xc8;
  request.device = 0x41;  // block 1000005h
  CHECK(bench.driver.call(request).error == 0x10);
  CHECK(bench.driver.load<std::uint8_t>(bench.driver.received() + 0x47) == 0x41);
  CHECK(bench.driver.load<std::uint8_t>(bench.driver.received() + 0x44) == 5);
}

TEST_CASE("ACS-3, uncorrectable data: the register FIS, or log 10h, names the first block that cannot be read") {
  const std::uint8_t opcode = GENERATE(std::uint8_t{0x25}, std::uint8_t{0xc8}, std::uint8_t{0x42}, std::uint8_t{0x60});
  const std::uint64_t bad = GENERATE(100, 101, 106, 107);
  AhciBench bench;
  REQUIRE(bench.driver.begin());
  const std::uint64_t at = bench.driver.allocate();
  bench.fails_in = {bad * 512, (bad + 2) * 512};
  AhciRequest request = opcode == 0x60 ? Driver::queued(false, 0, 100, 8, at) : Driver::direct(false, 100, 8, at);
  request.command = opcode;
  CHECK(bench.driver.call(request).error == 0x40);
  std::uint64_t fis = bench.driver.received() + 0x40;
  REQUIRE(bench.driver.restart());
  if (opcode == 0x60) {
    REQUIRE(bench.driver.call(Driver::queue_log(at)).ok());
    fis = at;
  }
  CHECK((bench.driver.load<std::uint32_t>(fis + 4) & 0xff'ffff) == bad);
  bench.fails_in = {};
  CHECK(bench.driver.call(Driver::direct(false, 100, 8, at)).ok());
}

TEST_CASE("ACS-3, SMART READ and WRITE LOG: a directory of their own, the host's logs, and the key") {
  AhciBench bench;
  REQUIRE(bench.driver.begin());
  auto& driver = bench.driver;
  const std::uint64_t at = driver.allocate();
  const auto smart_log = [&](bool writes, unsigned address, std::uint16_t count = 1) {
    AhciRequest request = Driver::smart(writes ? 0xd6 : 0xd5, at);
    request.lba |= address;
    request.count = count;
    request.writes = writes;
    request.bytes = count * 512U;
    return request;
  };
  REQUIRE(driver.call(smart_log(false, 0x00)).ok());
  CHECK(driver.load<std::uint16_t>(at) == 1);
  CHECK(driver.load<std::uint16_t>(at + 2 * 0x01) == 1);
  CHECK(driver.load<std::uint16_t>(at + 2 * 0x03) == 0);
  CHECK(driver.load<std::uint16_t>(at + 2 * 0x10) == 0);
  CHECK(driver.load<std::uint16_t>(at + 2 * 0x80) == 16);
  for (const unsigned none : {0x02U, 0x03U, 0x06U, 0x10U, 0xa0U}) CHECK(is_refused(bench, smart_log(false, none)));
  CHECK(is_refused(bench, smart_log(false, 0x01, 2)));
  CHECK(is_refused(bench, smart_log(false, 0x01, 0)));
  CHECK(is_refused(bench, smart_log(true, 0x01)));
  std::fill_n(driver.memory.begin() + static_cast<std::ptrdiff_t>(at), 512, static_cast<unsigned char>(0x77));
  CHECK(driver.call(smart_log(true, 0x85)).ok());
  REQUIRE(driver.call(Driver::log(0x85, at)).ok());  // the same log
  CHECK(driver.memory[at + 511] == 0x77);
  AhciRequest without_key = smart_log(false, 0x00);
  without_key.lba = 0;
  CHECK(is_refused(bench, without_key));
  REQUIRE(driver.call(Driver::smart(0xd9, 0)).ok());
  CHECK(is_refused(bench, smart_log(false, 0x00)));
}

TEST_CASE("ACS-3, logs 01h and 03h: the last failures with the commands before them, and nothing that was merely refused") {
  tessera::ahci::Config config;
  std::uint64_t seconds = 7200;
  config.now = [&seconds] { return tessera::Picoseconds(seconds * tessera::ps_per_second); };
  AhciBench bench(config);
  seconds += 2;
  REQUIRE(bench.driver.begin());
  auto& driver = bench.driver;
  const std::uint64_t at = driver.allocate(), data = driver.allocate();
  CHECK((bench.word(84) & 1) == 1);
  CHECK((bench.word(87) & 1) == 1);
  REQUIRE(driver.call(Driver::smart(0xd0, at)).ok());
  CHECK(driver.memory[at + 370] == 1);
  const auto summary = [&] {
    AhciRequest request = Driver::smart(0xd5, at);
    request.lba |= 0x01;
    REQUIRE(driver.call(request).ok());
    CHECK(bench.adds_up(at));
  };
  CHECK(is_refused(bench, {.command = 0x45}));
  CHECK(driver.call(Driver::direct(false, bench.blocks, 1, data)).error == 0x10);
  REQUIRE(driver.restart());
  summary();
  CHECK(driver.memory[at] == 1);
  CHECK(driver.memory[at + 1] == 0);
  CHECK(driver.load<std::uint16_t>(at + 452) == 0);
  for (unsigned failure = 1; failure <= 6; ++failure) {
    bench.fails_at = std::uint64_t{512} * (0x100 + failure);
    CHECK(driver.call(Driver::direct(false, 0x100 + failure, 1, data)).error == 0x40);
    REQUIRE(driver.restart());
  }
  summary();
  CHECK(driver.memory[at + 1] == 1);  // the sixth took the first one's place
  CHECK(driver.load<std::uint16_t>(at + 452) == 6);
  const std::uint64_t entry = at + 2, command = entry + 48;
  CHECK(driver.memory[command + 2] == 1);     // count
  CHECK(driver.memory[command + 3] == 0x06);  // LBA
  CHECK(driver.memory[command + 4] == 0x01);
  CHECK(driver.memory[command + 6] == 0x40);
  CHECK(driver.memory[command + 7] == 0x25);
  CHECK(driver.load<std::uint32_t>(command + 8) == 2000);  // ms since the power came
  CHECK(driver.memory[command - 12 + 3] == 0x05);          // the command before
  const std::uint64_t error = entry + 60;
  CHECK(driver.memory[error + 1] == 0x40);
  CHECK(driver.memory[error + 3] == 0x06);
  CHECK(driver.memory[error + 7] == 0x41);
  CHECK((driver.memory[error + 27] & 0xf) == 3);
  CHECK(driver.load<std::uint16_t>(error + 28) == 2);  // hours
  REQUIRE(driver.call(Driver::log(0x03, at)).ok());
  CHECK(bench.adds_up(at));
  CHECK(driver.load<std::uint16_t>(at + 2) == 2);  // of four places
  CHECK(driver.load<std::uint16_t>(at + 500) == 6);
  const std::uint64_t extended = at + 4 + 124, last = extended + 72;
  CHECK(driver.memory[last + 3] == 1);     // count
  CHECK(driver.memory[last + 5] == 0x06);  // LBA 7:0
  CHECK(driver.memory[last + 7] == 0x01);  // LBA 15:8
  CHECK(driver.memory[last + 12] == 0x25);
  CHECK(driver.load<std::uint32_t>(last + 14) == 2000);
  CHECK(driver.memory[extended + 90 + 1] == 0x40);
  CHECK(driver.memory[extended + 90 + 4] == 0x06);
  CHECK(driver.memory[extended + 90 + 6] == 0x01);
  CHECK(driver.memory[extended + 90 + 11] == 0x41);
  CHECK(driver.load<std::uint16_t>(extended + 90 + 32) == 2);
}

TEST_CASE("ACS-3, SMART READ THRESHOLDS: names the attributes of SMART READ DATA in their order") {
  AhciBench bench;
  REQUIRE(bench.driver.begin());
  const std::uint64_t values = bench.driver.allocate(), thresholds = bench.driver.allocate();
  REQUIRE(bench.driver.call(Driver::smart(0xd0, values)).ok());
  REQUIRE(bench.driver.call(Driver::smart(0xd1, thresholds)).ok());
  CHECK(bench.adds_up(thresholds));
  for (unsigned i = 0; i < 30; ++i) CHECK(bench.driver.memory[values + 2 + 12 * i] == bench.driver.memory[thresholds + 2 + 12 * i]);
}

TEST_CASE("ACS-3, SLEEP: the reset bit of the control register wakes the drive, after PxCMD.CLO") {
  AhciBench bench;
  REQUIRE(bench.driver.begin());
  auto& driver = bench.driver;
  CHECK(driver.call({.command = 0xe6}).ok());
  driver.issue(0, Driver::flush());
  bench.work();
  driver.write32(Driver::cmd, 0x16);
  CHECK((driver.read32(Driver::tfd) & 0x80) != 0);
  driver.write32(Driver::cmd, 0x1e);
  CHECK((driver.read32(Driver::tfd) & 0x88) == 0);
  CHECK((driver.read32(Driver::cmd) & 8) == 0);
  REQUIRE(driver.start());
  for (const unsigned char reset : std::initializer_list<unsigned char>{4, 0}) {
    driver.prepare(0, {});
    driver.memory[driver.table(0) + 1] = 0;
    driver.memory[driver.table(0) + 15] = reset;
    driver.store<std::uint32_t>(driver.header(0), 5U | (reset != 0 ? 1U << 10 | 1U << 8 : 0));
    driver.write32(Driver::ci, 1);
    bench.work();
    CHECK(driver.read32(Driver::ci) == 0);
  }
  CHECK(driver.read32(Driver::tfd) == 0x150);
  CHECK(driver.call(Driver::flush()).ok());
}
