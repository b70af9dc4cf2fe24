#pragma once
// The queue of the disk channel: all classes of chains, one discipline, an age limit.
#include <cstdint>
#include <vector>

#include "base/positioning.hpp"
#include "controller/controller_config.hpp"
#include "firmware/ports/media_port.hpp"

namespace tessera {

class MediaQueue {
 public:
  MediaQueue(SchedulingPolicy policy, Picoseconds age_limit, Picoseconds background_age_limit);

  void push(MediaChain& chain);
  [[nodiscard]] bool empty() const { return foreground_.empty() && background_.empty(); }
  [[nodiscard]] std::size_t size() const { return foreground_.size() + background_.size(); }

  /// Removes and returns the chain to serve next; the queue must not be empty. Host and dependent chains go before
  /// background ones unless one of those has reached its age limit. `positioning` is asked by the distance policies only.
  MediaChain& pop(const Positioning& positioning, Picoseconds now);

  void clear();

 private:
  using Entries = std::vector<MediaChain*>;  // in order of arrival

  [[nodiscard]] std::size_t pick(const Entries& entries, const Positioning& positioning, Picoseconds now) const;
  [[nodiscard]] std::size_t next_in_sweep(const Entries& entries, PhysicalTrack head) const;
  [[nodiscard]] std::size_t nearest_radius(const Entries& entries, PhysicalTrack head) const;
  [[nodiscard]] std::size_t shortest_positioning(const Entries& entries, const Positioning& positioning, Picoseconds now) const;

  SchedulingPolicy policy_;
  Picoseconds age_limit_;
  Picoseconds background_age_limit_;
  Entries foreground_;
  Entries background_;
};

}  // namespace tessera
