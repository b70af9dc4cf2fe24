#pragma once
// How CPU and DMA engines reach the DRAM over their sockets: blocking transactions, priced on the drive's calendar. The firmware's code
// cannot go on without the answer.
#include <span>
#include <systemc>
#include <tlm>
#include <vector>

#include "base/address.hpp"
#include "base/timeline_module.hpp"
#include "bus/address_map.hpp"
#include "controller/burst_shape.hpp"
#include "dram/memory_path.hpp"
#include "firmware/ports/memory_port.hpp"

namespace tessera {

/// What is known of the DRAM at elaboration.
struct MemoryAtBus {
  std::span<std::byte> bytes;  ///< empty where it does not show them
  bool waits = false;          ///< its b_transport, or that of a part on the way there, may call wait()
  BurstShape shape{};          ///< how it wants the extents of devices
  MemoryPath direct;           ///< open where there is nothing on the way but our own bus and DRAM, which never fails
};

/// Bytes as the payload's data.
inline void set_data(tlm::tlm_generic_payload& payload, std::byte* bytes, std::uint64_t length) {
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(bytes));
  payload.set_data_length(static_cast<unsigned>(length));
  payload.set_streaming_width(static_cast<unsigned>(length));
}

class MemoryInitiator {
 public:
  MemoryInitiator(TimelineModule& drive, tlm::tlm_initiator_socket<32>& socket, const MemoryAtBus& dram)
      : drive_(drive), socket_(socket), dram_(dram) {}

  /// Moves bytes of the DRAM from `at` on and gives when that is done; the payload has the response.
  Picoseconds transport(tlm::tlm_generic_payload& payload, DramAddress address, std::uint64_t bytes, Access access, Picoseconds at);
  /// The same at any address of the bus, with the payload's data as it is.
  Picoseconds send(tlm::tlm_generic_payload& payload, std::uint64_t address, Access access, Picoseconds at);

  [[nodiscard]] std::span<std::byte> bytes() const { return dram_.bytes; }
  /// Without a payload, where it is open.
  [[nodiscard]] const MemoryPath& direct() const { return dram_.direct; }

 private:
  TimelineModule& drive_;
  tlm::tlm_initiator_socket<32>& socket_;
  MemoryAtBus dram_;
  std::vector<std::byte> scratch_;  // what a DRAM that does not show its bytes is given to read into, or to write
};

inline Picoseconds MemoryInitiator::send(tlm::tlm_generic_payload& payload, std::uint64_t address, Access access, Picoseconds at) {
  if (dram_.waits && !sc_core::sc_is_running()) {  // tables that are filled before the simulation starts: nobody can wait
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return at;
  }
  payload.set_address(address);
  payload.set_command(access == Access::read ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay = drive_.ahead(at);
  socket_->b_transport(payload, delay);
  return drive_.instant(delay);
}

inline Picoseconds MemoryInitiator::transport(tlm::tlm_generic_payload& payload, DramAddress address, std::uint64_t bytes, Access access,
                                              Picoseconds at) {
  if (dram_.bytes.empty() && scratch_.size() < bytes) [[unlikely]]
    scratch_.resize(bytes);
  set_data(payload, dram_.bytes.empty() ? scratch_.data() : dram_.bytes.data() + address.value(), bytes);
  return send(payload, address_map::dram + address.value(), access, at);
}

}  // namespace tessera
