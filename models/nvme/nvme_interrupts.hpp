#pragma once
// How the controller interrupts the host: the line, held back by INTMS bit by bit, or MSI-X messages by a table in the register space, each
// with a mask, under which a message waits (PCI Local Bus Specification 3.0, 6.8.2).
#include <cstdint>
#include <vector>

#include "nvme/nvme_config.hpp"
#include "nvme/nvme_queues.hpp"

namespace tessera::nvme {

class InterruptTable {
 public:
  /// `vectors` of MSI-X; 0: the line.
  InterruptTable(std::uint16_t vectors, HostMemory& memory, Interrupts& platform)
      : entries_(vectors), memory_(memory), platform_(platform) {}

  [[nodiscard]] bool uses_messages() const { return !entries_.empty(); }
  /// Whether a completion queue may have this vector; the line has one.
  [[nodiscard]] bool exists(std::uint32_t vector) const { return vector < (uses_messages() ? entries_.size() : 1); }

  /// A completion was written to this queue: its message is due, or the line is looked at.
  void completed(const CompletionQueue& queue, const std::vector<CompletionQueue>& queues);
  /// The line follows the queues: asserted while one that interrupts holds completions and is not masked.
  void look_at(const std::vector<CompletionQueue>& queues);
  /// Writes a message that is due; false where there is none.
  bool send();

  void mask(std::uint32_t bits, const std::vector<CompletionQueue>& queues);
  void unmask(std::uint32_t bits, const std::vector<CompletionQueue>& queues);
  [[nodiscard]] std::uint32_t masks() const { return masks_; }
  [[nodiscard]] std::uint32_t read_table(std::uint64_t offset) const;
  void write_table(std::uint64_t offset, std::uint32_t value);
  /// The array of pending messages.
  [[nodiscard]] std::uint32_t read_pending(std::uint64_t offset) const;

  /// `power`: the table too, which a reset of the controller leaves alone.
  void reset(bool power);

 private:
  struct Entry {
    std::uint32_t words[4] = {0, 0, 0, 1};  // address, upper half, data, control: masked
    bool pending = false;
  };
  static constexpr std::size_t entry_bytes = 16;

  std::vector<Entry> entries_;
  HostMemory& memory_;
  Interrupts& platform_;
  std::uint32_t masks_ = 0;  // INTMS
  bool asserted_ = false;
};

}  // namespace tessera::nvme
