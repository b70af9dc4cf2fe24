#include "stimuli/arrays/hashed_rows.hpp"

#include <algorithm>
#include <bit>

#include "base/check.hpp"
#include "base/wide.hpp"

namespace tessera {

namespace {

constexpr std::uint32_t groups_of_drive = 100;

/// The finaliser of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

/// -log2((draw + 1) / 2^32) with 40 bits after the point: in whole numbers, so that it is the same on every machine.
std::uint64_t minus_log2(std::uint32_t draw) {
  constexpr unsigned fraction_bits = 40;
  const std::uint64_t value = std::uint64_t{draw} + 1;
  const auto exponent = static_cast<unsigned>(std::bit_width(value) - 1);
  std::uint64_t mantissa = value << (63 - exponent);  // in [1, 2), 63 bits after the point
  std::uint64_t log = exponent;
  for (unsigned bit = 0; bit < fraction_bits; ++bit) {
    const Wide square = wide_product(mantissa, mantissa);
    const std::uint64_t high = high_word(square);
    const std::uint64_t two = high >> 63;  // the square is 2 or more
    log = log << 1 | two;
    mantissa = two != 0 ? high : high << 1 | static_cast<std::uint64_t>(square) >> 63;
  }
  return (std::uint64_t{32} << fraction_bits) - log;
}

struct Straw {
  std::uint64_t length = 0;
  std::uint64_t weight = 0;
  std::uint32_t slot = 0;
};

/// By length / weight, without a division.
bool wins(const Straw& a, const Straw& b) {
  const Wide left = wide_product(a.length, b.weight);
  const Wide right = wide_product(b.length, a.weight);
  return left != right ? left < right : a.slot < b.slot;
}

}  // namespace

HashedRows::HashedRows(std::uint32_t width, std::uint32_t spares, std::uint32_t groups, const std::vector<std::uint64_t>& chunks)
    : width_(width),
      ranks_(width + spares),
      groups_(groups != 0 ? groups
                          : std::max<std::uint32_t>(1, static_cast<std::uint32_t>(chunks.size()) * groups_of_drive / (width + spares))) {
  std::vector<Straw> straws;
  for (std::uint32_t slot = 0; slot < chunks.size(); ++slot)
    if (chunks[slot] != 0) straws.push_back({0, chunks[slot], slot});
  if (straws.size() < ranks_) return;
  std::vector<std::uint32_t> places_on(chunks.size());
  for (std::uint32_t group = 0; group < groups_; ++group) {
    for (Straw& straw : straws) straw.length = minus_log2(static_cast<std::uint32_t>(mixed(mixed(group + 1) ^ straw.slot)));
    std::ranges::partial_sort(straws, straws.begin() + ranks_, wins);
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) places_.push_back({straws[rank].slot, places_on[straws[rank].slot]++});
  }
  rows_of_group_ = ~std::uint64_t{0};
  for (std::uint32_t slot = 0; slot < chunks.size(); ++slot) {
    if (places_on[slot] == 0) continue;
    rows_of_group_ = std::min(rows_of_group_, chunks[slot] / places_on[slot]);
    most_places_ = std::max<std::uint64_t>(most_places_, places_on[slot]);
  }
}

std::uint64_t HashedRows::line_on(ArrayRow row, DriveSlot slot) const {
  for (std::uint32_t rank = 0; rank < ranks_; ++rank)
    if (const Place& place = at(row, rank); place.slot == slot.value()) return place.before * rows_of_group_ + row.value() / groups_;
  TESSERA_CHECK(false, "a drive has no part in a row");
  return 0;
}

}  // namespace tessera
