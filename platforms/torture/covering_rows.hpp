#pragma once
// Rows that bring every pair of values together: a covering array of strength 2, one row at a time (covering_rows.cpp says how).
#include <cstdint>
#include <string>
#include <vector>

#include "base/random.hpp"

namespace tessera {

/// What may be chosen from, and its levels: a parameter and classes of its values. A level of a factor is an item, numbered from 0 in the
/// order of factors and levels.
struct CoveringFactor {
  std::uint32_t levels = 1;
  bool foremost = false;  ///< pairs with it are met before pairs without
  bool scarce = false;    ///< a row has at most most_scarce of these
};

/// A set of pairs of items.
class PairSet {
 public:
  explicit PairSet(std::size_t items) : items_(items), bits_(items * items) {}

  [[nodiscard]] bool contains(std::uint32_t one, std::uint32_t other) const { return bits_[one * items_ + other]; }
  /// Whether it was not there.
  bool insert(std::uint32_t one, std::uint32_t other);

 private:
  std::size_t items_;
  std::vector<bool> bits_;  // both halves
};

class CoveringRows {
 public:
  using Row = std::vector<std::uint32_t>;  ///< items, the most wanted first

  static constexpr std::uint32_t most_scarce = 2;

  CoveringRows(std::vector<CoveringFactor> factors, RandomStream random);

  [[nodiscard]] std::uint32_t items() const { return static_cast<std::uint32_t>(factor_of_.size()); }
  [[nodiscard]] std::uint32_t factor_of(std::uint32_t item) const { return factor_of_[item]; }
  [[nodiscard]] bool foremost(std::uint32_t item) const { return factors_[factor_of_[item]].foremost; }
  /// Of items of different factors.
  [[nodiscard]] std::uint64_t pairs() const { return pairs_; }
  [[nodiscard]] std::uint64_t foremost_pairs() const { return foremost_pairs_; }
  /// Rows from 0 on; a row depends on those in front of it. After the row that meets the last pair all of them begin again.
  [[nodiscard]] const Row& row(std::uint64_t index);
  /// In how many rows every pair is met; makes them.
  [[nodiscard]] std::uint64_t rows_to_all();

 private:
  void begin();
  void add_row();
  [[nodiscard]] std::uint64_t weight(std::uint32_t one, std::uint32_t other) const;

  std::vector<CoveringFactor> factors_;
  RandomStream random_;
  std::vector<std::uint32_t> factor_of_;  // of an item
  std::uint64_t pairs_ = 0;
  std::uint64_t foremost_pairs_ = 0;
  PairSet planned_{0};
  std::vector<std::uint64_t> left_;  // of an item: weight of its pairs that no row has
  std::uint64_t pairs_left_ = 0;     // 0 before the first row, too: it begins
  std::uint64_t rows_to_all_ = 0;    // 0: not known yet
  std::vector<Row> rows_;
};

}  // namespace tessera
