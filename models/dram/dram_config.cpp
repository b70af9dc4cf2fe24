#include "dram/dram_config.hpp"

namespace tessera {

/// A visitor that changes the preset sets what belongs to it first, then whatever else it has.
void DramConfig::describe(ParameterVisitor& v) {
  const DramPreset before = preset;
  v.enumeration("preset", preset, {"ddr3-1600", "ddr4-2400", "lpddr4-3200"},
                "the part: default of all below but capacity and faults; models/dram/dram_presets.cpp names the data sheets");
  if (preset != before) static_cast<DramChip&>(*this) = dram_chip(preset);
  v.field("capacity", capacity, {0, 1e12}, "bytes; what does not fit is a configuration error");
  describe_shape(v);
  describe_timings(v);
  describe_gaps(v);
  describe_faults(v);
  v.field("activate_energy", activate_energy, {0, 1e12}, "energy of an activation with its precharge");
  v.field("read_energy", read_energy, {0, 1e12}, "energy of a read burst");
  v.field("write_energy", write_energy, {0, 1e12}, "energy of a write burst");
  v.field("refresh_energy", refresh_energy, {0, 1e12}, "energy of a refresh");
  v.field("background_power", background_power, {0, 1e9}, "power at all times");
}

void DramConfig::describe_shape(ParameterVisitor& v) {
  v.field("banks", banks, {1, 64}, "banks; a power of two");
  v.field("bank_groups", bank_groups, {1, 4}, "groups that the banks form, with gaps of their own between commands; a power of two");
  v.unused_where(bank_groups == 1, "dram.bank_groups is 1", [&] {
    v.field("interleave_groups", interleave_groups, "successive bursts go round the bank groups; false: they stay in a row to its end");
  });
  v.field("row_size", row_size, {64, 65536}, "bytes of a row of one bank; a power of two, at least a burst");
  v.field("bus_bytes", bus_bytes, {1, 16}, "width of the data bus in bytes; a power of two");
  v.field("burst_length", burst_length, {1, 64}, "transfers of a burst, the least that an access occupies; a power of two");
  v.field("transfer_rate", transfer_rate, {0, 1e11}, "transfers a second on the data bus; 0: infinitely fast");
}

void DramConfig::describe_timings(ParameterVisitor& v) {
  v.field("row_to_column", row_to_column, {0, 1e9}, "tRCD: activation to first column command");
  v.field("column_latency", column_latency, {0, 1e9}, "CL: column command to first data");
  v.field("write_latency", write_latency, {0, 1e9}, "CWL: write command to first data; 0: as column_latency");
  v.field("precharge", precharge, {0, 1e9}, "tRP: precharge to activation");
  v.field("row_active", row_active, {0, 1e9}, "tRAS: activation to precharge, at least");
  v.field("write_recovery", write_recovery, {0, 1e9}, "tWR: last written data to precharge");
  v.field("read_to_precharge", read_to_precharge, {0, 1e9}, "tRTP: read command to precharge; 0: last read data to precharge");
  v.field("refresh_interval", refresh_interval, {0, 1e12}, "tREFI: average time between refreshes; 0: none");
  v.field("refresh_time", refresh_time, {0, 1e9}, "tRFC: time that a refresh takes all banks");
}

void DramConfig::describe_gaps(ParameterVisitor& v) {
  const auto in_groups = [&](auto declare) { v.unused_where(bank_groups == 1, "dram.bank_groups is 1", declare); };
  v.field("activate_gap", activate_gap, {0, 1e9},
          "tRRD_S: activation to one in another bank group, or in another bank if there are no groups; 0: none");
  in_groups([&] {
    v.field("activate_gap_in_group", activate_gap_in_group, {0, 1e9}, "tRRD_L: activation to one in another bank of its group; 0: none");
  });
  v.field("four_activates", four_activates, {0, 1e9}, "tFAW: time in which no more than four activations begin; 0: no limit");
  v.field("column_gap", column_gap, {0, 1e9}, "tCCD_S: column command to the next; a burst, if that is longer");
  in_groups([&] {
    v.field("column_gap_in_group", column_gap_in_group, {0, 1e9},
            "tCCD_L: column command to the next in its bank group; a burst, if that is longer");
  });
  v.field("write_to_read", write_to_read, {0, 1e9}, "tWTR_S: last written data to a read command; 0: none");
  in_groups([&] {
    v.field("write_to_read_in_group", write_to_read_in_group, {0, 1e9},
            "tWTR_L: last written data to a read command in the same bank group; 0: none");
  });
}

void DramConfig::describe_faults(ParameterVisitor& v) {
  v.field("bit_error_rate", bit_error_rate, {0, 1e15},
          "bit errors that a megabit suffers in 10^9 hours (FIT/Mbit); in the field 25,000 to 70,000; at most a million a second in the "
          "whole DRAM");
  v.unused_where(bit_error_rate == 0, "dram.bit_error_rate is 0", [&] {
    v.field("double_errors_per_thousand", double_errors_per_thousand, {0, 1000},
            "of a thousand such errors, those that strike two bits of a word: ECC detects them and cannot correct them");
  });
  v.table("bit_errors", bit_errors, {"at_ms", "address", "bits"},
          "bit errors, each at an instant since the first power-on in the word of 8 B at an address: 1 bit, which ECC corrects, or 2");
  v.unused_where(bit_error_rate == 0 && bit_errors.empty(), "no bit is ever wrong (dram.bit_error_rate, dram.bit_errors)", [&] {
    v.field("correction_time", correction_time, {0, 1e12}, "time that an access takes longer for each word that ECC corrects on its way");
  });
}

}  // namespace tessera
