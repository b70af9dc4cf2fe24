#include "controller/cpu_config.hpp"

#include <algorithm>

namespace tessera {

namespace {

using Cycles = std::array<std::uint64_t, cpu_operations>;

constexpr Cycles measured_costs = [] {
  Cycles costs{};
#define MEASURED_COST(operation, cycles) costs[static_cast<std::size_t>(CpuOperation::operation)] = cycles;
#include "controller/measured_costs.def"
#undef MEASURED_COST
  return costs;
}();

struct PricedOperation {
  std::uint64_t estimate;  // core cycles
  const char* doc;
};

/// In the order of CpuOperation. What the estimates stand for: command: 32 B of descriptor read, range and tag checked, a task started;
/// completion: 16 B of status written, the doorbell rung; interrupt: 16 registers saved and restored, the controller acknowledged; submit:
/// eight words of descriptor; hash: a multiplication and two probes. What is 0 is held by the estimates of the others.
constexpr std::array<PricedOperation, cpu_operations> priced_operations{{
    {280, "decode of one host command"},
    {120, "status of one host command"},
    {80, "entry and exit of one interrupt"},
    {40, "one finished device command: its descriptor read, its task found"},
    {40, "a task that a lock or other work made ready"},
    {80, "descriptor of one device command"},
    {15, "one indexed access"},
    {60, "one hash look-up"},
    {20, "one level of a balanced tree"},
    {6, "one element of a scanned list"},
    {0, "one access to a table in memory"},
    {0, "one lock, queued for and given back, but for those of parts of tracks"},
    {0, "one run of a chain for the disk"},
    {0, "one command of a batch for the flash"},
    {0, "8 bytes of a record or of a table's image, put together or taken apart with their CRC"},
    {0, "one order to the data mover"},
    {0, "one lock of a part of a track, with the angles and radii that a write of it reaches"},
}};

Cycles cycles_of(CostSource source) {
  if (source == CostSource::measured) return measured_costs;
  Cycles cycles{};
  if (source == CostSource::estimated) std::ranges::transform(priced_operations, cycles.begin(), &PricedOperation::estimate);
  return cycles;
}

}  // namespace

CpuCosts::CpuCosts(CostSource from) : source(from), cycles(cycles_of(from)) {}

std::array<std::uint64_t, cpu_operations> CodeSizes::table() const {
  return {command, completion, interrupt, reap, task_switch, submit, array, hash, tree_level, list_element};
}

void InterruptLineConfig::describe(ParameterVisitor& visitor) {
  visitor.field("priority", priority, {0, 7},
                "of the tasks that it makes ready: of two that are, the one with the smaller number runs first");
  visitor.field("coalesce", coalesce, {1, 1024}, "it interrupts when so many completions have gathered");
  visitor.field("coalesce_time", coalesce_time, {0, 1e12}, "or when the first of them has waited so long (with coalesce above 1)");
}

void TcmConfig::describe(ParameterVisitor& visitor) {
  visitor.field("size", size, {0, 1e9},
                "bytes; what firmware.placement or a firmware image (--elf) puts there and does not fit is a configuration error");
  visitor.field("latency", latency, {1, 1000}, "core cycles in which a word is read or written; the costs of operations count one of them");
  visitor.unused_where(latency == 1, "controller.tcm.latency is 1: a word takes no longer than an operation counts for it", [&] {
    visitor.field("width", width, {1, 64}, "bytes of a word; a power of two");
  });
}

void CodeSizes::describe(ParameterVisitor& visitor) {
  constexpr Range bytes{0, 1048576};
  visitor.field("command", command, bytes, "B of code to decode one host command");
  visitor.field("completion", completion, bytes, "B of code for the status of one host command");
  visitor.field("interrupt", interrupt, bytes, "B of code to enter and leave an interrupt");
  visitor.field("reap", reap, bytes, "B of code for one finished device command");
  visitor.field("task_switch", task_switch, bytes, "B of code to turn to another task");
  visitor.field("submit", submit, bytes, "B of code for the descriptor of one device command");
  visitor.field("array", array, bytes, "B of code for an indexed access");
  visitor.field("hash", hash, bytes, "B of code for a hash look-up");
  visitor.field("tree_level", tree_level, bytes, "B of code for the levels of a tree, in a loop");
  visitor.field("list_element", list_element, bytes, "B of code for the elements of a list, in a loop");
}

const InterruptLineConfig& CpuConfig::line(InterruptLine line) const {
  switch (line) {
    case InterruptLine::host: return host_interrupt;
    case InterruptLine::disk: return disk_interrupt;
    case InterruptLine::flash: return flash_interrupt;
    default: return timer_interrupt;
  }
}

void CpuCosts::describe(ParameterVisitor& visitor) {
  const CostSource before = source;
  visitor.enumeration("source", source, {"measured", "estimated", "none"},
                      "of the costs that are not named: measured: what firmware images took, 0 where another operation has it "
                      "(docs/developers/calibration.md); estimated: estimates from before that was measured; none: 0");
  // The source comes first, so that each cost that the description names takes the place of the source's.
  if (source != before) cycles = cycles_of(source);
  constexpr Range range{0, 1e9};
  for (std::size_t i = 0; i < cpu_operations; ++i)
    visitor.field(to_string(static_cast<CpuOperation>(i)), cycles[i], range, priced_operations[i].doc);
}

void CpuConfig::describe(ParameterVisitor& visitor) {
  visitor.field("clock", clock, {1e6, 1e10}, "clock of the controller's CPU");
  visitor.field("cores", cores, {1, 4},
                "cores: one for all; two: host and media, translation; three: host, translation, media; four: a second for translation");
  visitor.field("interrupt_latency", interrupt_latency, {0, 1e12}, "time from a device's interrupt to its handler");
  visitor.section("costs", costs, "core cycles of firmware operations, memory accesses excluded");
  visitor.section("host_interrupt", host_interrupt, "interrupt line of the host interface: a command has arrived");
  visitor.section("disk_interrupt", disk_interrupt, "interrupt line of the disk channel: a chain has ended");
  visitor.section("flash_interrupt", flash_interrupt, "interrupt line of the flash channels: a batch has ended");
  visitor.section("timer_interrupt", timer_interrupt, "interrupt line of the timers that firmware sets");
  visitor.section("tcm", tcm, "tightly coupled memory of the CPU, beside the core and off the bus");
  visitor.section("data_cache", data_cache, "data cache of the CPU, between its accesses to tables in the DRAM and the bus");
  visitor.section(
      "code_cache", code_cache,
      "code cache of the CPU; without it code runs as from memory of one cycle, unless firmware.placement.code puts it into the TCM");
  visitor.section("code", code, "bytes of code of firmware operations, for the code cache");
}

}  // namespace tessera
