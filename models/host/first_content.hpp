#pragma once
// What the drive held before anybody wrote to it, for accesses that take no time.
#include <span>

#include "base/address.hpp"

namespace tessera {

class FirstContent {
 public:
  /// The whole block.
  virtual void read(HostBlock block, std::span<std::byte> to) const = 0;
  /// False where it is too late, or the block is beyond what is known.
  [[nodiscard]] virtual bool write(HostBlock block, std::span<const std::byte> from) = 0;

 protected:
  ~FirstContent() = default;
};

}  // namespace tessera
