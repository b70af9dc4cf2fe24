#pragma once
// The queue of the disk channel: all classes of chains, one discipline, an age limit. Chains that yield are served where there is no other
// of the foreground, behind so many others in a row, or for their age.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/positioning.hpp"
#include "controller/controller_config.hpp"
#include "firmware/ports/media_port.hpp"

namespace tessera {

class MediaQueue {
 public:
  /// Of `age_interval` host and dependent chains one at most is served because it has reached `age_limit`: where the mean wait is longer
  /// than that, all have, and a queue that served them by age alone would be first come, first served, with the longest waits of all. First
  /// come, first served knows no age, but for chains that yield. For `age_pause` after such a chain none is: streams far from each other
  /// would take turns of a few chains.
  struct Order {
    SchedulingPolicy policy;
    Picoseconds age_limit;
    std::uint32_t age_interval;
    Picoseconds age_pause;
    Picoseconds background_age_limit;
    std::uint32_t yields_to;  ///< so many others in a row go before chains that yield
  };
  explicit MediaQueue(const Order& order);

  /// `yields`: to the rest of the foreground.
  void push(MediaChain& chain, bool yields = false);
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] std::size_t size() const { return foreground_.size() + yielding_.size() + background_.size(); }

  /// Removes and returns the chain to serve next; the queue must not be empty. Host and dependent chains go before
  /// background ones unless one of those has reached its age limit. `positioning` is asked by the distance policies only. `left`: the track
  /// at whose last sector the last chain ended; null where it ended elsewhere.
  MediaChain& pop(const Positioning& positioning, Picoseconds now, const PhysicalTrack* left = nullptr);

  /// Removes and returns the first chain that `wanted` says yes to; null where there is none.
  template <class Wanted>
  MediaChain* take(Wanted&& wanted) {
    for (Entries* const entries : {&foreground_, &yielding_, &background_}) {
      const auto found = std::ranges::find_if(*entries, [&](const MediaChain* chain) { return wanted(*chain); });
      if (found == entries->end()) continue;
      MediaChain* const chain = *found;
      entries->erase(found);
      return chain;
    }
    return nullptr;
  }

  /// Host and dependent chains that were served for their age and not by the policy.
  [[nodiscard]] std::uint64_t aged() const { return aged_; }
  void reset_statistics() { aged_ = 0; }

  void clear();

 private:
  using Entries = std::vector<MediaChain*>;  // in order of arrival

  [[nodiscard]] MediaChain& pick(const Positioning& positioning, Picoseconds now, const PhysicalTrack* left);
  [[nodiscard]] bool yielding_has_turn();
  [[nodiscard]] Entries* aged_one(Picoseconds now);
  static MediaChain& remove(Entries& entries, std::size_t index);
  [[nodiscard]] std::size_t by_policy(const Entries& entries, const Positioning& positioning, Picoseconds now,
                                      const PhysicalTrack* left) const;
  [[nodiscard]] std::size_t next_in_sweep(const Entries& entries, PhysicalTrack head) const;
  [[nodiscard]] std::size_t nearest_radius(const Entries& entries, PhysicalTrack head) const;
  [[nodiscard]] std::size_t shortest_positioning(const Entries& entries, const Positioning& positioning, Picoseconds now,
                                                 const PhysicalTrack* left) const;
  [[nodiscard]] std::size_t next_track(const Entries& entries, const Positioning& positioning, Picoseconds now, PhysicalTrack left,
                                       std::size_t best, Picoseconds least) const;

  Order order_;
  std::uint32_t picks_until_age_counts_ = 0;
  Picoseconds age_counts_from_;
  std::uint32_t others_in_a_row_ = 0;  // before the chains that yield
  std::uint64_t aged_ = 0;
  Entries foreground_;
  Entries yielding_;
  Entries background_;
};

}  // namespace tessera
