#include "bus/bus_config.hpp"

namespace tessera {

void BusRanks::describe(ParameterVisitor& v) {
  constexpr Range ranks{1, 1000};
  v.field("copy", copy, ranks, "copies between buffers of the DRAM");
  v.field("host", host, ranks, "DMA of the host interface");
  v.field("disk", disk, ranks, "DMA of the disk channel");
  v.field("flash", flash, ranks, "DMA of each flash channel");
}

void BusConfig::describe(ParameterVisitor& v) {
  const bool left_out = clock == Hertz(0);
  constexpr std::string_view why = "bus.clock is 0 Hz";
  v.unused_where(left_out, why, [&] { v.field("width", width, {1, 128}, "bytes that the bus moves in a cycle"); });
  v.field("clock", clock, {0, 1e11}, "clock of the bus; 0: infinitely fast, which leaves the bus out");
  v.unused_where(left_out, why, [&] {
    v.field("crossing", crossing, {0, 1000}, "cycles that a transaction takes through the bus and back beside its data");
    v.field("burst", burst, {1, 256}, "beats of a burst, after which another initiator may have the bus");
    v.enumeration("arbitration", arbitration, {"round_robin", "fixed_priority", "weighted"},
                  "who gets the bus where DMA engines want more of it than there is");
    v.unused_where(arbitration != BusArbitration::weighted, "bus.arbitration is not weighted",
                   [&] { v.section("weights", weights, "shares of the initiators; with arbitration weighted"); });
    v.unused_where(arbitration != BusArbitration::fixed_priority, "bus.arbitration is not fixed_priority", [&] {
      v.section("priorities", priorities, "priorities of the initiators, the highest number first; with arbitration fixed_priority");
    });
  });
}

}  // namespace tessera
