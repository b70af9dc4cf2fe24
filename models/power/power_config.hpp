#pragma once
// What a description says about the power domain: what is left to live on after a cut, and how long the drive is away.
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
  Picoseconds outage{1'000'000'000'000};
  Picoseconds boot_time{100'000'000'000};

  void describe(ParameterVisitor& v) {
    v.field("hold_up_energy", hold_up_energy, {0, 1e15}, "energy that is left for the dump after a power cut");
    v.field("dump_power", dump_power, {1, 1e9}, "power of controller, DRAM and flash while they dump");
    v.field("dump_rate", dump_rate, {1, 1e12}, "rate at which the dump engine copies DRAM to the dump area");
    v.field("restore_rate", restore_rate, {1, 1e12}, "rate at which boot copies the dump area back");
    v.field("dump_area", dump_area, {0, 1e12}, "size of the reserved non-volatile area; 0: no dump engine");
    v.field("outage", outage, {0, 1e15}, "time from a cut until the power is back");
    v.field("boot_time", boot_time, {0, 1e15}, "time from power on until the firmware's recovery begins, the restore excluded");
  }
};

}  // namespace tessera
