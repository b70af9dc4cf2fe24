#include "controller/cpu_cache.hpp"

#include <algorithm>
#include <string>

namespace tessera {

CpuCache::CpuCache(const char* name, const CacheConfig& config, Hertz clock, Bytes capacity, CpuLink& bus)
    : name_(name),
      tags_((std::string("controller.") + name).c_str(), config),
      look_up_(period(clock) * (config.latency - 1)),
      capacity_(capacity),
      bus_(bus) {}

void CpuCache::move_line(DramAddress line, Access access, Picoseconds& at) {
  const std::uint64_t bytes = std::min(tags_.line_bytes(), capacity_.value() - line.value());
  at = bus_.access(line, static_cast<std::uint32_t>(bytes), access, at);
}

Picoseconds CpuCache::access(DramAddress address, std::uint64_t bytes, Access access, Picoseconds at) {
  if (bytes == 0) return at;
  const DramAddress last = tags_.line_of(address + (bytes - 1));
  for (DramAddress line = tags_.line_of(address); line <= last; line += tags_.line_bytes()) {
    const LineCache::Outcome outcome = tags_.access(line, access == Access::write);
    at += look_up_;
    if (outcome.hit) {
      ++hits_;
      continue;
    }
    ++misses_;
    move_line(line, Access::read, at);
    if (!outcome.victim) continue;
    ++write_backs_;
    Picoseconds written = at;
    move_line(*outcome.victim, Access::write, written);
  }
  return at;
}

void CpuCache::report(MetricSet& metrics) const {
  const std::string name = std::string("cpu.") + name_;
  const auto count = [&](const char* what, std::uint64_t value, const char* description) {
    metrics.count(name + what, static_cast<double>(value), "1", description);
  };
  count(".hits", hits_, "lines found in this cache of the CPU");
  count(".misses", misses_, "lines fetched into this cache of the CPU, over the bus");
  count(".write_backs", write_backs_, "dirty lines that had to leave this cache of the CPU, over the bus");
}

}  // namespace tessera
