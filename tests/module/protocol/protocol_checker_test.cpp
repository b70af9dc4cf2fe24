// The checker of the base protocol: silent on every legal course of a transaction, and one planted violation of each rule.
#include <catch2/catch.hpp>
#include <functional>
#include <systemc>
#include <tlm>

#include "base/error.hpp"
#include "bus/protocol_checker_module.hpp"

using namespace tessera;
using sc_core::SC_NS;
using sc_core::sc_time;

namespace {

using Payload = tlm::tlm_generic_payload;

struct Memory : tlm::tlm_mm_interface {
  void free(Payload*) override { ++freed; }
  int freed = 0;
};

/// An initiator and a target that do what a test says, and the checker between them.
struct Bench : sc_core::sc_module, private tlm::tlm_fw_transport_if<>, private tlm::tlm_bw_transport_if<> {
  tlm::tlm_initiator_socket<32> initiator{"initiator"};
  tlm::tlm_target_socket<32> target{"target"};
  std::vector<std::string> rules;
  ProtocolCheckerModule checker;
  Memory memory;
  Payload one{&memory}, two{&memory};
  std::function<tlm::tlm_sync_enum(Payload&, tlm::tlm_phase&, sc_time&)> forward_answer, backward_answer;
  std::function<void(Payload&)> served = [](Payload& payload) { payload.set_response_status(tlm::TLM_OK_RESPONSE); };

  explicit Bench(bool in_order = false, bool strict = false, const sc_core::sc_module_name& name = "bench")
      : sc_module(name),
        checker(
            "checker", in_order,
            strict ? ProtocolCheckerModule::Listener() : [this](const std::string& rule, const std::string&) { rules.push_back(rule); }) {
    initiator.bind(*this);
    target.bind(*this);
    initiator.bind(checker.from);
    checker.to.bind(target);
    for (Payload* payload : {&one, &two}) {
      payload->set_read();
      payload->set_data_length(4);
      payload->set_streaming_width(4);
      payload->acquire();
    }
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  ~Bench() override { checker.power_off(); }

  void forward(Payload& payload, tlm::tlm_phase phase, double ns) {
    sc_time delay(ns, SC_NS);
    initiator->nb_transport_fw(payload, phase, delay);
  }
  void backward(Payload& payload, tlm::tlm_phase phase, double ns) {
    sc_time delay(ns, SC_NS);
    target->nb_transport_bw(payload, phase, delay);
  }
  void respond(Payload& payload, double ns) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    backward(payload, tlm::BEGIN_RESP, ns);
  }
  [[nodiscard]] bool found(const char* rule) const { return rules == std::vector<std::string>{rule}; }

 private:
  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase, sc_time& delay) override {
    return forward_answer ? forward_answer(payload, phase, delay) : tlm::TLM_ACCEPTED;
  }
  tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase, sc_time& delay) override {
    return backward_answer ? backward_answer(payload, phase, delay) : tlm::TLM_ACCEPTED;
  }
  void b_transport(Payload& payload, sc_time&) override { served(payload); }
  unsigned transport_dbg(Payload&) override { return 0; }
  bool get_direct_mem_ptr(Payload&, tlm::tlm_dmi&) override { return false; }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

}  // namespace

TEST_CASE("four phases, overlapping transactions and every short form are legal") {
  Bench bench(true);
  bench.forward(bench.one, tlm::BEGIN_REQ, 1);
  bench.backward(bench.one, tlm::END_REQ, 2);
  bench.forward(bench.two, tlm::BEGIN_REQ, 2);
  bench.respond(bench.one, 5);
  bench.forward(bench.one, tlm::END_RESP, 6);
  bench.respond(bench.two, 7);  // implies END_REQ
  bench.forward(bench.two, tlm::END_RESP, 7);
  bench.one.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  bench.forward_answer = [](Payload& payload, tlm::tlm_phase&, sc_time& delay) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    delay += sc_time(3, SC_NS);
    return tlm::TLM_COMPLETED;
  };
  bench.forward(bench.one, tlm::BEGIN_REQ, 8);
  bench.two.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  bench.forward_answer = [](Payload&, tlm::tlm_phase& phase, sc_time&) {
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  };
  bench.backward_answer = [](Payload&, tlm::tlm_phase&, sc_time&) { return tlm::TLM_COMPLETED; };
  bench.forward(bench.two, tlm::BEGIN_REQ, 11);
  bench.respond(bench.two, 12);
  Payload plain;
  sc_time delay(1, SC_NS);
  bench.initiator->b_transport(plain, delay);
  CHECK(bench.rules.empty());
  CHECK(bench.one.get_ref_count() == 1);
  CHECK(bench.two.get_ref_count() == 1);
}

TEST_CASE("rule order: END_RESP before BEGIN_RESP") {
  Bench bench;
  bench.forward(bench.one, tlm::BEGIN_REQ, 1);
  bench.backward(bench.one, tlm::END_REQ, 1);
  bench.forward(bench.one, tlm::END_RESP, 2);
  CHECK(bench.found("order"));
}

TEST_CASE("rule order: BEGIN_RESP of a transaction that has ended") {
  Bench bench;
  bench.forward(bench.one, tlm::BEGIN_REQ, 1);
  bench.respond(bench.one, 2);
  bench.forward(bench.one, tlm::END_RESP, 2);
  bench.respond(bench.one, 3);
  CHECK(bench.found("order"));
}

