#include "nand/nand_module.hpp"

#include <tlm_utils/simple_initiator_socket.h>

#include <catch2/catch.hpp>
#include <deque>
#include <map>
#include <systemc>
#include <tlm>

using namespace tessera;
using namespace tessera::literals;

namespace {

/// Sends commands at given times from a thread and notes when their responses arrive.
class Initiator : public sc_core::sc_module {
 public:
  struct Planned {
    Picoseconds at;     ///< kernel time of the call
    Picoseconds delay;  ///< annotated on top
    FlashOp op;
    std::uint64_t address;
  };
  struct Response {
    Picoseconds at;
    Picoseconds busy;
    Status status;
    tlm::tlm_response_status transport;
    bool operator==(const Response&) const = default;
  };

  tlm_utils::simple_initiator_socket<Initiator> socket;

  Initiator(sc_core::sc_module_name name, std::vector<Planned> plan)
      : sc_core::sc_module(name), socket("socket"), plan_(std::move(plan)), commands_(plan_.size()) {
    socket.register_nb_transport_bw(this, &Initiator::nb_transport_bw);
    SC_HAS_PROCESS(Initiator);
    SC_THREAD(run);
  }

  std::map<std::size_t, Response> responses;
  int accepted = 0;

 private:
  void run() {
    for (std::size_t i = 0; i < plan_.size(); ++i) {
      const Planned& planned = plan_[i];
      wait(to_sc_time(planned.at - from_sc_time(sc_core::sc_time_stamp())));
      commands_[i].op = planned.op;
      commands_[i].page = NandPage(planned.address);
      commands_[i].block = NandBlock(planned.address);
      tlm::tlm_generic_payload& payload = pool_.take();
      payload.get_extension<FlashExtension>()->command = &commands_[i];
      payload.set_address(i);
      tlm::tlm_phase phase = tlm::BEGIN_REQ;
      sc_core::sc_time delay = to_sc_time(planned.delay);
      accepted += socket->nb_transport_fw(payload, phase, delay) == tlm::TLM_UPDATED && phase == tlm::END_REQ;
    }
  }

  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    TESSERA_CHECK(phase == tlm::BEGIN_RESP, "the flash sent another phase than BEGIN_RESP");
    const std::size_t i = payload.get_address();
    responses[i] = {from_sc_time(sc_core::sc_time_stamp() + delay), payload.get_extension<FlashExtension>()->busy, commands_[i].status,
                    payload.get_response_status()};
    payload.release();
    return tlm::TLM_COMPLETED;
  }

  std::vector<Planned> plan_;
  std::deque<FlashCommand> commands_;
  PayloadPool<FlashExtension> pool_;
};

NandConfig four_dies() {
  NandConfig config;
  config.dies = 4;
  return config;
}

struct Platform {
  Platform(const NandConfig& config, Picoseconds quantum, std::vector<Initiator::Planned> plan)
      : timeline("timeline", quantum), nand("nand", config, 0, 1, timeline), initiator("initiator", std::move(plan)) {
    initiator.socket.bind(nand.socket);
  }
  TimelineModule timeline;
  NandModule nand;
  Initiator initiator;
};

constexpr auto transported = tlm::TLM_OK_RESPONSE;

}  // namespace

TEST_CASE("a command is accepted at once and answered when the device is done, device errors as a status of the command") {
  Platform platform(four_dies(), 0_ms,
                    {{0_ms, 0_ms, FlashOp::program, 0},
                     {0_ms, 0_ms, FlashOp::program, 32},
                     {1_ms, 0_ms, FlashOp::program, 0},
                     {5_ms, 0_ms, FlashOp::read, 0},
                     {5_ms, 0_ms, FlashOp::erase, 1}});
  sc_core::sc_start();
  CHECK(platform.initiator.accepted == 5);
  using Response = Initiator::Response;
  CHECK(platform.initiator.responses[0] == Response{1300_us, 1300_us, Status::ok, transported});
  CHECK(platform.initiator.responses[1] == Response{1300_us, 1300_us, Status::ok, transported});
  CHECK(platform.initiator.responses[2] == Response{2600_us, 1300_us, Status::rule_violation, transported});
  CHECK(platform.initiator.responses[3] == Response{5200_us, 200_us, Status::ok, transported});
  CHECK(platform.initiator.responses[4] == Response{6500_us, 1500_us, Status::ok, transported});
}

TEST_CASE("an annotated delay moves the arrival, whether or not local time may run ahead") {
  Platform platform(four_dies(), 10_ms, {{0_ms, 250_us, FlashOp::program, 0}, {1_ms, 100_us, FlashOp::program, 1}});
  sc_core::sc_start();
  CHECK(platform.initiator.responses[0].at == 1550_us);
  CHECK(platform.initiator.responses[1].at == 2850_us);
}

TEST_CASE("no response comes for what a cut ended, and the page it hit is unreadable") {
  Platform platform(four_dies(), 0_ms, {{0_ms, 0_ms, FlashOp::program, 0}, {0_ms, 0_ms, FlashOp::program, 1}});
  sc_core::sc_start(to_sc_time(2_ms));
  platform.timeline.timeline().advance_to(2_ms);
  platform.nand.device().cut(2_ms);
  sc_core::sc_start(to_sc_time(10_ms));
  CHECK(platform.initiator.responses.size() == 1);
  CHECK(platform.nand.device().array().read(NandPage(0), {}, {}) == Status::ok);
  CHECK(platform.nand.device().array().read(NandPage(1), {}, {}) == Status::media_error);
}
