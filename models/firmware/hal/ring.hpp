#pragma once
// A ring in memory that a device fills and the firmware empties: an entry is new when its `turn` says so, without a register.
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/check.hpp"
#include "firmware/hal/shared_bytes.hpp"

namespace tessera::hal {

template <class Entry>
class Ring {
 public:
  static constexpr std::size_t alignment = 64;

  /// `entries` must be a power of two.
  Ring(RegisterFile& machine, std::uint32_t entries)
      : machine_(machine), entries_(entries), storage_(machine, entries * sizeof(Entry) + alignment - 1) {
    TESSERA_CHECK(std::has_single_bit(entries), "a ring's entries are no power of two");
    const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(storage_.data()) + alignment - 1;
    ring_ = reinterpret_cast<Entry*>(first / alignment * alignment);  // NOLINT(performance-no-int-to-ptr): the next aligned one
  }

  [[nodiscard]] std::uint64_t address() const { return machine_.address_of(ring_); }
  [[nodiscard]] std::uint32_t entries() const { return entries_; }
  [[nodiscard]] std::uint64_t taken() const { return taken_; }

  /// The next new entry, or null. It stays until the device comes round.
  const Entry* take() {
    const Entry& entry = ring_[taken_ % entries_];
    // Half of it is enough: a 32-bit core compares one word. The device writes it last.
    const auto turn = static_cast<std::uint32_t>(taken_ / entries_) + 1;
    if (static_cast<std::uint32_t>(static_cast<const volatile std::uint64_t&>(entry.turn)) != turn) return nullptr;
    std::atomic_thread_fence(std::memory_order_acquire);
    ++taken_;
    return &entry;
  }

 private:
  RegisterFile& machine_;
  std::uint32_t entries_;
  SharedBytes storage_;
  Entry* ring_;
  std::uint64_t taken_ = 0;
};

}  // namespace tessera::hal
