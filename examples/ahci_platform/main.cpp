// A platform of a processor, memory and a drive behind AHCI. The processor brings the port up, asks the drive what it is, writes a block
// with a queued command, flushes, and reads it back.
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstring>
#include <iostream>
#include <systemc>
#include <vector>

#include "tessera/platforms/drive/ahci_drive.hpp"

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
  std::uint32_t read(std::uint64_t at) { return access(tlm::TLM_READ_COMMAND, at); }
  void write(std::uint64_t at, std::uint32_t value) { access(tlm::TLM_WRITE_COMMAND, at, value); }
  template <class Value>
  Value& in_memory(std::uint64_t at) {
    return *reinterpret_cast<Value*>(&memory.bytes[at]);
  }

  /// Slot 0 has its header at 0x1000, its table at 0x2000 and one region of memory. Gives the status.
  unsigned command(unsigned char opcode, std::uint64_t block, unsigned count, unsigned features, std::uint32_t data, unsigned bytes) {
    unsigned char* const fis = &memory.bytes[0x2000];
    const unsigned char task[16] = {
        0x27, 0x80, opcode, static_cast<unsigned char>(features), static_cast<unsigned char>(block), 0, 0, 0x40, 0,
        0,    0,    0,      static_cast<unsigned char>(count)};
    std::memcpy(fis, task, sizeof task);
    in_memory<std::uint32_t>(0x2080) = data;
    in_memory<std::uint32_t>(0x208c) = bytes - 1;
    in_memory<std::uint32_t>(0x1000) = 5 | (bytes != 0 ? 1 << 16 : 0);  // words of the FIS, regions
    in_memory<std::uint64_t>(0x1008) = 0x2000;
    if (opcode == 0x60 || opcode == 0x61) write(0x134, 1);  // queued: tag 0 is active
    write(0x138, 1);                                        // issue
    while (((read(0x138) | read(0x134)) & 1) != 0 && (read(0x120) & 1) == 0) {
      if (!interrupt.read()) wait(interrupt.posedge_event());
      write(0x110, read(0x110));  // causes, then the adapter's own
      write(0x08, 1);
    }
    return read(0x120) & 0x21;
  }
  void run() {
    write(0x100, 0x1000);  // command list
    write(0x108, 0x1400);  // received FISes
    write(0x118, 1 << 4);  // take them
    write(0x12c, 1);       // reset the link
    write(0x12c, 0);
    while ((read(0x120) & 0x88) != 0) wait(1, sc_core::SC_MS);
    write(0x130, 0xffffffff);  // the new link is no error
    write(0x118, 1 << 4 | 1);  // start
    while ((read(0x118) & 0x8000) == 0) wait(1, sc_core::SC_US);
    write(0x114, 0x7dc000ff);  // interrupts of the port, and of the adapter
    write(0x04, 0x80000002);
    command(0xec, 0, 0, 0, 0x8000, 512);  // identify device
    std::cout << "a drive of " << in_memory<std::uint64_t>(0x80c8) / 2048 << " MiB and " << in_memory<std::uint16_t>(0x81b2)
              << " rpm is ready at " << sc_core::sc_time_stamp() << "\n";
    std::memset(&memory.bytes[0x9000], 0x5a, 512);
    same = command(0x61, 7, 0, 1, 0x9000, 512) == 0 && command(0xea, 0, 0, 0, 0, 0) == 0 && command(0x60, 7, 0, 1, 0xa000, 512) == 0 &&
           std::memcmp(&memory.bytes[0x9000], &memory.bytes[0xa000], 512) == 0;
    std::cout << (same ? "the block came back at " : "the block did not come back at ") << sc_core::sc_time_stamp() << "\n";
    sc_core::sc_stop();
  }
};

int sc_main(int, char* argv[]) {
  const tessera::DriveConfig config = tessera::load_drive(argv[1], {}, "cmr");
  tessera::DriveModule drive("drive", config, tessera::plan_drive(config), tessera::ContentMode::bytes, 1);
  const auto ahci = tessera::make_ahci("ahci", drive);
  Memory memory("memory");
  Processor processor("processor", memory);
  sc_core::sc_signal<bool> interrupt("interrupt");
  processor.registers.bind(ahci->registers);
  ahci->memory.bind(memory.socket);
  ahci->interrupt.bind(interrupt);
  processor.interrupt.bind(interrupt);
  drive.power_on(false, [](tessera::Status) {});
  sc_core::sc_start();
  return processor.same ? 0 : 1;
}
