// The target's side of the base protocol against every way in which an initiator may act: when each request reaches the device, and when
// each response goes out, to the nanosecond. The protocol checker stands in between.
#include <catch2/catch.hpp>
#include <deque>
#include <functional>
#include <map>
#include <systemc>

#include "base/timed_target_module.hpp"
#include "bus/protocol_checker_module.hpp"
#include "bus/transactions_module.hpp"

using namespace tessera;
using namespace tessera::literals;
using sc_core::SC_NS;
using sc_core::sc_time;

namespace {

using Payload = tlm::tlm_generic_payload;
using Times = std::vector<Picoseconds>;

/// A device that serves each request for 10 ns, one at a time; an initiator that sends its requests at given times.
struct Bench : sc_core::sc_module, private TimedTarget::Device, private TimelineListener, private tlm::tlm_bw_transport_if<> {
  struct Request {
    double at, delay;  ///< kernel time of the call, and what it annotates
  };
  TimelineModule drive;
  TimedTarget target;
  ProtocolCheckerModule checker{"checker"};
  tlm::tlm_initiator_socket<32> initiator{"initiator"};
  PayloadPool<DmaExtension> pool;
  std::vector<Request> requests;
  std::vector<Payload*> sent;
  Times arrivals, accepted, responses;
  bool waits_for_end_req = true;
  /// What the initiator does with BEGIN_RESP.
  std::function<tlm::tlm_sync_enum(Payload&, tlm::tlm_phase&, sc_time&)> on_response = [](Payload&, tlm::tlm_phase&, sc_time&) {
    return tlm::TLM_COMPLETED;
  };
  std::deque<std::pair<double, std::size_t>> end_responses;  // kernel time, request
  Picoseconds service = 10_ns;

  explicit Bench(Picoseconds quantum, const sc_core::sc_module_name& name = "bench")
      : sc_module(name), drive("drive", quantum), target("target", drive, *this) {
    initiator.bind(*this);
    initiator.bind(checker.from);
    checker.to.bind(target.socket);
    SC_HAS_PROCESS(Bench);
    SC_THREAD(send);
    SC_THREAD(end);
  }
  void run() {
    sc_core::sc_start();
    drive.rethrow_failure();
  }

 private:
  void send() {
    for (const Request& request : requests) {
      wait(sc_time(request.at, SC_NS) - sc_core::sc_time_stamp());
      Payload& payload = pool.take();
      sent.push_back(&payload);
      tlm::tlm_phase phase = tlm::BEGIN_REQ;
      sc_time delay(request.delay, SC_NS);
      if (initiator->nb_transport_fw(payload, phase, delay) == tlm::TLM_UPDATED)
        accepted.push_back(from_sc_time(sc_core::sc_time_stamp() + delay));
      else if (waits_for_end_req)
        wait(end_req_);
    }
  }
  void end() {
    for (const auto& [at, request] : end_responses) {
      wait(sc_time(at, SC_NS) - sc_core::sc_time_stamp());
      tlm::tlm_phase phase = tlm::END_RESP;
      sc_time delay;
      initiator->nb_transport_fw(*sent.at(request), phase, delay);
    }
  }
  bool arrived(Payload& payload) override {
    arrivals.push_back(drive.timeline().now());
    if (serving_ != nullptr) {
      next_ = &payload;
      return false;
    }
    serving_ = &payload;
    drive.timeline().post(drive.timeline().now() + service, *this);
    return true;
  }
  void on_time(std::uint64_t) override {
    Payload& done = *std::exchange(serving_, nullptr);
    done.set_response_status(tlm::TLM_OK_RESPONSE);
    target.respond(done);
    if (next_ == nullptr) return;
    serving_ = std::exchange(next_, nullptr);
    drive.timeline().post(drive.timeline().now() + service, *this);
    target.accept();
  }
  tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase, sc_time& delay) override {
    const Picoseconds when = from_sc_time(sc_core::sc_time_stamp() + delay);
    if (phase == tlm::END_REQ) {
      accepted.push_back(when);
      end_req_.notify(delay);
      return tlm::TLM_ACCEPTED;
    }
    responses.push_back(when);
    return on_response(payload, phase, delay);
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  sc_core::sc_event end_req_;
  Payload* serving_ = nullptr;
  Payload* next_ = nullptr;
};

}  // namespace

TEST_CASE("a request arrives at kernel time plus its delay, and END_REQ says when") {
  Bench bench(1_ms);
  bench.requests = {{5, 20}, {100, 0}};
  bench.run();
  CHECK(bench.arrivals == Times{25_ns, 100_ns});
  CHECK(bench.accepted == Times{25_ns, 100_ns});
  CHECK(bench.responses == Times{35_ns, 110_ns});
}

TEST_CASE("a target that is busy keeps END_REQ back until it takes the request") {
  Bench bench(1_ms);
  bench.requests = {{0, 0}, {2, 0}};
  bench.run();
  CHECK(bench.arrivals == Times{0_ns, 2_ns});
  CHECK(bench.accepted == Times{0_ns, 10_ns});
  CHECK(bench.responses == Times{10_ns, 20_ns});
}

TEST_CASE("an initiator that thinks in the delay of TLM_COMPLETED gets the next response behind that") {
  Bench bench(1_ms);
  bench.requests = {{0, 0}, {2, 0}};
  bench.on_response = [](Payload&, tlm::tlm_phase&, sc_time& delay) {
    delay += sc_time(50, SC_NS);  // the response of 10 ns is over at 60 ns; the second request was served at 20 ns
    return tlm::TLM_COMPLETED;
  };
  bench.run();
  CHECK(bench.responses == Times{10_ns, 60_ns});
}

TEST_CASE("an initiator that ends a response by TLM_UPDATED with END_RESP gets the next one behind that") {
  Bench bench(1_ms);
  bench.requests = {{0, 0}, {2, 0}};
  bench.on_response = [](Payload&, tlm::tlm_phase& phase, sc_time& delay) {
    phase = tlm::END_RESP;
    delay += sc_time(25, SC_NS);
    return tlm::TLM_UPDATED;
  };
  bench.run();
  CHECK(bench.responses == Times{10_ns, 35_ns});
}

TEST_CASE("a response waits for the END_RESP of the one before") {
  Bench bench(1_ms);
  bench.requests = {{0, 0}, {2, 0}};
  bench.on_response = [](Payload&, tlm::tlm_phase&, sc_time&) { return tlm::TLM_ACCEPTED; };
  bench.end_responses = {{70, 0}, {80, 1}};
  bench.run();
  CHECK(bench.responses == Times{10_ns, 70_ns});
}
