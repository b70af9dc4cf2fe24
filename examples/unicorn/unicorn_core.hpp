#pragma once
// Unicorn (the RISC-V cores of QEMU, as a library) in the place of the drive's CPU: a thread, a socket for loads and stores, and the pins
// for reset and interrupt.
//
// The DRAM is mapped by the pointer that get_direct_mem_ptr gives; all registers are callbacks into b_transport. Each instruction takes one
// cycle of `clock`. The core runs ahead of the kernel by a quantum of instructions and is in step at each access of a register, so
// interrupts within a quantum are taken at its end, or when WFI waits for one. Loads and stores of the DRAM cost no time of their own, and
// there are no caches: firmware computes what it does on the drive's hart, at other times.
#include <tlm_utils/simple_initiator_socket.h>
#include <unicorn/unicorn.h>

#include <cstdint>
#include <ctime>
#include <iterator>
#include <stdexcept>
#include <string>
#include <systemc>

#include "firmware_image.hpp"

class UnicornCore : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<UnicornCore> socket{"socket"};
  sc_core::sc_in<bool> interrupt{"interrupt"};
  sc_core::sc_in<bool> reset{"reset"};

  std::uint64_t instructions = 0;  ///< so far
  unsigned boots = 0;
  double processor_seconds = 0;  ///< that this machine's processor has spent in Unicorn, without its accesses of registers

  /// `quantum` in instructions, at least 1; the image outlives the core.
  UnicornCore(sc_core::sc_module_name name, const FirmwareImage& image, sc_core::sc_time cycle, unsigned quantum)
      : sc_module(name), image_(image), cycle_(cycle), quantum_(quantum) {
    SC_HAS_PROCESS(UnicornCore);
    SC_THREAD(run);
    set_stack_size(1 << 20);  // it translates on the stack of its thread
  }

 private:
  static constexpr std::uint64_t registers_base = 0x4000'0000, registers_bytes = 0x10000, dram_base = 0x8000'0000;
  static constexpr std::uint64_t external = 1 << 11;  // mie.MEIE

  void run() {
    for (;;) {
      while (reset.read()) wait(reset.negedge_event());
      start();
      while (!reset.read()) slice();
      uc_close(uc_);  // and with it what it has translated, and the pointer
    }
  }

  void start() {
    ++boots;
    done_ = 0;
    need(uc_open(UC_ARCH_RISCV, image_.wide ? UC_MODE_RISCV64 : UC_MODE_RISCV32, &uc_), "to open");
    tlm::tlm_generic_payload payload;
    payload.set_command(tlm::TLM_READ_COMMAND);
    payload.set_address(dram_base);
    tlm::tlm_dmi dmi;
    if (!socket->get_direct_mem_ptr(payload, dmi) || !dmi.is_read_write_allowed())
      throw std::runtime_error(
          "Unicorn needs a pointer to the drive's DRAM, and gets none: a recorder, a checker or bit errors are in the way");
    dram_ = dmi.get_dmi_ptr();
    image_.load({dram_, dmi.get_end_address() - dram_base + 1}, dram_base);
    need(uc_mem_map_ptr(uc_, dram_base, (dmi.get_end_address() + 1 - dram_base) & ~std::uint64_t{0xfff}, UC_PROT_ALL, dram_),
         "to map the DRAM");
    need(uc_mmio_map(uc_, registers_base, registers_bytes, &UnicornCore::read, this, &UnicornCore::write, this), "to map the registers");
    uc_hook hook = 0;
    need(uc_hook_add(uc_, &hook, UC_HOOK_BLOCK, reinterpret_cast<void*>(&UnicornCore::enter_block), this, 1, 0), "to count instructions");
    pc_ = image_.entry;
  }

  /// One quantum, or up to a WFI.
  void slice() {
    stopped_ = false;
    const std::clock_t began = std::clock();
    const uc_err how = uc_emu_start(uc_, pc_, ~std::uint64_t{0}, 0, 0);
    processor_seconds += static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
    keep_up();
    if (reset.read()) return;
    need(how, "to run at " + std::to_string(pc_));
    uc_reg_read(uc_, UC_RISCV_REG_PC, &pc_);
    if (!stopped_ && !interrupt.read()) wait(interrupt.posedge_event() | reset.posedge_event());  // a WFI
    if (!reset.read() && interrupt.read()) take_interrupt();
  }

  /// As the privileged architecture has it, where the firmware enables interrupts and does not only wait for them.
  void take_interrupt() {
    std::uint64_t status = get(UC_RISCV_REG_MSTATUS);
    const std::uint64_t vector = get(UC_RISCV_REG_MTVEC);
    if ((status & 8) == 0 || (get(UC_RISCV_REG_MIE) & external) == 0) return;
    set(UC_RISCV_REG_MEPC, pc_);
    set(UC_RISCV_REG_MCAUSE, (std::uint64_t{1} << (image_.wide ? 63 : 31)) | 11);
    set(UC_RISCV_REG_MSTATUS, (status & ~std::uint64_t{8}) | 0x1880);  // MPIE, and MPP: machine mode
    pc_ = (vector & ~std::uint64_t{3}) + ((vector & 3) != 0 ? 4 * 11 : 0);
  }
  std::uint64_t get(int which) {
    std::uint64_t value = 0;
    uc_reg_read(uc_, which, &value);
    return value;
  }
  void set(int which, std::uint64_t value) { uc_reg_write(uc_, which, &value); }

  void keep_up() {
    if (done_ == 0) return;
    wait(cycle_ * static_cast<double>(done_));
    done_ = 0;
  }

  /// Counts a block as it begins, or stops in front of it. Instructions have 2 or 4 bytes; how many there are is looked up once.
  static void enter_block(uc_engine*, std::uint64_t address, std::uint32_t bytes, void* core) {
    auto& self = *static_cast<UnicornCore*>(core);
    if (self.done_ >= self.quantum_) return self.stop();
    const std::uint64_t key = address << 16 | bytes;
    Counted& counted = self.recent_[address / 2 % std::size(self.recent_)];
    if (counted.key != key) counted = {key, self.count(address, bytes)};
    self.instructions += counted.instructions;
    self.done_ += counted.instructions;
  }
  std::uint32_t count(std::uint64_t address, std::uint32_t bytes) {
    std::uint32_t found = 0;
    const unsigned char* const code = dram_ + (address - dram_base);
    for (std::uint32_t at = 0; at < bytes; at += (code[at] & 3) == 3 ? 4 : 2) ++found;
    return found;
  }
  void stop() {
    stopped_ = true;
    uc_emu_stop(uc_);
  }

  /// Unicorn cuts accesses of 8 bytes in halves, the lower one first, where the drive's registers want the lower one last: on a core of 64
  /// bits whole registers are accessed with the lower half when they are read, and with the upper one when they are written.
  static std::uint64_t read(uc_engine*, std::uint64_t offset, unsigned bytes, void* core) {
    auto& self = *static_cast<UnicornCore*>(core);
    if (!self.image_.wide) return self.access(tlm::TLM_READ_COMMAND, offset, bytes, 0);
    if (offset % 8 == 0) return static_cast<std::uint32_t>(self.kept_ = self.access(tlm::TLM_READ_COMMAND, offset, 8, 0));
    return self.kept_ >> 32;
  }
  static void write(uc_engine*, std::uint64_t offset, unsigned bytes, std::uint64_t value, void* core) {
    auto& self = *static_cast<UnicornCore*>(core);
    if (!self.image_.wide) {
      self.access(tlm::TLM_WRITE_COMMAND, offset, bytes, value);
    } else if (offset % 8 == 0) {
      self.kept_ = static_cast<std::uint32_t>(value);
    } else {
      self.access(tlm::TLM_WRITE_COMMAND, offset - 4, 8, self.kept_ | value << 32);
    }
  }
  std::uint64_t access(tlm::tlm_command command, std::uint64_t offset, unsigned bytes, std::uint64_t value) {
    const std::clock_t began = std::clock();
    keep_up();
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(registers_base + offset);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_data_length(bytes);
    payload.set_streaming_width(bytes);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    if (!reset.read()) socket->b_transport(payload, delay);
    wait(delay);
    if (!payload.is_response_ok()) stop();  // the power has failed
    processor_seconds -= static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
    return value;
  }

  static void need(uc_err status, const std::string& what) {
    if (status != UC_ERR_OK) throw std::runtime_error("Unicorn failed " + what + ": " + uc_strerror(status));
  }

  struct Counted {
    std::uint64_t key = 0;
    std::uint32_t instructions = 0;
  };
  const FirmwareImage& image_;
  const sc_core::sc_time cycle_;
  const std::uint64_t quantum_;
  Counted recent_[4096];
  uc_engine* uc_ = nullptr;
  unsigned char* dram_ = nullptr;
  std::uint64_t pc_ = 0, kept_ = 0;
  std::uint64_t done_ = 0;  // instructions since the kernel's time was the core's
  bool stopped_ = false;    // by us, and not by a WFI
};
