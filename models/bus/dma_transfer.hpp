#pragma once
// One extent that a DMA engine moves between its device and the DRAM, and what bus and DRAM make of it.
#include <array>
#include <cstdint>

#include "base/address.hpp"
#include "base/units.hpp"
#include "firmware/ports/memory_port.hpp"

namespace tessera {

/// Who uses the bus. Each flash channel has an engine of its own: `flash`, and the values behind it.
enum class BusInitiator : std::uint32_t { cpu, copy, host, disk, flash };
[[nodiscard]] constexpr BusInitiator flash_engine(std::uint32_t channel) {
  return static_cast<BusInitiator>(static_cast<std::uint32_t>(BusInitiator::flash) + channel);
}

/// Whose bytes on the bus are counted together: the initiators' data, and what CPU and devices tell each other.
enum class BusAccount : std::uint32_t { cpu, copy, host, disk, flash, registers, descriptors };
[[nodiscard]] constexpr BusAccount account_of(BusInitiator who) {
  return who < BusInitiator::flash ? static_cast<BusAccount>(who) : BusAccount::flash;
}

/// A single access that CPU or device make to tell each other something, and its bytes.
enum class BusExchange : std::uint32_t { register_access, command, completion };
inline constexpr std::array<Bytes, 3> exchange_bytes{
    Bytes(4),   // a register of 32 bits
    Bytes(32),  // a command, of the host or for a device: as a command header of AHCI (1.3.1, section 4.2.2)
    Bytes(16)   // its completion: as an entry of NVM Express's completion queues (base specification 1.4, section 4.6)
};

/// The registers that CPU and devices tell each other through, each of 32 bits, one behind the other in the bus's window of registers.
enum class DeviceRegister : std::uint32_t {
  interrupt_acknowledge,  ///< read: who interrupts (GICC_IAR of ARM's generic interrupt controller, IHI 0048B)
  end_of_interrupt,       ///< written: it was served (GICC_EOIR)
  host_doorbell,          ///< written: completions, or pieces of data, wait for the host's engine
  disk_doorbell,
  flash_doorbell,
  timer,  ///< written: when it is to interrupt
  count_
};
inline constexpr std::uint64_t register_bytes = 4;

struct DmaTransfer {
  BusInitiator engine = BusInitiator::copy;
  DramAddress address;
  Bytes bytes;
  Access access = Access::read;
  Picoseconds pace{};    ///< the device moves it in no less; 0: as fast as it may
  Picoseconds since{};   ///< for so long the device has been moving it when the transfer is priced
  bool checked = false;  ///< its words are looked at elsewhere (DramLink::move)
  /// Where it is not the engine's.
  BusAccount account = account_of(engine);
};

struct DmaGrant {
  Picoseconds end;
  Bytes behind;  ///< the most that a transfer with a pace was behind it
};

}  // namespace tessera
