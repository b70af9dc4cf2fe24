// Paged sector map: its figures.
#include "firmware/tables/paged_sector_map.hpp"

namespace tessera {

Bytes PagedSectorMap::paper_bytes() const { return Bytes(frames_.size() * (sector_bytes_ + sizeof(std::uint32_t))); }

Bytes PagedSectorMap::bytes() const {
  return Bytes(pages_.size() * sizeof(std::uint32_t) + frames_.size() * sizeof(Frame) + (stored_.size() + 63) / 64 * 8) + order_.bytes() +
         resident_.bytes();
}

void PagedSectorMap::report(MetricSet& metrics) const {
  const auto count = [&metrics](const char* name, std::uint64_t value, const char* what) {
    metrics.count(name, static_cast<double>(value), "1", what);
  };
  count("map.hits", statistics_.hits, "uses of a map page that was in DRAM");
  count("map.misses", statistics_.misses, "uses of a map page that had to wait for its place in DRAM");
  count("map.page_reads", statistics_.reads, "map pages read from disk");
  count("map.page_writes", statistics_.writes, "map pages written to disk");
  metrics.count("map.time", statistics_.time, "time in which requests waited for map pages, added up");
}

}  // namespace tessera
