#include "nand/nand_module.hpp"

#include <tlm_utils/simple_initiator_socket.h>

#include <catch2/catch.hpp>
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

  Initiator(sc_core::sc_module_name name, std::vector<Planned> plan) : sc_core::sc_module(name), socket("socket"), plan_(std::move(plan)) {
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
      tlm::tlm_generic_payload& payload = pool_.take();
      payload.get_extension<FlashExtension>()->command.op = planned.op;
      const bool erases = planned.op == FlashOp::erase;
      payload.set_command(erases                           ? tlm::TLM_IGNORE_COMMAND
                          : planned.op == FlashOp::program ? tlm::TLM_WRITE_COMMAND
                                                           : tlm::TLM_READ_COMMAND);
      payload.set_address(planned.address * (erases ? 32 : 1) * 4096);
      payload.set_data_length(erases ? 0 : 4096);
      payload.set_streaming_width(4096);
      index_[&payload] = i;
      tlm::tlm_phase phase = tlm::BEGIN_REQ;
      sc_core::sc_time delay = to_sc_time(planned.delay);
      accepted += socket->nb_transport_fw(payload, phase, delay) == tlm::TLM_UPDATED && phase == tlm::END_REQ;
    }
  }

  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == tlm::END_REQ) {
      ++accepted;
      return tlm::TLM_ACCEPTED;
    }
    const std::size_t i = index_[&payload];
    const auto& done = *payload.get_extension<FlashExtension>();
    responses[i] = {from_sc_time(sc_core::sc_time_stamp() + delay), done.busy, done.command.status, payload.get_response_status()};
    payload.release();
    return tlm::TLM_COMPLETED;
  }

  std::vector<Planned> plan_;
  std::map<const tlm::tlm_generic_payload*, std::size_t> index_;
  PayloadPool<FlashExtension> pool_;
};

NandConfig four_dies() {
  NandConfig config;
  config.dies = 4;
  return config;
}

