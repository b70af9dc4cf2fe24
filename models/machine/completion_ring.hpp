#pragma once
// The ring in memory through which a unit tells firmware what has ended.
#include "firmware/hal/descriptors.hpp"
#include "machine/machine.hpp"

namespace tessera {

/// Where rings begin.
inline constexpr std::uint64_t ring_alignment = 64;

class CompletionRing {
 public:
  /// `unit`: "disk" or "flash", for messages.
  CompletionRing(Machine& machine, const char* unit, std::uint64_t line, Entries which)
      : machine_(machine), unit_(unit), line_(line), which_(which) {}

  void set_address(std::uint64_t address);
  /// Starts the unit.
  void set_entries(std::uint64_t entries);
  void set_consumed(std::uint64_t consumed);
  [[nodiscard]] std::uint64_t address() const { return address_; }
  [[nodiscard]] std::uint64_t entries() const { return entries_; }
  /// FirmwareFault where the unit was not started.
  void require_started() const;

  /// Writes `entry` with its turn, and raises the line. FirmwareFault where the firmware has not taken what is in its place.
  void post(hal::CompletionEntry entry);

 private:
  Machine& machine_;
  const char* unit_;
  std::uint64_t line_;
  Entries which_;
  std::uint64_t address_ = 0;
  std::uint64_t entries_ = 0;
  std::uint64_t produced_ = 0;
  std::uint64_t consumed_ = 0;
};

}  // namespace tessera
