// The host's socket: what is not a command of ours is refused as TLM has it, and commands are served on.
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <catch2/catch.hpp>
#include <systemc>

#include "base/error.hpp"
#include "host/host_interface_module.hpp"

using namespace tessera;
using namespace tessera::literals;

namespace {

/// Stands for host and controller: the one sends what a test gives it, the other answers each command at once.
struct Bench : sc_core::sc_module {
  explicit Bench(sc_core::sc_module_name name)
      : sc_module(name), drive("drive", 0_ps), interface("interface", drive, HostConfig(), 4096, 1), host("host"), mailbox("mailbox") {
    host.bind(interface.host);
    interface.bus.bind(mailbox);
    host.register_nb_transport_bw(this, &Bench::answered);
    mailbox.register_nb_transport_fw(this, &Bench::arrived);
    SC_HAS_PROCESS(Bench);
    SC_THREAD(run);
  }

  tlm::tlm_sync_enum send(tlm::tlm_generic_payload& payload) {
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    return host->nb_transport_fw(payload, phase, delay);
  }
  tlm::tlm_sync_enum answered(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time&) {
    if (phase == tlm::END_REQ) return tlm::TLM_ACCEPTED;
    ++completed;
    payload.release();
    return tlm::TLM_COMPLETED;
  }
  tlm::tlm_sync_enum arrived(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time&) {
    command = &payload;
    answer.notify(sc_core::sc_time(1, sc_core::SC_US));
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }

  void run() {
    action(*this);
    if (!expects_command) return;
    wait(answer);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    mailbox->nb_transport_bw(*command, phase, delay);
  }

  TimelineModule drive;
  HostInterfaceModule interface;
  tlm_utils::simple_initiator_socket<Bench> host;
  tlm_utils::simple_target_socket<Bench> mailbox;
  PayloadPool<HostExtension> payloads;
  sc_core::sc_event answer;
  tlm::tlm_generic_payload* command = nullptr;
  std::function<void(Bench&)> action;
  bool expects_command = false;
  int completed = 0;
};

/// Owns the payload it manages, which outlives the simulation.
struct Manager : tlm::tlm_mm_interface {
  void free(tlm::tlm_generic_payload*) override {}
};

}  // namespace

TEST_CASE("a plain payload at the host socket is answered with an error response, and the next command is served") {
  Bench bench("bench");
  Manager manager;
  HostRequest request;
  bench.action = [&](Bench& on) {
    tlm::tlm_generic_payload plain(&manager);
    plain.acquire();
    plain.set_command(tlm::TLM_READ_COMMAND);
    CHECK(on.send(plain) == tlm::TLM_COMPLETED);
    CHECK(plain.get_response_status() == tlm::TLM_GENERIC_ERROR_RESPONSE);
    tlm::tlm_generic_payload& empty = on.payloads.take();  // an extension that names no request
    CHECK(on.send(empty) == tlm::TLM_COMPLETED);
    CHECK(empty.get_response_status() == tlm::TLM_GENERIC_ERROR_RESPONSE);
    empty.release();

    request.blocks = {HostBlock(0), 8};
    tlm::tlm_generic_payload& good = on.payloads.take();
    good.get_extension<HostExtension>()->request = &request;
    CHECK(on.send(good) == tlm::TLM_ACCEPTED);
  };
  bench.expects_command = true;
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_SEC));
  bench.drive.rethrow_failure();
  CHECK(bench.completed == 1);
}

TEST_CASE("a blocking transport at the host socket is answered with an error response") {
  Bench bench("bench");
  bench.action = [](Bench& on) {
    tlm::tlm_generic_payload plain;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    on.host->b_transport(plain, delay);
    CHECK(plain.get_response_status() == tlm::TLM_GENERIC_ERROR_RESPONSE);
  };
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_SEC));
}

TEST_CASE("a kernel that does not count in picoseconds is refused when the drive is built") {
  sc_core::sc_set_time_resolution(1, sc_core::SC_NS);
  CHECK_THROWS_WITH(Bench("bench"), Catch::Contains("time resolution is 1 ns") && Catch::Contains("leave it at 1 ps"));
}
