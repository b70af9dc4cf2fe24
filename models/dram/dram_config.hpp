#pragma once
// What a description says about the DRAM. Defaults: Micron MT41J128M16-125, DDR3-1600 x16, 2 Gb (data sheet 2Gb_DDR3_SDRAM:
// tRCD = tRP = CL = 13.75 ns at 11-11-11, tRAS 35 ns, tWR 15 ns, tRFC 160 ns, tREFI 7.8 us, 2 KiB pages, 8 banks).
#include <cstdint>
#include <vector>

#include "base/parameter.hpp"
#include "base/units.hpp"

namespace tessera {

struct DramConfig {
  Bytes capacity{256 << 20};
  std::uint32_t banks = 8;
  Bytes row_size{2048};
  std::uint32_t bus_bytes = 2;
  std::uint32_t burst_length = 8;
  Hertz transfer_rate{1'600'000'000};  ///< transfers a second on the data bus; 0: infinitely fast

  Picoseconds row_to_column{13'750};        // tRCD
  Picoseconds column_latency{13'750};       // CL; writes are charged the same (CWL is 10 ns)
  Picoseconds precharge{13'750};            // tRP
  Picoseconds row_active{35'000};           // tRAS
  Picoseconds write_recovery{15'000};       // tWR
  Picoseconds refresh_interval{7'800'000};  // tREFI up to 85 degrees Celsius
  Picoseconds refresh_time{160'000};        // tRFC of 2 Gb

  // Faults. Rates from the field: Schroeder, Pinheiro and Weber, "DRAM errors in the wild", SIGMETRICS 2009: 25,000 to 70,000 errors a
  // megabit and 10^9 hours; of the modules 8.2 % met errors that were corrected in a year, 0.22 % one that could not be: 27 in a thousand.
  std::uint64_t bit_error_rate = 0;
  std::uint32_t double_errors_per_thousand = 27;
  std::vector<NumberRow> bit_errors;    ///< millisecond, address, wrong bits
  Picoseconds correction_time{33'750};  // of the word's write-back: CL, a burst and tWR of the part above

  // From the currents of Micron's 2 Gb die M at 1600 MT/s (module data sheet JDF18C512_1Gx72AZ rev. C, table 11, per device of 8 bits:
  // IDD0 70, IDD2N 43, IDD3N 55, IDD4R 156, IDD4W 145, IDD5B 195 mA at 1.5 V); a burst of 16 bits counts twice.
  Picojoules activate_energy{1'344};    // 1.5 V * (IDD0 * tRC - IDD3N * tRAS - IDD2N * tRP)
  Picojoules read_energy{1'515};        // 1.5 V * (IDD4R - IDD3N) * 5 ns * 2
  Picojoules write_energy{1'350};       // 1.5 V * (IDD4W - IDD3N) * 5 ns * 2
  Picojoules refresh_energy{33'600};    // 1.5 V * (IDD5B - IDD3N) * tRFC
  Microwatts background_power{82'500};  // 1.5 V * IDD3N

  void describe(ParameterVisitor& v) {
    v.field("capacity", capacity, {0, 1e12}, "bytes; what does not fit is a configuration error");
    v.field("banks", banks, {1, 64}, "banks; a power of two");
    v.field("row_size", row_size, {64, 65536}, "bytes of a row of one bank; a power of two, at least a burst");
    v.field("bus_bytes", bus_bytes, {1, 16}, "width of the data bus in bytes; a power of two");
    v.field("burst_length", burst_length, {1, 64}, "transfers of a burst, the least that an access occupies; a power of two");
    v.field("transfer_rate", transfer_rate, {0, 1e11}, "transfers a second on the data bus; 0: infinitely fast");
    v.field("row_to_column", row_to_column, {0, 1e9}, "tRCD: activation to first column command");
    v.field("column_latency", column_latency, {0, 1e9}, "CL: column command to first data");
    v.field("precharge", precharge, {0, 1e9}, "tRP: precharge to activation");
    v.field("row_active", row_active, {0, 1e9}, "tRAS: activation to precharge, at least");
    v.field("write_recovery", write_recovery, {0, 1e9}, "tWR: last written data to precharge");
    v.field("refresh_interval", refresh_interval, {0, 1e12}, "tREFI: average time between refreshes; 0: none");
    v.field("refresh_time", refresh_time, {0, 1e9}, "tRFC: time that a refresh takes all banks");
    v.field("bit_error_rate", bit_error_rate, {0, 1e15},
            "bit errors that a megabit suffers in 10^9 hours (FIT/Mbit); in the field 25,000 to 70,000; at most a million a second in the "
            "whole "
            "DRAM");
    v.unused_where(bit_error_rate == 0, "dram.bit_error_rate is 0", [&] {
      v.field("double_errors_per_thousand", double_errors_per_thousand, {0, 1000},
              "of a thousand such errors, those that strike two bits of a word: ECC detects them and cannot correct them");
    });
    v.table("bit_errors", bit_errors, {"at_ms", "address", "bits"},
            "bit errors, each at an instant since the first power-on in the word of 8 B at an address: 1 bit, which ECC corrects, or 2");
    v.unused_where(bit_error_rate == 0 && bit_errors.empty(), "no bit is ever wrong (dram.bit_error_rate, dram.bit_errors)", [&] {
      v.field("correction_time", correction_time, {0, 1e12}, "time that an access takes longer for each word that ECC corrects on its way");
    });
    v.field("activate_energy", activate_energy, {0, 1e12}, "energy of an activation with its precharge");
    v.field("read_energy", read_energy, {0, 1e12}, "energy of a read burst");
    v.field("write_energy", write_energy, {0, 1e12}, "energy of a write burst");
    v.field("refresh_energy", refresh_energy, {0, 1e12}, "energy of a refresh");
    v.field("background_power", background_power, {0, 1e9}, "power at all times");
  }
};

}  // namespace tessera
