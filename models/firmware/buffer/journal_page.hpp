#pragma once
// What a page of a journal in flash says of itself, in the five words of its record.
#include <array>
#include <cstdint>

namespace tessera {

struct JournalPage {
  using Words = std::array<std::uint64_t, 5>;
  /// Most sectors that a journal can number, and most pages of a group.
  static constexpr std::uint64_t most_sectors = std::uint64_t{1} << 40;
  static constexpr std::uint64_t most_pages = (std::uint64_t{1} << 23) - 1;

  /// The group in front of this page's; `count` 0: none.
  struct InFront {
    std::uint64_t sector = 0;  ///< of its first page
    std::uint64_t count = 0;
    bool appended_together = false;  ///< with this page's, which follows it at once; otherwise it is the last of the acknowledged ones
  };

  std::uint64_t sector = 0;
  std::uint64_t offset = 0;  ///< in its group
  InFront in_front{};
  std::uint64_t acknowledged_first = 0;
  std::uint64_t needed_from = 0;
  std::uint64_t acknowledged_last = 0;

  [[nodiscard]] Words words() const {
    const std::uint64_t together = in_front.appended_together ? mark : 0;
    return {sector | offset << shift, in_front.sector | in_front.count << shift | together, acknowledged_first, needed_from,
            acknowledged_last};
  }
  [[nodiscard]] static JournalPage of(const Words& words) {
    const InFront in_front{words[1] % most_sectors, (words[1] & ~mark) >> shift, (words[1] & mark) != 0};
    return {words[0] % most_sectors, words[0] >> shift, in_front, words[2], words[3], words[4]};
  }

 private:
  static constexpr unsigned shift = 40;
  static constexpr std::uint64_t mark = std::uint64_t{1} << 63;
};

}  // namespace tessera
