// DMA of the default part: 3.2 GB/s, 640 ns a row of 2 KiB; see dram_access_test.cpp for the other times.
#include <rapidcheck.h>

#include <catch2/catch.hpp>

#include "dram/dram_device.hpp"

using namespace tessera;
using namespace tessera::literals;

namespace {

constexpr Picoseconds burst = 5_ns;
constexpr Picoseconds first_data = 27'500_ps;  // tRCD + CL
constexpr std::uint64_t row = 2048;

Picoseconds dma(DramDevice& dram, std::uint64_t address, Bytes bytes, Picoseconds now) {
  return dram.dma({BusInitiator::copy, DramAddress(address), bytes, Access::read}, now).end;
}

Picoseconds read(DramDevice& dram, std::uint64_t address, Picoseconds now) {
  return dram.access(DramAddress(address), 8, Access::read, now);
}

DramConfig without_refresh() {
  DramConfig config;
  config.refresh_interval = 0_ns;
  return config;
}

/// A DMA burst by burst: each takes its time unless a refresh is due, which takes tRFC and reopens the row.
Picoseconds burst_by_burst(const DramConfig& config, std::uint64_t address, std::uint64_t bytes, Picoseconds now) {
  const Picoseconds interval = config.refresh_interval;
  if (now >= interval && now % interval < config.refresh_time) now = now / interval * interval + config.refresh_time;
  Picoseconds next_refresh = (now / interval + 1) * interval;
  Picoseconds at = now + first_data;
  for (std::uint64_t left = (address + bytes - 1) / 16 - address / 16 + 1; left > 0; --left) {
    Picoseconds rest = burst;
    if (at + rest > next_refresh) {  // the part of the burst before the refresh counts: the closed form works in time, not in bursts
      rest -= next_refresh - std::min(at, next_refresh);
      at = next_refresh + config.refresh_time + config.row_to_column;
      next_refresh += interval;
    }
    at += rest;
  }
  return at;
}

}  // namespace

