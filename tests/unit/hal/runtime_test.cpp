// A whole firmware on the registers: from its boot data to a host's command served, interrupt by interrupt.
#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "fake_machine.hpp"
#include "firmware/hal/boot_writer.hpp"
#include "firmware/hal/cpu.hpp"
#include "firmware/hal/runtime.hpp"
#include "firmware/layers/layer_factories.hpp"

using namespace tessera;
using namespace tessera::hal;
using test::FakeMachine;

namespace {

/// A drive of 8 tracks of 16 sectors, with cmr and without caches.
struct Bench {
  DriveGeometry geometry{.sector_bytes = 4096, .surfaces = 1, .zones = {{0, 8, 16, 0}}};
  std::unique_ptr<LayerFactory> factory = make_cmr_factory();
  std::vector<std::byte> boot_data;
  FakeMachine machine;
  Cpu cpu{machine};
  std::optional<Runtime> runtime;

  Bench() {
    FirmwareConfig config;
    config.write_cache.capacity = Bytes(0);
    config.read_cache.segments = 0;
    std::string problem;
    boot_data = make_boot_data(geometry, factory->plan(geometry, problem), std::nullopt, 4, *factory, config);
    machine.values[Register::ident_magic] = magic;
    machine.values[Register::ident_version] = map_version;
    machine.values[Register::ident_boot_data] = number_of(boot_data.data());
    machine.values[Register::disk_track_sectors] = 16;
  }
  void start() { runtime.emplace(machine, cpu, *factory, &make_flash); }
  void interrupt(std::uint64_t lines) {
    machine.raise(lines);
    runtime->round();
  }
  void ask(Request request, std::uint64_t argument) {
    machine.values[Register::ident_request] = static_cast<std::uint64_t>(request);
    machine.values[Register::ident_argument] = argument;
    interrupt(interrupt_lines::request);
  }
};

}  // namespace

TEST_CASE("the firmware says what it offers before it takes interrupts, boots on request, and serves a read by a chain of its own") {
  Bench bench;
  bench.start();
  // 8 tracks of 16 sectors.
  CHECK(bench.machine.written(Register::ident_capacity) == std::vector<std::uint64_t>{128});
  CHECK(bench.machine.writes.back() == FakeMachine::Write{Register::interrupts_enable, 31});
  bench.ask(Request::boot, 0);
  CHECK(bench.machine.written(Register::ident_answer) == std::vector<std::uint64_t>{0});
  CHECK(bench.machine.written(Register::interrupts_clear) == std::vector<std::uint64_t>{interrupt_lines::request});

  // Blocks 8 to 39 are sectors 1 to 4 of track 0.
  bench.machine.tell({.kind = HostEntry::command, .tag = 3, .op = 0, .first_block = 8, .blocks = 32, .data = {0x8400'0000, 4}});
  bench.interrupt(interrupt_lines::host);
  REQUIRE(bench.machine.written(Register::disk_submit).size() == 1);
  const auto& chain = bench.machine.submitted<MediaChainEntry>(Register::disk_submit, 0);
  CHECK(chain.steps == 1);
  CHECK(chain.tag == 3);
  const auto& step = *by_number<const MediaStepEntry>(number_of(&chain) + sizeof(MediaChainEntry));
  CHECK(step.op == static_cast<std::uint32_t>(MediaOp::read));
  CHECK(step.radius == 0);
  CHECK(step.first == 1);
  CHECK(step.count == 4);
  CHECK(step.data == 0x8400'0000);
  CHECK(bench.machine.written(Register::host_complete).empty());

  bench.machine.complete_chain({.cookie = chain.cookie, .steps_done = 1});
  bench.interrupt(interrupt_lines::disk);
  CHECK(bench.machine.written(Register::host_complete) == std::vector<std::uint64_t>{3});
}

TEST_CASE("the firmware looks only where a line says that there is something, and tells of its idleness when that changes") {
  Bench bench;
  bench.start();
  bench.ask(Request::boot, 0);
  CHECK(bench.machine.written(Register::ident_idle) == std::vector<std::uint64_t>{1});
  bench.machine.tell({.kind = HostEntry::command, .tag = 0, .op = 0, .first_block = 0, .blocks = 8, .data = {0x8400'0000, 1}});
  bench.interrupt(interrupt_lines::timer | interrupt_lines::disk);
  CHECK(bench.machine.written(Register::disk_submit).empty());
  bench.interrupt(interrupt_lines::host);
  CHECK(bench.machine.written(Register::disk_submit).size() == 1);
  CHECK(bench.machine.written(Register::ident_idle) == std::vector<std::uint64_t>{1, 0});  // its sectors are locked
  bench.machine.complete_chain({.cookie = bench.machine.submitted<MediaChainEntry>(Register::disk_submit, 0).cookie, .steps_done = 1});
  bench.interrupt(interrupt_lines::disk);
  CHECK(bench.machine.written(Register::ident_idle) == std::vector<std::uint64_t>{1, 0, 1});
  const std::size_t before = bench.machine.writes.size();
  bench.interrupt(0);
  CHECK(bench.machine.writes.size() == before);
}

TEST_CASE("registers of another machine or of another version of the map are refused before anything is written") {
  Bench bench;
  const Register which = GENERATE(Register::ident_magic, Register::ident_version);
  ++bench.machine.values[which];
  CHECK_THROWS_AS(bench.start(), ModelBug);
  CHECK(bench.machine.writes.empty());
}
