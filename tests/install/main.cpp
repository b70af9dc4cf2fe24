// A platform of somebody else's: a host of four lines that binds the drive's socket and reads one sector.
#include <tlm_utils/simple_initiator_socket.h>

#include <iostream>
#include <systemc>

#include "platforms/drive/drive_module.hpp"

struct Host : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Host> socket{"socket"};
  tessera::PayloadPool<tessera::HostExtension> payloads;
  tessera::HostRequest request;
  bool done = false;

  explicit Host(sc_core::sc_module_name name) : sc_core::sc_module(name) { socket.register_nb_transport_bw(this, &Host::answered); }

  void read(std::uint32_t blocks) {
    request.op = tessera::HostOp::read;
    request.blocks = {tessera::HostBlock(0), blocks};
    tlm::tlm_generic_payload& payload = payloads.take();
    payload.get_extension<tessera::HostExtension>()->request = &request;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket->nb_transport_fw(payload, phase, delay);
  }

  tlm::tlm_sync_enum answered(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
    std::cout << "read completed at " << sc_core::sc_time_stamp() + delay << "\n";
    payload.release();
    done = true;
    return tlm::TLM_COMPLETED;
  }
};

int sc_main(int argc, char* argv[]) {
  if (argc != 2) return 2;
  const tessera::DriveConfig config = tessera::load_drive(argv[1], {}, "cmr");
  tessera::DriveModule drive("drive", config, tessera::plan_drive(config), tessera::ContentMode::none, 1);
  Host host("host");
  host.socket.bind(drive.host_socket());
  drive.power_on(false, [](tessera::Status) {});
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_SEC));
  host.request.life.begin(tessera::from_sc_time(sc_core::sc_time_stamp()));
  host.read(8);
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_SEC));
  drive.timeline_module().rethrow_failure();
  return host.done ? 0 : 1;
}
