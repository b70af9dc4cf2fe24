// The port of a processor of somebody else's, phase by phase.
#include <catch2/catch.hpp>
#include <filesystem>
#include <functional>
#include <systemc>
#include <tlm>
#include <vector>

#include "base/error.hpp"
#include "platforms/drive/drive_module.hpp"

using namespace tessera;
using namespace tessera::literals;

namespace {

/// Keeps payloads as long as the bench.
struct Owner final : tlm::tlm_mm_interface {
  void free(tlm::tlm_generic_payload*) override {}
};

/// An initiator of single phases, which notes what comes back.
class Phases : public sc_core::sc_module, private tlm::tlm_bw_transport_if<> {
 public:
  struct Came {
    const tlm::tlm_generic_payload* payload;
    tlm::tlm_phase phase;
    Picoseconds at;  // effective
  };
  tlm::tlm_initiator_socket<32> socket{"socket"};
  std::function<void()> program;
  std::vector<Came> came;

  explicit Phases(sc_core::sc_module_name name) : sc_module(name) {
    socket.bind(*this);
    SC_HAS_PROCESS(Phases);
    SC_THREAD(run);
  }
  tlm::tlm_sync_enum send(tlm::tlm_generic_payload& payload, tlm::tlm_phase phase, Picoseconds delay = {}) {
    sc_core::sc_time annotated = to_sc_time(delay);
    return socket->nb_transport_fw(payload, phase, annotated);
  }

 private:
  void run() {
    wait(1, sc_core::SC_US);  // behind the power
    program();
    sc_core::sc_stop();
  }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) override {
    came.push_back({&payload, phase, from_sc_time(sc_core::sc_time_stamp() + delay)});
    return tlm::TLM_ACCEPTED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

/// A host that sends nothing.
class SilentHost : public sc_core::sc_module, private tlm::tlm_bw_transport_if<> {
 public:
  tlm::tlm_initiator_socket<32> socket{"socket"};
  explicit SilentHost(sc_core::sc_module_name name) : sc_module(name) { socket.bind(*this); }

 private:
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override { return tlm::TLM_ACCEPTED; }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

struct Bench {
  DriveConfig config = load_drive(std::filesystem::path(TESSERA_DRIVES) / "bare.toml", {"media.tracks=2048"}, "cmr");
  Phases processor{"processor"};
  SilentHost host{"host"};
  sc_core::sc_signal<bool> interrupt{"interrupt"}, reset{"reset"};
  Owner owner;
  std::uint64_t words[2] = {};
  tlm::tlm_generic_payload one{&owner}, other{&owner};
  DriveModule drive;

  Bench() : drive("drive", config, plan_drive(config), ContentMode::none, 1, parts()) {
    host.socket.bind(drive.host_socket());
    processor.socket.bind(drive.processor_port().socket);
    drive.processor_port().interrupt.bind(interrupt);
    drive.processor_port().reset.bind(reset);
  }
  void run(std::function<void()> program) {
    processor.program = std::move(program);
    drive.power_on(false, [](Status) {});
    sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_MS));
    drive.timeline_module().rethrow_failure();
  }
  /// An access of 8 bytes.
  static void set(tlm::tlm_generic_payload& payload, tlm::tlm_command command, std::uint64_t address, std::uint64_t& word) {
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&word));
    payload.set_data_length(8);
    payload.set_streaming_width(8);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    if (payload.get_ref_count() == 0) payload.acquire();
  }

 private:
  static DriveParts parts() {
    DriveParts parts;
    parts.check_protocol = true;
    parts.processor = ProcessorPart{Bytes(4096)};
    return parts;
  }
};

constexpr std::uint64_t magic = 0x4000'0000, alarm_at = 0x4000'6008;

}  // namespace

