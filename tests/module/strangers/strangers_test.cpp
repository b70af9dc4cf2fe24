// Parts that were written as somebody else would, in the drive, with a protocol checker on every socket and every byte compared.
#include <sysc/kernel/sc_dynamic_processes.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <sstream>
#include <systemc>

#include "base/vcd_writer.hpp"
#include "base/waveform.hpp"
#include "module/strangers/strange_cpu.hpp"
#include "module/strangers/strange_dram.hpp"
#include "module/strangers/strange_hosts.hpp"
#include "module/strangers/strange_interposer.hpp"
#include "module/strangers/strange_link.hpp"
#include "module/strangers/strange_nand.hpp"
#include "platforms/drive/drive_module.hpp"
#include "support/sc_trace_reader.hpp"
#include "support/vcd_reader.hpp"

using namespace tessera;
using namespace tessera::literals;

namespace {

DriveConfig config_of(const std::string& drive, const std::string& layer) {
  return load_drive(std::filesystem::path(TESSERA_DRIVES) / (drive + ".toml"), {}, layer);
}

FlashShape shape_of(const NandConfig& nand) {
  return {.blocks = nand.blocks,
          .pages_per_block = nand.pages_per_block,
          .oob_bytes = static_cast<std::uint32_t>(nand.oob_size.value()),
          .page_bytes = static_cast<std::uint32_t>(nand.page_size.value())};
}

/// A drive of these parts, booted when the simulation begins.
struct Bench {
  Bench(const DriveConfig& description, DriveParts parts, ContentMode content = ContentMode::bytes, const char* name = "drive")
      : config(description) {
    parts.check_protocol = true;
    drive = std::make_unique<DriveModule>(name, config, plan_drive(config), content, 1, std::move(parts));
  }
  void power_on() {
    drive->power_on(false, [this](Status status) { booted = status; });
  }
  void run(double seconds = 1000) {
    power_on();
    sc_core::sc_start(sc_core::sc_time(seconds, sc_core::SC_SEC));
    drive->timeline_module().rethrow_failure();
    CHECK(booted == Status::ok);
  }
  const DriveConfig& config;
  std::unique_ptr<DriveModule> drive;
  Status booted = Status::aborted;
};

/// Writes of all sizes, whole and part sectors, some over each other; then all of it is read back.
void write_and_read_back(strangers::BlockingHost& host) {
  for (unsigned i = 0; i < 40; ++i) CHECK(host.write(std::uint64_t{i} * 1237 * 4096, 4096 * (1 + i % 5), i) == tlm::TLM_OK_RESPONSE);
  for (unsigned i = 0; i < 40; i += 3) CHECK(host.write(std::uint64_t{i} * 1237 * 4096 + 1024, 512, 100 + i) == tlm::TLM_OK_RESPONSE);
  for (unsigned i = 0; i < 40; ++i) {
    const std::uint64_t at = std::uint64_t{i} * 1237 * 4096;
    CHECK(host.holds(at, 1024, i));
    CHECK(host.holds(at + 1024, 512, i % 3 == 0 ? 100 + i : i));
    CHECK(host.holds(at + 1536, 4096 * (1 + i % 5) - 1536, i));
  }
}

}  // namespace

TEST_CASE("a host that blocks mounts the drive by byte offset") {
  const DriveConfig config = config_of("bare", "cmr");
  Bench bench(config, {});
  strangers::BlockingHost host("host");
  host.socket.bind(bench.drive->block_socket());
  host.program = write_and_read_back;
  bench.run();
  CHECK(host.finished);
}

