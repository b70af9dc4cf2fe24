#pragma once
// What a description says about the DRAM: a part by its name (dram_presets.cpp has their data sheets), each of whose figures may be
// overridden, its size and its faults.
#include <cstdint>
#include <string>
#include <vector>

#include "base/parameter.hpp"
#include "base/units.hpp"

namespace tessera {

enum class DramPreset : std::uint8_t { ddr3_1600, ddr4_2400, lpddr4_3200 };

/// One channel of a DRAM. Initial values: Micron MT41J128M16-125, DDR3-1600 x16, 2 Gb (data sheet 2Gb_DDR3_SDRAM: tRCD = tRP = CL =
/// 13.75 ns at 11-11-11, tRAS 35 ns, tWR 15 ns, tRFC 160 ns, tREFI 7.8 us, 2 KiB pages, 8 banks).
struct DramChip {
  std::uint32_t banks = 8;
  std::uint32_t bank_groups = 1;
  bool interleave_groups = false;
  Bytes row_size{2048};
  std::uint32_t bus_bytes = 2;
  std::uint32_t burst_length = 8;
  Hertz transfer_rate{1'600'000'000};  ///< transfers a second on the data bus; 0: infinitely fast

  Picoseconds row_to_column{13'750};        // tRCD
  Picoseconds column_latency{13'750};       // CL
  Picoseconds write_latency{0};             // CWL; 0: as CL (it is 10 ns)
  Picoseconds precharge{13'750};            // tRP
  Picoseconds row_active{35'000};           // tRAS
  Picoseconds write_recovery{15'000};       // tWR
  Picoseconds refresh_interval{7'800'000};  // tREFI up to 85 degrees Celsius
  Picoseconds refresh_time{160'000};        // tRFC of 2 Gb

  // Between commands to different banks, and from a read to the precharge of its row; 0: not held against.
  Picoseconds activate_gap{0};            // tRRD, tRRD_S
  Picoseconds activate_gap_in_group{0};   // tRRD_L
  Picoseconds four_activates{0};          // tFAW
  Picoseconds column_gap{0};              // tCCD, tCCD_S
  Picoseconds column_gap_in_group{0};     // tCCD_L
  Picoseconds read_to_precharge{0};       // tRTP; 0: the row stays open until the data has passed
  Picoseconds write_to_read{0};           // tWTR, tWTR_S
  Picoseconds write_to_read_in_group{0};  // tWTR_L

  Picoseconds correction_time{33'750};  // of a word's write-back: CL, a burst and tWR

  // From the currents of Micron's 2 Gb die M at 1600 MT/s (module data sheet JDF18C512_1Gx72AZ rev. C, table 11, per device of 8 bits:
  // IDD0 70, IDD2N 43, IDD3N 55, IDD4R 156, IDD4W 145, IDD5B 195 mA at 1.5 V); a burst of 16 bits counts twice.
  Picojoules activate_energy{1'344};    // 1.5 V * (IDD0 * tRC - IDD3N * tRAS - IDD2N * tRP)
  Picojoules read_energy{1'515};        // 1.5 V * (IDD4R - IDD3N) * 5 ns * 2
  Picojoules write_energy{1'350};       // 1.5 V * (IDD4W - IDD3N) * 5 ns * 2
  Picojoules refresh_energy{33'600};    // 1.5 V * (IDD5B - IDD3N) * tRFC
  Microwatts background_power{82'500};  // 1.5 V * IDD3N
};

[[nodiscard]] DramChip dram_chip(DramPreset preset);

struct DramConfig : DramChip {
  DramPreset preset = DramPreset::ddr3_1600;
  Bytes capacity{256 << 20};

  // Faults. Rates from the field: Schroeder, Pinheiro and Weber, "DRAM errors in the wild", SIGMETRICS 2009: 25,000 to 70,000 errors a
  // megabit and 10^9 hours; of the modules 8.2 % met errors that were corrected in a year, 0.22 % one that could not be: 27 in a thousand.
  std::uint64_t bit_error_rate = 0;
  std::uint32_t double_errors_per_thousand = 27;
  std::vector<NumberRow> bit_errors;  ///< millisecond, address, wrong bits

  /// The latency of a write command to its data.
  [[nodiscard]] Picoseconds writes_after() const { return write_latency == Picoseconds(0) ? column_latency : write_latency; }

  void describe(ParameterVisitor& v);

 private:
  void describe_shape(ParameterVisitor& v);
  void describe_timings(ParameterVisitor& v);
  void describe_gaps(ParameterVisitor& v);
  void describe_faults(ParameterVisitor& v);
};

}  // namespace tessera
