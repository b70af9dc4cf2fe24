#include "stimuli/generators/address_law.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tessera {

SequentialAddresses::SequentialAddresses(Bytes first, Bytes range, Bytes alignment)
    : first_(first), end_(first + range), alignment_(alignment), cursor_(first) {}

Bytes SequentialAddresses::next(bool, Bytes size) {
  if (cursor_ + size > end_) cursor_ = first_;
  const Bytes start = cursor_;
  const std::uint64_t steps = (size.value() + alignment_.value() - 1) / alignment_.value();
  cursor_ += alignment_ * steps;
  return start;
}

UniformAddresses::UniformAddresses(Footprint footprint, RandomStream random) : footprint_(std::move(footprint)), random_(random) {}

Bytes UniformAddresses::next(bool, Bytes) { return footprint_.address(random_.below(footprint_.slots())); }

ZipfAddresses::ZipfAddresses(Footprint footprint, std::uint64_t items, double exponent, bool scatter, RandomStream random,
                             RandomStream scatter_random)
    : footprint_(std::move(footprint)),
      ranks_(items, exponent),
      places_(footprint_.slots(), scatter_random),
      scatter_(scatter),
      random_(random) {}

Bytes ZipfAddresses::next(bool, Bytes) {
  const std::uint64_t item = ranks_(random_) - 1;
  return footprint_.address(scatter_ ? places_(item) : item);
}

HistogramAddresses::HistogramAddresses(const std::vector<NumberRow>& rows, Bytes first, Bytes range, Bytes alignment, RandomStream random)
    : footprint_(first, range, alignment), choice_(rows, 2), random_(random) {
  const auto slots = static_cast<double>(footprint_.slots());
  for (const NumberRow& row : rows) {
    const auto from = std::min(static_cast<std::uint64_t>(std::llround(row.at(0) * slots)), footprint_.slots() - 1);
    const auto to = static_cast<std::uint64_t>(std::llround(row.at(1) * slots));
    parts_.push_back({from, std::max<std::uint64_t>(to, from + 1) - from});
  }
}

Bytes HistogramAddresses::next(bool, Bytes) {
  const Part& part = parts_[choice_(random_)];
  return footprint_.address(part.first_slot + random_.below(part.slots));
}

}  // namespace tessera
