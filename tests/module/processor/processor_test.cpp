// A stranger's processor drives the drive through its registers, its memory and two pins alone.
#include <catch2/catch.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "module/processor/strange_processor.hpp"
#include "module/strangers/strange_hosts.hpp"
#include "platforms/drive/drive_module.hpp"

using namespace tessera;
using namespace tessera::literals;
using strangers::Processor;

namespace {

/// A drive, a stranger's processor in it, and a host in front of it.
struct Bench {
  explicit Bench(const std::string& name = "drive", std::optional<Picoseconds> quantum = {})
      : config(load_drive(std::filesystem::path(TESSERA_DRIVES) / "bare.toml", {"media.tracks=2048"}, "cmr")),
        processor((name + "_processor").c_str()),
        host((name + "_host").c_str()),
        interrupt((name + "_interrupt").c_str()),
        reset((name + "_reset").c_str()) {
    if (quantum) config.quantum = *quantum;
    DriveParts parts;
    parts.check_protocol = true;
    parts.processor = ProcessorPart{Bytes(Processor::memory)};
    drive = std::make_unique<DriveModule>(name.c_str(), config, plan_drive(config), ContentMode::bytes, 1, std::move(parts));
    ProcessorPortModule& port = drive->processor_port();
    processor.socket.bind(port.socket);
    port.interrupt.bind(interrupt);
    port.reset.bind(reset);
    processor.interrupt.bind(interrupt);
    processor.reset.bind(reset);
    host.socket.bind(drive->block_socket());
  }
  void power_on(bool after_power_cut = false) {
    drive->power_on(after_power_cut, [](Status status) { CHECK(status == Status::ok); });
  }
  void run() {
    power_on();
    sc_core::sc_start(sc_core::sc_time(1000, sc_core::SC_SEC));
    drive->timeline_module().rethrow_failure();
  }
  /// Runs nothing but the processor's boot, which ends with `program`.
  void run_in_boot(std::function<void(Processor&)> program) {
    bool ended = false;
    processor.before_ready = [&ended, &program](Processor& self) {
      program(self);
      ended = true;
      sc_core::sc_stop();
    };
    host.program = [](strangers::BlockingHost&) { sc_core::wait(10'000, sc_core::SC_SEC); };
    run();
    CHECK(ended);
  }

  DriveConfig config;
  Processor processor;
  strangers::BlockingHost host;
  sc_core::sc_signal<bool> interrupt, reset;
  std::unique_ptr<DriveModule> drive;
};

/// Place of write i: some lie across the end of a track of 512 sectors.
std::uint64_t place_of(unsigned i) { return (std::uint64_t{i} * 5 * 509 + 500) * 4096; }
unsigned length_of(unsigned i) { return 4096 * (1 + i % 24); }

const sc_core::sc_time longest_boot(1, sc_core::SC_MS);

void write_and_read_back(strangers::BlockingHost& host, std::vector<sc_core::sc_time>& ended) {
  for (unsigned i = 0; i < 60; ++i) {
    CHECK(host.write(place_of(i), length_of(i), i) == tlm::TLM_OK_RESPONSE);
    ended.push_back(sc_core::sc_time_stamp());
  }
  for (unsigned i = 0; i < 60; ++i) {
    CHECK(host.holds(place_of(i), length_of(i), i));
    ended.push_back(sc_core::sc_time_stamp());
  }
}

}  // namespace

TEST_CASE("a stranger's processor serves a host byte by byte, and at the same times however far the calendar runs ahead") {
  Bench bench("drive"), exact("exact", 0_ps);
  std::vector<sc_core::sc_time> ended, ended_exactly;
  bench.host.program = [&](strangers::BlockingHost& host) {
    CHECK(host.write(0, 4096, 0) == tlm::TLM_GENERIC_ERROR_RESPONSE);  // nobody has said yet how large the drive is
    sc_core::wait(longest_boot);
    write_and_read_back(host, ended);
  };
  exact.host.program = [&](strangers::BlockingHost& host) {
    sc_core::wait(longest_boot);
    write_and_read_back(host, ended_exactly);
  };
  bench.host.stops = false;
  exact.power_on();
  CHECK(exact.drive->firmware().user_sectors() == 0);
  bench.run();
  exact.drive->timeline_module().rethrow_failure();
  REQUIRE(bench.host.finished);
  REQUIRE(exact.host.finished);
  CHECK(ended == ended_exactly);
  CHECK(bench.drive->firmware().user_sectors() == 2048 * 512);
  CHECK(bench.drive->firmware().idle());
}

TEST_CASE("power cuts of a drive on a stranger's processor keep what was completed, and its software begins anew") {
  Bench bench;
  struct Cut final : TimelineListener {
    Bench& bench;
    explicit Cut(Bench& of) : bench(of) {}
    void on_time(std::uint64_t again) override {
      if (again != 0) return bench.power_on(true);
      bench.drive->power_off();
    }
  } cut(bench);
  unsigned completed = 0, boots = 0;
  bench.processor.before_ready = [&boots](Processor&) { ++boots; };
  bench.host.program = [&](strangers::BlockingHost& host) {
    sc_core::wait(longest_boot);
    for (unsigned round = 0; round < 12; ++round) {
      const Picoseconds now = from_sc_time(sc_core::sc_time_stamp());
      const Picoseconds lit = 3_us * (round * round) * (round * round) * round + 5_us;  // from the first register to some writes
      bench.drive->timeline_module().post(now + lit, cut, 0);
      bench.drive->timeline_module().post(now + 1_s, cut, 1);
      bench.drive->timeline_module().post(now + 1_s + 1_us * round, cut,
                                          0);  // again, from the reset pin's fall to within the boot or behind it
      bench.drive->timeline_module().post(now + 1500_ms, cut, 1);
      while (host.write(place_of(completed), length_of(completed), completed) == tlm::TLM_OK_RESPONSE) ++completed;
      CHECK(from_sc_time(sc_core::sc_time_stamp()) == now + lit);
      CHECK(host.write(0, 4096, 0) == tlm::TLM_GENERIC_ERROR_RESPONSE);  // without power
      sc_core::wait(to_sc_time(now + 2_s) - sc_core::sc_time_stamp());
      for (unsigned i = 0; i < completed; ++i) CHECK(host.holds(place_of(i), length_of(i), i));
    }
  };
  bench.run();
  CHECK(bench.host.finished);
  CHECK(boots > 13);  // some of the second cuts fell behind it, some before
  CHECK(boots < 25);
  CHECK(completed > 10);
}

TEST_CASE("the interrupt pin rises at the instant of its cause, though the calendar ran ahead") {
  Bench bench;
  struct Earlier final : TimelineListener {
    void on_time(std::uint64_t) override {}
  } earlier;
  REQUIRE(bench.config.quantum > 100_ns);
  bench.run_in_boot([&bench, &earlier](Processor& self) {
    constexpr std::uint64_t timer_now = 0x40006000, timer_alarm = 0x40006008;
    while (self.interrupt.read()) {  // the boot's request is not looked at here
      self.set(Processor::interrupts_enable, 16);
      sc_core::wait(1, sc_core::SC_NS);
    }
    const std::uint64_t alarm = self.get(timer_now) + 5'000'000;
    self.set(timer_alarm, alarm);
    bench.drive->timeline_module().post(Picoseconds(alarm) - 100_ns, earlier, 0);  // the kernel wakes for this, and the calendar runs on
    self.wait_for_interrupt();
    CHECK(sc_core::sc_time_stamp().value() == alarm);
    CHECK(self.get(Processor::interrupts_pending) == (1 | 16));
    self.set(Processor::interrupts_clear, 16);
    sc_core::wait(1, sc_core::SC_PS);
    CHECK_FALSE(self.interrupt.read());
  });
}

TEST_CASE("what the port refuses, at both sides of every bound") {
  Bench bench;
  bench.run_in_boot([&bench](Processor& self) {
    constexpr std::uint64_t dram = 0x8000'0000;
    const std::uint64_t end = dram + bench.config.dram.capacity.value();
    std::uint64_t word = 0;
    const auto read = [&](std::uint64_t address, unsigned bytes) { return self.transport(tlm::TLM_READ_COMMAND, address, &word, bytes); };
    CHECK(read(dram, 8) == tlm::TLM_OK_RESPONSE);
    CHECK(read(dram - 8, 8) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(read(end - 8, 8) == tlm::TLM_OK_RESPONSE);
    CHECK(read(end - 7, 8) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(read(end, 1) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(read(0x4000'0000, 8) == tlm::TLM_OK_RESPONSE);
    CHECK(word == 0x3141'5245'5353'4554);
    CHECK(read(0x4000'0004 - 8, 8) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(read(0x4000'a000, 8) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(read(dram, 0) == tlm::TLM_BURST_ERROR_RESPONSE);
    CHECK(self.transport(tlm::TLM_READ_COMMAND, dram, nullptr, 8) == tlm::TLM_GENERIC_ERROR_RESPONSE);
    CHECK(self.transport(tlm::TLM_IGNORE_COMMAND, dram, &word, 8) == tlm::TLM_COMMAND_ERROR_RESPONSE);
  });
}

TEST_CASE("a stranger's processor waits for the bus where it reads, for the DMA where it has the mover copy, and not where it writes") {
  Bench bench;
  bench.run_in_boot([&bench](Processor& self) {
    const auto time_of = [](const std::function<void()>& access) {
      const Picoseconds began = from_sc_time(sc_core::sc_time_stamp());
      access();
      return from_sc_time(sc_core::sc_time_stamp()) - began;
    };
    enum : std::uint64_t { from = 0x4000'4000, to = 0x4000'4008, sectors = 0x4000'4010, start = 0x4000'4020, result = 0x4000'4028 };
    CHECK(time_of([&] { static_cast<void>(self.get(Processor::interrupts_enable)); }) >= bench.config.controller.bus_latency);
    CHECK(time_of([&] { self.set(sectors, 64); }) == 0_ps);
    self.set(start, 4);  // acquire
    self.set(from, self.get(result));
    self.set(start, 4);
    self.set(to, self.get(result));
    CHECK(self.get(to) == self.get(from) + 64 * 4096);
    const Picoseconds copy = time_of([&] { self.set(start, 1); });
    self.set(sectors, 1);
    const Picoseconds short_copy = time_of([&] { self.set(start, 1); });
    CHECK(short_copy > 0_ps);
    CHECK(copy > short_copy * 30);

    std::vector<unsigned char> bytes(65'536, 0xa5), seen(65'536);
    const auto write = [&](unsigned count) {
      return time_of([&] { CHECK(self.transport(tlm::TLM_WRITE_COMMAND, 0x8000'1000, bytes.data(), count) == tlm::TLM_OK_RESPONSE); });
    };
    const Picoseconds line = write(64), many = write(65'536);
    CHECK(line > 0_ps);
    CHECK(many > line * 100);
    tlm::tlm_generic_payload payload;
    payload.set_read();
    payload.set_address(0x8000'1000);
    payload.set_data_ptr(seen.data());
    payload.set_data_length(65'536);
    CHECK(time_of([&] { CHECK(self.socket->transport_dbg(payload) == 65'536); }) == 0_ps);
    CHECK(seen == bytes);
  });
}

// Not under AddressSanitizer: an exception that is thrown anew behind a switch of the kernel's stacks leaves it marks of frames that are
// gone, at which it stumbles itself (google/sanitizers issue 189).
#ifndef __SANITIZE_ADDRESS__

namespace {

/// A processor that writes this register in its boot, and what the run then ends with.
void ends_the_run(std::uint64_t address, std::uint64_t value, const std::string& says) {
  Bench bench;
  bench.processor.before_ready = [&](Processor& self) { self.set(address, value); };
  bench.host.program = [](strangers::BlockingHost&) { sc_core::wait(10'000, sc_core::SC_SEC); };
  bench.power_on();
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_SEC));
  REQUIRE_THROWS_AS(bench.drive->timeline_module().rethrow_failure(), FirmwareFault);
  CHECK_THROWS_WITH(bench.drive->timeline_module().rethrow_failure(),
                    Catch::StartsWith("at 0.00") && Catch::Contains(" ms, the processor's software: " + says));
}

}  // namespace

TEST_CASE("a stranger's processor that writes a read-only register ends the run with time and sentence") {
  ends_the_run(0x4000'0000, 1, "write of ident.magic, which is read-only");
}

TEST_CASE("a stranger's processor that writes where no register is ends the run with time and sentence") {
  ends_the_run(0x4000'03f8, 1, "write of 0x400003f8, where there is neither memory nor a register");
}

TEST_CASE("a stranger's processor that completes a command which is not there ends the run with time and sentence") {
  ends_the_run(Processor::host_complete, 5, "host.complete names tag 5, and no such command is under way");
}

TEST_CASE("a stranger's processor that answers its boot before it says its capacity ends the run") {
  ends_the_run(Processor::ident_answer, 0, "the boot is answered, and ident.capacity has not said");
}

#endif
