#include "dram/sparse_memory.hpp"

#include <sys/mman.h>

#include <string>

#include "base/check.hpp"
#include "base/error.hpp"

namespace tessera {

SparseMemory::SparseMemory(Bytes size) {
  if (size == Bytes(0)) return;
  void* const memory = ::mmap(nullptr, size.value(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    throw InputError("dram.capacity: this machine gives no address space for " + std::to_string(size.value()) + " B");
  bytes_ = {static_cast<std::byte*>(memory), size.value()};
}

SparseMemory::~SparseMemory() {
  if (!bytes_.empty()) ::munmap(bytes_.data(), bytes_.size());
}

void SparseMemory::clear() {
  if (bytes_.empty()) return;
  // Pages of a private anonymous mapping that are given back read as 0.
  TESSERA_CHECK(::madvise(bytes_.data(), bytes_.size(), MADV_DONTNEED) == 0, "the modelled DRAM could not be cleared");
}

}  // namespace tessera
