// Registers and rings. The default bus moves 8 B in 2 ns, with a crossing of 8 ns; the TCM takes 2 ns for
// 8 B beside the operation's own cycle. So a register takes 10 ns, a
// command of 32 B 16 ns over the bus and 8 ns in the TCM, a completion of 16 B 12 and 4 ns.
#include "controller/control_path.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "base/random.hpp"

using namespace tessera;
using namespace tessera::literals;

namespace {

/// Notes what goes there; each extent takes 100 ns.
struct NotedDram final : DramLink {
  DmaGrant dma(const DmaTransfer& transfer, Picoseconds at) override {
    transfers.push_back(transfer);
    return {at + 100_ns, Bytes(0)};
  }
  std::vector<DmaTransfer> transfers;
};

/// The CPU's port; over it a register takes 30 ns, where it carries any.
struct NotedPort final : CpuLink {
  explicit NotedPort(bool registers_too) : carries(registers_too) {}
  Picoseconds access(DramAddress, std::uint32_t, Access, Picoseconds at) override { return at + 50_ns; }
  [[nodiscard]] bool carries_registers() const override { return carries; }
  Picoseconds access_register(DeviceRegister which, Access access, Picoseconds at) override {
    registers.emplace_back(which, access);
    return at + 30_ns;
  }
  bool carries;
  std::vector<std::pair<DeviceRegister, Access>> registers;
};

/// Nothing costs any cycles, and interrupts come at once; a register that is read takes 20 ns beside the bus.
struct Machine {
  explicit Machine(MemoryPlace rings = MemoryPlace::tcm, std::uint32_t cores = 1, bool over_port = false, bool elsewhere = false)
      : port(over_port),
        cpu(timeline, config(cores, elsewhere)),
        memory(cpu, port, dram, bus, {4096, ContentMode::none}, {1_MiB, 64_KiB, placement(rings)}, config(cores, elsewhere)),
        control(cpu, memory, port, bus, 20_ns) {
    control.power_on();
    cpu.connect(control);
  }
  static ControllerConfig config(std::uint32_t cores, bool elsewhere) {
    ControllerConfig made;
    made.costs = CpuCosts(CostSource::none);
    made.interrupt_latency = 0_ps;
    made.staging_buffer = 64_KiB;
    made.cores = cores;
    made.served_elsewhere = elsewhere;
    made.tcm.latency = 2;
    return made;
  }
  static MemoryPlacement placement(MemoryPlace rings) {
    MemoryPlacement made;
    made.places[static_cast<std::size_t>(MemoryCategory::descriptors)] = rings;
    return made;
  }
  [[nodiscard]] double metric(const char* name) const {
    MetricSet metrics;
    bus.report(metrics, 1_ms);
    cpu.report(metrics, 1_ms);
    memory.report(metrics, 1_ms);
    return *metrics.find(name)->value;
  }
  Timeline timeline;
  NotedPort port;
  NotedDram dram;
  Interconnect bus{{}, 2};
  Executor cpu;
  MemoryController memory;
  ControlPath control;
};

struct Noted final : TimelineListener {
  explicit Noted(Timeline& t) : timeline(t) {}
  void on_time(std::uint64_t) override { at = timeline.now(); }
  Timeline& timeline;
  Picoseconds at;
};

struct Command {
  DeviceWait wait;
  Machine& machine;
  Noted& device;
  std::uint64_t descriptors;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> task) {
    wait.task = task;
    machine.cpu.suspend_for(wait, LifePhase::media_queue, descriptors, {device, 0, 5_ns, BusInitiator::disk});
  }
  void await_resume() const noexcept {}
};

Task<void> submit(Command& command, std::vector<Picoseconds>& ends) {
  co_await command;
  ends.push_back(command.machine.cpu.now());
}

}  // namespace

TEST_CASE("a device acts when it has read the command that the CPU wrote and rang for") {
  for (const std::uint64_t descriptors : {1U, 3U}) {
    Machine machine;
    Noted disk(machine.timeline);
    Command command{{}, machine, disk, descriptors};
    std::vector<Picoseconds> ends;
    machine.cpu.start(submit(command, ends), nullptr, 1_us);
    machine.timeline.run();
    // Written in the TCM; the doorbell; the engine's read, one command behind the other; its own delay.
    CHECK(disk.at == 1_us + 8_ns * descriptors + 10_ns + (8_ns * descriptors + 8_ns) + 5_ns);
    CHECK(machine.metric("bus.registers.bytes") == 4);
    CHECK(machine.metric("bus.descriptors.bytes") == static_cast<double>(32 * descriptors));
    CHECK(machine.metric("tcm.accesses.descriptors") == static_cast<double>(descriptors));
    CHECK(machine.dram.transfers.empty());
  }
}

