// A platform of a processor, memory and a drive behind NVMe. The processor brings the controller up, writes a block, flushes, and reads it
// back.
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstring>
#include <iostream>
#include <systemc>
#include <vector>

#include "tessera/platforms/drive/nvme_drive.hpp"

struct Memory : sc_core::sc_module {
  tlm_utils::simple_target_socket<Memory> socket{"socket"};
  std::vector<unsigned char> bytes = std::vector<unsigned char>(1 << 20);

  explicit Memory(sc_core::sc_module_name name) : sc_module(name) { socket.register_b_transport(this, &Memory::access); }
  void access(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    const std::uint64_t at = payload.get_address(), length = payload.get_data_length();
    if (at + length > bytes.size()) return payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    if (payload.is_read()) std::memcpy(payload.get_data_ptr(), &bytes[at], length);
    if (payload.is_write()) std::memcpy(&bytes[at], payload.get_data_ptr(), length);
    delay += sc_core::sc_time(100, sc_core::SC_NS);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

struct Processor : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Processor> registers{"registers"};
  sc_core::sc_in<bool> interrupt{"interrupt"};
  Memory& memory;
  std::uint32_t tail[2] = {}, head[2] = {};
  bool same = false;

  Processor(sc_core::sc_module_name name, Memory& of) : sc_module(name), memory(of) {
    SC_HAS_PROCESS(Processor);
    SC_THREAD(run);
  }
  std::uint32_t access(tlm::tlm_command command, std::uint64_t at, std::uint32_t value = 0) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(at);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_data_length(4);
    payload.set_streaming_width(4);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    registers->b_transport(payload, delay);
    wait(delay);
    return value;
  }
  void write(std::uint64_t at, std::uint32_t value) { access(tlm::TLM_WRITE_COMMAND, at, value); }
  template <class Value>
  Value& in_memory(std::uint64_t at) {
    return *reinterpret_cast<Value*>(&memory.bytes[at]);
  }

  /// Queue q has its 16 commands at 0x1000 + q * 0x2000 and its 16 completions 4 KiB after them. Gives the status.
  unsigned command(unsigned q, std::uint32_t opcode, std::uint64_t data, std::uint32_t dword10, std::uint32_t dword11) {
    const std::uint64_t at = 0x1000 + q * 0x2000 + tail[q] % 16 * 64, answer = 0x2000 + q * 0x2000 + head[q] % 16 * 16;
    std::memset(&memory.bytes[at], 0, 64);
    in_memory<std::uint32_t>(at) = opcode | tail[q] << 16;
    in_memory<std::uint32_t>(at + 4) = q;  // namespace 1 for the I/O queue
    in_memory<std::uint64_t>(at + 24) = data;
    in_memory<std::uint32_t>(at + 40) = dword10;
    in_memory<std::uint32_t>(at + 44) = dword11;
    write(0x1000 + q * 8, ++tail[q] % 16);
    const std::uint32_t phase = head[q] / 16 % 2 == 0 ? 1 : 0;
    while ((in_memory<std::uint32_t>(answer + 12) >> 16 & 1) != phase) wait(interrupt.posedge_event());
    write(0x1000 + q * 8 + 4, ++head[q] % 16);
    return in_memory<std::uint32_t>(answer + 12) >> 17 & 0x7ff;
  }
  void run() {
    write(0x24, 15 << 16 | 15);  // admin queues: their size, and where they are
    write(0x28, 0x1000);
    write(0x30, 0x2000);
    write(0x14, 0x460001);  // enable: commands of 64 B, completions of 16
    while ((access(tlm::TLM_READ_COMMAND, 0x1c) & 1) == 0) wait(1, sc_core::SC_MS);
    command(0, 0x06, 0x8000, 1, 0);                       // identify controller
    command(0, 0x05, 0x4000, 15 << 16 | 1, 3);            // completion queue 1, with interrupts
    command(0, 0x01, 0x3000, 15 << 16 | 1, 1 << 16 | 1);  // submission queue 1
    std::cout << std::string(&in_memory<char>(0x8018), 7) << " is ready at " << sc_core::sc_time_stamp() << "\n";
    std::memset(&memory.bytes[0x9000], 0x5a, 512);
    same = command(1, 0x01, 0x9000, 7, 0) == 0 && command(1, 0x00, 0, 0, 0) == 0 && command(1, 0x02, 0xa000, 7, 0) == 0 &&
           std::memcmp(&memory.bytes[0x9000], &memory.bytes[0xa000], 512) == 0;
    std::cout << (same ? "the block came back at " : "the block did not come back at ") << sc_core::sc_time_stamp() << "\n";
    sc_core::sc_stop();
  }
};

int sc_main(int, char* argv[]) {
  const tessera::DriveConfig config = tessera::load_drive(argv[1], {}, "cmr");
  tessera::DriveModule drive("drive", config, tessera::plan_drive(config), tessera::ContentMode::bytes, 1);
  tessera::nvme::Config settings = tessera::nvme_config(drive);
  settings.vectors = 0;  // interrupts by the line, not by MSI-X
  const auto nvme = tessera::make_nvme("nvme", drive, settings);
  Memory memory("memory");
  Processor processor("processor", memory);
  sc_core::sc_signal<bool> interrupt("interrupt");
  processor.registers.bind(nvme->registers);
  nvme->memory.bind(memory.socket);
  nvme->interrupt.bind(interrupt);
  processor.interrupt.bind(interrupt);
  drive.power_on(false, [](tessera::Status) {});
  sc_core::sc_start();
  return processor.same ? 0 : 1;
}
