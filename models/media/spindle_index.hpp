#pragma once
// The index signal of the spindle: a pulse of a hundredth of a turn at each turn's begin. It changes by itself, so that it is told in
// closed form and only where somebody looks: its edges lie where the angle says, whatever the heads do.
#include "base/signal.hpp"
#include "media/power_conditions.hpp"
#include "media/track_geometry.hpp"

namespace tessera {

class SpindleIndex final : public SignalSource {
 public:
  SpindleIndex(SignalScope& signals, const TrackGeometry& geometry, const PowerConditions& power);

  Picoseconds tell_until(Picoseconds at) override;
  /// As tell_until(), of a device that goes on; what nobody looks at costs nothing, and is not told to who looks later.
  void pass(Picoseconds at) {
    if (Signal::anyone_watches()) [[unlikely]]
      static_cast<void>(tell_until(at));
    else
      from_ = at + Picoseconds(1);
  }
  /// The power goes, and comes.
  void cut(Picoseconds now);
  void restore(Picoseconds now);

 private:
  [[nodiscard]] Picoseconds next_edge() const;

  Signal index_;
  const TrackGeometry& geometry_;
  const PowerConditions& power_;
  Picoseconds from_;  // edges before it are told, or nobody looked
  bool high_ = false;
  bool powered_ = true;
};

}  // namespace tessera
