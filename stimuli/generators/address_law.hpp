#pragma once
// Where requests start: one class a law.
#include <cstdint>
#include <vector>

#include "base/parameter.hpp"
#include "base/random.hpp"
#include "stimuli/generators/footprint.hpp"
#include "stimuli/generators/permutation.hpp"
#include "stimuli/generators/size_table.hpp"
#include "stimuli/generators/zipf_distribution.hpp"

namespace tessera {

class AddressSource {
 public:
  virtual ~AddressSource() = default;
  /// Start of the next request, of `size` bytes. The caller moves it down where the request would leave the range.
  virtual Bytes next(bool write, Bytes size) = 0;
};

/// Each request where the last one ended; from the start again when the next one does not fit.
class SequentialAddresses final : public AddressSource {
 public:
  SequentialAddresses(Bytes first, Bytes range, Bytes alignment);
  Bytes next(bool write, Bytes size) override;

 private:
  Bytes first_;
  Bytes end_;
  Bytes alignment_;
  Bytes cursor_;
};

class UniformAddresses final : public AddressSource {
 public:
  UniformAddresses(Footprint footprint, RandomStream random);
  Bytes next(bool write, Bytes size) override;

 private:
  Footprint footprint_;
  RandomStream random_;
};

/// Rank r of the items, scattered over the footprint's slots by a permutation or in their order.
class ZipfAddresses final : public AddressSource {
 public:
  ZipfAddresses(Footprint footprint, std::uint64_t items, double exponent, bool scatter, RandomStream random, RandomStream scatter_random);
  Bytes next(bool write, Bytes size) override;

 private:
  Footprint footprint_;
  ZipfDistribution ranks_;
  Permutation places_;
  bool scatter_;
  RandomStream random_;
};

/// Uniform inside each row (from, to, weight) of a histogram over the range.
class HistogramAddresses final : public AddressSource {
 public:
  HistogramAddresses(const std::vector<NumberRow>& rows, Bytes first, Bytes range, Bytes alignment, RandomStream random);
  Bytes next(bool write, Bytes size) override;

 private:
  struct Part {
    std::uint64_t first_slot;
    std::uint64_t slots;
  };
  Footprint footprint_;
  std::vector<Part> parts_;
  WeightedChoice choice_;
  RandomStream random_;
};

}  // namespace tessera