TEST_CASE("a host with crossing delays, a queue of its own and END_RESP gets every byte") {
  const DriveConfig config = config_of("bare", "cmr");
  Bench bench(config, {});
  strangers::QueueingHost host("host");
  host.socket.bind(bench.drive->block_socket());
  for (unsigned i = 0; i < 60; ++i) {
    strangers::QueueingHost::Transfer transfer{
        tlm::TLM_WRITE_COMMAND, std::uint64_t{i} * 777 * 512, 512 * (1 + i % 9), (i * 7 % 5) * 3.0, {}};
    for (unsigned j = 0; j < transfer.length; ++j) transfer.data.push_back(strangers::pattern(transfer.address + j, i));
    host.transfers.push_back(transfer);
  }
  for (unsigned i = 0; i < 60; ++i)
    host.transfers.push_back(
        {tlm::TLM_READ_COMMAND, std::uint64_t{i} * 777 * 512, 512 * (1 + i % 9), 400'000.0, std::vector<unsigned char>(512 * (1 + i % 9))});
  bench.run();
  REQUIRE(host.finished == 120);
  for (unsigned i = 0; i < 120; ++i) {
    const auto& transfer = host.transfers[i];
    CHECK(transfer.response == tlm::TLM_OK_RESPONSE);
    for (unsigned j = 0; j < transfer.length && i >= 60; ++j)
      if (transfer.data[j] != strangers::pattern(transfer.address + j, i - 60)) FAIL("byte " << j << " of read " << i - 60 << " is wrong");
  }
}

TEST_CASE("a NAND with a queue and a process of its own serves a flash cache") {
  const DriveConfig config = config_of("bare", "mu-rmw");
  strangers::Nand flash("flash", shape_of(config.nand));
  DriveParts parts;
  parts.flash.emplace(FlashPart{flash.socket, flash});
  Bench bench(config, std::move(parts));
  strangers::BlockingHost host("host");
  host.socket.bind(bench.drive->block_socket());
  host.program = write_and_read_back;
  bench.run();
  CHECK(host.finished);
  CHECK(flash.programs > 0);
  CHECK(flash.reads > 0);
}

TEST_CASE("a DRAM behind an interconnect, both of which wait, holds the tables of the drive") {
  const DriveConfig config = config_of("bare", "imr-rmw");
  strangers::Interconnect interconnect("interconnect");
  strangers::Dram memory("memory", config.dram.capacity.value());
  interconnect.to.bind(memory.socket);
  DriveParts parts;
  parts.dram.emplace(DramPart{interconnect.from, memory.bytes, true, &memory});
  Bench bench(config, std::move(parts));
  strangers::BlockingHost host("host");
  host.socket.bind(bench.drive->block_socket());
  host.program = write_and_read_back;
  bench.run();
  CHECK(host.finished);
  CHECK(memory.accesses > 0);
  CHECK(std::ranges::any_of(memory.bytes, [](std::byte value) { return value != std::byte{0}; }));
}

TEST_CASE("hosts whose processes are spawned while the simulation runs are served as others are") {
  const DriveConfig config = config_of("bare", "mu-rmw");
  Bench bench(config, {});
  strangers::BlockingHost host("host", false);
  host.socket.bind(bench.drive->block_socket());
  unsigned spawned = 0;
  // Each sequence ends by spawning the next, as those of UVM-SystemC do.
  std::function<void()> sequence = [&] {
    write_and_read_back(host);
    if (++spawned == 3) return sc_core::sc_stop();
    sc_core::sc_spawn([&] { sequence(); });
  };
  bench.drive->power_on(false, [&](Status status) {
    bench.booted = status;
    sc_core::sc_spawn([&] { sequence(); });
  });
  sc_core::sc_start(sc_core::sc_time(1000, sc_core::SC_SEC));
  bench.drive->timeline_module().rethrow_failure();
  CHECK(bench.booted == Status::ok);
  CHECK(spawned == 3);
}

TEST_CASE("a probe that delays every step by a millisecond in front of the media is neither swallowed nor an error") {
  const DriveConfig config = config_of("bare", "cmr");
  const FormatPlan plan = plan_drive(config);
  TimelineModule calendar("calendar", config.quantum);
  MediaModule media("media", calendar, config.media, plan, ContentMode::bytes, 1);
  strangers::Interposer interposer("interposer", to_sc_time(1_ms));
  interposer.to.bind(media.socket);
  struct Tracks final : TrackCapacity {
    const MediaDevice& device;
    explicit Tracks(const MediaDevice& of) : device(of) {}
    std::uint32_t sectors_on(PhysicalTrack track) const override { return device.sectors_on(track); }
  } const tracks(media.device());
  DriveParts parts;
  parts.media.emplace(MediaPart{interposer.from, media.device().positioning(), tracks, media.addressing(), &media, &media});
  Bench bench(config, std::move(parts));
  strangers::BlockingHost host("host");
  host.socket.bind(bench.drive->block_socket());
  sc_core::sc_time least(1, sc_core::SC_SEC);
  host.program = [&](strangers::BlockingHost& self) {
    write_and_read_back(self);
    for (unsigned i = 0; i < 40; ++i) {
      const sc_core::sc_time begin = sc_core::sc_time_stamp();
      CHECK(self.holds(std::uint64_t{i * 17 % 40} * 1237 * 4096, 512, i * 17 % 40));
      least = std::min(least, sc_core::sc_time_stamp() - begin);
    }
  };
  bench.run();
  calendar.rethrow_failure();
  CHECK(host.finished);
  CHECK(from_sc_time(least) > 1_ms);
  MetricSet metrics;
  bench.drive->report(metrics, 1_s);
  // Time that the steps took and the head did not is the queue's: the parts of each chain sum to its time, or the run would have ended.
  CHECK(metrics.find("media.commands")->value > 100);
}

TEST_CASE("a processor beside the controller reads tables and sectors over the bus while the drive serves a host") {
  const DriveConfig config = config_of("bare", "imr-rmw");
  Bench bench(config, {});
  strangers::BlockingHost host("host");
  strangers::BlockingHost processor("processor");
  host.socket.bind(bench.drive->block_socket());
  processor.socket.bind(bench.drive->processor_socket());
  unsigned seen = 0;
  host.program = [&](strangers::BlockingHost& self) {
    write_and_read_back(self);
    CHECK(self.holds(0, 1024, 0));
  };
  processor.program = [&](strangers::BlockingHost& self) {
    std::vector<unsigned char> sector(4096), word(64);
    for (unsigned i = 0; i < 50; ++i) {
      sc_core::wait(5, sc_core::SC_MS);
      CHECK(self.transport(tlm::TLM_READ_COMMAND, address_map::dram + i * 64, word.data(), 64) == tlm::TLM_OK_RESPONSE);
      // It comes between the firmware's own steps: the media takes one step at a time and keeps the END_REQ of the next.
      CHECK(self.transport(tlm::TLM_READ_COMMAND, address_map::disk_channel + std::uint64_t{i} * 4096, sector.data(), 4096) ==
            tlm::TLM_OK_RESPONSE);
      ++seen;
    }
    CHECK(self.transport(tlm::TLM_READ_COMMAND, std::uint64_t{9} << 56, word.data(), 64) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    sc_core::wait(10'000, sc_core::SC_SEC);
  };
  bench.run();
  CHECK(host.finished);
  CHECK(seen == 50);
}

namespace {

/// Two drives in one simulation, one of them with a part of somebody else's between CPU and bus: by how much longer its host takes.
Picoseconds longer_with(strangers::CpuPort& port, const DriveConfig& config, bool waits = false) {
  DriveParts parts;
  parts.cpu.emplace(CpuPart{port.from, port.to, waits});
  Bench watched(config, std::move(parts), ContentMode::bytes, "watched");
  Bench plain(config, {}, ContentMode::bytes, "plain");
  strangers::BlockingHost host("host"), other("other");
  host.socket.bind(watched.drive->block_socket());
  other.socket.bind(plain.drive->block_socket());
  host.program = other.program = write_and_read_back;
  host.stops = other.stops = false;
  plain.power_on();
  watched.run();
  plain.drive->timeline_module().rethrow_failure();
  REQUIRE(host.finished);
  REQUIRE(other.finished);
  MetricSet metrics;
  watched.drive->report(metrics, 1_s);
  CHECK(port.registers == *metrics.find("bus.registers.bytes")->value / 4);
  return from_sc_time(host.finished_at) - std::min(from_sc_time(host.finished_at), from_sc_time(other.finished_at));
}

DriveConfig with_cache(DriveConfig config) {
  config.controller.data_cache.size = 4_KiB;
  config.controller.code_cache.size = 1_KiB;
  return config;
}

}  // namespace

TEST_CASE("a part between CPU and bus that adds nothing sees every access and register, and changes no time") {
  const DriveConfig config = config_of("bare", "imr-rmw");
  strangers::CpuPort port("port");
  CHECK(longer_with(port, config) == 0_ps);
  CHECK(port.memory_accesses > 50);
  CHECK(port.registers > 100);
}

TEST_CASE("line fills of the CPU's caches cross the part between CPU and bus, and hits do not") {
  strangers::CpuPort port("port");
  CHECK(longer_with(port, with_cache(config_of("bare", "imr-rmw"))) == 0_ps);
  CHECK(port.memory_accesses > 0);
}

TEST_CASE("what a part between CPU and bus adds to each access, the firmware waits for") {
  strangers::CpuPort port("port");
  port.annotated = sc_core::sc_time(1, sc_core::SC_MS);
  CHECK(longer_with(port, config_of("bare", "imr-rmw")) > 50_ms);
}

TEST_CASE("a part between CPU and bus that waits is waited for") {
  strangers::CpuPort port("port");
  port.waited = sc_core::sc_time(1, sc_core::SC_MS);
  CHECK(longer_with(port, config_of("bare", "imr-rmw"), true) > 50_ms);
}

TEST_CASE("a CPU stub with a process of its own takes the controller's place and serves a host, byte by byte") {
  const DriveConfig config = config_of("bare", "cmr");
  constexpr std::uint64_t used = 256;
  const MediaDevice platters(config.media, plan_drive(config), ContentMode::none, 1);
  strangers::CpuStub cpu("cpu", used, std::bit_ceil(platters.geometry().most_sectors()));
  DriveParts parts;
  parts.controller.emplace(ControllerPart{cpu.mailbox, cpu.bus, [] { return Bytes(1_GiB); }});
  Bench bench(config, std::move(parts));
  strangers::BlockingHost host("host");
  host.socket.bind(bench.drive->block_socket());
  host.program = write_and_read_back;
  bench.run();
  CHECK(host.finished);
  CHECK_FALSE(bench.drive->has_own_controller());
  CHECK(cpu.writes > 120);
  MetricSet metrics;
  bench.drive->report(metrics, 1_s);
  CHECK(*metrics.find("media.commands")->value == cpu.reads + cpu.writes);
}

TEST_CASE("a host interface of somebody else's brings commands to the mailbox and every byte back") {
  const DriveConfig config = config_of("bare", "imr-rmw");
  strangers::Link link("link");
  DriveParts parts;
  parts.host_interface.emplace(HostInterfacePart{link.host, link.bus});
  Bench bench(config, std::move(parts));
  strangers::BlockingHost host("host");
  host.socket.bind(bench.drive->block_socket());
  host.program = write_and_read_back;
  bench.run();
  CHECK(host.finished);
  CHECK(link.commands == 40 + 14 + 120);
}

TEST_CASE("signals that a part of somebody else's declares are recorded and traced beside the drive's, under its SystemC name") {
  const DriveConfig config = config_of("bare", "mu-rmw");
  strangers::Nand flash("strange_flash", shape_of(config.nand));
  DriveParts parts;
  parts.flash.emplace(FlashPart{flash.socket, flash, nullptr, nullptr, &flash.signals});
  Bench bench(config, std::move(parts));
  strangers::BlockingHost host("host");
  host.socket.bind(bench.drive->block_socket());
  host.program = [](strangers::BlockingHost& self) {
    for (unsigned i = 0; i < 5; ++i) CHECK(self.write(std::uint64_t{i} * 40960, 4096, i) == tlm::TLM_OK_RESPONSE);
    sc_core::wait(1, sc_core::SC_MS);
  };

  std::ostringstream out;
  VcdWriter writer(out);
  Waveform recorder({&writer}, {WaveWindow{}});
  for (const DriveModule::SignalRoot& root : bench.drive->signal_roots())
    root.signals.each(root.name, [&](const std::string& path, SignalScope& scope, std::uint32_t index, const SignalInfo& info) {
      scope.watch(index, recorder, recorder.record(path, info).index);
    });
  const std::string base = (std::filesystem::temp_directory_path() / ("tessera_strange_" + std::to_string(::getpid()))).string();
  sc_core::sc_trace_file* const trace = sc_core::sc_create_vcd_trace_file(base.c_str());
  trace->set_time_unit(1, sc_core::SC_PS);
  bench.drive->trace(trace);
  bench.run();
  sc_core::sc_close_vcd_trace_file(trace);
  recorder.finish(from_sc_time(sc_core::sc_time_stamp()));
  for (const DriveModule::SignalRoot& root : bench.drive->signal_roots()) root.signals.unwatch(recorder);

  const test::Vcd vcd = test::read_vcd(out.str());
  CHECK(vcd.signals.contains("drive.controller.disk_channel.queue"));
  const unsigned operations = flash.reads + flash.programs + flash.erases;
  CHECK(operations >= 5);
  CHECK(vcd.signals.at("strange_flash.busy").size() == 1 + 2 * operations);  // the dump, then up and down
  CHECK(vcd.signals.contains("strange_flash.array.page"));
  const auto traced = test::read_sc_trace(base + ".vcd");
  std::filesystem::remove(base + ".vcd");
  CHECK(traced.at("busy").size() == 1 + 2 * operations);
}
