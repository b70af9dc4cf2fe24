// Gaps between commands to different banks. DDR4-2400: tRCD = CL = tRP = 14.16 ns, CWL 10 ns, a burst of 16 B in 3.333 ns; two groups of
// four banks of 2 KiB rows, which bursts go round: stripes of 4 KiB. tRRD 5.3 and 6.4 ns, tFAW 30 ns, tCCD 3.333 and 5 ns, tRTP 7.5 ns,
// tWTR 2.5 and 7.5 ns.
#include <rapidcheck.h>

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "dram/dram_device.hpp"

using namespace tessera;
using namespace tessera::literals;

namespace {

constexpr std::uint64_t other_group = 16;   // the next burst
constexpr std::uint64_t same_group = 4096;  // the next stripe: another bank of the group
constexpr std::uint64_t same_bank = 4 * 4096;
constexpr Picoseconds burst = 3'333_ps;
constexpr Picoseconds hit = 14'160_ps + burst;
constexpr Picoseconds miss = 14'160_ps + hit;

DramConfig ddr4() {
  DramConfig config;
  static_cast<DramChip&>(config) = dram_chip(DramPreset::ddr4_2400);
  config.refresh_interval = 0_ns;
  return config;
}

Picoseconds read(DramDevice& dram, std::uint64_t address, Picoseconds now, std::uint32_t bytes = 8) {
  return dram.access(DramAddress(address), bytes, Access::read, now);
}

/// The rows of address 0, of the other group's bank and of another bank of the group.
void open_rows(DramDevice& dram) {
  for (const std::uint64_t address : {std::uint64_t{0}, other_group, same_group}) read(dram, address, 0_us);
}

}  // namespace

