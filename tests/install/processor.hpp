#pragma once
// An initiator of plain generic payloads with a process of its own: it mounts a drive as a block device, writes, and reads back.
#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <iostream>
#include <systemc>
#include <vector>

struct Processor : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Processor> socket{"socket"};
  bool same = false;

  explicit Processor(sc_core::sc_module_name name) : sc_core::sc_module(name) {
    SC_HAS_PROCESS(Processor);
    SC_THREAD(run);
  }

  bool transport(tlm::tlm_command command, std::uint64_t address, std::vector<unsigned char>& data) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(data.data());
    payload.set_data_length(static_cast<unsigned>(data.size()));
    payload.set_streaming_width(static_cast<unsigned>(data.size()));
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket->b_transport(payload, delay);
    wait(delay);
    return payload.is_response_ok();
  }

  void run() {
    std::vector<unsigned char> written(3 * 512), back(3 * 512);
    for (std::size_t i = 0; i < written.size(); ++i) written[i] = static_cast<unsigned char>(i * 31);
    same = transport(tlm::TLM_WRITE_COMMAND, 7 * 512, written) && transport(tlm::TLM_READ_COMMAND, 7 * 512, back) && written == back;
    std::cout << (same ? "the drive gave back what was written, at " : "the drive gave back something else, at ")
              << sc_core::sc_time_stamp() << "\n";
    sc_core::sc_stop();
  }
};
