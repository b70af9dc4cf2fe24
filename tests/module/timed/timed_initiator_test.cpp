// The initiator's side of the base protocol against every way in which a target may answer: when each request begins, and when its answer
// counts, to the nanosecond. The protocol checker stands in between.
#include <catch2/catch.hpp>
#include <deque>
#include <functional>
#include <map>
#include <systemc>

#include "base/timed_initiator_module.hpp"
#include "bus/protocol_checker_module.hpp"
#include "bus/transactions_module.hpp"

using namespace tessera;
using namespace tessera::literals;
using sc_core::SC_NS;
using sc_core::sc_time;

namespace {

using Payload = tlm::tlm_generic_payload;

/// Two requests, sent at 0; a target that is told how to answer a request, and at which kernel times to send phases of its own.
struct Bench : sc_core::sc_module, private TimedInitiator::Client, private TimelineListener, private tlm::tlm_fw_transport_if<> {
  TimelineModule drive;
  TimedInitiator initiator;
  ProtocolCheckerModule checker{"checker"};
  tlm::tlm_target_socket<32> target{"target"};
  PayloadPool<DmaExtension> pool;
  std::vector<Payload*> begun;               // in order of BEGIN_REQ
  std::vector<Picoseconds> begins, answers;  // effective times
  std::size_t ended = 0;                     // END_RESP phases
  std::function<tlm::tlm_sync_enum(Payload&, tlm::tlm_phase&, sc_time&)> on_request = [](Payload&, tlm::tlm_phase&, sc_time&) {
    return tlm::TLM_ACCEPTED;
  };
  struct Phase {
    double at, delay;
    std::size_t request;
    tlm::tlm_phase phase;
  };
  std::deque<Phase> phases;

  explicit Bench(Picoseconds quantum, const sc_core::sc_module_name& name = "bench")
      : sc_module(name), drive("drive", quantum), initiator("initiator", drive, *this) {
    target.bind(*this);
    initiator.socket.bind(checker.from);
    checker.to.bind(target);
    SC_HAS_PROCESS(Bench);
    SC_THREAD(target_process);
    drive.post(0_ps, *this, 0);
  }

  void run() {
    sc_core::sc_start();
    drive.rethrow_failure();
  }

 private:
  void on_time(std::uint64_t) override {
    initiator.send(pool.take());
    initiator.send(pool.take());
  }
  void answered(Payload&) override { answers.push_back(drive.timeline().now()); }
  void target_process() {
    for (const Phase& phase : phases) {
      wait(sc_time(phase.at, SC_NS) - sc_core::sc_time_stamp());
      Payload& payload = *begun.at(phase.request);
      if (phase.phase == tlm::BEGIN_RESP) payload.set_response_status(tlm::TLM_OK_RESPONSE);
      tlm::tlm_phase sent = phase.phase;
      sc_time delay(phase.delay, SC_NS);
      target->nb_transport_bw(payload, sent, delay);
    }
  }
  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase, sc_time& delay) override {
    if (phase == tlm::END_RESP) {
      ++ended;
      return tlm::TLM_COMPLETED;
    }
    begun.push_back(&payload);
    begins.push_back(from_sc_time(sc_core::sc_time_stamp() + delay));
    return on_request(payload, phase, delay);
  }
  void b_transport(Payload&, sc_time&) override {}
  unsigned transport_dbg(Payload&) override { return 0; }
  bool get_direct_mem_ptr(Payload&, tlm::tlm_dmi&) override { return false; }
};

using Times = std::vector<Picoseconds>;

}  // namespace

TEST_CASE("TLM_ACCEPTED and END_REQ at a later time keep the next request back") {
  Bench bench(1_ms);
  bench.phases = {{100, 0, 0, tlm::END_REQ}, {150, 0, 1, tlm::END_REQ}, {200, 0, 0, tlm::BEGIN_RESP}, {300, 0, 1, tlm::BEGIN_RESP}};
  bench.run();
  CHECK(bench.begins == Times{0_ns, 100_ns});
  CHECK(bench.answers == Times{200_ns, 300_ns});
}

TEST_CASE("the delays of END_REQ and BEGIN_RESP count") {
  Bench bench(1_ms);
  bench.phases = {{100, 40, 0, tlm::END_REQ}, {150, 0, 1, tlm::END_REQ}, {200, 60, 0, tlm::BEGIN_RESP}, {300, 5, 1, tlm::BEGIN_RESP}};
  bench.run();
  CHECK(bench.begins == Times{0_ns, 140_ns});
  CHECK(bench.answers == Times{260_ns, 305_ns});
}

TEST_CASE("BEGIN_RESP without END_REQ ends the request as well") {
  Bench bench(1_ms);
  bench.phases = {{100, 10, 0, tlm::BEGIN_RESP}, {200, 0, 1, tlm::BEGIN_RESP}};
  bench.run();
  CHECK(bench.begins == Times{0_ns, 110_ns});
  CHECK(bench.answers == Times{110_ns, 200_ns});
}

TEST_CASE("TLM_UPDATED with END_REQ and a delay keeps the next request back until then") {
  Bench bench(1_ms);
  bench.on_request = [](Payload&, tlm::tlm_phase& phase, sc_time& delay) {
    phase = tlm::END_REQ;
    delay += sc_time(30, SC_NS);
    return tlm::TLM_UPDATED;
  };
  bench.phases = {{100, 0, 0, tlm::BEGIN_RESP}, {200, 0, 1, tlm::BEGIN_RESP}};
  bench.run();
  CHECK(bench.begins == Times{0_ns, 30_ns});
  CHECK(bench.answers == Times{100_ns, 200_ns});
}

TEST_CASE("TLM_UPDATED with BEGIN_RESP and a delay is answered END_RESP at that time") {
  Bench bench(1_ms);
  bench.on_request = [](Payload& payload, tlm::tlm_phase& phase, sc_time& delay) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    phase = tlm::BEGIN_RESP;
    delay += sc_time(30, SC_NS);
    return tlm::TLM_UPDATED;
  };
  bench.run();
  CHECK(bench.begins == Times{0_ns, 30_ns});
  CHECK(bench.answers == Times{30_ns, 60_ns});
  CHECK(bench.ended == 2);
}

TEST_CASE("TLM_COMPLETED with a delay is an answer at that time") {
  Bench bench(1_ms);
  bench.on_request = [](Payload& payload, tlm::tlm_phase&, sc_time& delay) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    delay += sc_time(30, SC_NS);
    return tlm::TLM_COMPLETED;
  };
  bench.run();
  CHECK(bench.begins == Times{0_ns, 30_ns});
  CHECK(bench.answers == Times{30_ns, 60_ns});
  CHECK(bench.ended == 0);
}

TEST_CASE("a late answer after a power cut is ended and dropped") {
  Bench bench(1_ms);
  bench.phases = {{100, 0, 0, tlm::END_REQ}, {200, 0, 0, tlm::BEGIN_RESP}};
  sc_core::sc_start(sc_time(150, SC_NS));
  bench.drive.catch_up();
  bench.begun[0]->acquire();  // the target has its reference
  bench.initiator.power_off();
  bench.checker.power_off();
  bench.run();
  CHECK(bench.answers.empty());
  bench.begun[0]->release();
}
