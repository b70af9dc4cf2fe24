// The block target: what it refuses and how, part sectors, transfers beyond the host buffer, debug reads, flush and trim, power.
#include <catch2/catch.hpp>
#include <filesystem>
#include <memory>
#include <systemc>

#include "module/strangers/strange_hosts.hpp"
#include "platforms/drive/drive_module.hpp"

using namespace tessera;
using namespace tessera::literals;

namespace {

struct Bench {
  explicit Bench(ContentMode content = ContentMode::bytes, std::vector<std::string> overrides = {})
      : config(load_drive(std::filesystem::path(TESSERA_DRIVES) / "bare.toml", overrides, "cmr")) {
    DriveParts parts;
    parts.check_protocol = true;
    drive = std::make_unique<DriveModule>("drive", config, plan_drive(config), content, 1, std::move(parts));
    host.socket.bind(drive->block_socket());
  }
  void run(std::function<void(strangers::BlockingHost&)> program) {
    host.program = std::move(program);
    drive->power_on(false, [](Status status) { CHECK(status == Status::ok); });
    sc_core::sc_start(sc_core::sc_time(1000, sc_core::SC_SEC));
    drive->timeline_module().rethrow_failure();
    CHECK(host.finished);
  }
  [[nodiscard]] std::uint64_t capacity() const { return drive->firmware().user_sectors() * 4096; }

  DriveConfig config;
  std::unique_ptr<DriveModule> drive;
  strangers::BlockingHost host{"host"};
};

}  // namespace

