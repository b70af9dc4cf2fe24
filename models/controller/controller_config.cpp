#include "controller/controller_config.hpp"

namespace tessera {

void ControllerConfig::describe(ParameterVisitor& visitor) {
  constexpr Range cycles{0, 1e9};
  visitor.field("clock", clock, {1e6, 1e10}, "clock of the controller's CPU");
  visitor.field("interrupt_latency", interrupt_latency, {0, 1e12}, "time from a device's interrupt to its handler");
  visitor.field("bus_latency", bus_latency, {0, 1e12}, "time of one register access over the address-mapped bus");
  visitor.enumeration("scheduling", scheduling, {"first_come", "c_look", "shortest_seek", "shortest_positioning"},
                      "order in which the disk channel serves its queue");
  visitor.field("age_limit", age_limit, {0, 1e18}, "a chain that has waited this long is served out of turn");
  visitor.field("age_interval", age_interval, {1, 1e9}, "of so many chains one at most is served out of turn because of its age");
  visitor.field("background_age_limit", background_age_limit, {0, 1e18}, "as age_limit, for background work");
  visitor.field("staging_buffer", staging_buffer, {4096, 1e12}, "DRAM for buffers in flight inside the firmware (read-modify-writes)");
  visitor.enter("costs", "core cycles of firmware operations, memory accesses excluded");
  visitor.field("command", costs.command, cycles, "decode of one host command and its completion");
  visitor.field("interrupt", costs.interrupt, cycles, "entry and exit of one interrupt");
  visitor.field("submit", costs.submit, cycles, "descriptor of one device command");
  visitor.field("array", costs.array, cycles, "one indexed access");
  visitor.field("hash", costs.hash, cycles, "one hash look-up");
  visitor.field("tree_level", costs.tree_level, cycles, "one level of a balanced tree");
  visitor.field("list_element", costs.list_element, cycles, "one element of a scanned list");
  visitor.leave();
}

}  // namespace tessera
