#pragma once
// What an NVMe controller reaches: the platform's memory, the drive behind it, and the platform's interrupts. The module implements these
// over sockets, unit tests by plain memory.
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/units.hpp"

namespace tessera::nvme {

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
  std::uint32_t command = 0;     ///< who asks: Controller::ended()
  std::uint32_t generation = 0;  ///< of the queues that it was for
};

/// Not of a command: the flush of a shutdown.
inline constexpr std::uint32_t no_command = 0xffff'ffff;

/// The drive.
class BlockDrive {
 public:
  /// Bytes; 0 while it has no power.
  [[nodiscard]] virtual std::uint64_t capacity() const = 0;
  /// Begins a transfer: the controller is told of its end by Controller::ended().
  virtual void submit(const BlockTransfer& transfer) = 0;

 protected:
  ~BlockDrive() = default;
};

class Interrupts {
 public:
  /// The line, level-sensitive.
  virtual void line(bool asserted) = 0;
  /// MSI-X: the vector's message has been written to memory.
  virtual void message(std::uint16_t vector) = 0;

 protected:
  ~Interrupts() = default;
};

/// What the drive knows of its own health, for the SMART page.
struct Health {
  std::uint16_t kelvin = 308;        ///< 35 degrees Celsius: temperature is not modelled
  std::uint8_t spare_percent = 100;  ///< spare sectors left
  std::uint8_t used_percent = 0;     ///< of the flash's endurance
  std::uint64_t media_errors = 0;    ///< sectors that could not be read or written
  Picoseconds busy;                  ///< time in which the media worked
};

struct Config {
  std::string serial = "TESSERA0001";
  std::string model = "Tessera";
  std::string revision = "0.1";
  std::uint16_t io_queues = 16;        ///< pairs, 1 to 63
  std::uint16_t queue_entries = 1024;  ///< most of a queue, 2 to 65,536 (0 for that)
  std::uint16_t vectors = 17;          ///< of MSI-X; 0: the line
  std::uint8_t transfer_pages = 8;     ///< MDTS: the largest transfer is 2^this memory pages of 4 KiB
  bool volatile_cache = true;          ///< what the drive acknowledges may be lost without a flush
  std::vector<Bytes> namespaces;       ///< sizes, one after another; empty: one of the whole drive
  std::function<Health()> health;      ///< as of now; none: a drive like new
  std::function<Picoseconds()> now;    ///< simulated time
};

}  // namespace tessera::nvme