TEST_CASE("both sides of every bound: range, alignment, length, streaming, byte enables, command") {
  Bench bench;
  std::vector<unsigned char> data(4096);
  bench.run([&](strangers::BlockingHost& self) {
    const std::uint64_t end = bench.capacity();
    CHECK(self.transport(tlm::TLM_WRITE_COMMAND, end - 512, data.data(), 512) == tlm::TLM_OK_RESPONSE);
    CHECK(self.transport(tlm::TLM_WRITE_COMMAND, end - 512, data.data(), 1024) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(self.transport(tlm::TLM_READ_COMMAND, end, data.data(), 512) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(self.transport(tlm::TLM_READ_COMMAND, 256, data.data(), 512) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(self.transport(tlm::TLM_READ_COMMAND, 0, data.data(), 511) == tlm::TLM_BURST_ERROR_RESPONSE);
    CHECK(self.transport(tlm::TLM_READ_COMMAND, 0, data.data(), 0) == tlm::TLM_BURST_ERROR_RESPONSE);
    CHECK(self.transport(tlm::TLM_READ_COMMAND, 0, nullptr, 512) == tlm::TLM_GENERIC_ERROR_RESPONSE);
    CHECK(self.transport(tlm::TLM_IGNORE_COMMAND, 0, data.data(), 512) == tlm::TLM_COMMAND_ERROR_RESPONSE);
    tlm::tlm_generic_payload payload;
    unsigned char enables[1] = {0xff};
    payload.set_read();
    payload.set_data_ptr(data.data());
    payload.set_data_length(1024);
    payload.set_streaming_width(512);
    sc_core::sc_time delay;
    self.socket->b_transport(payload, delay);
    CHECK(payload.get_response_status() == tlm::TLM_BURST_ERROR_RESPONSE);
    payload.set_streaming_width(1024);
    payload.set_byte_enable_ptr(enables);
    payload.set_byte_enable_length(0);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    self.socket->b_transport(payload, delay);
    CHECK(payload.get_response_status() == tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  });
}

TEST_CASE("a block of 512 B leaves the rest of its sector as it was, and what was never written reads as zeros") {
  Bench bench;
  bench.run([](strangers::BlockingHost& self) {
    CHECK(self.write(8192, 4096, 1) == tlm::TLM_OK_RESPONSE);
    CHECK(self.write(8192 + 1536, 512, 2) == tlm::TLM_OK_RESPONSE);
    CHECK(self.holds(8192, 1536, 1));
    CHECK(self.holds(8192 + 1536, 512, 2));
    CHECK(self.holds(8192 + 2048, 2048, 1));
    std::vector<unsigned char> data(4096, 0xee);
    CHECK(self.transport(tlm::TLM_READ_COMMAND, 1 << 20, data.data(), 4096) == tlm::TLM_OK_RESPONSE);
    CHECK(data == std::vector<unsigned char>(4096, 0));
  });
}

TEST_CASE("a transfer larger than the host buffer streams through it") {
  Bench bench(ContentMode::bytes, {"host.buffer=64 KiB"});
  bench.run([](strangers::BlockingHost& self) {
    CHECK(self.write(512, 1 << 20, 3) == tlm::TLM_OK_RESPONSE);
    CHECK(self.holds(512, 1 << 20, 3));
  });
  MetricSet metrics;
  bench.drive->report(metrics, 1_s);
  CHECK(*metrics.find("host.streamed")->value == 2);
}

TEST_CASE("a transfer larger than the largest ATA command goes in as many as it takes") {
  Bench bench;
  bench.run([](strangers::BlockingHost& self) {
    CHECK(self.write(512, (32 << 20) + 1024, 3) == tlm::TLM_OK_RESPONSE);
    CHECK(self.holds(512 + (32 << 20) - 4096, 4096 + 1024, 3));
  });
  MetricSet metrics;
  bench.drive->report(metrics, 1_s);
  CHECK(*metrics.find("host.streamed")->value == 1);
}

TEST_CASE(
    "a debug read takes no time and gives what was acknowledged, also inside a block, and a debug write ends at the end of the drive") {
  Bench bench;
  bench.run([&](strangers::BlockingHost& self) {
    CHECK(self.write(4096, 4096, 4) == tlm::TLM_OK_RESPONSE);
    const sc_core::sc_time before = sc_core::sc_time_stamp();
    std::vector<unsigned char> data(1000, 0xee);
    tlm::tlm_generic_payload payload;
    payload.set_read();
    payload.set_address(4096 + 700);
    payload.set_data_ptr(data.data());
    payload.set_data_length(1000);
    CHECK(self.socket->transport_dbg(payload) == 1000);
    for (unsigned i = 0; i < 1000; ++i) REQUIRE(data[i] == strangers::pattern(4096 + 700 + i, 4));
    payload.set_address(4096 - 10);
    CHECK(self.socket->transport_dbg(payload) == 1000);
    CHECK(data[9] == 0);
    CHECK(data[10] == strangers::pattern(4096, 4));
    payload.set_address(bench.capacity() - 100);
    CHECK(self.socket->transport_dbg(payload) == 100);
    CHECK(sc_core::sc_report_handler::get_count(debug_write_report) == 0);
    payload.set_write();
    CHECK(self.socket->transport_dbg(payload) == 100);
    CHECK(sc_core::sc_report_handler::get_count(debug_write_report) == 1);
    CHECK(sc_core::sc_time_stamp() == before);
    CHECK(self.holds(4096, 4096, 4));
  });
}

TEST_CASE("flush and trim are commands of an extension") {
  Bench bench;
  bench.run([](strangers::BlockingHost& self) {
    CHECK(self.write(0, 8192, 5) == tlm::TLM_OK_RESPONSE);
    tlm::tlm_generic_payload payload;
    auto* extension = new BlockExtension;
    extension->op = BlockExtension::Op::flush;
    payload.set_extension(extension);
    payload.set_command(tlm::TLM_IGNORE_COMMAND);
    sc_core::sc_time delay;
    self.socket->b_transport(payload, delay);
    CHECK(payload.get_response_status() == tlm::TLM_OK_RESPONSE);
    extension->op = BlockExtension::Op::trim;
    payload.set_address(4096);
    payload.set_data_length(4096);
    payload.set_streaming_width(4096);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    self.socket->b_transport(payload, delay);
    CHECK(payload.get_response_status() == tlm::TLM_OK_RESPONSE);
    CHECK(self.holds(0, 4096, 5));
    payload.set_command(tlm::TLM_READ_COMMAND);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    self.socket->b_transport(payload, delay);
    CHECK(payload.get_response_status() == tlm::TLM_COMMAND_ERROR_RESPONSE);
  });
}

TEST_CASE("where the drive keeps no bytes, transfers take their time and reads bring zeros") {
  Bench bench(ContentMode::none);
  bench.run([](strangers::BlockingHost& self) {
    CHECK(self.write(0, 4096, 6) == tlm::TLM_OK_RESPONSE);
    std::vector<unsigned char> data(4096, 0xee);
    const sc_core::sc_time before = sc_core::sc_time_stamp();
    CHECK(self.transport(tlm::TLM_READ_COMMAND, 1 << 30, data.data(), 4096) == tlm::TLM_OK_RESPONSE);
    CHECK(data == std::vector<unsigned char>(4096, 0));
    CHECK(sc_core::sc_time_stamp() - before > sc_core::sc_time(100, sc_core::SC_US));
  });
}

namespace {

/// A power cut 100 us after the boot of a drive with two tags, and the next boot 2 s later, for transfers sent with these delays.
struct CutUnderWay final : TimelineListener {
  explicit CutUnderWay(const std::vector<double>& delays_us)
      : config(load_drive(std::filesystem::path(TESSERA_DRIVES) / "bare.toml", {"host.tags=2"}, "cmr")),
        drive("drive", config, plan_drive(config), ContentMode::bytes, 1, DriveParts{}) {
    host.socket.bind(drive.block_socket());
    for (const double delay_us : delays_us)
      host.transfers.push_back({tlm::TLM_READ_COMMAND, std::uint64_t{1} << 30, 4096, delay_us, std::vector<unsigned char>(4096)});
    drive.power_on(false, [this](Status) {
      drive.timeline_module().post(drive.timeline().now() + 100_us, *this, 0);
      drive.timeline_module().post(drive.timeline().now() + 2_s, *this, 1);
    });
    sc_core::sc_start(sc_core::sc_time(1000, sc_core::SC_SEC));
    drive.timeline_module().rethrow_failure();
  }
  void on_time(std::uint64_t again) override {
    if (again != 0) return drive.power_on(true, [](Status status) { CHECK(status == Status::ok); });
    cut = drive.timeline().now();
    drive.power_off();
  }
  /// With an error, at the cut but for the host's time to think over each.
  [[nodiscard]] bool ended_by_cut(std::size_t transfer) const {
    const Picoseconds answered = from_sc_time(host.transfers[transfer].answered);
    return host.transfers[transfer].response == tlm::TLM_GENERIC_ERROR_RESPONSE && answered >= cut && answered <= cut + 10_us;
  }

  DriveConfig config;
  DriveModule drive;
  strangers::QueueingHost host{"host"};
  Picoseconds cut;
};

}  // namespace

TEST_CASE("a power cut answers every transfer under way with an error, also one whose END_REQ is kept back") {
  const CutUnderWay run({1, 2, 3});
  REQUIRE(run.host.finished == 3);
  for (std::size_t transfer = 0; transfer < 3; ++transfer) CHECK(run.ended_by_cut(transfer));
}

TEST_CASE("a transfer that arrives in the dark waits for the boot") {
  const CutUnderWay run({1, 500'000});
  REQUIRE(run.host.finished == 2);
  CHECK(run.ended_by_cut(0));
  CHECK(run.host.transfers[1].response == tlm::TLM_OK_RESPONSE);
  CHECK(from_sc_time(run.host.transfers[1].answered) > run.cut + 1900_ms);
}

TEST_CASE("a power cut ends a blocked transfer with an error, and the drive serves again after its boot") {
  Bench bench;
  bench.run([&](strangers::BlockingHost& self) {
    CHECK(self.write(0, 4096, 7) == tlm::TLM_OK_RESPONSE);
    struct Cut final : TimelineListener {
      DriveModule& drive;
      explicit Cut(DriveModule& of) : drive(of) {}
      void on_time(std::uint64_t again) override {
        if (again == 0) return static_cast<void>(drive.power_off());
        drive.power_on(true, [](Status status) { CHECK(status == Status::ok); });
      }
    };
    auto cut = std::make_unique<Cut>(*bench.drive);
    const Picoseconds now = from_sc_time(sc_core::sc_time_stamp());
    bench.drive->timeline_module().post(now + 100_us, *cut, 0);
    bench.drive->timeline_module().post(now + 1_s, *cut, 1);
    std::vector<unsigned char> data(4096);
    CHECK(self.transport(tlm::TLM_READ_COMMAND, 1 << 30, data.data(), 4096) == tlm::TLM_GENERIC_ERROR_RESPONSE);
    CHECK(from_sc_time(sc_core::sc_time_stamp()) == now + 100_us);
    CHECK(self.transport(tlm::TLM_READ_COMMAND, 0, data.data(), 4096) == tlm::TLM_GENERIC_ERROR_RESPONSE);  // without power
    sc_core::wait(2, sc_core::SC_SEC);
    CHECK(self.holds(0, 4096, 7));
  });
}
