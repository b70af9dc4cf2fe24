#pragma once
// One pool of flash blocks for writes and for copies of what the platters hold: the tier for writes has the blocks, and lends some to the
// read cache. The pool is a queue in which every block has an age: that which was begun by writes, or filled with copies, first is the
// oldest, and it is the one that leaves.
#include <cstdint>
#include <optional>

#include "base/address.hpp"

namespace tessera {

class BlockBorrower {
 public:
  /// Of the blocks that it has filled the oldest one, or nothing.
  [[nodiscard]] virtual std::optional<std::uint32_t> oldest() const = 0;
  /// Empties and gives back the oldest one, which the lender erases; nothing where all that are older than `age` are in use, and become the
  /// newest by that.
  [[nodiscard]] virtual std::optional<std::uint32_t> give_back(std::uint64_t age) = 0;

 protected:
  ~BlockBorrower() = default;
};

class BlockLender {
 public:
  virtual void lend_to(BlockBorrower& borrower) = 0;
  /// An erased block, or nothing: then the borrower's own oldest has to do, and what is older goes when the host is idle.
  [[nodiscard]] virtual std::optional<std::uint32_t> lend() = 0;
  /// The lent block is the newest of the pool.
  virtual void renew(std::uint32_t block) = 0;
  [[nodiscard]] virtual std::uint64_t age(std::uint32_t block) const = 0;
  /// The lent block failed, and is not used again.
  virtual void lost(std::uint32_t block) = 0;
  /// Whether the lender itself has the sector in flash.
  [[nodiscard]] virtual bool has(LogicalSector sector) const = 0;

 protected:
  ~BlockLender() = default;
};

}  // namespace tessera
