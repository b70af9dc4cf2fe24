#pragma once
// What a description says about the power domain: what is left to live on after a cut, and how long the drive is away.
#include <cmath>
#include <string>
#include <vector>

#include "base/parameter.hpp"
#include "base/units.hpp"

namespace tessera {

struct PowerConfig {
  // A spindle of four 95 mm platters at 7200 rpm holds about 20 J (I of 7e-5 kg m2); a back-EMF converter saves some of it.
  Picojoules hold_up_energy{2'000'000'000'000};
  Microwatts dump_power{2'000'000};
  BytesPerSecond dump_rate{40'000'000};
  BytesPerSecond restore_rate{100'000'000};
  Bytes dump_area{16 << 20};
  // How a dump fails.
  std::uint32_t dump_failures = 0;
  std::uint32_t hold_up_left = 100;
  std::vector<NumberRow> torn_dumps;  ///< number of the dump, bytes that it wrote
  Picoseconds outage{1'000'000'000'000};
  Picoseconds boot_time{100'000'000'000};

  /// Whether a dump can end before it is whole.
  [[nodiscard]] bool dumps_can_fail() const { return dump_failures != 0 || hold_up_left < 100 || !torn_dumps.empty(); }

  /// What is wrong with the values, or nothing.
  [[nodiscard]] std::string problem() const {
    for (const NumberRow& row : torn_dumps)
      if (row[0] < 1 || row[0] != std::floor(row[0]) || row[1] < 0 || row[1] != std::floor(row[1]))
        return "power.torn_dumps has rows of the number of a dump, 1 or more, and of bytes, both whole numbers";
    return {};
  }

  void describe(ParameterVisitor& v) {
    const auto dumping = [&](auto declare) { v.unused_where(dump_area == Bytes(0), "power.dump_area is 0 B", declare); };
    dumping([&] {
      v.field("hold_up_energy", hold_up_energy, {0, 1e15}, "energy that is left for the dump after a power cut");
      v.field("dump_power", dump_power, {1, 1e9}, "power of controller, DRAM and flash while they dump");
      v.field("dump_rate", dump_rate, {1, 1e12}, "rate at which the dump engine copies DRAM to the dump area");
      v.field("restore_rate", restore_rate, {1, 1e12}, "rate at which boot copies the dump area back");
    });
    v.field("dump_area", dump_area, {0, 1e12}, "size of the reserved non-volatile area; 0: no dump engine");
    dumping([&] {
      v.field("dump_failures", dump_failures, {0, 1e6},
              "dumps of a million that fail half-way, each after a number of bytes that is drawn");
      v.field(
          "hold_up_left", hold_up_left, {0, 100},
          "percent of hold_up_energy that is there at a cut, as its store has aged: a dump that needs more ends where it has used it up");
      v.table("torn_dumps", torn_dumps, {"dump", "bytes"},
              "dumps that fail: which one (1: that of the first cut), and how many bytes of its image it writes before");
    });
    v.field("outage", outage, {0, 1e15}, "time from a cut until the power is back");
    v.field("boot_time", boot_time, {0, 1e15}, "time from power on until the firmware's recovery begins, the restore excluded");
  }
};

}  // namespace tessera
