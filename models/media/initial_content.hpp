#pragma once
// What the platters held before the simulation began.
#include <cstdint>

#include "base/content.hpp"

namespace tessera {

/// Asked for a track until it is first written or damaged. Only whole sectors of host data, which never change.
class InitialContent {
 public:
  /// Whether any sector of the track (TrackGeometry::linear) held data.
  [[nodiscard]] virtual bool on(std::uint64_t track) const = 0;
  /// Fills what sectors [first, first + count) of the track held into `data`, which is zeros, and leaves out those that held nothing.
  virtual void fill(std::uint64_t track, std::uint32_t first, std::uint32_t count, ContentSpan data) const = 0;

 protected:
  ~InitialContent() = default;
};

}  // namespace tessera
