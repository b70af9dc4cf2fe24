#pragma once
// Adjacent-track interference: each write of a track weakens what lies next to it at the same angles, until so many have spoilt it. What
// is written itself is as new.
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>

#include "base/state_stream.hpp"

namespace tessera {

class TrackInterference {
 public:
  /// `limit`: writes next to a sector that spoil it; 0: none do. Tracks have `stride` sectors at most.
  TrackInterference(std::uint32_t limit, std::uint32_t stride) : limit_(limit), stride_(stride) {}

  [[nodiscard]] bool any() const { return limit_ != 0; }
  [[nodiscard]] std::uint32_t limit() const { return limit_; }

  // Ranges are `count` sectors of the track with this linear number from `first` on, and do not wrap.

  /// They were written themselves.
  void written(std::uint64_t track, std::uint32_t first, std::uint32_t count) {
    for (std::uint64_t key = key_of(track, first), end = key + count; key < end; ++key) exposed_.erase(key);
  }
  /// A track next to them was written: calls spoilt(sector) for each that this was too much for.
  template <class F>
  void beside(std::uint64_t track, std::uint32_t first, std::uint32_t count, F&& spoilt) {
    for (std::uint32_t sector = first; sector < first + count; ++sector) {
      std::uint32_t& writes = exposed_[key_of(track, sector)];
      if (writes < limit_ && ++writes == limit_) spoilt(sector);
    }
  }
  /// Writes next to the sector since it was written itself.
  [[nodiscard]] std::uint32_t writes_beside(std::uint64_t track, std::uint32_t sector) const {
    const auto found = exposed_.find(key_of(track, sector));
    return found == exposed_.end() ? 0 : found->second;
  }

  void save_state(StateWriter& out) const;
  /// `tracks` that the drive has.
  void load_state(StateReader& in, std::uint64_t tracks);

 private:
  [[nodiscard]] std::uint64_t key_of(std::uint64_t track, std::uint32_t sector) const { return track * stride_ + sector; }

  std::uint32_t limit_;
  std::uint64_t stride_;
  boost::unordered_flat_map<std::uint64_t, std::uint32_t> exposed_;
};

}  // namespace tessera
