#pragma once
// Tracks that hold fewer sectors than their neighbours because defects were slipped. Logical numbering runs over the good
// sectors only; the table turns an offset in them into the offset that it would be without defects, and back.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/check.hpp"

namespace tessera {

class SlipTable {
 public:
  /// Tracks in logical order: the track that would begin at `nominal_first` and hold `nominal` sectors holds `actual`.
  void add(std::uint64_t nominal_first, std::uint32_t nominal, std::uint32_t actual) {
    TESSERA_CHECK(actual <= nominal, "a track holds more sectors than its zone says");
    if (actual == nominal) return;
    const std::uint64_t before = missing();
    slips_.push_back({nominal_first, nominal_first + nominal, before, before + (nominal - actual)});
  }

  [[nodiscard]] bool empty() const { return slips_.empty(); }
  /// Sectors that all short tracks lack together.
  [[nodiscard]] std::uint64_t missing() const { return slips_.empty() ? 0 : slips_.back().missing_after; }

  struct Place {
    std::uint64_t nominal = 0;    ///< offset as if no track were short
    std::uint32_t shortfall = 0;  ///< sectors that the track at this offset lacks
  };
  [[nodiscard]] Place place(std::uint64_t offset) const {
    const auto next = std::upper_bound(slips_.begin(), slips_.end(), offset,
                                       [](std::uint64_t o, const Slip& slip) { return o < slip.end - slip.missing_after; });
    const std::uint64_t nominal = offset + (next == slips_.begin() ? 0 : std::prev(next)->missing_after);
    const bool in_short_track = next != slips_.end() && nominal >= next->first;
    return {nominal, in_short_track ? static_cast<std::uint32_t>(next->missing_after - next->missing_before) : 0};
  }
  /// The offset in good sectors of a nominal one, which must not be one of the missing.
  [[nodiscard]] std::uint64_t offset(std::uint64_t nominal) const {
    const auto next =
        std::upper_bound(slips_.begin(), slips_.end(), nominal, [](std::uint64_t n, const Slip& slip) { return n < slip.end; });
    return nominal - (next == slips_.begin() ? 0 : std::prev(next)->missing_after);
  }

 private:
  struct Slip {
    std::uint64_t first;  ///< nominal offsets [first, end) of the track
    std::uint64_t end;
    std::uint64_t missing_before;  ///< sectors missing on the tracks in front of it
    std::uint64_t missing_after;
  };
  std::vector<Slip> slips_;
};

}  // namespace tessera
