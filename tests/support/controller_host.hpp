#pragma once
// The platform around a host controller: memory of the driver's, an interrupt input, and a process that runs the driver.
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstring>
#include <functional>
#include <systemc>
#include <utility>

namespace test {

/// Memory, an interrupt input and a driver with a process of its own.
template <class Driver>
struct ControllerHost : sc_core::sc_module {
  tlm_utils::simple_target_socket<ControllerHost> memory{"memory"};
  tlm_utils::simple_initiator_socket<ControllerHost> registers{"registers"};
  sc_core::sc_signal<bool> interrupt{"interrupt"};
  Driver driver;
  std::function<void(ControllerHost&)> program;
  unsigned rises = 0;
  bool finished = false;
  sc_core::sc_time quantum;  ///< how far the driver's processor runs ahead of the kernel
  sc_core::sc_time cycles;   ///< that it takes between two accesses

  explicit ControllerHost(sc_core::sc_module_name name) : sc_module(name) {
    memory.register_b_transport(this, &ControllerHost::access_memory);
    SC_HAS_PROCESS(ControllerHost);
    SC_THREAD(run);
    driver.write32 = [this](std::uint64_t offset, std::uint32_t value) { access(tlm::TLM_WRITE_COMMAND, offset, value); };
    driver.read32 = [this](std::uint64_t offset) {
      std::uint32_t value = 0;
      access(tlm::TLM_READ_COMMAND, offset, value);
      return value;
    };
    driver.pass = [this] {
      catch_up();
      if (!interrupt.read()) wait(sc_core::sc_time(1, sc_core::SC_MS), interrupt.posedge_event());
      if (interrupt.read()) {
        ++rises;
        wait(1, sc_core::SC_US);
      }
    };
  }
  tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t offset, std::uint32_t& value, unsigned bytes = 4) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(offset);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_data_length(bytes);
    payload.set_streaming_width(bytes);
    ahead_ += cycles;
    if (ahead_ > quantum) catch_up();
    registers->b_transport(payload, ahead_);
    return payload.get_response_status();
  }

 private:
  sc_core::sc_time ahead_;

  void catch_up() {
    if (ahead_ != sc_core::SC_ZERO_TIME) wait(std::exchange(ahead_, sc_core::SC_ZERO_TIME));
  }
  void run() {
    program(*this);
    finished = true;
    sc_core::sc_stop();
  }
  void access_memory(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    delay += sc_core::sc_time(100 + payload.get_data_length() / 4, sc_core::SC_NS);
    if (payload.get_address() + payload.get_data_length() > driver.memory.size())
      return payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    unsigned char* const own = driver.memory.data() + payload.get_address();
    if (payload.is_read())
      std::memcpy(payload.get_data_ptr(), own, payload.get_data_length());
    else
      std::memcpy(own, payload.get_data_ptr(), payload.get_data_length());
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

}  // namespace test