TEST_CASE("a read of a register is accepted and answered when it has come over the bus, and the next request begins behind it") {
  Bench bench;
  bench.run([&] {
    auto& came = bench.processor.came;
    Bench::set(bench.one, tlm::TLM_READ_COMMAND, magic, bench.words[0]);
    const Picoseconds effect = from_sc_time(sc_core::sc_time_stamp()) + 5_ns;
    CHECK(bench.processor.send(bench.one, tlm::BEGIN_REQ, 5_ns) == tlm::TLM_ACCEPTED);
    sc_core::wait(1, sc_core::SC_US);
    REQUIRE(came.size() == 2);
    CHECK(came[0].phase == tlm::END_REQ);
    CHECK(came[1].phase == tlm::BEGIN_RESP);
    CHECK(came[0].at == came[1].at);
    CHECK(came[1].at >= effect + bench.config.controller.bus_latency);
    CHECK(bench.one.get_response_status() == tlm::TLM_OK_RESPONSE);
    CHECK(bench.words[0] == 0x3141'5245'5353'4554);

    // The request is ended: another one may come while this response waits for its end, and is answered behind that.
    Bench::set(bench.other, tlm::TLM_READ_COMMAND, magic, bench.words[1]);
    CHECK(bench.processor.send(bench.other, tlm::BEGIN_REQ) == tlm::TLM_ACCEPTED);
    sc_core::wait(1, sc_core::SC_US);
    REQUIRE(came.size() == 3);
    CHECK(came[2].phase == tlm::END_REQ);
    CHECK(came[2].payload == &bench.other);
    CHECK(bench.processor.send(bench.one, tlm::END_RESP) == tlm::TLM_COMPLETED);
    sc_core::wait(1, sc_core::SC_US);
    REQUIRE(came.size() == 4);
    CHECK(came[3].phase == tlm::BEGIN_RESP);
    CHECK(bench.words[1] == bench.words[0]);
    CHECK(bench.processor.send(bench.other, tlm::END_RESP) == tlm::TLM_COMPLETED);
  });
}

TEST_CASE("a write of a register is posted: answered at the instant of its effect") {
  Bench bench;
  bench.run([&] {
    bench.words[0] = ~std::uint64_t{0};
    Bench::set(bench.one, tlm::TLM_WRITE_COMMAND, alarm_at, bench.words[0]);
    const Picoseconds effect = from_sc_time(sc_core::sc_time_stamp()) + 5_ns;
    CHECK(bench.processor.send(bench.one, tlm::BEGIN_REQ, 5_ns) == tlm::TLM_ACCEPTED);
    sc_core::wait(1, sc_core::SC_US);
    REQUIRE_FALSE(bench.processor.came.empty());
    CHECK(bench.processor.came.back().phase == tlm::BEGIN_RESP);
    CHECK(bench.processor.came.back().at == effect);
    CHECK(bench.one.get_response_status() == tlm::TLM_OK_RESPONSE);
    CHECK(bench.processor.send(bench.one, tlm::END_RESP) == tlm::TLM_COMPLETED);
  });
}

TEST_CASE("what the port refuses is answered in the call, and who checks gets no pointer") {
  Bench bench;
  bench.run([&] {
    const auto answer = [&] {
      CHECK(bench.processor.send(bench.one, tlm::BEGIN_REQ) == tlm::TLM_COMPLETED);
      return bench.one.get_response_status();
    };
    Bench::set(bench.one, tlm::TLM_READ_COMMAND, 0x4000'a000, bench.words[0]);
    CHECK(answer() == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    unsigned char enables = TLM_BYTE_ENABLED;  // of no length
    Bench::set(bench.one, tlm::TLM_WRITE_COMMAND, 0x8000'0000, bench.words[0]);
    bench.one.set_byte_enable_ptr(&enables);
    bench.one.set_byte_enable_length(0);
    CHECK(answer() == tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    bench.one.set_byte_enable_ptr(nullptr);
    bench.one.set_streaming_width(4);
    bench.one.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    CHECK(answer() == tlm::TLM_BURST_ERROR_RESPONSE);
    tlm::tlm_dmi dmi;
    Bench::set(bench.one, tlm::TLM_READ_COMMAND, 0x8000'0000, bench.words[0]);
    CHECK_FALSE(bench.processor.socket->get_direct_mem_ptr(bench.one, dmi));
    CHECK(bench.processor.came.empty());
  });
}

TEST_CASE("a processor that begins a request before the one before was accepted is named by the checker in front of the port") {
  Bench bench;
  bench.run([&] {
    Bench::set(bench.one, tlm::TLM_READ_COMMAND, magic, bench.words[0]);
    Bench::set(bench.other, tlm::TLM_READ_COMMAND, magic, bench.words[1]);
    CHECK(bench.processor.send(bench.one, tlm::BEGIN_REQ) == tlm::TLM_ACCEPTED);
    CHECK_THROWS_WITH(bench.processor.send(bench.other, tlm::BEGIN_REQ), Catch::Contains("requests"));
  });
}
