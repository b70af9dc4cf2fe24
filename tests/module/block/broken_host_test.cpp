// A host that breaks the base protocol: by default the simulation ends with a report that names the rule, out of sc_start().
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <systemc>

#include "bus/address_map.hpp"
#include "platforms/drive/drive_module.hpp"

using namespace tessera;

namespace {

/// Sends three requests at once, or answers the first response with a phase of the target's.
class BrokenHost : public sc_core::sc_module, private tlm::tlm_bw_transport_if<>, private tlm::tlm_mm_interface {
 public:
  tlm::tlm_initiator_socket<32> socket{"socket"};
  bool answers_wrongly = false;
  std::uint64_t address = 0;

  explicit BrokenHost(sc_core::sc_module_name name) : sc_module(name) {
    socket.bind(*this);
    SC_HAS_PROCESS(BrokenHost);
    SC_THREAD(run);
  }

 private:
  void run() {
    for (auto* payload : {&first_, &second_, &third_}) {
      payload->acquire();
      payload->set_read();
      payload->set_address(address);
      payload->set_data_length(4096);
      payload->set_streaming_width(4096);
      payload->set_data_ptr(data_);
      tlm::tlm_phase phase = tlm::BEGIN_REQ;
      sc_core::sc_time delay;
      socket->nb_transport_fw(*payload, phase, delay);
      if (answers_wrongly) return;
    }
  }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return answers_wrongly ? tlm::TLM_UPDATED : tlm::TLM_ACCEPTED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
  void free(tlm::tlm_generic_payload*) override {}

  unsigned char data_[4096]{};
  tlm::tlm_generic_payload first_{this}, second_{this}, third_{this};
};

/// What the simulation ends with, by the reports' default actions.
std::string end_of(bool answers_wrongly, bool checks, bool at_processor_socket = false) {
  sc_core::sc_report_handler::set_actions(failure_report, sc_core::SC_ERROR, sc_core::SC_DEFAULT_ERROR_ACTIONS);
  const DriveConfig config = load_drive(std::filesystem::path(TESSERA_DRIVES) / "bare.toml", {}, "cmr");
  DriveParts parts;
  parts.check_protocol = checks;
  DriveModule drive("drive", config, plan_drive(config), ContentMode::bytes, 1, std::move(parts));
  BrokenHost host("host");
  host.answers_wrongly = answers_wrongly;
  host.socket.bind(at_processor_socket ? drive.processor_socket() : drive.block_socket());
  host.address = at_processor_socket ? address_map::disk_channel : 0;
  drive.power_on(false, [](Status) {});
  try {
    sc_core::sc_start(sc_core::sc_time(10, sc_core::SC_SEC));
  } catch (const sc_core::sc_report& report) {
    return std::string(report.get_msg_type()) + ": " + report.get_msg();
  }
  return "nothing";
}

}  // namespace

TEST_CASE("an initiator that answers a response out of protocol ends the simulation with a report") {
  CHECK_THAT(end_of(true, false), Catch::Contains("/tessera/failure") && Catch::Contains("BEGIN_RESP out of protocol"));
}

TEST_CASE("the checker in front of the block socket names the rule that a host breaks") {
  CHECK_THAT(end_of(false, true),
             Catch::StartsWith("/tessera/protocol: TLM base protocol, rule 'requests'") && Catch::Contains("check_drive_block"));
}

TEST_CASE("the checker in front of the processor socket names the rule that a processor breaks") {
  CHECK_THAT(end_of(false, true, true),
             Catch::StartsWith("/tessera/protocol: ") && Catch::Contains("rule 'requests'") && Catch::Contains("check_drive_processor"));
}

TEST_CASE("a drive that is asked for no socket needs no host, and one with a pace holds the simulation back") {
  const DriveConfig config = load_drive(std::filesystem::path(TESSERA_DRIVES) / "bare.toml", {}, "cmr");
  DriveParts parts;
  parts.pace = 100;
  DriveModule drive("drive", config, plan_drive(config), ContentMode::none, 1, std::move(parts));
  Status booted = Status::aborted;
  drive.power_on(false, [&](Status status) { booted = status; });
  const auto begin = std::chrono::steady_clock::now();
  sc_core::sc_start(sc_core::sc_time(2, sc_core::SC_SEC));
  CHECK(std::chrono::steady_clock::now() - begin >= std::chrono::milliseconds(19));
  CHECK(booted == Status::ok);
}