struct Platform {
  Platform(const NandConfig& config, Picoseconds quantum, std::vector<Initiator::Planned> plan)
      : timeline("timeline", quantum), nand("nand", config, SectorShape(), 1, timeline), initiator("initiator", std::move(plan)) {
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
  CHECK(platform.initiator.responses[2] == Response{2600_us, 1300_us, Status::rule_violation, tlm::TLM_GENERIC_ERROR_RESPONSE});
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
  platform.timeline.catch_up();
  platform.nand.power_off();
  sc_core::sc_start(to_sc_time(10_ms));
  CHECK(platform.initiator.responses.size() == 1);
  CHECK(platform.nand.device().array().read(NandPage(0), {}, {}) == Status::ok);
  CHECK(platform.nand.device().array().read(NandPage(1), {}, {}) == Status::media_error);
}

TEST_CASE("of two commands whose annotated times cross, each arrives at its own instant") {
  // Called in this order at one kernel time: the first arrives at 10 us, the second at 5 us and programs at once, on another die.
  Platform platform(four_dies(), 10_ms, {{0_ms, 10_us, FlashOp::program, 0}, {0_ms, 5_us, FlashOp::program, 32}});
  sc_core::sc_start();
  platform.timeline.rethrow_failure();
  CHECK(platform.initiator.accepted == 2);
  CHECK(platform.initiator.responses[0].at == 1310_us);
  CHECK(platform.initiator.responses[1].at == 1305_us);
}

TEST_CASE("commands that are outside the array, or no whole page, are refused") {
  Platform platform(four_dies(), 0_ms, {});
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const NandConfig config = four_dies();
  const auto send = [&](tlm::tlm_command command, std::uint64_t address, unsigned length) {
    PayloadPool<PlainDataExtension> pool;
    tlm::tlm_generic_payload& payload = pool.take();
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_length(length);
    payload.set_streaming_width(length);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    CHECK(platform.initiator.socket->nb_transport_fw(payload, phase, delay) == tlm::TLM_COMPLETED);
    payload.release();
    return payload.get_response_status();
  };
  const std::uint64_t end = config.total_blocks() * config.pages_per_block * 4096;
  CHECK(send(tlm::TLM_READ_COMMAND, end, 4096) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(send(tlm::TLM_READ_COMMAND, 100, 4096) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(send(tlm::TLM_READ_COMMAND, 0, 512) == tlm::TLM_BURST_ERROR_RESPONSE);
  CHECK(send(tlm::TLM_IGNORE_COMMAND, 0, 0) == tlm::TLM_COMMAND_ERROR_RESPONSE);  // an erase says so in its extension
}

namespace {

/// How a NAND answers copybacks to block 0 of a page of another die, and of one behind the array.
std::vector<tlm::tlm_response_status> responses_to_copybacks(bool known) {
  NandConfig config = four_dies();
  config.copyback = known;
  Platform platform(config, 0_ms, {});
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  PayloadPool<FlashExtension> pool;
  std::vector<tlm::tlm_response_status> responses;
  for (const std::uint64_t from : {std::uint64_t{1}, 4 * config.total_blocks()}) {
    tlm::tlm_generic_payload& payload = pool.take();
    payload.set_command(tlm::TLM_IGNORE_COMMAND);
    payload.set_address(0);
    payload.set_data_length(0);
    payload.set_streaming_width(0);
    FlashCommand& command = payload.get_extension<FlashExtension>()->command;
    command.op = FlashOp::copyback;
    command.from = NandPage(from * config.pages_per_block);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    CHECK(platform.initiator.socket->nb_transport_fw(payload, phase, delay) == tlm::TLM_COMPLETED);
    responses.push_back(payload.get_response_status());
    payload.release();
  }
  return responses;
}

}  // namespace

TEST_CASE("a copyback that would leave its plane, or is of no page, is refused") {
  CHECK(responses_to_copybacks(true) == std::vector(2, tlm::TLM_ADDRESS_ERROR_RESPONSE));
}

TEST_CASE("a copyback is refused where the flash knows none") {
  CHECK(responses_to_copybacks(false) == std::vector(2, tlm::TLM_COMMAND_ERROR_RESPONSE));
}

TEST_CASE("a plain payload programs a page of several sectors and reads some of them, each in one operation") {
  NandConfig config = four_dies();
  config.page_size = Bytes(16384);
  config.oob_size = Bytes(2048);
  TimelineModule drive("drive", 0_ps);
  NandModule nand("nand", config, SectorShape{4096, ContentMode::bytes}, 1, drive);
  struct Processor : sc_core::sc_module {
    tlm_utils::simple_initiator_socket<Processor> socket{"socket"};
    std::vector<unsigned char> written, back;
    Picoseconds programmed, read;
    std::vector<tlm::tlm_response_status> refusals;
    explicit Processor(sc_core::sc_module_name name) : sc_module(name), written(16384), back(8192) {
      SC_HAS_PROCESS(Processor);
      SC_THREAD(run);
    }
    tlm::tlm_response_status transport(tlm::tlm_command command, std::uint64_t address, std::vector<unsigned char>& data) {
      tlm::tlm_generic_payload payload;
      payload.set_command(command);
      payload.set_address(address);
      payload.set_data_ptr(data.data());
      payload.set_data_length(static_cast<unsigned>(data.size()));
      payload.set_streaming_width(static_cast<unsigned>(data.size()));
      sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
      socket->b_transport(payload, delay);
      wait(delay);
      return payload.get_response_status();
    }
    void run() {
      for (std::size_t i = 0; i < written.size(); ++i) written[i] = static_cast<unsigned char>(i * 7 + i / 512);
      CHECK(transport(tlm::TLM_WRITE_COMMAND, 0, written) == tlm::TLM_OK_RESPONSE);
      programmed = from_sc_time(sc_core::sc_time_stamp());
      CHECK(transport(tlm::TLM_READ_COMMAND, 4096, back) == tlm::TLM_OK_RESPONSE);
      read = from_sc_time(sc_core::sc_time_stamp());
      refusals = {transport(tlm::TLM_READ_COMMAND, 12288, back), transport(tlm::TLM_READ_COMMAND, 2048, back)};
    }
  } processor("processor");
  processor.socket.bind(nand.socket);
  sc_core::sc_start();
  drive.rethrow_failure();
  CHECK(processor.programmed == 1300_us);
  CHECK(processor.read == 1500_us);
  CHECK(std::equal(processor.back.begin(), processor.back.end(), processor.written.begin() + 4096));
  CHECK(processor.refusals == std::vector{tlm::TLM_BURST_ERROR_RESPONSE, tlm::TLM_ADDRESS_ERROR_RESPONSE});
  MetricSet metrics;
  nand.report(metrics, 2_ms);
  CHECK(metrics.find("nand.programs")->value == 1);
  CHECK(metrics.find("nand.reads")->value == 1);
  CHECK(metrics.find("nand.padding")->value == 0);
}
