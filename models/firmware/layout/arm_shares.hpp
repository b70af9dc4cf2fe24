#pragma once
// Which arm serves a logical sector, where each arm has its share of the addresses (SpaceBounds::by_arm).
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/address.hpp"

namespace tessera {

class ArmShares {
 public:
  /// All sectors count as one arm's.
  ArmShares() = default;
  /// `ends`: of the shares, as ConventionalLayout::arm_ends().
  explicit ArmShares(std::vector<std::uint64_t> ends) : ends_(std::move(ends)) {}

  [[nodiscard]] std::size_t arms() const { return std::max<std::size_t>(1, ends_.size()); }
  [[nodiscard]] std::size_t of(LogicalSector sector) const {
    std::size_t arm = 0;
    while (arm + 1 < ends_.size() && sector.value() >= ends_[arm]) ++arm;
    return arm;
  }

 private:
  std::vector<std::uint64_t> ends_;
};

}  // namespace tessera
