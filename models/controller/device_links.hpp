#pragma once
// What the controller's core asks of CPU, DRAM and DMA engines; bus/direct_links.hpp has the rest. The module implements these over TLM
// sockets, the test bench directly.
#include <cstddef>
#include <span>

#include "base/address.hpp"
#include "bus/direct_links.hpp"
#include "bus/dma_transfer.hpp"
#include "controller/extent_traffic.hpp"
#include "dram/memory_path.hpp"
#include "firmware/ports/flash_port.hpp"
#include "firmware/ports/media_port.hpp"
#include "firmware/ports/memory_port.hpp"

namespace tessera {

/// The CPU's port to the bus. Each call gives the time of completion of what begins at `at`.
class CpuLink {
 public:
  /// A load or store of the DRAM, or a line of the CPU's caches. Before it returns, MemoryController::uncorrectable() is called for what
  /// ECC could not correct.
  virtual Picoseconds access(DramAddress address, std::uint32_t bytes, Access access, Picoseconds at) = 0;
  /// Past this port and the DMA engines' (DramLink), where it is open.
  [[nodiscard]] virtual MemoryPath direct() const { return {}; }
  /// Whether registers are reached through this port as well. Otherwise the interconnect is charged for them where they are used: the same
  /// times, without a call for each.
  [[nodiscard]] virtual bool carries_registers() const { return false; }
  virtual Picoseconds access_register(DeviceRegister, Access, Picoseconds at) { return at; }

 protected:
  ~CpuLink() = default;
};

/// Over the bus to the DRAM: dma() prices a transfer at `at`. Before any of these returns, MemoryController::uncorrectable() is called for
/// what ECC could not correct.
class DramLink {
 public:
  virtual DmaGrant dma(const DmaTransfer& transfer, Picoseconds at) = 0;
  /// The words of an extent whose transfer is priced elsewhere (DmaTransfer::checked). A DRAM that never fails need not be told.
  virtual void move(DramAddress, Bytes, Access, Picoseconds) {}
  /// Who moves the extents of engines in bursts, where the DRAM asks for them; null: nobody.
  [[nodiscard]] virtual ExtentTraffic* traffic() { return nullptr; }
  /// The DRAM's bytes by address, zeros at power-on, where it shows them; otherwise those of tables are kept here.
  [[nodiscard]] virtual std::span<std::byte> bytes() { return {}; }

 protected:
  ~DramLink() = default;
};

/// The flash channel that a command takes, and how long that is taken by what the command moves.
struct FlashLane {
  std::uint32_t channel = 0;
  Picoseconds carrying;
};

/// What the devices move crosses bus and DRAM. Each gives when all of it is where it goes to, not before now().
class DmaPort {
 public:
  explicit DmaPort(bool in_bursts = false) : in_bursts_(in_bursts) {}
  DmaPort(const DmaPort&) = delete;
  DmaPort& operator=(const DmaPort&) = delete;

  /// The step's sectors and headers passed the head of `arm` during the `passing` that ends now.
  virtual DmaGrant disk_moved(const MediaStep& step, Picoseconds passing, std::uint32_t arm) = 0;
  /// The channel carries the command's data and out-of-band bytes: of a read until now, of a program from now on.
  virtual DmaGrant flash_moves(const FlashCommand& command, const FlashLane& lane) = 0;

  /// Whether a DRAM takes bursts. Then those above give the bus's part, bursts are under way behind it, and the engine has done when
  /// these are answered, too.
  [[nodiscard]] bool in_bursts() const { return in_bursts_; }
  /// `arm` was given the step, whose first sector is under its head at `from`, and which passes it in `passing`. The engine may be `ahead`
  /// of the head.
  virtual void disk_starts(const MediaStep&, Picoseconds, Picoseconds, Bytes, std::uint32_t) {}
  /// The step of `arm` ended without its data.
  virtual void disk_gave_up(std::uint32_t) {}
  /// See ExtentTraffic::done(): of the last step of `arm`, and of the last command on a flash channel.
  [[nodiscard]] virtual bool disk_done(std::uint32_t, TimelineListener&, std::uint64_t, Picoseconds) { return true; }
  [[nodiscard]] virtual bool flash_done(const FlashLane&, TimelineListener&, std::uint64_t, Picoseconds) { return true; }
  /// `listener` waits for none of them any more.
  virtual void withdraw(const TimelineListener&) {}

 protected:
  ~DmaPort() = default;

 private:
  bool in_bursts_;
};

/// Looks after the data that disk and flash move in and out of buffers of a DRAM that can fail.
class BufferGuard {
 public:
  /// The data is about to be read out of its buffer: what cannot be read is marked as lost there.
  virtual void fetched(const DataSpan& data) = 0;
  /// New data came to the buffer.
  virtual void stored(const DataSpan& data) = 0;

 protected:
  ~BufferGuard() = default;
};

}  // namespace tessera
