#include "base/line_cache.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "base/error.hpp"

namespace tessera {

void CacheConfig::describe(ParameterVisitor& visitor) {
  visitor.field("size", size, {0, 16777216}, "capacity; 0: no cache");
  visitor.unused_where(size == Bytes(0), "its size is 0 B", [&] {
    visitor.field("line", line, {8, 1024}, "line, which a miss fetches over the bus; a power of two");
    visitor.field("ways", ways, {1, 64}, "lines of a set");
    visitor.field("latency", latency, {1, 1000}, "core cycles of a look-up; the costs of operations count one of them");
  });
}

LineCache::LineCache(const char* name, const CacheConfig& config) : ways_(config.ways) {
  const std::uint64_t line = config.line.value();
  const std::uint64_t sets = config.size.value() / (line * ways_);
  if (!std::has_single_bit(line) || !std::has_single_bit(sets) || sets * line * ways_ != config.size.value())
    throw InputError(std::string(name) + ": " + std::to_string(config.size.value()) + " B in lines of " + std::to_string(line) + " B and " +
                     std::to_string(ways_) + " ways; expected a line, and a number of sets, that are powers of two");
  line_shift_ = static_cast<unsigned>(std::countr_zero(line));
  set_mask_ = sets - 1;
  lines_.resize(sets * ways_);
}

LineCache::Outcome LineCache::access(DramAddress address, bool write) {
  const std::uint64_t number = address.value() >> line_shift_;
  const auto first = lines_.begin() + static_cast<std::ptrdiff_t>((number & set_mask_) * ways_);
  const auto last = first + ways_;
  auto line = std::find_if(first, last, [number](const Line& candidate) { return candidate.number == number; });
  Outcome outcome{.hit = line != last, .victim = std::nullopt};
  if (!outcome.hit) {
    --line;  // the least recently used
    if (line->dirty) outcome.victim = DramAddress(line->number << line_shift_);
    *line = {number, false};
  }
  line->dirty |= write;
  std::rotate(first, line, line + 1);
  return outcome;
}

void LineCache::clear() { std::ranges::fill(lines_, Line{}); }

}  // namespace tessera
