// Each operation's code is fetched from end to end; the port takes 100 ns for a line of 32 B, a cycle is 2 ns.
#include "controller/code_memory.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"

using namespace tessera;
using namespace tessera::literals;

namespace {

struct Port final : CpuLink, DramLink {
  Picoseconds access(DramAddress address, std::uint32_t bytes, Access, Picoseconds at) override {
    CHECK(bytes == 32);
    lines.push_back(address);
    return at + 100_ns;
  }
  DmaGrant dma(const DmaTransfer&, Picoseconds at) override { return {at, Bytes(0)}; }
  std::vector<DramAddress> lines;
};

/// No operation costs cycles of its own.
struct Machine {
  explicit Machine(Bytes cache, MemoryPlace place = MemoryPlace::dram, CodeSizes sizes = {}, bool elsewhere = false)
      : config(config_of(cache, sizes, elsewhere)),
        cpu(timeline, config),
        memory(cpu, port, port, bus, {4096, ContentMode::none}, {16_MiB, 64_KiB, placement(place)}, config),
        code(cpu, memory, port, config, 16_MiB) {
    code.power_on();
    if (code.modelled()) cpu.fetch_from(code);
  }
  static ControllerConfig config_of(Bytes cache, const CodeSizes& sizes, bool elsewhere) {
    ControllerConfig made;
    made.served_elsewhere = elsewhere;
    made.costs = CpuCosts(CostSource::none);
    made.interrupt_latency = 0_ps;
    made.code = sizes;
    made.code_cache.size = cache;
    made.tcm.latency = 2;
    return made;
  }
  static MemoryPlacement placement(MemoryPlace code) {
    MemoryPlacement made;
    made.places[static_cast<std::size_t>(MemoryCategory::code)] = code;
    return made;
  }
  /// How long a task takes that does this; what it takes to come to it excluded.
  Picoseconds run(CpuOperation operation, std::uint64_t times) {
    Picoseconds taken;
    const auto task = [](Executor& on, CpuOperation what, std::uint64_t often, Picoseconds& result) -> Task<void> {
      const Picoseconds begin = on.now();
      on.charge(what, often);
      result = on.now() - begin;
      co_return;
    };
    cpu.start(task(cpu, operation, times, taken), nullptr, timeline.now());
    timeline.run();
    return taken;
  }
  double metric(const char* name) const {
    MetricSet metrics;
    code.report(metrics);
    memory.report(metrics, 1_ms);
    return *metrics.find(name)->value;
  }
  ControllerConfig config;
  Timeline timeline;
  Port port;
  Interconnect bus{{}, 0};
  Executor cpu;
  MemoryController memory;
  CodeMemory code;
};

}  // namespace

TEST_CASE("code is fetched line by line where it is not in the cache, and costs nothing where it is") {
  Machine machine(4_KiB);
  CHECK(machine.run(CpuOperation::hash, 1) == 6 * 100_ns);  // 192 B
  CHECK(machine.run(CpuOperation::hash, 7) == 0_ps);
  CHECK(machine.run(CpuOperation::array, 3) == 2 * 100_ns);     // 64 B, once for the loop
  CHECK(machine.metric("cpu.code_cache.misses") == 4 + 6 + 2);  // the first task's switch, of 128 B, before them
  CHECK(machine.metric("dram.reserved.code") == 864 + 384 + 256 + 128 + 128 + 256 + 64 + 192 + 64 + 32);
}

TEST_CASE("operations have code of their own: where the cache is too small for two, they drive each other out") {
  CodeSizes sizes{};
  sizes.task_switch = 0;
  sizes.command = sizes.completion = 1024;
  Machine machine(1_KiB, MemoryPlace::dram, sizes);
  for (int i = 0; i < 3; ++i) {
    CHECK(machine.run(CpuOperation::command, 1) == 32 * 100_ns);
    CHECK(machine.run(CpuOperation::completion, 1) == 32 * 100_ns);
  }
  CHECK(machine.run(CpuOperation::completion, 1) == 0_ps);
}

TEST_CASE("code in the TCM is fetched at its latency, off the bus, and no cache is asked") {
  Machine machine(4_KiB, MemoryPlace::tcm);
  CHECK(machine.run(CpuOperation::hash, 1) == 192 / 8 * 2_ns);  // a cycle more a word of 8 B
  CHECK(machine.run(CpuOperation::hash, 1) == 192 / 8 * 2_ns);
  CHECK(machine.port.lines.empty());
  CHECK(machine.metric("tcm.accesses.code") == 4);  // with the switches to both tasks
}

TEST_CASE("without a code cache, code in the DRAM runs as from memory of one cycle and takes no place") {
  Machine machine(0_B);
  CHECK(machine.run(CpuOperation::command, 1) == 0_ps);
  CHECK(machine.metric("dram.reserved.code") == 0);
}

TEST_CASE("the code of firmware on a processor of its own takes neither place nor time here") {
  for (const MemoryPlace place : {MemoryPlace::dram, MemoryPlace::tcm}) {
    Machine machine(4_KiB, place, {}, true);
    CHECK_FALSE(machine.code.modelled());
    CHECK(machine.run(CpuOperation::command, 1) == 0_ps);
    CHECK(machine.metric("dram.reserved.code") + machine.metric("tcm.reserved.code") == 0);
  }
}

TEST_CASE("a code cache that holds no whole operation is refused, one that just does is not") {
  CHECK_NOTHROW(Machine(1_KiB));
  CodeSizes sizes;
  sizes.command = 1025;
  CHECK_THROWS_AS(Machine(1_KiB, MemoryPlace::dram, sizes), InputError);
}

TEST_CASE("after a power cut all code is fetched anew") {
  Machine machine(4_KiB);
  machine.run(CpuOperation::submit, 1);
  machine.code.power_off();
  CHECK(machine.run(CpuOperation::submit, 1) == 8 * 100_ns);
}
