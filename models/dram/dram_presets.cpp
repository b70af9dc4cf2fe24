// The parts that a description can name. Times are the data sheets', in nanoseconds and not rounded up to clocks.
#include "dram/dram_config.hpp"

namespace tessera {

namespace {

/// Micron MT40A512M16-083 (data sheet 8gb_ddr4_sdram: DDR4-2400, 17-17-17, 8 Gb x16: 2 groups of 4 banks, pages of 2 KiB), whose gaps are
/// those of JESD79-4. Of "greater of n CK and t" the second is the greater at 0.833 ns per clock.
DramChip ddr4_2400() {
  DramChip chip;
  chip.banks = 8;
  chip.bank_groups = 2;
  chip.interleave_groups = true;  // ours: what a controller does to stream at tCCD_S; the standard leaves it open
  chip.row_size = Bytes(2048);
  chip.bus_bytes = 2;
  chip.burst_length = 8;
  chip.transfer_rate = Hertz(2'400'000'000);
  chip.row_to_column = Picoseconds(14'160);          // tRCD: speed bin -083, 17-17-17
  chip.column_latency = Picoseconds(14'160);         // tAA: the same
  chip.write_latency = Picoseconds(10'000);          // CWL = 12, the first set at 2400: 12 * 0.833 ns
  chip.precharge = Picoseconds(14'160);              // tRP: the same speed bin
  chip.row_active = Picoseconds(32'000);             // tRAS: the same
  chip.write_recovery = Picoseconds(15'000);         // tWR
  chip.refresh_interval = Picoseconds(7'800'000);    // tREFI up to 85 degrees Celsius
  chip.refresh_time = Picoseconds(350'000);          // tRFC1 of 8 Gb
  chip.activate_gap = Picoseconds(5'300);            // tRRD_S, 2 KiB: greater of 4 CK and 5.3 ns
  chip.activate_gap_in_group = Picoseconds(6'400);   // tRRD_L, 2 KiB: greater of 4 CK and 6.4 ns
  chip.four_activates = Picoseconds(30'000);         // tFAW, 2 KiB: greater of 28 CK and 30 ns
  chip.column_gap = Picoseconds(3'333);              // tCCD_S: 4 CK
  chip.column_gap_in_group = Picoseconds(5'000);     // tCCD_L: greater of 4 CK and 5 ns
  chip.read_to_precharge = Picoseconds(7'500);       // tRTP: greater of 4 CK and 7.5 ns
  chip.write_to_read = Picoseconds(2'500);           // tWTR_S: greater of 2 CK and 2.5 ns
  chip.write_to_read_in_group = Picoseconds(7'500);  // tWTR_L: greater of 4 CK and 7.5 ns
  chip.correction_time = Picoseconds(28'333);        // CWL, a burst and tWR
  // Currents of MT40A512M16 die B at 2400 MT/s (module data sheet MTA4ATF51264AZ rev. B, table 13, a quarter each: IDD0 80, IDD2N 34,
  // IDD3N 47, IDD4R 243, IDD4W 228, IDD5B 280 mA at 1.2 V; IPP0 4, IPP3N 3, IPP5B 28 mA at 2.5 V).
  chip.activate_energy = Picojoules(2'164);    // 1.2 V * (IDD0 * tRC - IDD3N * tRAS - IDD2N * tRP) + 2.5 V * (IPP0 - IPP3N) * tRC
  chip.read_energy = Picojoules(784);          // 1.2 V * (IDD4R - IDD3N) * 3.333 ns
  chip.write_energy = Picojoules(724);         // 1.2 V * (IDD4W - IDD3N) * 3.333 ns
  chip.refresh_energy = Picojoules(119'735);   // (1.2 V * (IDD5B - IDD3N) + 2.5 V * (IPP5B - IPP3N)) * tRFC1
  chip.background_power = Microwatts(63'900);  // 1.2 V * IDD3N + 2.5 V * IPP3N
  return chip;
}

/// One channel of 16 bits and 4 Gb: core timings of JESD209-4, table "Core AC timing"; latencies of the speed grade -062 (Micron data sheet
/// 200b_z00n_lpddr4 rev. C: 1600 MHz, RL 28 without DBI, WL 14 of set A). LPDDR4 has no bank groups.
DramChip lpddr4_3200() {
  DramChip chip;
  chip.banks = 8;
  chip.bank_groups = 1;
  chip.row_size = Bytes(2048);
  chip.bus_bytes = 2;
  chip.burst_length = 16;
  chip.transfer_rate = Hertz(3'200'000'000);
  chip.row_to_column = Picoseconds(18'000);        // tRCD
  chip.column_latency = Picoseconds(21'000);       // RL 28 * 0.625 ns + tDQSCK of at most 3.5 ns
  chip.write_latency = Picoseconds(9'375);         // WL 14 * 0.625 ns + tDQSS of one clock
  chip.precharge = Picoseconds(18'000);            // tRPpb
  chip.row_active = Picoseconds(42'000);           // tRAS
  chip.write_recovery = Picoseconds(18'000);       // tWR
  chip.refresh_interval = Picoseconds(3'904'000);  // tREFI up to 85 degrees Celsius
  chip.refresh_time = Picoseconds(180'000);        // tRFCab of 4 Gb a channel
  chip.activate_gap = Picoseconds(10'000);         // tRRD: greater of 4 CK and 10 ns
  chip.four_activates = Picoseconds(40'000);       // tFAW
  chip.column_gap = Picoseconds(5'000);            // tCCD: 8 CK
  chip.read_to_precharge = Picoseconds(7'500);     // tRTP: greater of 8 CK and 7.5 ns
  chip.write_to_read = Picoseconds(10'000);        // tWTR: greater of 8 CK and 10 ns
  chip.correction_time = Picoseconds(32'375);      // WL, a burst and tWR
  // Currents of Micron's 6 Gb LPDDR4-3200 die A, as DRAMSys publishes them (MICRON_6Gb_LPDDR4-3200_32bit_A: IDD0 3.5 / 45 / 0.75,
  // IDD2N 2 / 27 / 0.75, IDD3N 2.25 / 30 / 0.75, IDD4R 2.25 / 275 / 150, IDD4W 2.25 / 210 / 55, IDD5 10 / 90 / 0.75 mA at 1.8 V, 1.1 V and
  // 1.1 V of the outputs).
  chip.activate_energy = Picojoules(1'193);    // the sum over the three of V * (IDD0 * tRC - IDD3N * tRAS - IDD2N * tRP)
  chip.read_energy = Picojoules(2'168);        // of V * (IDD4R - IDD3N) * 5 ns
  chip.write_energy = Picojoules(1'288);       // of V * (IDD4W - IDD3N) * 5 ns
  chip.refresh_energy = Picojoules(14'391);    // of V * (IDD5 - IDD3N) * tRFCab
  chip.background_power = Microwatts(37'875);  // of V * IDD3N
  return chip;
}

}  // namespace

DramChip dram_chip(DramPreset preset) {
  switch (preset) {
    case DramPreset::ddr4_2400: return ddr4_2400();
    case DramPreset::lpddr4_3200: return lpddr4_3200();
    case DramPreset::ddr3_1600: break;
  }
  return {};
}

}  // namespace tessera
