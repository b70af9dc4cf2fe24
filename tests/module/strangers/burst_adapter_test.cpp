// The adapter to DRAM simulators (examples/dramsys) with a stub that behaves as DRAMSys does: END_REQ comes late where its queue is full,
// and banks answer out of order.
#include <tlm_utils/peq_with_cb_and_phase.h>

#include <catch2/catch.hpp>
#include <deque>
#include <filesystem>
#include <systemc>

#include "bus/protocol_checker_module.hpp"
#include "examples/dramsys/burst_adapter.hpp"
#include "module/strangers/strange_loop.hpp"
#include "platforms/drive/drive_module.hpp"

using namespace tessera;

namespace {

/// Eight banks, the even ones slower, and a queue of four in front of them.
class BankedDram : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<BankedDram> tSocket{"tSocket"};
  unsigned bursts = 0, held_back = 0, out_of_order = 0;

  explicit BankedDram(sc_core::sc_module_name name) : sc_module(name), queue_(this, &BankedDram::phase) {
    tSocket.register_nb_transport_fw(this, &BankedDram::nb_transport_fw);
  }

 private:
  using Payload = tlm::tlm_generic_payload;
  static constexpr unsigned banks = 8, room = 4;

  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == tlm::BEGIN_REQ) payload.acquire();
    queue_.notify(payload, phase, delay);
    return tlm::TLM_ACCEPTED;
  }
  void phase(Payload& payload, const tlm::tlm_phase& phase) {
    if (phase == tlm::BEGIN_REQ) return arrived(payload);
    if (phase == tlm::END_RESP) {
      responding_ = false;
      payload.release();
    } else {  // a bank has it
      if (!order_.empty() && order_.front() != &payload) ++out_of_order;
      std::erase(order_, &payload);
      done_.push_back(&payload);
    }
    respond();
  }
  void arrived(Payload& payload) {
    if (order_.size() + done_.size() >= room) {
      ++held_back;
      waiting_ = &payload;
      return;
    }
    accept(payload);
  }
  void accept(Payload& payload) {
    ++bursts;
    order_.push_back(&payload);
    const std::uint64_t bank = payload.get_address() / 64 % banks;
    const sc_core::sc_time begin = std::max(free_[bank], sc_core::sc_time_stamp());
    free_[bank] = begin + sc_core::sc_time(bank % 2 == 0 ? 90 : 40, sc_core::SC_NS);
    queue_.notify(payload, tlm::BEGIN_RESP, free_[bank] - sc_core::sc_time_stamp());
    tlm::tlm_phase ended = tlm::END_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    tSocket->nb_transport_bw(payload, ended, delay);
  }
  void respond() {
    if (waiting_ != nullptr && order_.size() + done_.size() < room) accept(*std::exchange(waiting_, nullptr));
    if (responding_ || done_.empty()) return;
    responding_ = true;
    Payload& payload = *done_.front();
    done_.pop_front();
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    tlm::tlm_phase begun = tlm::BEGIN_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    tSocket->nb_transport_bw(payload, begun, delay);
  }

  tlm_utils::peq_with_cb_and_phase<BankedDram> queue_;
  std::deque<Payload*> order_, done_;
  Payload* waiting_ = nullptr;
  bool responding_ = false;
  sc_core::sc_time free_[banks];
};

}  // namespace

TEST_CASE("a DRAM simulator behind the adapter sees bursts, several at once, by the base protocol, and the drive serves") {
  const DriveConfig config = load_drive(std::filesystem::path(TESSERA_DRIVES) / "bare.toml", {"dram.capacity=64 MiB"}, "imr-rmw");
  BurstAdapter adapter("adapter", config.dram.capacity.value());
  ProtocolCheckerModule checker("checker");
  BankedDram dram("dram");
  adapter.to.bind(checker.from);
  checker.to.bind(dram.tSocket);
  DriveParts parts;
  parts.check_protocol = true;
  parts.dram.emplace(DramPart{adapter.from, adapter.bytes, true, &adapter});
  DriveModule drive("drive", config, plan_drive(config), ContentMode::bytes, 1, std::move(parts));
  strangers::LoopHost host("host", 4, 60, std::uint64_t{1} << 30);
  host.socket.bind(drive.block_socket());
  drive.power_on(false, [](Status) {});
  sc_core::sc_start(sc_core::sc_time(100, sc_core::SC_SEC));
  drive.timeline_module().rethrow_failure();
  CHECK(host.answered == 60);
  CHECK(host.failed == 0);
  CHECK(dram.bursts > 60 * 4096 / 64);
  CHECK(dram.held_back > 0);
  CHECK(dram.out_of_order > 0);
  CHECK(adapter.most_under_way > 1);
  CHECK(adapter.most_under_way <= 16);
}
