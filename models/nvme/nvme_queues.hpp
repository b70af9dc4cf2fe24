#pragma once
// Submission and completion queues in the host's memory: rings of entries, with what the controller knows of both ends.
#include <cstdint>

namespace tessera::nvme {

struct SubmissionQueue {
  bool exists = false;
  bool ending = false;  ///< a Delete waits for the commands in flight
  std::uint64_t base = 0;
  std::uint32_t size = 0;  ///< entries
  std::uint32_t head = 0;  ///< next that the controller fetches
  std::uint32_t tail = 0;  ///< as the host's doorbell says
  std::uint16_t completion_queue = 0;
  std::uint32_t in_flight = 0;  ///< fetched and not completed

  /// Whether the host may write `value` to the doorbell: it adds commands, no more than there are free entries
  /// (NVMe 1.4, 5.2).
  [[nodiscard]] bool may_move_to(std::uint32_t value) const {
    const std::uint32_t held = (tail + size - head) % size;
    return value < size && value != tail && (value + size - tail) % size + held < size;
  }
  [[nodiscard]] bool holds_commands() const { return exists && !ending && head != tail; }
};

struct CompletionQueue {
  bool exists = false;
  std::uint64_t base = 0;
  std::uint32_t size = 0;
  std::uint32_t head = 0;  ///< next that the host looks at, as its doorbell says
  std::uint32_t tail = 0;  ///< next that the controller writes
  bool phase = true;       ///< of the entries of this round
  bool interrupts = false;
  std::uint16_t vector = 0;
  std::uint32_t users = 0;  ///< submission queues

  /// Whether the host may write `value` to the doorbell: it takes completions, no more than were posted.
  [[nodiscard]] bool may_move_to(std::uint32_t value) const {
    return value < size && value != head && (value + size - head) % size <= (tail + size - head) % size;
  }
  [[nodiscard]] bool full() const { return (tail + 1) % size == head; }
  [[nodiscard]] bool holds_completions() const { return exists && head != tail; }
};

}  // namespace tessera::nvme
