// Metadata accesses of the default part: tRCD = tRP = CL = 13.75 ns, tRAS 35 ns, tWR 15 ns, a burst of 16 B in 5 ns,
// rows of 2 KiB over 8 banks, a refresh of 160 ns each 7.8 us.
#include <catch2/catch.hpp>
#include <functional>

#include "base/error.hpp"
#include "dram/dram_device.hpp"

using namespace tessera;
using namespace tessera::literals;

namespace {

constexpr std::uint64_t row = 2048;
constexpr std::uint64_t same_bank = 8 * row;  // from a row to the next one of its bank

constexpr Picoseconds burst = 5_ns;
constexpr Picoseconds hit = 13'750_ps + burst;
constexpr Picoseconds miss = 13'750_ps + hit;
constexpr Picoseconds conflict = 13'750_ps + miss;

Picoseconds read(DramDevice& dram, std::uint64_t address, Picoseconds now, std::uint32_t bytes = 8) {
  return dram.access(DramAddress(address), bytes, Access::read, now);
}

std::optional<double> metric(const DramDevice& dram, const char* name, Picoseconds now = 1_ms) {
  MetricSet metrics;
  dram.report(metrics, now);
  return metrics.find(name)->value;
}

}  // namespace

TEST_CASE("a closed row costs tRCD + CL + burst, an open one CL + burst, another one tRP more") {
  DramDevice dram{DramConfig()};
  CHECK(read(dram, 0, 0_ns) == miss);
  CHECK(read(dram, 64, 1_us) == 1_us + hit);
  CHECK(read(dram, same_bank, 2_us) == 2_us + conflict);
  CHECK(read(dram, row, 3_us) == 3_us + miss);  // the next bank
  CHECK(read(dram, same_bank + 8, 4_us) == 4_us + hit);
  CHECK(metric(dram, "dram.row_hits") == 2);
  CHECK(metric(dram, "dram.row_misses") == 2);
  CHECK(metric(dram, "dram.row_conflicts") == 1);
}

TEST_CASE("an access occupies whole bursts: 16 bytes in one, a byte more or a straddled bound in two") {
  DramDevice dram{DramConfig()};
  CHECK(read(dram, 0, 0_us, 16) == miss);
  CHECK(read(dram, 0, 1_us, 17) == 1_us + hit + burst);
  CHECK(read(dram, 8, 2_us, 8) == 2_us + hit);
  CHECK(read(dram, 8, 3_us, 9) == 3_us + hit + burst);
  CHECK(read(dram, 0, 4_us, 1) == 4_us + hit);
  CHECK(read(dram, 0, 5_us, 0) == 5_us);
}

TEST_CASE("an access that crosses a row opens both rows") {
  DramDevice dram{DramConfig()};
  CHECK(read(dram, row - 8, 0_us, 16) == 2 * miss);
  CHECK(metric(dram, "dram.row_misses") == 2);
}

