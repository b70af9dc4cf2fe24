// Direct memory access at the processor's port and at the bus: who gets it, for how long, and that it changes no result.
#include <catch2/catch.hpp>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <functional>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <systemc>
#include <vector>

#include "bus/width_adapter_module.hpp"
#include "module/processor/strange_processor.hpp"
#include "module/strangers/strange_hosts.hpp"
#include "platforms/drive/drive_module.hpp"

using namespace tessera;
using namespace tessera::literals;
using strangers::Processor;

namespace {

constexpr std::uint64_t dram = 0x8000'0000;

/// A drive, a stranger's processor in it that takes pointers where it gets them, and a host in front of it.
struct Bench {
  explicit Bench(const std::string& name, bool uses_pointers = true, DriveParts parts = {}, const std::vector<std::string>& set = {})
      : config(load_drive(std::filesystem::path(TESSERA_DRIVES) / "bare.toml", settings(set), "cmr")),
        processor((name + "_processor").c_str()),
        host((name + "_host").c_str()),
        interrupt((name + "_interrupt").c_str()),
        reset((name + "_reset").c_str()) {
    processor.uses_pointers = uses_pointers;
    parts.processor = ProcessorPart{Bytes(Processor::memory)};
    drive = std::make_unique<DriveModule>(name.c_str(), config, plan_drive(config), ContentMode::bytes, 1, std::move(parts));
    ProcessorPortModule& port = drive->processor_port();
    processor.socket.bind(port.socket);
    port.interrupt.bind(interrupt);
    port.reset.bind(reset);
    processor.interrupt.bind(interrupt);
    processor.reset.bind(reset);
    host.socket.bind(drive->block_socket());
    host.program = [](strangers::BlockingHost&) { sc_core::wait(1, sc_core::SC_SEC); };
  }
  static std::vector<std::string> settings(std::vector<std::string> set) {
    set.insert(set.begin(), "media.tracks=2048");
    return set;
  }
  void power_on(bool again = false) {
    drive->power_on(again, [](Status status) { CHECK(status == Status::ok); });
  }
  void run() {
    power_on();
    sc_core::sc_start(sc_core::sc_time(1000, sc_core::SC_SEC));
    drive->timeline_module().rethrow_failure();
  }
  /// The answer to a question for a pointer at this address.
  bool ask(std::uint64_t address, tlm::tlm_dmi& dmi) {
    tlm::tlm_generic_payload payload;
    payload.set_command(tlm::TLM_READ_COMMAND);
    payload.set_address(address);
    return processor.socket->get_direct_mem_ptr(payload, dmi);
  }

  DriveConfig config;
  Processor processor;
  strangers::BlockingHost host;
  sc_core::sc_signal<bool> interrupt, reset;
  std::unique_ptr<DriveModule> drive;
};

std::uint64_t place_of(unsigned i) { return (std::uint64_t{i} * 5 * 509 + 500) * 4096; }
unsigned length_of(unsigned i) { return 4096 * (1 + i % 24); }

/// What the host sees of a drive: each answer, and the bytes of each read.
std::vector<int> served(strangers::BlockingHost& host) {
  std::vector<int> answers;
  sc_core::wait(1, sc_core::SC_MS);
  for (unsigned i = 0; i < 40; ++i) answers.push_back(host.write(place_of(i), length_of(i), i));
  for (unsigned i = 0; i < 40; ++i) answers.push_back(host.holds(place_of(i), length_of(i), i) ? 1 : 0);
  answers.push_back(host.write(place_of(1), 512, 0));  // that its software refuses
  return answers;
}

}  // namespace

TEST_CASE("a stranger's processor gives the same results by pointers into the DRAM and by transactions") {
  Bench pointers("pointers"), transactions("transactions", false);
  std::vector<int> by_pointers, by_transactions;
  pointers.host.program = [&](strangers::BlockingHost& host) { by_pointers = served(host); };
  transactions.host.program = [&](strangers::BlockingHost& host) { by_transactions = served(host); };
  pointers.host.stops = false;
  transactions.power_on();
  pointers.run();
  transactions.drive->timeline_module().rethrow_failure();
  REQUIRE(by_pointers.size() == 81);
  CHECK(by_pointers == by_transactions);
  CHECK(std::count(by_pointers.begin() + 40, by_pointers.begin() + 80, 1) == 40);
  CHECK(pointers.processor.pointers_taken == 1);
  CHECK(transactions.processor.pointers_taken == 0);
}

