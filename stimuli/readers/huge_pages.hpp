#pragma once
// Memory for tables that are looked up at random: pages of 2 MiB, where the system has them, spare most of the walks through its page
// tables, which cost more than the look-ups themselves.
#include <sys/mman.h>

#include <cstddef>
#include <new>

namespace tessera {

template <class T>
struct HugePageAllocator {
  using value_type = T;

  HugePageAllocator() = default;
  template <class Other>
  HugePageAllocator(const HugePageAllocator<Other>&) {}  // NOLINT(google-explicit-constructor): as containers expect of allocators

  [[nodiscard]] T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    if (bytes < 2 * page) return static_cast<T*>(::operator new(bytes));
    void* const memory = ::operator new (bytes, std::align_val_t{page});
    static_cast<void>(::madvise(memory, bytes, MADV_HUGEPAGE));  // a wish: where it is refused, the memory is as any other
    return static_cast<T*>(memory);
  }

  void deallocate(T* memory, std::size_t count) {
    if (count * sizeof(T) < 2 * page)
      ::operator delete(memory);
    else
      ::operator delete (memory, std::align_val_t{page});
  }

  bool operator==(const HugePageAllocator&) const = default;

 private:
  static constexpr std::size_t page = std::size_t{2} << 20U;
};

}  // namespace tessera
