#pragma once
// Chains of hosts that each arm has in hand or in its queue, as the firmware knows it: from submission to completion.
#include <cstdint>
#include <utility>
#include <vector>

#include "base/arms.hpp"

namespace tessera {

class ArmLoad {
 public:
  explicit ArmLoad(ArmMap arms) : arms_(std::move(arms)), chains_(arms_.arms()) {}

  void begin(PhysicalTrack track) { ++chains_[arms_.of(track)]; }
  void end(PhysicalTrack track) { --chains_[arms_.of(track)]; }
  [[nodiscard]] const ArmMap& arms() const { return arms_; }
  [[nodiscard]] std::uint32_t of(std::uint32_t arm) const { return chains_[arm]; }

 private:
  ArmMap arms_;
  std::vector<std::uint32_t> chains_;
};

}  // namespace tessera
