#pragma once
// Tags of a set-associative write-back cache with LRU replacement. It decides hit, miss and victim; what that takes is cpu_cache.hpp's
// affair, and content never leaves the memory's own store.
#include <cstdint>
#include <optional>
#include <vector>

#include "base/address.hpp"
#include "controller/cpu_config.hpp"

namespace tessera {

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
