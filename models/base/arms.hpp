#pragma once
// Which arm (actuator) reaches a surface: each arm has surfaces that follow each other, and all arms turn over one spindle.
#include <cstdint>
#include <vector>

#include "base/address.hpp"

namespace tessera {

/// The surfaces of one arm.
struct ArmSurfaces {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  constexpr bool operator==(const ArmSurfaces&) const = default;
};

class ArmMap {
 public:
  /// One arm for every surface.
  ArmMap() = default;
  explicit ArmMap(const std::vector<ArmSurfaces>& arms) {
    if (arms.size() < 2) return;
    for (std::uint32_t arm = 0; arm < arms.size(); ++arm) by_surface_.insert(by_surface_.end(), arms[arm].count, arm);
    arms_ = static_cast<std::uint32_t>(arms.size());
  }

  [[nodiscard]] std::uint32_t arms() const { return arms_; }
  [[nodiscard]] std::uint32_t of(PhysicalTrack track) const {
    return arms_ == 1 || track.surface >= by_surface_.size() ? 0 : by_surface_[track.surface];
  }

 private:
  std::uint32_t arms_ = 1;
  std::vector<std::uint32_t> by_surface_;  // empty for one arm
};

}  // namespace tessera