TEST_CASE("a DMA takes the first row's opening and its bursts: other rows open while data flows") {
  DramDevice dram{without_refresh()};
  CHECK(dma(dram, 0, 64_KiB, 0_us) == first_data + 32 * 640_ns);
  CHECK(dma(dram, (1 << 20) + 8, 16_B, 1_ms) == 1_ms + 13'750_ps + first_data + 2 * burst);  // conflict; straddles two bursts
  CHECK(dma(dram, 0, 0_B, 2_ms) == 2_ms);
}

TEST_CASE("with one bank each further row costs its precharge and activation") {
  DramConfig config = without_refresh();
  config.banks = 1;
  DramDevice dram{config};
  CHECK(dma(dram, 0, 4_KiB, 0_us) == first_data + 2 * 640_ns + 27'500_ps);
}

TEST_CASE("a DMA stops for the refreshes that it meets: it may end at one, and a picosecond more costs one") {
  // Begins at 0; data from 27.5 ns; 1,554.5 bursts fit before 7.8 us. Shifted by 2.5 ns, 1,554 bursts end exactly there.
  DramDevice fits{DramConfig()};
  CHECK(dma(fits, 0, Bytes(1'554 * 16), 2'500_ps) == 7'800_ns);
  DramDevice meets{DramConfig()};
  CHECK(dma(meets, 0, Bytes(1'554 * 16), 2'501_ps) == 7'800_ns + 160_ns + 13'750_ps + 1_ps);
}

TEST_CASE("a DMA that comes into a refresh begins after it, with its row closed") {
  DramDevice dram{DramConfig()};
  REQUIRE(dma(dram, 0, 64_B, 7_us) == 7_us + first_data + 4 * burst);
  CHECK(dma(dram, 0, 64_B, 7'800_ns) == 7'960_ns + first_data + 4 * burst);
}

TEST_CASE("a DMA whose row would be open after the next refresh opens it anew after that, however long a precharge takes") {
  DramConfig config;
  config.precharge = GENERATE(80_ns, 240_ns, 400_ns);  // it would be open in the refresh, while the row opens anew, and later
  DramDevice dram{config};
  REQUIRE(dma(dram, 0, 16_B, 0_us) == first_data + burst);
  CHECK(dma(dram, 16 * row, 64_B, 7'700_ns) == 7'960_ns + 13'750_ps + 4 * burst);
}

TEST_CASE("a long DMA crosses many refreshes in closed form") {
  DramDevice dram{DramConfig()};
  CHECK(dma(dram, 0, 16_MiB, 0_us) == burst_by_burst(DramConfig(), 0, 16 << 20, 0_us));
}

TEST_CASE("the closed form of a DMA agrees with bursts counted one by one") {
  const bool holds = rc::check([] {
    const auto address = *rc::gen::inRange<std::uint64_t>(0, 1 << 20);
    const auto bytes = *rc::gen::inRange<std::uint64_t>(1, 200'000);
    const Picoseconds now(*rc::gen::inRange<std::uint64_t>(0, 40'000'000));
    DramDevice dram{DramConfig()};
    RC_ASSERT(dma(dram, address, Bytes(bytes), now) == burst_by_burst(DramConfig(), address, bytes, now));
  });
  CHECK(holds);
}

TEST_CASE("DMA transactions follow each other on the bus") {
  DramDevice dram{without_refresh()};
  const Picoseconds first = dma(dram, 0, 4_KiB, 0_us);
  CHECK(first == first_data + 2 * 640_ns);
  CHECK(dma(dram, 16 * row, 4_KiB, 100_ns) == first + 13'750_ps + first_data + 2 * 640_ns);  // same banks, other rows
}

TEST_CASE("a metadata access goes between the bursts of a DMA, and the next DMA makes up for it") {
  DramDevice dram{without_refresh()};
  REQUIRE(read(dram, 7 * row, 0_us) == first_data + burst);
  const Picoseconds begin = 1_us + first_data;
  const Picoseconds end = dma(dram, 0, 4_KiB, 1_us);
  REQUIRE(end == begin + 2 * 640_ns);
  // Its data is ready 13.75 ns after the command: between bursts it goes at once, inside one it waits for the burst's end.
  const Picoseconds ready = begin + 100 * burst;
  CHECK(read(dram, 7 * row, ready - 13'750_ps) == ready + burst);
  CHECK(read(dram, 7 * row, ready + 10 * burst + 1_ps - 13'750_ps) == ready + 12 * burst);
  CHECK(dma(dram, 4096, 16_B, 1_us) == end + 2 * burst + first_data + burst);
}

TEST_CASE("a metadata access outside a DMA does not delay the next one") {
  DramDevice dram{without_refresh()};
  const Picoseconds end = dma(dram, 0, 4_KiB, 0_us);
  REQUIRE(read(dram, 7 * row, end) == end + first_data + burst);
  CHECK(dma(dram, 2 * row, 16_B, end) == end + first_data + burst);
}

TEST_CASE("a DMA leaves its last row open in each bank that it touched") {
  DramDevice dram{without_refresh()};
  REQUIRE(read(dram, 9 * row, 0_us) == first_data + burst);
  const Picoseconds end = dma(dram, 0, 4_KiB, 1_us);  // rows 0 and 1: banks 0 and 1
  REQUIRE(end < 5_us);
  CHECK(read(dram, 1 * row, 5_us) == 5_us + 13'750_ps + burst);               // hit
  CHECK(read(dram, 9 * row, 6_us) == 6_us + 13'750_ps + first_data + burst);  // its own row was replaced
  CHECK(read(dram, 2 * row, 7_us) == 7_us + first_data + burst);              // not touched
}

TEST_CASE("metadata accesses of a CPU that runs ahead of DMA are priced as if the DMA were not there, and stay so") {
  DramDevice dram{without_refresh()};
  REQUIRE(read(dram, 7 * row, 0_us) == first_data + burst);
  CHECK(read(dram, 7 * row, 20_us) == 20_us + 13'750_ps + burst);
  CHECK(dma(dram, 0, 64_KiB, 5_us) == 5_us + first_data + 32 * 640_ns);  // as if it came first
  CHECK(read(dram, 6 * row, 21_us) > 21_us);
}

TEST_CASE("utilisation is that of the measured time") {
  DramDevice dram{DramConfig{}};
  dram.access(DramAddress(0), 16, Access::read, 0_us);  // a burst of 5 ns
  dram.reset_statistics(1_us);
  for (int i = 0; i < 3; ++i) dram.access(DramAddress(0), 16, Access::read, 1_us + 100_ns * i);
  MetricSet metrics;
  dram.report(metrics, 2_us);
  CHECK(*metrics.find("dram.utilisation")->value == Approx(0.015));
  CHECK(*metrics.find("dram.bus_busy")->value == Approx(20e-6));
}
