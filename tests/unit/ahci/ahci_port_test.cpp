// Registers, link, lists and FISes.
#include <catch2/catch.hpp>

#include "ahci_bench.hpp"
#include "base/error.hpp"

using namespace test;
using Driver = AhciDriver;

TEST_CASE("ahci: registers say what the adapter is, and a driver brings it up as the standard has it") {
  AhciBench bench;
  CHECK(bench.driver.read32(0x00) == 0xc134'9f00);  // 64 bits, NCQ, CLO, 6 Gbit/s, AHCI alone, 32 slots, one port
  CHECK(bench.driver.read32(0x0c) == 1);
  CHECK(bench.driver.read32(0x10) == 0x0001'0301);
  CHECK((bench.driver.read32(Driver::ghc) >> 31) == 1);
  CHECK(bench.driver.read32(Driver::sig) == 0xffff'ffff);
  REQUIRE(bench.driver.begin());
  CHECK(bench.driver.read32(Driver::ssts) == 0x133);
  CHECK(bench.driver.read32(Driver::tfd) == 0x150);
  CHECK(bench.driver.load<std::uint8_t>(bench.driver.received() + 0x40) == 0x34);
  CHECK(bench.driver.read32(0xffc) == 0);
}

TEST_CASE("ahci: the port does not run before the drive has power, a place for FISes, and is ready") {
  AhciBench bench;
  bench.powered = false;
  bench.driver.write32(Driver::cmd, 0x17);
  bench.work();
  CHECK((bench.driver.read32(Driver::cmd) & 0x8000) == 0);
  CHECK(bench.driver.read32(Driver::tfd) == 0x80);
  CHECK(bench.controller.waits_for_power());
  bench.powered = true;
  bench.work();
  CHECK((bench.driver.read32(Driver::cmd) & 0x8000) != 0);
  CHECK_FALSE(bench.controller.waits_for_power());
}

TEST_CASE("ahci: a new link shows in PxSERR, and PxIS follows it until the driver clears the former") {
  AhciBench bench;
  CHECK((bench.driver.read32(Driver::pis) & 1U << 6) != 0);
  bench.driver.write32(Driver::pis, ~0U);
  CHECK((bench.driver.read32(Driver::pis) & 1U << 6) != 0);
  bench.driver.write32(Driver::serr, ~0U);
  CHECK(bench.driver.read32(Driver::pis) == 0);
}

TEST_CASE("ahci: a reset of the adapter keeps where the lists lie and nothing else, a power cut not even that") {
  AhciBench bench;
  REQUIRE(bench.driver.begin());
  const std::uint32_t list = bench.driver.read32(Driver::clb);
  bench.driver.write32(Driver::ghc, 0x8000'0001);
  bench.work();
  CHECK(bench.driver.read32(Driver::ghc) == 0x8000'0000);
  CHECK(bench.driver.read32(Driver::clb) == list);
  CHECK(bench.driver.read32(Driver::pie) == 0);
  CHECK(bench.driver.read32(Driver::cmd) == 0x6);
  bench.controller.power_off();
  CHECK_FALSE(bench.controller.powered());
  bench.controller.power_on();
  CHECK(bench.driver.read32(Driver::clb) == 0);
  CHECK(bench.driver.begin());
}

TEST_CASE("ahci: queued commands end by tag in any order, with one register FIS at acceptance and device bits at the end") {
  AhciBench bench;
  REQUIRE(bench.driver.begin());
  const std::uint64_t out = bench.driver.allocate(2), back = bench.driver.allocate(2);
  for (unsigned i = 0; i < 8192; ++i) bench.driver.memory[out + i] = static_cast<unsigned char>(i * 7 + i / 512);
  bench.holds = true;
  bench.driver.issue(3, Driver::queued(true, 3, 100, 8, out));
  bench.driver.issue(31, Driver::queued(true, 31, 200, 8, out + 4096));
  bench.work();
  CHECK(bench.driver.read32(Driver::ci) == 0);
  CHECK(bench.driver.read32(Driver::sact) == (1U << 3 | 1U << 31));
  CHECK(bench.transfers.size() == 2);
  std::swap(bench.transfers[0], bench.transfers[1]);
  const auto later = bench.transfers.back();
  bench.transfers.pop_back();
  bench.end_transfers();
  bench.work();
  CHECK(bench.driver.read32(Driver::sact) == 1U << 3);
  CHECK(bench.driver.load<std::uint8_t>(bench.driver.received() + 0x58) == 0xa1);
  CHECK(bench.driver.load<std::uint32_t>(bench.driver.received() + 0x5c) == 1U << 31);
  CHECK(bench.driver.acknowledge() == 8);  // SDBS alone: acceptance does not interrupt
  bench.transfers.push_back(later);
  bench.holds = false;
  bench.work();
  CHECK(bench.driver.read32(Driver::sact) == 0);
  bench.driver.issue(0, Driver::queued(false, 0, 100, 8, back));
  bench.driver.issue(1, Driver::queued(false, 1, 200, 8, back + 4096));
  CHECK(bench.driver.finish(0).ok());
  CHECK(bench.driver.finish(1).ok());
  CHECK(std::equal(bench.driver.memory.begin() + static_cast<std::ptrdiff_t>(out),
                   bench.driver.memory.begin() + static_cast<std::ptrdiff_t>(out) + 8192,
                   bench.driver.memory.begin() + static_cast<std::ptrdiff_t>(back)));
  CHECK(bench.driver.load<std::uint8_t>(bench.driver.received()) == 0x41);  // a DMA set-up FIS, of the last read
  CHECK(bench.driver.load<std::uint32_t>(bench.driver.received() + 4) == 1);
}

TEST_CASE("ahci: commands outside the queue end one after another, with a register FIS and the count of bytes") {
  AhciBench bench;
  REQUIRE(bench.driver.begin());
  const std::uint64_t at = bench.driver.allocate(3);
  bench.holds = true;
  bench.driver.issue(4, Driver::direct(true, 8, 24, at));
  bench.driver.issue(5, Driver::direct(false, 8, 24, at));
  bench.work();
  CHECK(bench.transfers.size() == 1);
  CHECK(bench.driver.read32(Driver::ci) == 0x30);
  CHECK((bench.driver.read32(Driver::tfd) & 0x80) != 0);
  bench.holds = false;
  bench.work();
  CHECK(bench.driver.read32(Driver::ci) == 0);
  CHECK(bench.driver.load<std::uint32_t>(bench.driver.header(4) + 4) == 24 * 512);
  CHECK(bench.driver.acknowledge() == 1);
}

TEST_CASE("ahci: a region of any even length takes part, and one that asks for it interrupts") {
  AhciBench bench;
  REQUIRE(bench.driver.begin());
  const std::uint64_t at = bench.driver.allocate(2);
  for (unsigned i = 0; i < 1024; ++i) bench.content[i] = static_cast<unsigned char>(i * 3);
  AhciRequest request = Driver::direct(false, 0, 2, at);
  request.region = 300;
  bench.driver.prepare(0, request);
  bench.driver.store<std::uint64_t>(bench.driver.table(0) + 0x80 + 16, at + 4096);  // the second region lies elsewhere
  bench.driver.store<std::uint32_t>(bench.driver.table(0) + 0x80 + 16 + 12, 299U | 1U << 31);
  bench.driver.write32(Driver::ci, 1);
  REQUIRE(bench.driver.finish(0).ok());
  CHECK((bench.driver.acknowledge() & 1U << 5) != 0);
  AhciRequest larger = Driver::direct(false, 0, 2, at);
  larger.region = 2048;
  bench.driver.prepare(1, larger);
  bench.driver.store<std::uint32_t>(bench.driver.table(1) + 0x80 + 12, 2047U | 1U << 31);  // not filled: no interrupt of its own
  bench.driver.write32(Driver::ci, 2);
  REQUIRE(bench.driver.finish(1).ok());
  CHECK(bench.driver.acknowledge() == 1);
  CHECK(std::equal(bench.content.begin(), bench.content.begin() + 300, bench.driver.memory.begin() + static_cast<std::ptrdiff_t>(at)));
  CHECK(std::equal(bench.content.begin() + 300, bench.content.begin() + 600,
                   bench.driver.memory.begin() + static_cast<std::ptrdiff_t>(at) + 4096));
  CHECK(std::equal(bench.content.begin() + 600, bench.content.begin() + 1024,
                   bench.driver.memory.begin() + static_cast<std::ptrdiff_t>(at) + 600));
}

TEST_CASE("ahci: slots are served in turn, so that none waits for ever") {
  AhciBench bench;
  REQUIRE(bench.driver.begin());
  const std::uint64_t at = bench.driver.allocate();
  CHECK(bench.driver.call(Driver::direct(false, 0, 1, at)).ok());
  const std::size_t before = bench.seen.size();
  for (const unsigned slot : {0U, 7U, 2U}) bench.driver.prepare(slot, Driver::direct(false, slot, 1, at));
  bench.driver.write32(Driver::ci, 1U | 1U << 7 | 1U << 2);
  bench.work();
  REQUIRE(bench.seen.size() == before + 3);
  CHECK(bench.seen[before].offset == 2 * 512);
  CHECK(bench.seen[before + 1].offset == 7 * 512);
  CHECK(bench.seen[before + 2].offset == 0);
}

TEST_CASE("ahci: the line is up while IS is, and comes back where the port still has a cause") {
  AhciBench bench;
  REQUIRE(bench.driver.begin());
  CHECK_FALSE(bench.line_is);
  bench.driver.issue(0, Driver::flush());
  bench.work();
  CHECK(bench.line_is);
  bench.driver.write32(Driver::is, 1);
  CHECK(bench.line_is);  // PxIS is not cleared
  bench.driver.write32(Driver::ghc, 0x8000'0000);
  CHECK_FALSE(bench.line_is);
  bench.driver.write32(Driver::ghc, 0x8000'0002);
  CHECK(bench.line_is);
  bench.driver.acknowledge();
  CHECK_FALSE(bench.line_is);
}

TEST_CASE("ahci: with MSI a message is written for each rise of IS, and the line stays down") {
  AhciBench bench;
  REQUIRE(bench.driver.begin());
  const std::uint64_t mailbox = bench.driver.allocate();
  bench.driver.write32(0xa0, static_cast<std::uint32_t>(mailbox));
  bench.driver.write32(0xa8, 0x4711);
  bench.driver.write32(0xac, 1);
  bench.driver.issue(0, Driver::flush());
  bench.work();
  CHECK(bench.messages.size() == 1);
  CHECK(bench.driver.load<std::uint32_t>(mailbox) == 0x4711);
  CHECK_FALSE(bench.line_is);
  bench.driver.write32(Driver::is, 1);  // without PxIS: the cause is still there
  bench.work();
  CHECK(bench.messages.size() == 2);
  bench.driver.acknowledge();
  bench.work();
  CHECK(bench.messages.size() == 2);
}

TEST_CASE("ahci: the reset bit of the control register gives up what is queued, and brings the signature back") {
  AhciBench bench;
  REQUIRE(bench.driver.begin());
  const std::uint64_t at = bench.driver.allocate();
  bench.holds = true;
  bench.driver.issue(5, Driver::queued(false, 5, 0, 1, at));
  bench.work();
  const auto control = [&bench](unsigned slot, unsigned char value, std::uint32_t flags) {
    bench.driver.prepare(slot, {});
    bench.driver.memory[bench.driver.table(slot) + 1] = 0;
    bench.driver.memory[bench.driver.table(slot) + 15] = value;
    bench.driver.store<std::uint32_t>(bench.driver.header(slot), 5U | flags);
    bench.driver.write32(Driver::ci, 1U << slot);
    bench.work();
  };
  control(0, 4, 1U << 10 | 1U << 8);  // clears BSY when it is sent
  CHECK(bench.driver.read32(Driver::ci) == 0);
  bench.driver.store<std::uint32_t>(bench.driver.received() + 0x40, 0);
  control(1, 0, 0);
  CHECK(bench.driver.read32(Driver::ci) == 0);
  CHECK(bench.driver.read32(Driver::tfd) == 0x150);
  CHECK(bench.driver.load<std::uint8_t>(bench.driver.received() + 0x40) == 0x34);
  bench.holds = false;
  bench.work();
  CHECK(bench.driver.read32(Driver::sact) == 1U << 5);  // of a command that nobody answers: the driver clears ST
  CHECK(bench.driver.restart());
  CHECK(bench.driver.call(Driver::flush()).ok());
}

TEST_CASE("ahci: a configuration that the standards do not allow is refused by name") {
  using Catch::Contains;
  tessera::ahci::Config config;
  config.queue_depth = 33;
  CHECK_THROWS_WITH(AhciBench(config), Contains("33 command slots"));
  config = {};
  config.rotation_rpm = 1000;
  CHECK_THROWS_WITH(AhciBench(config), Contains("1000 rpm"));
  config = {};
  config.physical_sector = 3000;
  CHECK_THROWS_WITH(AhciBench(config), Contains("3000 B"));
  config = {};
  config.link_generation = 4;
  CHECK_THROWS_WITH(AhciBench(config), Contains("generation 4"));
}