TEST_CASE("a row is precharged no earlier than tRAS after its activation") {
  // Activation at 0, data until 32.5 ns; the precharge may come at 35 ns, so from there on waiting ends.
  for (const Picoseconds at : {32'500_ps, 34'999_ps, 35'000_ps}) {
    DramDevice dram{DramConfig()};
    REQUIRE(read(dram, 0, 0_ns) == miss);
    CHECK(read(dram, same_bank, at) == 35_ns + conflict);
  }
  DramDevice dram{DramConfig()};
  REQUIRE(read(dram, 0, 0_ns) == miss);
  CHECK(read(dram, same_bank, 35'001_ps) == 35'001_ps + conflict);
}

TEST_CASE("a written row is precharged no earlier than tWR after its data") {
  for (const Picoseconds at : {32'500_ps, 47'500_ps, 47'501_ps}) {
    DramDevice dram{DramConfig()};
    REQUIRE(dram.access(DramAddress(0), 8, Access::write, 0_ns) == miss);
    CHECK(read(dram, same_bank, at) == std::max(at, 47'500_ps) + conflict);  // data until 32.5 ns
  }
}

TEST_CASE("two accesses to open rows at one time share the data bus one after the other") {
  DramDevice dram{DramConfig()};
  REQUIRE(read(dram, 0, 0_us) == miss);
  REQUIRE(read(dram, row, 1_us) == 1_us + miss);
  CHECK(read(dram, 0, 2_us) == 2_us + hit);
  CHECK(read(dram, row, 2_us) == 2_us + hit + burst);
  CHECK(read(dram, row, 2_us) == 2_us + hit + 2 * burst);
}

TEST_CASE("an access that falls into a refresh waits for its end and finds its row closed, at both sides of both bounds") {
  struct Case {
    Picoseconds at;
    Picoseconds end;
  };
  constexpr Picoseconds refresh = 7'800_ns;
  constexpr Picoseconds refreshed = 7'960_ns;
  for (const Case c : {Case{refresh - 1_ps, refresh - 1_ps + hit},  // begins before: not disturbed
                       Case{refresh, refreshed + miss},             // waits 160 ns
                       Case{refreshed - 1_ps, refreshed + miss},    // waits 1 ps
                       Case{refreshed, refreshed + miss},           // no wait, but the row is closed
                       Case{refreshed + 1_us, refreshed + 1_us + miss}}) {
    DramDevice dram{DramConfig()};
    REQUIRE(read(dram, 0, 7_us) == 7_us + miss);
    CHECK(read(dram, 0, c.at) == c.end);
  }
}

TEST_CASE("there is no refresh at time 0, and one at each later multiple of the interval") {
  DramDevice dram{DramConfig()};
  CHECK(read(dram, 0, 0_ns) == miss);
  for (const std::uint64_t k : {1, 2, 3, 1'000, 460'000'000})  // about an hour
    CHECK(read(dram, 0, 7'800_ns * k) == 7'800_ns * k + 160_ns + miss);
  CHECK(metric(dram, "dram.refresh_stalls") == 5);
  CHECK(metric(dram, "dram.refresh_wait") == Approx(5 * 160e-6));
}

TEST_CASE("a refresh interval of 0 is a memory without refresh") {
  DramConfig config;
  config.refresh_interval = 0_ns;
  DramDevice dram{config};
  REQUIRE(read(dram, 0, 7_us) == 7_us + miss);
  CHECK(read(dram, 0, 7'800_ns) == 7'800_ns + hit);
}

TEST_CASE("times of nothing and an infinitely fast bus make an ideal memory") {
  DramConfig config;
  config.row_to_column = config.column_latency = config.precharge = config.row_active = config.write_recovery = 0_ns;
  config.refresh_interval = 0_ns;
  config.transfer_rate = Hertz(0);
  DramDevice dram{config};
  CHECK(read(dram, 0, 5_us) == 5_us);
  CHECK(dram.dma({BusInitiator::copy, DramAddress(100), 1_MiB, Access::write}, 5_us).end == 5_us);
  CHECK(read(dram, same_bank, 5_us) == 5_us);
}

TEST_CASE("a power cut closes all rows") {
  DramDevice dram{DramConfig()};
  REQUIRE(read(dram, 0, 0_us) == miss);
  dram.cut();
  CHECK(read(dram, 0, 1_us) == 1_us + miss);
}

TEST_CASE("the last byte is inside the DRAM, the next one is a model bug") {
  DramConfig config;
  config.capacity = 1_MiB;
  DramDevice dram{config};
  CHECK_NOTHROW(read(dram, (1 << 20) - 8, 0_us, 8));
  CHECK_THROWS_AS(read(dram, (1 << 20) - 8, 0_us, 9), ModelBug);
  CHECK_THROWS_AS(read(dram, ~std::uint64_t{0}, 0_us, 2), ModelBug);
  CHECK_NOTHROW(dram.dma({BusInitiator::copy, DramAddress(0), 1_MiB, Access::read}, 0_us));
  CHECK_THROWS_AS(dram.dma({BusInitiator::copy, DramAddress(1), 1_MiB, Access::read}, 0_us), ModelBug);
}

TEST_CASE("a description that makes no memory is refused") {
  const auto refused = [](const std::function<void(DramConfig&)>& change) {
    DramConfig config;
    change(config);
    CHECK_THROWS_AS(DramDevice(config), InputError);
  };
  refused([](DramConfig& c) { c.banks = 6; });
  refused([](DramConfig& c) { c.row_size = Bytes(2000); });
  refused([](DramConfig& c) { c.bus_bytes = 3; });
  refused([](DramConfig& c) { c.row_size = Bytes(8); });
  static constexpr Picoseconds busy = 160'000_ps + 3 * 13'750_ps + burst;  // tRFC, tRP + tRCD + CL, a burst
  refused([](DramConfig& c) { c.refresh_interval = busy; });
  refused([](DramConfig& c) { c.column_latency = c.refresh_interval; });
  DramConfig least;
  least.refresh_interval = busy + 1_ps;
  CHECK_NOTHROW(DramDevice(least));
}

TEST_CASE("energy is activations, bursts, refreshes and background power") {
  DramDevice dram{DramConfig()};
  REQUIRE(read(dram, 0, 0_us, 32) == miss + burst);                            // activation, two bursts
  REQUIRE(dram.access(DramAddress(0), 8, Access::write, 1_us) == 1_us + hit);  // one burst
  // 82.5 mW for 7.8 us are 643,500 pJ.
  CHECK(dram.energy(7'800_ns - 1_ps) == 1'344 + 2 * 1'515 + 1'350 + 643'500);
  CHECK(dram.energy(7'800_ns) == 1'344 + 2 * 1'515 + 1'350 + 643'500 + 33'600);
}