TEST_CASE("a pointer into the DRAM ends with the power, and the next boot gets one again") {
  Bench bench("drive");
  struct Cut final : TimelineListener {
    Bench& bench;
    explicit Cut(Bench& of) : bench(of) {}
    void on_time(std::uint64_t again) override { again != 0 ? bench.power_on(true) : static_cast<void>(bench.drive->power_off()); }
  } cut(bench);
  bench.host.program = [&](strangers::BlockingHost& host) {
    sc_core::wait(1, sc_core::SC_MS);
    CHECK(host.write(0, 65'536, 7) == tlm::TLM_OK_RESPONSE);
    CHECK(bench.processor.pointers_taken == 1);
    const Picoseconds now = from_sc_time(sc_core::sc_time_stamp());
    bench.drive->timeline_module().post(now + 1_us, cut, 0);
    bench.drive->timeline_module().post(now + 1_s, cut, 1);
    sc_core::wait(1, sc_core::SC_MS);
    CHECK(bench.processor.pointers_lost == 1);
    tlm::tlm_dmi dmi;
    CHECK_FALSE(bench.ask(dram, dmi));  // without power
    CHECK(dmi.get_start_address() == dram);
    sc_core::wait(2, sc_core::SC_SEC);
    CHECK(host.holds(0, 65'536, 7));
    CHECK(bench.processor.pointers_taken == 2);
  };
  bench.run();
  CHECK(bench.host.finished);
}

TEST_CASE("the port gives the DRAM with its latency over the bus, refuses registers, and tells the range of each") {
  Bench bench("drive");
  const std::uint64_t end = dram + bench.config.dram.capacity.value();
  bench.processor.before_ready = [&](Processor& self) {
    tlm::tlm_dmi dmi;
    REQUIRE(bench.ask(dram + 4096, dmi));
    CHECK(dmi.get_start_address() == dram);
    CHECK(dmi.get_end_address() == end - 1);
    CHECK(dmi.is_read_write_allowed());
    const Picoseconds crossing = bench.config.bus_for_timing().crossing * period(bench.config.bus_for_timing().clock);
    CHECK(from_sc_time(dmi.get_read_latency()) == bench.config.dram.column_latency + crossing);
    CHECK(from_sc_time(dmi.get_write_latency()) == bench.config.dram.writes_after() + crossing);
    std::uint64_t word = 0x0123'4567'89ab'cdef, seen = 0;
    CHECK(self.transport(tlm::TLM_WRITE_COMMAND, dram + 512, &word, 8) == tlm::TLM_OK_RESPONSE);
    std::memcpy(&seen, dmi.get_dmi_ptr() + 512, 8);
    CHECK(seen == word);

    CHECK_FALSE(bench.ask(0x4000'0000, dmi));
    CHECK(dmi.get_start_address() == 0);
    CHECK(dmi.get_end_address() == dram - 1);
    CHECK(dmi.is_read_write_allowed());  // both are what is refused
    CHECK_FALSE(bench.ask(end, dmi));
    CHECK(dmi.get_start_address() == end);
    CHECK(dmi.get_end_address() == ~sc_dt::uint64{0});

    tlm::tlm_generic_payload payload;
    payload.set_command(tlm::TLM_READ_COMMAND);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&word));
    payload.set_data_length(8);
    payload.set_streaming_width(8);
    const auto hints = [&](std::uint64_t address) {
      payload.set_address(address);
      payload.set_dmi_allowed(false);
      payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
      sc_core::sc_time delay;
      self.socket->b_transport(payload, delay);
      return payload.is_dmi_allowed();
    };
    CHECK(hints(dram));
    CHECK_FALSE(hints(0x4000'0000));
  };
  bench.run();
}

TEST_CASE("whoever checks or records accesses, and a DRAM that can fail, keep pointers away") {
  std::ostringstream file;
  FtrWriter recorded(file);
  const auto parts_of = [&](bool check, bool record) {
    DriveParts parts;
    parts.check_protocol = check;
    if (record) parts.transactions = &recorded;
    return parts;
  };
  Bench checked("checked", true, parts_of(true, false)), recording("recording", true, parts_of(false, true)),
      failing("failing", true, {}, {"dram.bit_error_rate=1"});
  for (Bench* bench : {&recording, &failing}) {
    bench->host.stops = false;
    bench->power_on();
  }
  checked.host.program = [](strangers::BlockingHost& host) {
    sc_core::wait(1, sc_core::SC_MS);
    CHECK(host.write(0, 4096, 1) == tlm::TLM_OK_RESPONSE);
  };
  checked.run();
  tlm::tlm_dmi dmi;
  for (Bench* bench : {&checked, &recording, &failing}) {
    INFO(bench->drive->name());
    bench->drive->timeline_module().rethrow_failure();
    CHECK(bench->processor.pointers_taken == 0);
    CHECK_FALSE(bench->ask(dram, dmi));
  }
}

TEST_CASE("a processor on the bus gets the DRAM's pointer and hints, and loses it with the power") {
  const DriveConfig config = load_drive(std::filesystem::path(TESSERA_DRIVES) / "bare.toml", {"media.tracks=2048"}, "cmr");
  DriveModule drive("drive", config, plan_drive(config), ContentMode::bytes, 1);
  strangers::BlockingHost processor("processor"), host("host");
  processor.socket.bind(drive.processor_socket());
  host.socket.bind(drive.block_socket());
  host.stops = false;
  host.program = [](strangers::BlockingHost&) {};
  processor.program = [&](strangers::BlockingHost& self) {
    std::uint64_t word = 0;
    tlm::tlm_generic_payload payload;
    payload.set_command(tlm::TLM_READ_COMMAND);
    payload.set_address(64);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&word));
    payload.set_data_length(8);
    payload.set_streaming_width(8);
    sc_core::sc_time delay;
    self.socket->b_transport(payload, delay);
    CHECK(payload.is_dmi_allowed());
    tlm::tlm_dmi dmi;
    REQUIRE(self.socket->get_direct_mem_ptr(payload, dmi));
    CHECK(from_sc_time(dmi.get_read_latency()) > config.dram.column_latency);
    payload.set_address(std::uint64_t{1} << address_map::window_bits);
    CHECK_FALSE(self.socket->get_direct_mem_ptr(payload, dmi));
    CHECK(dmi.get_start_address() == std::uint64_t{1} << address_map::window_bits);
    drive.timeline_module().catch_up();
    drive.power_off();
    CHECK(self.pointers_lost == 1);
  };
  drive.power_on(false, [](Status) {});
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_SEC));
  drive.timeline_module().rethrow_failure();
  CHECK(processor.finished);
}

TEST_CASE("a processor whose socket has 64 bits reaches bus and drive through an adapter, by every call") {
  const DriveConfig config = load_drive(std::filesystem::path(TESSERA_DRIVES) / "bare.toml", {"media.tracks=2048"}, "cmr");
  DriveModule drive("drive", config, plan_drive(config), ContentMode::bytes, 1);
  strangers::BlockingHost host("host");
  host.socket.bind(drive.block_socket());
  host.stops = false;
  host.program = [](strangers::BlockingHost&) {};
  struct Wide : sc_core::sc_module {
    tlm_utils::simple_initiator_socket<Wide, 64> socket{"socket"};
    unsigned pointers_lost = 0;
    bool finished = false;
    std::function<void(Wide&)> program;
    explicit Wide(sc_core::sc_module_name name) : sc_module(name) {
      socket.register_invalidate_direct_mem_ptr(this, &Wide::lose_pointer);
      SC_HAS_PROCESS(Wide);
      SC_THREAD(run);
    }
    void lose_pointer(sc_dt::uint64, sc_dt::uint64) { ++pointers_lost; }
    void run() {
      program(*this);
      finished = true;
    }
  } processor("processor");
  WidthAdapterModule<64, 32> adapter("adapter");
  processor.socket.bind(adapter.from);
  adapter.to.bind(drive.processor_socket());
  processor.program = [&](Wide& self) {
    std::uint64_t word = 7, seen = 0;
    tlm::tlm_generic_payload payload;
    payload.set_command(tlm::TLM_WRITE_COMMAND);
    payload.set_address(config.dram.capacity.value() - 64);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&word));
    payload.set_data_length(8);
    payload.set_streaming_width(8);
    sc_core::sc_time delay;
    self.socket->b_transport(payload, delay);
    CHECK(payload.is_response_ok());
    payload.set_command(tlm::TLM_READ_COMMAND);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&seen));
    CHECK(self.socket->transport_dbg(payload) == 8);
    CHECK(seen == word);
    tlm::tlm_dmi dmi;
    CHECK(self.socket->get_direct_mem_ptr(payload, dmi));
    drive.timeline_module().catch_up();
    drive.power_off();
    CHECK(self.pointers_lost == 1);
  };
  drive.power_on(false, [](Status) {});
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_SEC));
  drive.timeline_module().rethrow_failure();
  CHECK(processor.finished);
}

TEST_CASE("loads by pointer are many times as fast as loads by transaction") {
  Bench bench("drive");
  const std::uint64_t unused = dram + bench.config.dram.capacity.value() - 65'536;
  double rate[2] = {};
  bench.processor.before_ready = [&](Processor& self) {
    for (const bool by_pointer : {false, true}) {
      self.uses_pointers = by_pointer;
      const unsigned loads = by_pointer ? 20'000'000 : 1'000'000;
      std::uint64_t word = 0, sum = 0;
      const std::clock_t began = std::clock();
      for (unsigned i = 0; i < loads; ++i) {
        if (self.transport(tlm::TLM_READ_COMMAND, unused + i * 64U % 65'536, &word, 8) != tlm::TLM_OK_RESPONSE)
          throw std::runtime_error("a load failed");
        sum += word;
      }
      rate[by_pointer] = loads * double{CLOCKS_PER_SEC} / static_cast<double>(std::clock() - began) / 1e6;
      CHECK(sum == 0);
    }
  };
  bench.run();
  std::printf("loads of 8 B per CPU-second: %.2f million by b_transport, %.1f million by pointer\n", rate[0], rate[1]);
  CHECK(rate[1] > 4 * rate[0]);
}
