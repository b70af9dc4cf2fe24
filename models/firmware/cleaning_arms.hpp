#pragma once
// Where a layer that can choose cleans: on whatever arm its victim is, on the arm that serves fewer commands of the host, or on each arm at
// once. A victim's arm is that of its band, and a merged band goes to a spare one of the same arm, so that a cleaning keeps to one.
#include <cstdint>
#include <optional>

#include "base/geometry.hpp"
#include "firmware/ports/arm_load.hpp"
#include "firmware/ports/media_port.hpp"

namespace tessera {

enum class CleaningArm : std::uint8_t { any, idle, each };

class CleaningArms {
 public:
  /// Counts what `media` does for the host from now on, where that decides.
  CleaningArms(CleaningArm where, const DriveGeometry& geometry, MediaPort& media) : where_(where), load_(ArmMap(geometry.arms)) {
    media.count_hosts(where == CleaningArm::idle ? &load_ : nullptr);
  }
  CleaningArms(const CleaningArms&) = delete;
  CleaningArms& operator=(const CleaningArms&) = delete;

  [[nodiscard]] bool chosen() const { return where_ != CleaningArm::any; }
  /// Cleanings that may be under way at once.
  [[nodiscard]] std::uint32_t at_once() const { return where_ == CleaningArm::each ? load_.arms().arms() : 1; }
  [[nodiscard]] std::uint32_t arms() const { return load_.arms().arms(); }
  [[nodiscard]] std::uint32_t of(PhysicalTrack track) const { return load_.arms().of(track); }
  /// The arm with the fewest chains of hosts; none where several have as few, or where that does not count.
  [[nodiscard]] std::optional<std::uint32_t> idle() const;

 private:
  CleaningArm where_;
  ArmLoad load_;
};

}  // namespace tessera
