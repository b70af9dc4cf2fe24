#include "dram/sparse_memory.hpp"

#include <sys/mman.h>

#include "base/check.hpp"

namespace tessera {

SparseMemory::SparseMemory(Bytes size) {
  void* const memory = ::mmap(nullptr, size.value(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  TESSERA_CHECK(memory != MAP_FAILED, "the simulator is out of address space for the modelled DRAM");
  bytes_ = {static_cast<std::byte*>(memory), size.value()};
}

SparseMemory::~SparseMemory() { ::munmap(bytes_.data(), bytes_.size()); }

void SparseMemory::clear() {
  // Pages of a private anonymous mapping that are given back read as 0.
  TESSERA_CHECK(::madvise(bytes_.data(), bytes_.size(), MADV_DONTNEED) == 0, "the modelled DRAM could not be cleared");
}

}  // namespace tessera
