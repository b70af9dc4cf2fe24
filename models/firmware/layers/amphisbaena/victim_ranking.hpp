#pragma once
// The zone with the highest weight at once: the paper looks at all of them. A heap of the zones that have a weight; only zones whose chunks
// have changed are weighed again.
#include <cstdint>

#include "firmware/tables/packed_table.hpp"

namespace tessera::amphisbaena {

class VictimRanking {
 public:
  /// At most `most` zones have a weight, of `zones`.
  VictimRanking(MemoryPort& memory, std::uint32_t zones, std::uint32_t most)
      : weights_(memory, MemoryCategory::metadata, most, "weights of the zones"),
        zone_{0, bits_for(zones)},
        zones_(memory, most, zone_.width, "zones by weight"),
        place_{0, bits_for(std::uint64_t{most} + 1)},
        places_(memory, zones, place_.width, "ranks of the zones") {}

  void set(std::uint32_t zone, std::uint64_t weight) {
    const std::uint64_t place = places_.read(zone, place_);
    if (weight != 0) {
      TESSERA_CHECK(place != 0 || size_ < weights_.size(), "more zones have a weight than there is room for");
      settle(place != 0 ? place - 1 : size_++, {weight, zone});
    } else if (place != 0) {
      places_.write(zone, place_, 0);
      const Entry last = entry(--size_);
      if (place - 1 != size_) settle(place - 1, last);
    }
  }
  /// Weight of the best; 0 where no zone has one.
  [[nodiscard]] std::uint64_t highest() const { return size_ == 0 ? 0 : weights_.read(0); }
  /// The zone that has it; the first of several.
  [[nodiscard]] std::uint32_t best() const { return static_cast<std::uint32_t>(zones_.read(0, zone_)); }

  [[nodiscard]] Bytes bytes() const { return Bytes(weights_.size() * sizeof(std::uint64_t)) + zones_.bytes() + places_.bytes(); }

 private:
  struct Entry {
    std::uint64_t weight;
    std::uint32_t zone;
    [[nodiscard]] bool before(const Entry& other) const { return weight != other.weight ? weight > other.weight : zone < other.zone; }
  };
  [[nodiscard]] Entry entry(std::uint64_t at) const { return {weights_.read(at), static_cast<std::uint32_t>(zones_.read(at, zone_))}; }
  void put(std::uint64_t at, const Entry& entry) {
    weights_.write(at) = entry.weight;
    zones_.write(at, zone_, entry.zone);
    places_.write(entry.zone, place_, at + 1);
  }
  /// Puts an entry where it belongs, given that the place `at` is free for it or for one next to it.
  void settle(std::uint64_t at, const Entry& entry) {
    while (at != 0) {
      const Entry above = this->entry((at - 1) / 2);
      if (!entry.before(above)) break;
      put(at, above);
      at = (at - 1) / 2;
    }
    for (std::uint64_t below = 2 * at + 1; below < size_; below = 2 * at + 1) {
      Entry better = this->entry(below);
      if (below + 1 < size_) {
        const Entry other = this->entry(below + 1);
        if (other.before(better)) {
          better = other;
          ++below;
        }
      }
      if (!better.before(entry)) break;
      put(at, better);
      at = below;
    }
    put(at, entry);
  }

  DramArray<std::uint64_t> weights_;  // of the heap
  PackedTable::Field zone_;
  PackedTable zones_;  // of the heap
  PackedTable::Field place_;
  PackedTable places_;  // by zone: in the heap plus one; 0: no weight
  std::uint64_t size_ = 0;
};

}  // namespace tessera::amphisbaena
