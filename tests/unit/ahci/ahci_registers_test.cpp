// Clauses of AHCI 1.3.1, register by register and FIS by FIS. Numbers are the standard's.
#include <catch2/catch.hpp>

#include "ahci_bench.hpp"

using namespace test;
using Driver = AhciDriver;

TEST_CASE("AHCI 1.3.1, 3.1: what no register of the adapter has reads as zeros, and what is read-only keeps its value") {
  AhciBench bench;
  REQUIRE(bench.driver.begin());
  const std::uint32_t capabilities = bench.driver.read32(0x00), signature = bench.driver.read32(Driver::sig);
  for (const std::uint32_t at : {0x00U, 0x0cU, 0x10U, 0x14U, 0x18U, 0x1cU, 0x20U, 0x24U, 0x28U, 0x2cU, 0x11cU, 0x120U, 0x124U, 0x128U,
                                 0x13cU, 0x140U, 0x144U, 0x170U, 0x180U})
    bench.driver.write32(at, ~0U);
  CHECK(bench.driver.read32(0x00) == capabilities);
  CHECK((capabilities & 0x3e03'60ff) == 0);  // no SNTF, switches, spin-up, ALPM, multipliers, slumber, partial, CCC, enclosures; one port
  CHECK(bench.driver.read32(0x0c) == 1);
  CHECK(bench.driver.read32(0x10) == 0x0001'0301);
  for (const std::uint32_t at : {0x14U, 0x18U, 0x1cU, 0x20U, 0x24U, 0x28U, 0x2cU, 0x11cU, 0x13cU, 0x140U, 0x144U, 0x170U, 0x180U})
    CHECK(bench.driver.read32(at) == 0);
  CHECK(bench.driver.read32(Driver::tfd) == 0x150);
  CHECK(bench.driver.read32(Driver::sig) == signature);
  CHECK(bench.driver.read32(Driver::ssts) == 0x133);
}

TEST_CASE("AHCI 1.3.1, 3.1.2 GHC: AE is always set, IE is kept, HR clears itself and IE") {
  AhciBench bench;
  bench.driver.write32(Driver::ghc, 0);
  CHECK(bench.driver.read32(Driver::ghc) == 0x8000'0000);
  bench.driver.write32(Driver::ghc, ~1U);
  CHECK(bench.driver.read32(Driver::ghc) == 0x8000'0002);
  bench.driver.write32(Driver::ghc, 0x8000'0003);
  CHECK((bench.driver.read32(Driver::ghc) & 1) == 1);
  bench.work();
  CHECK(bench.driver.read32(Driver::ghc) == 0x8000'0000);
}

TEST_CASE("AHCI 1.3.1, 3.3.1 to 3.3.4: addresses of 64 bits, aligned to 1 KiB and 256 B") {
  AhciBench bench;
  for (const std::uint32_t at : {0x100U, 0x104U, 0x108U, 0x10cU}) bench.driver.write32(at, ~0U);
  CHECK(bench.driver.read32(0x100) == 0xffff'fc00);
  CHECK(bench.driver.read32(0x104) == 0xffff'ffff);
  CHECK(bench.driver.read32(0x108) == 0xffff'ff00);
  CHECK(bench.driver.read32(0x10c) == 0xffff'ffff);
}

TEST_CASE("AHCI 1.3.1, 3.3.5 and 3.3.6: PxIS is cleared by ones, PxIE has no bits of switches that there are none of") {
  AhciBench bench;
  REQUIRE(bench.driver.begin());
  bench.driver.write32(Driver::pie, ~0U);
  CHECK(bench.driver.read32(Driver::pie) == 0x7dc0'007f);
  bench.driver.issue(0, Driver::flush());
  bench.work();
  REQUIRE(bench.driver.read32(Driver::pis) == 1);
  bench.driver.write32(Driver::pis, ~1U);
  CHECK(bench.driver.read32(Driver::pis) == 1);
  bench.driver.write32(Driver::pis, 1);
  CHECK(bench.driver.read32(Driver::pis) == 0);
}

TEST_CASE("AHCI 1.3.1, 3.3.7 PxCMD: what can be written is ST, FRE, ATAPI and DLAE, and SUD and POD stay set") {
  AhciBench bench;
  bench.driver.write32(Driver::cmd, 0xffff'ffee);  // neither ST nor FRE
  CHECK(bench.driver.read32(Driver::cmd) == 0x0300'0006);
  bench.driver.write32(Driver::cmd, 0x10);
  CHECK(bench.driver.read32(Driver::cmd) == 0x4016);
  bench.driver.write32(Driver::cmd, 0);
  CHECK(bench.driver.read32(Driver::cmd) == 0x6);
}

TEST_CASE("AHCI 1.3.1, 3.3.7 PxCMD.ST: slot 0 comes first after each start") {
  AhciBench bench;
  REQUIRE(bench.driver.begin());
  const std::uint64_t at = bench.driver.allocate();
  for (unsigned round = 0; round < 2; ++round) {
    const std::size_t before = bench.seen.size();
    for (const unsigned slot : {0U, 1U, 31U}) bench.driver.prepare(slot, Driver::direct(false, slot, 1, at));
    bench.driver.write32(Driver::ci, 1U | 1U << 1 | 1U << 31);
    bench.work();
    REQUIRE(bench.seen.size() == before + 3);
    CHECK(bench.seen[before].offset == 0);
    CHECK(bench.seen[before + 1].offset == 512);
    CHECK(bench.seen[before + 2].offset == 31 * 512);
    bench.driver.acknowledge();
    bench.driver.write32(Driver::cmd, 0x16);
    CHECK((bench.driver.read32(Driver::cmd) & 0x1f00) == 0);  // CCS
    REQUIRE(bench.driver.start());
  }
}

TEST_CASE("AHCI 1.3.1, 3.3.7 PxCMD.FRE: the first register FIS shows in PxTFD and PxSIG without it, and is stored once it is set") {
  AhciBench bench;
  const std::uint64_t page = bench.driver.allocate();
  bench.driver.write32(Driver::fb, static_cast<std::uint32_t>(page));
  bench.work();
  CHECK(bench.driver.read32(Driver::tfd) == 0x150);
  CHECK(bench.driver.read32(Driver::sig) == 0x101);
  CHECK(bench.driver.load<std::uint8_t>(page + 0x40) == 0);
  CHECK((bench.driver.read32(Driver::pis) & 1) == 0);
  bench.driver.write32(Driver::cmd, 0x16);
  bench.work();
  CHECK(bench.driver.load<std::uint8_t>(page + 0x40) == 0x34);
  CHECK(bench.driver.load<std::uint8_t>(page + 0x42) == 0x50);
}

TEST_CASE("AHCI 1.3.1, 3.3.10 to 3.3.12: COMRESET drops PhyRdy and brings it back, as PxSERR and PxIS show until PxSERR is cleared") {
  AhciBench bench;
  REQUIRE(bench.driver.begin());
  CHECK(bench.driver.read32(Driver::serr) == 0);
  bench.driver.write32(Driver::cmd, 0x16);
  bench.driver.write32(Driver::sctl, 0x301);
  CHECK(bench.driver.read32(Driver::ssts) == 0);
  CHECK(bench.driver.read32(Driver::tfd) == 0x7f);
  CHECK(bench.driver.read32(Driver::serr) == 1U << 16);  // N
  CHECK(bench.driver.read32(Driver::pis) == 1U << 22);   // PRCS
  bench.driver.write32(Driver::sctl, 0x300);
  CHECK(bench.driver.read32(Driver::ssts) == 0x133);
  CHECK(bench.driver.read32(Driver::serr) == (1U << 26 | 1U << 16));
  bench.driver.write32(Driver::pis, ~0U);
  CHECK(bench.driver.read32(Driver::pis) == (1U << 22 | 1U << 6));
  bench.driver.write32(Driver::serr, 1U << 16);
  CHECK(bench.driver.read32(Driver::pis) == 1U << 6);
  bench.driver.write32(Driver::serr, 1U << 26);
  CHECK(bench.driver.read32(Driver::pis) == 0);
  bench.driver.write32(Driver::sctl, 0x304);  // off line
  CHECK(bench.driver.read32(Driver::ssts) == 4);
  bench.driver.write32(Driver::sctl, ~0U);
  CHECK(bench.driver.read32(Driver::sctl) == 0xfff);
}

TEST_CASE("AHCI 1.3.1, 3.3.11 PxSCTL.SPD: the link comes up no faster than the host allows, and the drive says so") {
  AhciBench bench;
  REQUIRE(bench.driver.begin());
  CHECK(bench.word(77) == 3 << 1);
  bench.driver.write32(Driver::cmd, 0x16);
  bench.driver.write32(Driver::sctl, 0x311);
  bench.driver.write32(Driver::sctl, 0x310);
  CHECK(bench.driver.read32(Driver::ssts) == 0x113);
  bench.work();
  bench.driver.write32(Driver::serr, ~0U);
  REQUIRE(bench.driver.start());
  CHECK(bench.word(77) == 1 << 1);
  CHECK(bench.word(76) == 0x10e);  // what it could do
}

TEST_CASE("AHCI 1.3.1, 3.3.13 and 3.3.14: PxSACT and PxCI take ones while ST is set, and clearing ST clears them, COMRESET not") {
  AhciBench bench;
  REQUIRE(bench.driver.begin());
  bench.driver.write32(Driver::cmd, 0x16);
  bench.driver.write32(Driver::sact, 1);
  bench.driver.write32(Driver::ci, 1);
  CHECK((bench.driver.read32(Driver::sact) | bench.driver.read32(Driver::ci)) == 0);
  REQUIRE(bench.driver.start());
  bench.holds = true;
  bench.driver.issue(3, Driver::queued(false, 3, 0, 1, bench.driver.allocate()));
  bench.work();
  bench.driver.write32(Driver::sact, 0);
  CHECK(bench.driver.read32(Driver::sact) == 8);
  bench.driver.write32(Driver::sctl, 0x301);
  CHECK(bench.driver.read32(Driver::sact) == 8);
  bench.driver.write32(Driver::cmd, 0x16);
  CHECK(bench.driver.read32(Driver::sact) == 0);
}

TEST_CASE("AHCI 1.3.1, 4.2.3.3: a region has an even number of bytes, up to 4 MiB, at an even address of 64 bits") {
  AhciBench bench;
  REQUIRE(bench.driver.begin());
  std::fill_n(bench.content.begin(), 1024, static_cast<unsigned char>(5));
  const std::uint64_t at = bench.driver.allocate();
  bench.driver.prepare(0, Driver::direct(false, 0, 2, at));
  bench.driver.store<std::uint64_t>(bench.driver.table(0) + 0x80, at + 1);     // bit 0 is none
  bench.driver.store<std::uint32_t>(bench.driver.table(0) + 0x80 + 12, 1022);  // bit 0 counts as set: 1,024 B
  bench.driver.write32(Driver::ci, 1);
  REQUIRE(bench.driver.finish(0).ok());
  CHECK(bench.driver.load<std::uint32_t>(bench.driver.header(0) + 4) == 1024);
  CHECK(bench.driver.memory[at] == 5);
  CHECK(bench.driver.memory[at + 1023] == 5);
  CHECK(bench.driver.memory[at + 1024] == 0);
  const std::uint64_t large = bench.driver.allocate(1024);
  AhciRequest whole = Driver::direct(false, 0, static_cast<std::uint16_t>(bench.blocks), large);
  whole.bytes = whole.region = 4U << 20;
  REQUIRE(bench.driver.call(whole).ok());
  CHECK(bench.driver.load<std::uint32_t>(bench.driver.header(0) + 4) == 4U << 20);
  bench.driver.prepare(0, Driver::direct(false, 0, 1, at));
  bench.driver.store<std::uint64_t>(bench.driver.table(0) + 0x80, at | std::uint64_t{1} << 32);  // beyond this platform's memory
  bench.driver.write32(Driver::ci, 1);
  bench.work();
  CHECK((bench.driver.read32(Driver::pis) & 1U << 29) != 0);
}

TEST_CASE("Serial ATA 3.2, 10.5.10: PIO set-up FISes are busy but after the last, and the first from the host is silent") {
  AhciBench bench;
  REQUIRE(bench.driver.begin());
  const std::uint64_t at = bench.driver.allocate(2);
  std::vector<std::vector<unsigned char>> seen;
  std::vector<unsigned char> last;
  bench.on_access = [&] {  // the FIS of the access before
    const auto* const from = &bench.driver.memory[bench.driver.received() + 0x20];
    std::vector<unsigned char> fis(from, from + 20);
    if (fis[0] == 0x5f && fis != last) seen.push_back(last = fis);
  };
  AhciRequest request = Driver::direct(false, 0, 3, at);
  request.command = 0x24;
  CHECK(bench.driver.call(request).ok());
  REQUIRE(seen.size() == 2);  // the first two are alike
  CHECK(seen[0][1] == 0x60);
  CHECK(seen[0][2] == 0x58);
  CHECK(seen[0][15] == 0x80);
  CHECK((seen[0][16] | seen[0][17] << 8) == 512);
  CHECK(seen[1][15] == 0x50);
  CHECK(bench.driver.read32(Driver::tfd) == 0x50);
  request.command = 0x34;
  request.writes = true;
  bench.driver.issue(0, request);
  CHECK(bench.driver.finish(0).ok());
  CHECK(bench.driver.acknowledge() == 3);  // PSS and DHRS
  REQUIRE(seen.size() == 4);
  CHECK(seen[2][1] == 0x00);
  CHECK(seen[3][1] == 0x40);
  CHECK(seen[3][15] == 0x80);
  request.count = 1;
  request.bytes = 512;
  bench.driver.issue(0, request);
  CHECK(bench.driver.finish(0).ok());
  CHECK(bench.driver.acknowledge() == 1);
}

TEST_CASE("AHCI 1.3.1, 5.3.13: set device bits change PxTFD but for BSY and DRQ") {
  AhciBench bench;
  REQUIRE(bench.driver.begin());
  const std::uint64_t at = bench.driver.allocate();
  REQUIRE(bench.driver.call(Driver::queued(false, 0, 0, 1, at)).ok());
  CHECK(bench.driver.load<std::uint8_t>(bench.driver.received() + 0x59) == 0x40);  // I
  CHECK(bench.driver.load<std::uint8_t>(bench.driver.received() + 0x5a) == 0x50);
  CHECK(bench.driver.read32(Driver::tfd) == 0x50);
}

TEST_CASE("AHCI 1.3.1, 4.2.2 C: a control FIS leaves BSY unless its header clears it") {
  AhciBench bench;
  REQUIRE(bench.driver.begin());
  const auto control = [&](std::uint32_t flags) {
    bench.driver.prepare(0, {});
    bench.driver.memory[bench.driver.table(0) + 1] = 0;
    bench.driver.store<std::uint32_t>(bench.driver.header(0), 5U | flags);
    bench.driver.write32(Driver::ci, 1);
    bench.work();
  };
  control(1U << 10);
  CHECK(bench.driver.read32(Driver::ci) == 0);
  CHECK((bench.driver.read32(Driver::tfd) & 0x88) == 0);
  control(0);
  CHECK(bench.driver.read32(Driver::ci) == 1);
  CHECK((bench.driver.read32(Driver::tfd) & 0x88) == 0x80);
  bench.driver.write32(Driver::cmd, 0x16);
  bench.driver.write32(Driver::cmd, 0x1e);
  REQUIRE(bench.driver.start());
  CHECK(bench.driver.call(Driver::flush()).ok());
}
