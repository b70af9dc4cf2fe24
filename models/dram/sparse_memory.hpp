#pragma once
// The bytes of a DRAM: all addresses exist, those that were never written take no memory of the machine and read as 0.
#include <cstddef>
#include <span>

#include "base/units.hpp"

namespace tessera {

class SparseMemory {
 public:
  explicit SparseMemory(Bytes size);
  ~SparseMemory();
  SparseMemory(const SparseMemory&) = delete;
  SparseMemory& operator=(const SparseMemory&) = delete;

  [[nodiscard]] std::span<std::byte> bytes() const { return bytes_; }
  /// Everything reads as 0 again.
  void clear();

 private:
  std::span<std::byte> bytes_;
};

}  // namespace tessera
