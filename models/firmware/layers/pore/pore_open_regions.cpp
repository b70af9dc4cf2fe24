#include "firmware/layers/pore/pore_open_regions.hpp"

#include <algorithm>
#include <cmath>

#include "base/wide.hpp"

namespace tessera::pore {

namespace {

/// A product of three 32-bit numbers.
Wide weight(const Candidate& candidate, const Candidate& other) {
  return wide_product(std::uint64_t{candidate.pages} * candidate.pages, std::uint64_t{other.heat} + 1);
}

}  // namespace

void rank(std::span<Candidate> candidates) {
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    const Wide of_a = weight(a, b);
    const Wide of_b = weight(b, a);
    return of_a != of_b ? of_a > of_b : a.region < b.region;
  });
}

std::span<const Candidate> open_share(std::span<const Candidate> ranked, std::uint32_t regions, double share) {
  const auto wanted = static_cast<std::size_t>(std::max<long long>(1, std::llround(share * regions)));
  return ranked.first(std::min(wanted, ranked.size()));
}

std::span<const Candidate> open_pages(std::span<const Candidate> ranked, std::uint64_t pages) {
  std::size_t count = 0;
  for (std::uint64_t held = 0; count < ranked.size() && held < pages; ++count) held += ranked[count].pages;
  return ranked.first(count);
}

}  // namespace tessera::pore
