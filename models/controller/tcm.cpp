#include "controller/tcm.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "base/error.hpp"

namespace tessera {

Tcm::Tcm(const TcmConfig& config, Hertz clock, bool has_bytes)
    : space_({"TCM", "controller.tcm.size", "firmware.placement."}, base, config.size),
      bytes_(has_bytes ? config.size.value() : 0),
      word_time_(period(clock) * (config.latency - 1)),
      word_shift_(static_cast<unsigned>(std::countr_zero(config.width))) {
  if (!std::has_single_bit(config.width))
    throw InputError("controller.tcm.width is " + std::to_string(config.width) + "; expected a power of two");
}

DramAddress Tcm::allocate(MemoryCategory category, Bytes size, std::string_view what) {
  const DramAddress address = space_.allocate(category, size, what);
  regions_.push_back({address + size.value(), category});
  return address;
}

void Tcm::clear() {
  space_.clear();
  std::ranges::fill(bytes_, std::byte{0});
  regions_.clear();
}

Picoseconds Tcm::access(DramAddress address, std::uint32_t bytes) {
  if (bytes == 0) return {};
  const auto region = std::ranges::upper_bound(regions_, address, {}, &Region::end);
  const Picoseconds time = time_of(address, bytes);
  count(region == regions_.end() ? MemoryCategory::code : region->category, time);
  return time;
}

void Tcm::report(MetricSet& metrics) const {
  for (std::size_t i = 0; i < memory_categories; ++i) {
    const std::string name = to_string(static_cast<MemoryCategory>(i));
    metrics.add("tcm.reserved." + name, static_cast<double>(reserved(static_cast<MemoryCategory>(i)).value()), "B",
                "tightly coupled memory reserved for " + name);
    metrics.count("tcm.accesses." + name, static_cast<double>(accesses_[i]), "1", "accesses of the CPU to " + name + " in the TCM");
  }
  metrics.add("tcm.reserved.total", static_cast<double>(space_.used().value()), "B", "TCM reserved, all categories, rounded to lines");
  metrics.count("tcm.time", time_, "time of the cores in accesses to the TCM beyond a cycle a word");
  metrics.count("tcm.dma.bytes", static_cast<double>(dma_bytes_.value()), "B", "bytes that DMA moved in and out of the TCM");
}

}  // namespace tessera