TEST_CASE("of firmware on a processor of its own the engine's side of entries is priced where they lie, and the CPU's is not") {
  for (const bool in_tcm : {true, false}) {
    for (const MemoryPlace rings : {MemoryPlace::tcm, MemoryPlace::dram}) {  // which says nothing of them
      Machine machine(rings, 1, false, true);
      const DramAddress commands = in_tcm ? Tcm::base + 64 : DramAddress(0x4000);
      machine.control.lie(BusInitiator::disk, Access::read, commands, 144_B);
      machine.control.lie(BusInitiator::disk, Access::write, commands + 160, 32_B);
      Noted disk(machine.timeline);
      Command command{{}, machine, disk, 2};
      std::vector<Picoseconds> ends;
      machine.cpu.start(submit(command, ends), nullptr, 1_us);
      machine.timeline.run();
      CHECK(disk.at == 1_us + 10_ns + (in_tcm ? 2_ns * (144 / 8) + 8_ns : 100_ns) + 5_ns);
      machine.cpu.interrupt(command.wait, InterruptLine::disk, 10_us);
      machine.timeline.run();
      CHECK(ends == std::vector<Picoseconds>{10_us + (in_tcm ? 2_ns * (32 / 8) + 8_ns : 100_ns)});
      CHECK(machine.metric("tcm.accesses.descriptors") == 0);
      CHECK(machine.metric("tcm.time") == 0);
      CHECK(machine.metric("tcm.reserved.total") == 0);
      CHECK(machine.metric("bus.registers.bytes") == 4);  // the doorbell
      if (in_tcm) {
        CHECK(machine.dram.transfers.empty());
        CHECK(machine.metric("bus.descriptors.bytes") == 144 + 32);
        continue;
      }
      REQUIRE(machine.dram.transfers.size() == 2);
      CHECK(machine.dram.transfers[0].address == commands);
      CHECK(machine.dram.transfers[0].bytes == 144_B);
      CHECK(machine.dram.transfers[1].address == commands + 160);
      CHECK(machine.dram.transfers[1].bytes == 32_B);
      for (const DmaTransfer& transfer : machine.dram.transfers) {
        CHECK(transfer.engine == BusInitiator::disk);
        CHECK(transfer.account == BusAccount::descriptors);
      }
    }
  }
}

TEST_CASE("firmware on a processor of its own that has an engine's entries nowhere tells it by a register") {
  Machine machine(MemoryPlace::tcm, 1, false, true);
  Noted disk(machine.timeline);
  Command command{{}, machine, disk, 2};
  std::vector<Picoseconds> ends;
  machine.cpu.start(submit(command, ends), nullptr, 1_us);
  machine.timeline.run();
  CHECK(disk.at == 1_us + 10_ns + 5_ns);
  CHECK(machine.metric("bus.descriptors.bytes") == 0);
  CHECK(machine.metric("bus.registers.bytes") == 4);
}

TEST_CASE("another core that writes the command takes the same time") {
  Machine machine(MemoryPlace::tcm, 3);
  Noted disk(machine.timeline);
  Command command{{}, machine, disk, 1};
  std::vector<Picoseconds> ends;
  machine.cpu.start(submit(command, ends), nullptr, 1_us);
  machine.timeline.run();
  CHECK(disk.at == 1_us + 8_ns + 10_ns + 16_ns + 5_ns);
  CHECK(command.wait.root->since == 1_us + 8_ns);  // from here on it waits for the disk
}

TEST_CASE("an interrupt comes behind its completion, is acknowledged, and its completion is read") {
  Machine machine;
  Noted disk(machine.timeline);
  Command command{{}, machine, disk, 1};
  std::vector<Picoseconds> ends;
  machine.cpu.start(submit(command, ends), nullptr, 0_ps);
  machine.timeline.run();
  const double registers = machine.metric("bus.registers.bytes");
  const double descriptors = machine.metric("bus.descriptors.bytes");
  machine.cpu.interrupt(command.wait, InterruptLine::disk, 10_us);
  machine.timeline.run();
  CHECK(ends == std::vector<Picoseconds>{10_us + 12_ns + (10_ns + 20_ns) + 4_ns});
  CHECK(machine.metric("bus.registers.bytes") - registers == 8);  // who it is, and that it was served
  CHECK(machine.metric("bus.descriptors.bytes") - descriptors == 16);
  CHECK(machine.metric("cpu.registers.time") == Approx(30e-6));
}

