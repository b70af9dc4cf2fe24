#pragma once
// A RISC-V hardware thread: RV32 or RV64 IMAC with Zicsr and Zifencei, machine mode alone (The RISC-V Instruction Set Manual, volume I
// version 20191213, volume II version 20211203).
//
// It runs until something outside of it is to be asked: the end of its time, a load or store that meets no memory, WFI. What time an
// instruction takes is a matter of HartTiming.
#include <array>
#include <cstdint>

namespace tessera::riscv {

class Memory;

/// A load or store of a device, which the hart waits for.
struct DeviceAccess {
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;  ///< 1, 2, 4 or 8
  bool write = false;
  std::uint64_t value = 0;  ///< of a store
};

enum class Stop : std::uint8_t {
  limit,       ///< its time is over
  wait,        ///< WFI, and no enabled interrupt is pending
  device,      ///< a load or store that no memory holds: see device(), and end it with finish_device() or fail_device()
  breakpoint,  ///< before an instruction with a breakpoint of the debugger's
  watchpoint,  ///< behind an access that a watchpoint of the debugger's names: see watched()
  fault        ///< a trap while no handler is set (mtvec is 0), or within the handler's first instruction: see fault()
};

}  // namespace tessera::riscv
