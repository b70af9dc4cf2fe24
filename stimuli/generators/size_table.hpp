#pragma once
// A choice among a few values with weights: request sizes, parts of a histogram.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/parameter.hpp"
#include "base/random.hpp"
#include "base/units.hpp"

namespace tessera {

/// Index i with a probability of its weight over the sum.
class WeightedChoice {
 public:
  /// The weights of rows, in column `column` of each: at least one above 0, none below, which the caller has checked. Of no rows: 0 always.
  WeightedChoice(const std::vector<NumberRow>& rows, std::size_t column);
  [[nodiscard]] std::size_t operator()(RandomStream& random) const;

 private:
  std::vector<double> upper_;  // running sums over the total
};

/// Request sizes of a workload.
class SizeTable {
 public:
  /// Rows of (bytes, weight); none means 4 KiB. InputError in the name of `workload` and `key` unless every size is a multiple
  /// of 512 B up to 1 GiB, and every weight positive.
  SizeTable(const std::vector<NumberRow>& rows, std::string_view workload, const std::string& key);
  [[nodiscard]] Bytes operator()(RandomStream& random) const { return sizes_.size() == 1 ? sizes_[0] : sizes_[choice_(random)]; }
  [[nodiscard]] Bytes largest() const;

 private:
  std::vector<Bytes> sizes_;
  WeightedChoice choice_;
};

}  // namespace tessera
