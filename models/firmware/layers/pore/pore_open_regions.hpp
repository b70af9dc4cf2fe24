#pragma once
// Which regions are open for eviction.
#include <cstdint>
#include <span>
#include <vector>

namespace tessera::pore {

/// A region with cached pages.
struct Candidate {
  std::uint32_t region = 0;
  std::uint32_t pages = 0;  ///< cached
  std::uint32_t heat = 0;   ///< hits of cached pages since the last cleaning
};

/// By score, the highest first: many cached pages that are seldom used, pages^2 / (heat + 1); ties: the lowest region.
void rank(std::span<Candidate> candidates);

/// Of ranked candidates the first ones that are open: `share` of all `regions`, at least one.
[[nodiscard]] std::span<const Candidate> open_share(std::span<const Candidate> ranked, std::uint32_t regions, double share);

/// Of ranked candidates the first ones that together hold `pages`, or all of them.
[[nodiscard]] std::span<const Candidate> open_pages(std::span<const Candidate> ranked, std::uint64_t pages);

}  // namespace tessera::pore
