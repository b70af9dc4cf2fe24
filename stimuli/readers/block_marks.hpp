#pragma once
// Which blocks of a volume were touched and written: a bit each, 64 neighbouring blocks to an entry of a hash table.
#include <cstdint>
#include <vector>

#include "stimuli/readers/huge_pages.hpp"

namespace tessera {

/// On random addresses nearly every look-up waits for memory; prefetch() starts the wait early.
/// Linear probing, at most 5/8 full: 38 to 77 bytes an entry.
class BlockMarks {
 public:
  static constexpr std::uint64_t blocks = 64;  ///< of one entry

  struct Entry {
    std::uint64_t touched = 0;
    std::uint64_t written = 0;
  };

  BlockMarks();
  /// Of the blocks from `number` times 64 on; `number` is below 2^64 - 1.
  [[nodiscard]] Entry& at(std::uint64_t number);
  void prefetch(std::uint64_t number) const {
    const Slot& slot = slots_[place(number)];
    __builtin_prefetch(&slot.mark);
    __builtin_prefetch(&slot.entry.written);  // may lie in the next line of the cache
  }

 private:
  struct Slot {
    std::uint64_t mark = 0;  ///< number + 1; 0: free
    Entry entry;
  };

  [[nodiscard]] std::size_t place(std::uint64_t number) const {
    constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;  // 2^64 over the golden ratio
    const auto product = static_cast<unsigned __int128>(number) * odd;
    return static_cast<std::size_t>(product >> 64 ^ product) & (slots_.size() - 1);
  }
  void grow();

  using Slots = std::vector<Slot, HugePageAllocator<Slot>>;

  Slots slots_;  ///< a power of two of them
  std::size_t used_ = 0;
};

}  // namespace tessera
