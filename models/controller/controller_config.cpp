#include "controller/controller_config.hpp"

namespace tessera {

void ControllerConfig::describe(ParameterVisitor& visitor) {
  CpuConfig::describe(visitor);
  visitor.field("bus_latency", bus_latency, {0, 1e12}, "time of one register access over the address-mapped bus");
  visitor.enumeration("scheduling", scheduling, {"first_come", "c_look", "shortest_seek", "shortest_positioning"},
                      "order in which the disk channel serves its queue");
  visitor.enumeration("read_priority", read_priority, {"none", "over_updates", "over_all"},
                      "which chains yield to host reads and all else: none; those of writes that read from the platters first; all but "
                      "host reads");
  visitor.unused_where(read_priority == ReadPriority::none, "controller.read_priority is none", [&] {
    visitor.field("yields_to", yields_to, {1, 1e9}, "so many others in a row go before chains that yield; age_limit holds for these too");
  });
  const bool in_turn = scheduling == SchedulingPolicy::first_come && read_priority == ReadPriority::none;
  visitor.unused_where(in_turn, "controller.scheduling is first_come and controller.read_priority none", [&] {
    visitor.field("age_limit", age_limit, {0, 1e18}, "a chain that has waited this long is served out of turn");
    visitor.field("age_pause", age_pause, {0, 1e18},
                  "for so long after such a chain none is served out of turn: the arm stays where it is");
    visitor.field("age_interval", age_interval, {1, 1e9}, "of so many chains one at most is served out of turn because of its age");
  });
  visitor.field("background_age_limit", background_age_limit, {0, 1e18}, "as age_limit, for background work");
  visitor.field("staging_buffer", staging_buffer, {4096, 1e12}, "DRAM for buffers in flight inside the firmware (read-modify-writes)");
  visitor.field("disk_fifo", disk_fifo, {512, 1e9},
                "FIFO between the head and the bus: where the bus falls behind by more, the platter loses a revolution");
}

}  // namespace tessera
