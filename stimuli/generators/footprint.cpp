#include "stimuli/generators/footprint.hpp"

namespace tessera {

Footprint::Footprint(Bytes first, Bytes range, Bytes alignment) : first_(first), alignment_(alignment), slots_(range / alignment) {}

Footprint::Footprint(Bytes first, Bytes range, Bytes alignment, std::uint32_t count, Bytes size, RandomStream& random)
    : first_(first), alignment_(alignment), slots_(size / alignment * count), slots_per_extent_(size / alignment) {
  const std::uint64_t part = range / alignment / count;
  TESSERA_CHECK(part >= slots_per_extent_, "an extent is larger than its part of the range");
  starts_.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) starts_.push_back(first + alignment * (i * part + random.below(part - slots_per_extent_ + 1)));
}

}  // namespace tessera
