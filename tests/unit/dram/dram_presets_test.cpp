// The parts that a description can name, against what their data sheets' times add up to. The sums are written out here, in nanoseconds:
//              tRP    tRCD   CL     CWL    burst            tRFC  tREFI
// DDR3-1600    13.75  13.75  13.75  13.75  8 / 1.6 = 5      160   7800
// DDR4-2400    14.16  14.16  14.16  10     8 / 2.4 = 3.333  350   7800
// LPDDR4-3200  18     18     21     9.375  16 / 3.2 = 5     180   3904
#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "dram/dram_device.hpp"
#include "platforms/description/reader.hpp"

using namespace tessera;
using namespace tessera::literals;

namespace {

DramConfig config_of(DramPreset preset) {
  DramConfig config;
  static_cast<DramChip&>(config) = dram_chip(preset);
  config.preset = preset;
  return config;
}

Picoseconds access(DramDevice& dram, std::uint64_t address, Access access, Picoseconds now) {
  return dram.access(DramAddress(address), 8, access, now) - now;
}

constexpr std::uint64_t same_bank = 16 << 10;  // from a row to the next one of its bank: eight banks of 2 KiB, in each part

struct Latencies {
  DramPreset preset;
  Picoseconds open, closed, conflict, written_open, written_closed;
};
constexpr Latencies latencies[] = {
    {DramPreset::ddr3_1600, 18'750_ps, 32'500_ps, 46'250_ps, 18'750_ps, 32'500_ps},
    {DramPreset::ddr4_2400, 17'493_ps, 31'653_ps, 45'813_ps, 13'333_ps, 27'493_ps},
    {DramPreset::lpddr4_3200, 26'000_ps, 44'000_ps, 62'000_ps, 14'375_ps, 32'375_ps},
};

DramConfig read_from(const std::string& text) {
  const TomlDocument document = TomlDocument::parse(text, "drive.toml");
  DescriptionReader reader(document);
  DramConfig config;
  reader.section("dram", config, "");
  reader.finish();
  return config;
}

}  // namespace

TEST_CASE("each part's latencies of an idle, an open, a conflicting and a closed row are the sums of its times") {
  for (const Latencies& expected : latencies) {
    INFO("preset " << static_cast<int>(expected.preset));
    DramDevice dram{config_of(expected.preset)};
    CHECK(access(dram, 0, Access::read, 0_us) == expected.closed);  // idle: no row was ever open
    CHECK(access(dram, 64, Access::read, 1_us) == expected.open);
    CHECK(access(dram, same_bank, Access::read, 2_us) == expected.conflict);
    CHECK(access(dram, same_bank, Access::read, 9_us) == expected.closed);  // by the refresh at 7.8 or 7.808 us
    CHECK(access(dram, same_bank, Access::write, 10_us) == expected.written_open);
    CHECK(access(dram, 0, Access::write, 17_us) == expected.written_closed);
  }
}

TEST_CASE("each part streams at its peak less what refresh takes") {
  struct Stream {
    DramPreset preset;
    bool interleaved;
    double rate;  // GB/s
  };
  for (const auto& [preset, interleaved, rate] : {
           Stream{DramPreset::ddr3_1600, false, 3.2 * (7800 - 160 - 13.75) / 7800},
           Stream{DramPreset::ddr4_2400, true, 4.8 * (7800 - 350 - 14.16 - 1.97) / 7800},  // the second row opens 5.3 - 3.33 ns later
           Stream{DramPreset::ddr4_2400, false, 3.2 * (7800 - 350 - 14.16) / 7800},        // 16 B each tCCD_L of 5 ns
           Stream{DramPreset::lpddr4_3200, false, 6.4 * (3904 - 180 - 18) / 3904},
       }) {
    INFO("preset " << static_cast<int>(preset));
    DramConfig config = config_of(preset);
    config.interleave_groups = interleaved;
    DramDevice dram{config};
    const Picoseconds end = dram.dma({BusInitiator::copy, DramAddress(0), 64_MiB, Access::read}, 0_us).end;
    CHECK((64 << 20) / (static_cast<double>(end.value()) * 1e-3) == Approx(rate).epsilon(0.001));
  }
}

TEST_CASE("a refresh interval, a burst and an activation cost what the part's currents add up to") {
  struct Energies {
    DramPreset preset;
    double activate, read, write, refresh;  // pJ
  };
  for (const auto& [preset, activate, read, write, refresh] : {
           Energies{DramPreset::ddr4_2400, 1.2 * (80 * 46.16 - 47 * 32 - 34 * 14.16) + 2.5 * (4 - 3) * 46.16, 1.2 * (243 - 47) * 8 / 2.4,
                    1.2 * (228 - 47) * 8 / 2.4, (1.2 * (280 - 47) + 2.5 * (28 - 3)) * 350},
           Energies{DramPreset::lpddr4_3200, 1.8 * (3.5 * 60 - 2.25 * 42 - 2 * 18) + 1.1 * (45 * 60 - 30 * 42 - 27 * 18),
                    1.1 * (275 - 30 + 150 - 0.75) * 5, 1.1 * (210 - 30 + 55 - 0.75) * 5, (1.8 * (10 - 2.25) + 1.1 * (90 - 30)) * 180},
       }) {
    const DramChip chip = dram_chip(preset);
    CHECK(static_cast<double>(chip.activate_energy.value()) == Approx(activate).margin(1));
    CHECK(static_cast<double>(chip.read_energy.value()) == Approx(read).margin(1));
    CHECK(static_cast<double>(chip.write_energy.value()) == Approx(write).margin(1));
    CHECK(static_cast<double>(chip.refresh_energy.value()) == Approx(refresh).margin(1));
  }
}

TEST_CASE("a description names a part and overrides single figures, in whatever order they stand") {
  const DramConfig config = read_from("[dram]\ncolumn_latency = \"20 ns\"\npreset = \"ddr4-2400\"\n");
  CHECK(config.preset == DramPreset::ddr4_2400);
  CHECK(config.column_latency == 20_ns);
  CHECK(config.row_to_column == 14'160_ps);
  CHECK(config.bank_groups == 2);
  CHECK(config.capacity == 256_MiB);  // a drive's size is not its part's
  CHECK(read_from("[dram]\n").transfer_rate == Hertz(1'600'000'000));
}

TEST_CASE("a part that does not exist is refused with the nearest one") {
  CHECK_THROWS_WITH(read_from("[dram]\npreset = \"ddr4-2666\"\n"), Catch::Contains("did you mean 'ddr4-2400'?"));
}
