#pragma once
// Tags of a set-associative write-back cache with LRU replacement. It decides hit, miss and victim; what that takes is its owner's
// affair (controller/cpu_cache.hpp, processor/hart_caches.hpp), and content never leaves the memory's own store.
#include <cstdint>
#include <optional>
#include <vector>

#include "base/address.hpp"
#include "base/parameter.hpp"

namespace tessera {

/// A cache between a core and the bus. Defaults but for the size: a Cortex-R5's (DDI 0460D, "Caches": four ways, lines of eight words).
struct CacheConfig {
  Bytes size{0};
  Bytes line{32};
  std::uint32_t ways = 4;
  std::uint32_t latency = 1;

  void describe(ParameterVisitor& visitor);
};

class LineCache {
 public:
  /// InputError, with the parameters' section `name`, where line, ways and size do not make a whole power-of-two number of sets.
  LineCache(const char* name, const CacheConfig& config);

  struct Outcome {
    bool hit = false;
    std::optional<DramAddress> victim;  ///< dirty line that had to leave
  };
  /// Looks up the line that holds `address`; a miss allocates it, for writes too.
  Outcome access(DramAddress address, bool write);

  [[nodiscard]] std::uint64_t line_bytes() const { return std::uint64_t{1} << line_shift_; }
  [[nodiscard]] DramAddress line_of(DramAddress address) const { return DramAddress(address.value() >> line_shift_ << line_shift_); }
  /// Forgets everything (power cut).
  void clear();

 private:
  static constexpr std::uint64_t invalid = ~std::uint64_t{0};
  struct Line {
    std::uint64_t number = invalid;  // address / line size
    bool dirty = false;
  };

  unsigned line_shift_;
  std::uint32_t ways_;
  std::uint64_t set_mask_;
  std::vector<Line> lines_;  // set by set, most recently used first
};

}  // namespace tessera