TEST_CASE("rings in the DRAM are read and written there, by CPU and engines, as an account of their own") {
  Machine machine(MemoryPlace::dram);
  Noted disk(machine.timeline);
  Command command{{}, machine, disk, 1};
  std::vector<Picoseconds> ends;
  machine.cpu.start(submit(command, ends), nullptr, 0_ps);
  machine.timeline.run();
  CHECK(disk.at == 100_ns + 10_ns + 100_ns + 5_ns);
  machine.cpu.interrupt(command.wait, InterruptLine::disk, 10_us);
  machine.timeline.run();
  CHECK(ends == std::vector<Picoseconds>{10_us + 100_ns + (10_ns + 20_ns) + 100_ns});
  REQUIRE(machine.dram.transfers.size() == 4);
  const std::array engines{BusInitiator::cpu, BusInitiator::disk, BusInitiator::disk, BusInitiator::cpu};
  const std::array accesses{Access::write, Access::read, Access::write, Access::read};
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(machine.dram.transfers[i].engine == engines[i]);
    CHECK(machine.dram.transfers[i].access == accesses[i]);
    CHECK(machine.dram.transfers[i].bytes == (i < 2 ? 32_B : 16_B));
    CHECK(machine.dram.transfers[i].account == BusAccount::descriptors);
  }
  CHECK(machine.metric("tcm.reserved.total") == 0);
}

TEST_CASE("what is known beforehand of a quiet bus is what the bus would say") {
  RandomStream random(3, "control path");
  for (int trial = 0; trial < 200; ++trial) {
    Machine machine;
    Interconnect twin({}, 2);
    // An extent of the disk that may be over, under way, or have all of the bus; both buses have it.
    const DmaTransfer extent{
        BusInitiator::disk, {}, Bytes(8 * (1 + random.below(500))), Access::write, Picoseconds(random.below(2) * 900'000)};
    machine.bus.transfer(extent, 0_ps);
    twin.transfer(extent, 0_ps);
    const Picoseconds begin(random.below(1'500'000));
    const std::uint64_t descriptors = 1 + random.below(3);
    Noted disk(machine.timeline);
    Command command{{}, machine, disk, descriptors};
    std::vector<Picoseconds> ends;
    machine.cpu.start(submit(command, ends), nullptr, begin);
    machine.timeline.run();
    const Picoseconds rung = twin.exchange(BusExchange::register_access, 1, begin + 8_ns * descriptors);
    CHECK(disk.at == twin.exchange(BusExchange::command, descriptors, rung) + 5_ns);
  }
}

TEST_CASE("a doorbell waits for the burst under way") {
  // All of the bus from 0 on, in bursts of 16 beats of 2 ns: one ends at 32, 64, 96 ns.
  Interconnect bus({}, 0);
  bus.transfer({BusInitiator::disk, {}, 4_KiB, Access::write}, 0_ps);
  CHECK(bus.exchange(BusExchange::register_access, 1, 33_ns) == 64_ns + 10_ns);
  MetricSet metrics;
  bus.report(metrics, 10_us);
  CHECK(*metrics.find("bus.registers.waiting")->value == Approx(31e-6));
  CHECK(*metrics.find("bus.registers.utilisation")->value == Approx(2.0 / 10'000));
  CHECK(*metrics.find("bus.utilisation")->value == Approx((1024.0 + 2.0) / 10'000));
}

TEST_CASE("a bus that is left out takes no time and counts the bytes") {
  BusConfig config;
  config.clock = Hertz(0);
  Interconnect bus(config, 0);
  CHECK(bus.transfer({BusInitiator::disk, {}, 4_KiB, Access::write, 3_us, 1_us}, 5_us).end == 7_us);  // its device's pace stays
  CHECK(bus.transfer({BusInitiator::disk, {}, 4_KiB, Access::write, 1_us, 1_us}, 5_us).end == 5_us);
  CHECK(bus.exchange(BusExchange::command, 2, 5_us) == 5_us);
  MetricSet metrics;
  bus.report(metrics, 10_us);
  CHECK(*metrics.find("bus.disk.bytes")->value == 8192);
  CHECK(*metrics.find("bus.descriptors.bytes")->value == 64);
  CHECK(*metrics.find("bus.utilisation")->value == 0);
}

TEST_CASE("registers that the CPU's port carries are read and written there, in their order, and nowhere else") {
  Machine machine(MemoryPlace::tcm, 1, true);
  Noted disk(machine.timeline);
  Command command{{}, machine, disk, 1};
  std::vector<Picoseconds> ends;
  machine.cpu.start(submit(command, ends), nullptr, 0_ps);
  machine.timeline.run();
  CHECK(disk.at == 8_ns + 30_ns + 16_ns + 5_ns);  // in the TCM, the doorbell, the engine's read, its delay
  machine.cpu.interrupt(command.wait, InterruptLine::disk, 10_us);
  machine.timeline.run();
  CHECK(ends == std::vector<Picoseconds>{10_us + 12_ns + (30_ns + 20_ns) + 4_ns});
  using enum DeviceRegister;
  CHECK(machine.port.registers == std::vector<std::pair<DeviceRegister, Access>>{{disk_doorbell, Access::write},
                                                                                 {interrupt_acknowledge, Access::read},
                                                                                 {end_of_interrupt, Access::write}});
  CHECK(machine.metric("bus.registers.bytes") == 0);
}
