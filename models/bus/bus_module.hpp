#pragma once
// The controller's address-mapped bus: decodes each transaction's address to DRAM, disk channel, NAND controller or the
// controller's own command mailbox, and carries answers back. Its latency is charged where the register access is made
// (controller.bus_latency). Not modelled: arbitration between register accesses, which take nanoseconds each.
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <systemc>

#include "bus/transactions_module.hpp"

namespace tessera {

/// Windows of the address map: the upper address bits name the target.
namespace address_map {
inline constexpr unsigned window_bits = 40;
inline constexpr std::uint64_t dram = 0;
inline constexpr std::uint64_t disk_channel = std::uint64_t{1} << window_bits;
inline constexpr std::uint64_t nand = std::uint64_t{2} << window_bits;
inline constexpr std::uint64_t mailbox = std::uint64_t{3} << window_bits;
}  // namespace address_map

class BusModule : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<BusModule> from_controller;
  tlm_utils::simple_target_socket<BusModule> from_host;
  tlm_utils::simple_initiator_socket<BusModule> to_dram;
  tlm_utils::simple_initiator_socket<BusModule> to_disk_channel;
  tlm_utils::simple_initiator_socket<BusModule> to_nand;  ///< bound to a stub on a drive without NAND
  tlm_utils::simple_initiator_socket<BusModule> to_mailbox;

  explicit BusModule(sc_core::sc_module_name name);

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  tlm::tlm_sync_enum forward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum to_controller(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum to_host(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
};

}  // namespace tessera