TEST_CASE("activations keep tRRD from each other, longer in a bank group, and four take tFAW") {
  DramDevice dram{ddr4()};
  CHECK(read(dram, 0, 0_ns) == miss);
  CHECK(read(dram, other_group, 0_ns) == 5'300_ps + miss);
  CHECK(read(dram, same_group, 0_ns) == 10'600_ps + miss);
  CHECK(read(dram, same_group + other_group, 0_ns) == 15'900_ps + miss);
  CHECK(read(dram, 2 * same_group, 0_ns) == 30'000_ps + miss);
  DramDevice grouped{ddr4()};
  CHECK(read(grouped, 0, 0_ns) == miss);
  CHECK(read(grouped, same_group, 0_ns) == 6'400_ps + miss);
  CHECK(read(grouped, other_group, 0_ns) == 11'700_ps + miss);
}

TEST_CASE("an activation long after the others waits for none") {
  DramDevice dram{ddr4()};
  REQUIRE(read(dram, 0, 0_ns) == miss);
  CHECK(read(dram, same_group, 6'399_ps) == 6'400_ps + miss);
  CHECK(read(dram, 2 * same_group, 12'801_ps) == 12'801_ps + miss);
}

TEST_CASE("without bank groups tRRD and tFAW hold between any two banks") {
  DramConfig config;
  static_cast<DramChip&>(config) = dram_chip(DramPreset::lpddr4_3200);
  config.four_activates = 50_ns;
  DramDevice dram{config};
  for (std::uint64_t i = 0; i < 4; ++i) CHECK(read(dram, i * 2048, 0_ns) == 10_ns * i + 44_ns);
  CHECK(read(dram, 4 * 2048, 0_ns) == 50_ns + 44_ns);
}

TEST_CASE("column commands keep tCCD_L in a bank group and follow each other at once between groups") {
  DramDevice same{ddr4()};
  open_rows(same);
  CHECK(read(same, 0, 1_us) == 1_us + hit);
  CHECK(read(same, same_group, 1_us) == 1_us + 5'000_ps + hit);
  CHECK(read(same, same_group + 32, 1_us) == 1_us + 10'000_ps + hit);  // the same row
  DramDevice other{ddr4()};
  open_rows(other);
  CHECK(read(other, 0, 1_us) == 1_us + hit);
  CHECK(read(other, other_group, 1_us) == 1_us + burst + hit);
}

TEST_CASE("a read waits for tWTR after written data, longer in the bank group") {
  for (const auto& [address, gap] :
       {std::pair(other_group, 2'500_ps), std::pair(same_group, 7'500_ps), std::pair(std::uint64_t{0}, 7'500_ps)}) {
    DramDevice dram{ddr4()};
    open_rows(dram);
    REQUIRE(dram.access(DramAddress(0), 8, Access::write, 1_us) == 1_us + 10'000_ps + burst);
    CHECK(read(dram, address, 1_us) == 1_us + 10'000_ps + burst + gap + hit);
  }
}

TEST_CASE("a write does not wait for written data") {
  DramDevice dram{ddr4()};
  open_rows(dram);
  REQUIRE(dram.access(DramAddress(0), 8, Access::write, 1_us) == 1_us + 10'000_ps + burst);
  CHECK(dram.access(DramAddress(other_group), 8, Access::write, 1_us) == 1_us + 10'000_ps + 2 * burst);
}

TEST_CASE("a row is precharged tRTP after its read command, not after its data") {
  DramDevice dram{ddr4()};
  open_rows(dram);
  REQUIRE(read(dram, 0, 1_us) == 1_us + hit);
  CHECK(read(dram, same_bank, 1_us) == 1_us + 7'500_ps + 14'160_ps + miss);
}

TEST_CASE("an access of several bursts goes round the bank groups") {
  DramDevice dram{ddr4()};
  // The second bank opens 5.3 ns after the first; then data flows.
  CHECK(read(dram, 0, 0_ns, 64) == 5'300_ps + 28'320_ps + 3 * burst);
  CHECK(read(dram, 64, 1_us, 64) == 1_us + 14'160_ps + 4 * burst);
  DramConfig config = ddr4();
  config.interleave_groups = false;
  DramDevice rows{config};
  CHECK(read(rows, 0, 0_ns, 64) == miss + 3 * 5'000_ps);  // tCCD_L in one row
  CHECK(read(rows, 2048, 1_us, 8) == 1_us + miss);        // the next row is in the other group
}

TEST_CASE("an extent of DMA from an idle DRAM takes what its bursts take one by one") {
  const bool holds = rc::check([] {
    DramConfig config = ddr4();
    config.interleave_groups = *rc::gen::arbitrary<bool>();
    const std::uint64_t stripe = config.interleave_groups ? 4096 : 2048;
    const auto address = *rc::gen::inRange<std::uint64_t>(0, stripe);
    const auto bytes = *rc::gen::inRange<std::uint64_t>(1, stripe - address + 1);
    const auto access = *rc::gen::element(Access::read, Access::write);
    DramDevice whole{config}, single{config};
    RC_ASSERT(whole.dma({BusInitiator::copy, DramAddress(address), Bytes(bytes), access}, 1_us).end ==
              single.access(DramAddress(address), static_cast<std::uint32_t>(bytes), access, 1_us));
  });
  CHECK(holds);
}

TEST_CASE("a DMA that reads waits for tWTR after one that has written") {
  for (const auto& [address, opening] : {std::pair(std::uint64_t{61'440}, 4'167_ps),  // its group's last burst is one burst old
                                         std::pair(std::uint64_t{61'440} + other_group, 7'500_ps)}) {
    DramDevice dram{ddr4()};
    const Picoseconds written = dram.dma({BusInitiator::copy, DramAddress(0), 64_KiB, Access::write}, 0_us).end;
    CHECK(dram.dma({BusInitiator::copy, DramAddress(address), 32_B, Access::read}, written).end ==
          written + opening + 14'160_ps + 2 * burst);
    CHECK(dram.dma({BusInitiator::copy, DramAddress(address), 32_B, Access::read}, 1_ms).end == 1_ms + 14'160_ps + 2 * burst);
  }
}

TEST_CASE("a DMA leaves open the rows of each bank that its bursts went round, and no other") {
  DramDevice dram{ddr4()};
  REQUIRE(dram.dma({BusInitiator::copy, DramAddress(0), 16_B, Access::read}, 0_us).end == miss);
  CHECK(read(dram, 0, 1_us) == 1_us + hit);
  CHECK(read(dram, other_group, 2_us) == 2_us + miss);
  dram.dma({BusInitiator::copy, DramAddress(0), 8_KiB, Access::read}, 3_us);
  for (const std::uint64_t address : {other_group, same_group, same_group + other_group}) {
    const Picoseconds now = 10_us + 1_ns * address;
    CHECK(read(dram, address, now) == now + hit);
  }
}

TEST_CASE("a power cut forgets what commands waited for") {
  DramDevice dram{ddr4()};
  for (std::uint64_t i = 0; i < 4; ++i) read(dram, i * same_group, 1_us);
  dram.cut();
  CHECK(read(dram, 0, 1_us) == 1_us + miss);
}

TEST_CASE("latencies and gaps that leave no time between refreshes are refused") {
  const auto refused = [](Picoseconds DramChip::*time) {
    DramConfig config = ddr4();
    config.refresh_interval = 7'800_ns;
    REQUIRE_NOTHROW(DramDevice(config));
    config.*time = 7'800_ns;
    CHECK_THROWS_AS(DramDevice(config), InputError);
  };
  refused(&DramChip::write_latency);
  refused(&DramChip::write_to_read);
  refused(&DramChip::write_to_read_in_group);
  refused(&DramChip::activate_gap);
}

TEST_CASE("bank groups that the banks cannot form are refused") {
  for (const std::uint32_t groups : {3U, 8U, 4U}) {
    DramConfig config = ddr4();
    config.banks = 2;
    config.bank_groups = groups;
    CHECK_THROWS_AS(DramDevice(config), InputError);
  }
}