TEST_CASE("rule order: END_REQ twice") {
  Bench bench;
  bench.forward(bench.one, tlm::BEGIN_REQ, 1);
  bench.backward(bench.one, tlm::END_REQ, 1);
  bench.backward(bench.one, tlm::END_REQ, 2);
  CHECK(bench.found("order"));
}

TEST_CASE("rule order: a phase on the other path") {
  Bench bench;
  bench.forward(bench.one, tlm::BEGIN_REQ, 1);
  bench.forward(bench.one, tlm::BEGIN_RESP, 1);
  CHECK(bench.found("order"));
}

TEST_CASE("rule requests: BEGIN_REQ before the END_REQ of the request before") {
  Bench bench;
  bench.forward(bench.one, tlm::BEGIN_REQ, 1);
  bench.forward(bench.two, tlm::BEGIN_REQ, 2);
  CHECK(bench.found("requests"));
}

TEST_CASE("rule requests: BEGIN_REQ a nanosecond before an END_REQ that was annotated for later") {
  Bench bench;
  bench.forward(bench.one, tlm::BEGIN_REQ, 1);
  bench.backward(bench.one, tlm::END_REQ, 10);
  bench.forward(bench.two, tlm::BEGIN_REQ, 9);
  CHECK(bench.found("requests"));
}

TEST_CASE("rule responses: BEGIN_RESP before the END_RESP of the response before") {
  Bench bench;
  for (Payload* payload : {&bench.one, &bench.two}) {
    bench.forward(*payload, tlm::BEGIN_REQ, 1);
    bench.backward(*payload, tlm::END_REQ, 1);
  }
  bench.respond(bench.one, 2);
  bench.respond(bench.two, 3);
  CHECK(bench.found("responses"));
}

TEST_CASE("rule time: END_REQ before its BEGIN_REQ in effective time") {
  Bench bench;
  bench.forward(bench.one, tlm::BEGIN_REQ, 5);
  bench.backward(bench.one, tlm::END_REQ, 4);
  CHECK(bench.found("time"));
}

TEST_CASE("rule in order: a request before the one before it, which an initiator that claims order does not send") {
  Bench bench(true);
  bench.forward(bench.one, tlm::BEGIN_REQ, 5);
  bench.respond(bench.one, 5);  // ends the request at 5 ns: one at 4 ns breaks the exclusion as well
  bench.forward(bench.one, tlm::END_RESP, 5);
  bench.forward(bench.two, tlm::BEGIN_REQ, 4);
  CHECK(bench.rules == std::vector<std::string>{"requests", "in_order"});
}

TEST_CASE("rule attributes: the length of a payload in flight is changed") {
  Bench bench;
  bench.forward(bench.one, tlm::BEGIN_REQ, 1);
  bench.one.set_data_length(8);
  bench.backward(bench.one, tlm::END_REQ, 1);
  CHECK(bench.found("attributes"));
}

TEST_CASE("rule response: BEGIN_RESP without a response") {
  Bench bench;
  bench.forward(bench.one, tlm::BEGIN_REQ, 1);
  bench.backward(bench.one, tlm::BEGIN_RESP, 2);
  CHECK(bench.found("response"));
}

TEST_CASE("rule response: BEGIN_REQ with the response of the transaction before") {
  Bench bench;
  bench.one.set_response_status(tlm::TLM_OK_RESPONSE);
  bench.forward(bench.one, tlm::BEGIN_REQ, 1);
  CHECK(bench.found("response"));
}

TEST_CASE("rule response: the response is changed after BEGIN_RESP") {
  Bench bench;
  bench.forward(bench.one, tlm::BEGIN_REQ, 1);
  bench.respond(bench.one, 2);
  bench.one.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
  bench.forward(bench.one, tlm::END_RESP, 3);
  CHECK(bench.found("response"));
}

TEST_CASE("rule response: b_transport returns without one") {
  Bench bench;
  bench.served = [](Payload&) {};
  Payload plain;
  sc_time delay;
  bench.initiator->b_transport(plain, delay);
  CHECK(bench.found("response"));
}

TEST_CASE("rule lifetime: a payload is given back in flight") {
  Bench bench;
  bench.forward(bench.one, tlm::BEGIN_REQ, 1);
  bench.one.release();
  bench.respond(bench.one, 2);
  CHECK(bench.found("lifetime"));
  bench.one.acquire();
}

TEST_CASE("rule lifetime: a payload without a memory manager") {
  Bench bench;
  Payload plain;
  bench.forward(plain, tlm::BEGIN_REQ, 1);
  CHECK(bench.found("lifetime"));
  bench.checker.power_off();
}

TEST_CASE("without a listener a violation is a report with an id, whose action is the platform's") {
  Bench bench(false, true);
  CHECK_THROWS_WITH(bench.forward(bench.one, tlm::END_RESP, 0), Catch::Contains("rule 'order'") && Catch::Contains("checker"));
  sc_core::sc_report_handler::set_actions(protocol_report, sc_core::SC_DO_NOTHING);
  const int before = sc_core::sc_report_handler::get_count(sc_core::SC_ERROR);
  CHECK_NOTHROW(bench.forward(bench.one, tlm::END_RESP, 0));
  CHECK(sc_core::sc_report_handler::get_count(sc_core::SC_ERROR) == before + 1);
}
