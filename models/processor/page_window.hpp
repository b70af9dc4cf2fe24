#pragma once
// The pages of memory that the hart touched last: most loads and stores look no further. A page that a load or store must be looked at in
// (it holds decoded code, or a debugger watches it) is kept out.
#include <array>
#include <cstddef>
#include <cstdint>

#include "processor/memory.hpp"

namespace tessera::riscv {

class PageWindow {
 public:
  PageWindow() { clear(); }

  /// Where an aligned item of `T` is; null where its page is not among these, or it is not aligned.
  template <class T>
  [[nodiscard]] std::byte* find(std::uint64_t address) const {
    const Entry& entry = entries_[index(address)];
    constexpr std::uint64_t of_page_or_unaligned = ~(page_bytes - 1) | (sizeof(T) - 1);
    return entry.page == (address & of_page_or_unaligned) ? entry.bytes + (address & (page_bytes - 1)) : nullptr;
  }

  /// `bytes`: the page's first.
  void add(std::uint64_t address, std::byte* bytes) { entries_[index(address)] = {address & ~(page_bytes - 1), bytes}; }
  void remove(std::uint64_t address) {
    Entry& entry = entries_[index(address)];
    if (entry.page == (address & ~(page_bytes - 1))) entry = {};
  }
  void clear() { entries_.fill({}); }

 private:
  struct Entry {
    std::uint64_t page = ~std::uint64_t{0};  // no page's address
    std::byte* bytes = nullptr;
  };
  static constexpr std::size_t size = 256;
  static std::size_t index(std::uint64_t address) { return address >> page_bits & (size - 1); }

  std::array<Entry, size> entries_;
};

}  // namespace tessera::riscv
