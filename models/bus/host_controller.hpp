#pragma once
// A host controller, NVMe or AHCI, as its module sees it, and what it reaches: the platform's memory, the drive behind it, and the
// platform's interrupts. The module implements the latter over sockets, unit tests by plain memory.
#include <cstdint>
#include <functional>
#include <span>

#include "base/units.hpp"

namespace tessera {

/// The platform's memory, by physical address.
class HostMemory {
 public:
  /// False where the platform refuses the access. It may take simulated time, in which registers are written.
  [[nodiscard]] virtual bool read(std::uint64_t address, std::span<std::byte> to) = 0;
  [[nodiscard]] virtual bool write(std::uint64_t address, std::span<const std::byte> from) = 0;

 protected:
  ~HostMemory() = default;
};

enum class BlockOp : std::uint8_t { read, write, flush, trim };

/// One transfer to the drive. `data` stays until its end.
struct BlockTransfer {
  BlockOp op = BlockOp::read;
  std::uint64_t offset = 0;  ///< on the drive, bytes
  std::uint32_t bytes = 0;
  std::byte* data = nullptr;
  bool force_unit_access = false;
  std::uint32_t command = 0;     ///< who asks: HostController::ended()
  std::uint32_t generation = 0;  ///< of the queues that it was for
};

/// The drive.
class BlockDrive {
 public:
  /// Bytes; 0 while it has no power.
  [[nodiscard]] virtual std::uint64_t capacity() const = 0;
  /// Begins a transfer: the controller is told of its end by HostController::ended().
  virtual void submit(const BlockTransfer& transfer) = 0;
  /// How many of a command's transfers wait in front of the drive, which takes no more for now.
  [[nodiscard]] virtual std::uint32_t waiting(std::uint32_t command) const = 0;
  /// Takes these back: the controller is not told of their end. What the drive has it serves.
  virtual void withdraw(std::uint32_t command) = 0;
  /// Gives up what the drive has of a command: it ends as any transfer, earlier and failed where the drive can. Any part of a write may be
  /// there then.
  virtual void abort(std::uint32_t /*command*/, std::uint32_t /*generation*/) {}

 protected:
  ~BlockDrive() = default;
};

class Interrupts {
 public:
  /// The line, level-sensitive.
  virtual void line(bool asserted) = 0;
  /// The vector's message has been written to memory.
  virtual void message(std::uint16_t vector) = 0;

 protected:
  ~Interrupts() = default;
};

/// What the drive knows of its own health, for SMART.
struct DriveHealth {
  std::uint16_t kelvin = 308;        ///< 35 degrees Celsius: temperature is not modelled
  std::uint8_t spare_percent = 100;  ///< spare sectors left
  std::uint8_t used_percent = 0;     ///< of the flash's endurance
  std::uint64_t media_errors = 0;    ///< sectors that could not be read or written
  std::uint64_t relocations = 0;     ///< sectors that lie on spares
  Picoseconds busy{};                ///< time in which the media worked
};

/// The drive's spindle, as a host stops and starts it. Without functions it always turns.
struct SpindleControl {
  std::function<bool()> stopped;  ///< by the host, or by the drive itself
  std::function<void()> stop;
  std::function<void()> start;

  [[nodiscard]] bool exists() const { return stopped != nullptr; }
};

class HostController {
 public:
  /// Of the register space.
  [[nodiscard]] virtual std::uint64_t register_bytes() const = 0;
  /// A register access of 4 or 8 B, aligned. Registers that are none read as 0 and ignore writes.
  [[nodiscard]] virtual std::uint64_t read_register(std::uint64_t offset, std::uint32_t bytes) const = 0;
  virtual void write_register(std::uint64_t offset, std::uint64_t value, std::uint32_t bytes) = 0;
  /// Whether 1 and 2 B, aligned, may be accessed of a word too.
  [[nodiscard]] virtual bool takes_parts() const { return false; }
  /// Whether ones that are written to this word set or clear something, so that zeros leave it as it is.
  [[nodiscard]] virtual bool acts_on_ones(std::uint64_t offset) const = 0;

  /// Does the next step; false where there is nothing to do until a register is written or a transfer ends.
  virtual bool work() = 0;
  /// A transfer that was submitted has ended.
  virtual void ended(const BlockTransfer& transfer, bool ok) = 0;

  /// The power fails: everything but what the logs count is as after the first power-on. Nothing that is under way is answered.
  virtual void power_off() = 0;
  virtual void power_on() = 0;
  /// False from a power cut to the next power_on(): the host's memory is then out of reach.
  [[nodiscard]] virtual bool powered() const = 0;
  /// Whether work() waits for the drive's power, which nobody reports.
  [[nodiscard]] virtual bool waits_for_power() const = 0;

 protected:
  ~HostController() = default;
};

}  // namespace tessera
