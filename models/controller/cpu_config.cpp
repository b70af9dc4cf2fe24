#include "controller/cpu_config.hpp"

namespace tessera {

namespace {

constexpr std::array<std::uint64_t, cpu_operations> measured_costs = [] {
  std::array<std::uint64_t, cpu_operations> costs{};
#define MEASURED_COST(operation, cycles) costs[static_cast<std::size_t>(CpuOperation::operation)] = cycles;
#include "controller/measured_costs.def"
#undef MEASURED_COST
  return costs;
}();

}  // namespace

std::array<std::uint64_t, cpu_operations> CpuCosts::table() const {
  if (source == CostSource::measured) return measured_costs;
  return {command,      completion,   interrupt, reap,       task_switch,   submit,      array, hash,        tree_level,
          list_element, table_access, lock,      media_step, flash_command, record_word, copy,  angular_lock};
}

std::optional<std::string> CpuCosts::note() const {
  CpuCosts own = *this;
  own.source = CostSource::estimated;
  if (source == CostSource::estimated || own.table() == CpuCosts().table()) return std::nullopt;
  return "controller.costs: the figures of single operations are without effect, source = \"measured\" takes others";
}

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
  visitor.field("size", size, {0, 1e9}, "bytes; what firmware.placement puts there and does not fit is a configuration error");
  visitor.field("latency", latency, {1, 1000}, "core cycles in which a word is read or written; the costs of operations count one of them");
  visitor.field("width", width, {1, 64}, "bytes of a word; a power of two");
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
  constexpr Range cycles{0, 1e9};
  visitor.enumeration("source", source, {"estimated", "measured"},
                      "estimated: the figures below; measured: those that firmware images took (docs/guide/calibration.md), "
                      "and those below are without effect");
  visitor.field("command", command, cycles, "decode of one host command");
  visitor.field("completion", completion, cycles, "status of one host command");
  visitor.field("interrupt", interrupt, cycles, "entry and exit of one interrupt");
  visitor.field("reap", reap, cycles, "one finished device command: its descriptor read, its task found");
  visitor.field("task_switch", task_switch, cycles, "a task that a lock or other work made ready");
  visitor.field("submit", submit, cycles, "descriptor of one device command");
  visitor.field("array", array, cycles, "one indexed access");
  visitor.field("hash", hash, cycles, "one hash look-up");
  visitor.field("tree_level", tree_level, cycles, "one level of a balanced tree");
  visitor.field("list_element", list_element, cycles, "one element of a scanned list");
  // 0 by default: the estimates of the operations above hold what these count.
  visitor.field("table_access", table_access, cycles, "one access to a table in memory; 0: the estimates above hold it");
  visitor.field("lock", lock, cycles,
                "one lock, queued for and given back, but for those of parts of tracks; 0: the estimates above hold it");
  visitor.field("media_step", media_step, cycles, "one run of a chain for the disk; 0: the estimates above hold it");
  visitor.field("flash_command", flash_command, cycles, "one command of a batch for the flash; 0: the estimates above hold it");
  visitor.field("record_word", record_word, cycles,
                "8 bytes of a record or of a table's image, put together or taken apart with their CRC; 0: the estimates above hold it");
  visitor.field("copy", copy, cycles, "one order to the data mover; 0: the estimates above hold it");
  visitor.field("angular_lock", angular_lock, cycles,
                "one lock of a part of a track, with the angles and radii that a write of it reaches; 0: the estimates above hold it");
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
