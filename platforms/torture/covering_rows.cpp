// Most faults of a system with many parameters are caused by one value or by two that meet (Kuhn, Wallace and Gallo, 2004). A drive has
// some 350 parameters that concern a layer, with about four classes of values each: a million pairs, far too many for a run each. But a run
// that sets 40 parameters at once meets 780 pairs, so that some thousand runs meet all of them. Their rows are a covering array of strength
// 2: whichever two values of different parameters one picks, some row has both.
//
// The smallest array is hard to find; greedy rows come near it. Each row is made as AETG does (Cohen, Dalal, Fredman and Patton, 1997): it
// starts with the value of which most pairs are left, and then takes, one after another, the value that adds most pairs that no row has
// yet; chance decides between equals. The differences:
//
// - Rows are partial. A value that is not chosen is the drive's own, and rows have 8 to 40 values: many values at once meet many pairs, but
//   one of them may hide what two others do (a drive that is dead shows nothing more), so that short rows come between long ones.
// - Some pairs come first. A pair with a parameter of the layer's own weighs more than a pair of two that all layers share, since the
//   campaigns of all layers meet the latter: after some 1,200 rows of a layer all of the former are planned, after some 6,000 all.
// - Some values are scarce. A row asks for two kinds of faults at most, next to those that a run draws anyway.
//
// No row knows whether the drive accepts it: what is refused is left out by the run (legal_part.hpp) and not met. A refused pair may be
// legal in other company, so the rows go on when all pairs are planned: they begin again in another order. How many pairs were in fact met
// is counted from what the runs say that they had.
//
// The cost: a row of n values looks n times at all items, which takes less than a millisecond. Row k depends on the rows in front of it, so
// that a run alone makes k rows first.
#include "platforms/torture/covering_rows.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace tessera {

namespace {

constexpr std::array<std::size_t, 4> sizes{8, 16, 24, 40};  // of rows
/// Of a pair with a foremost factor, when a pair without one weighs 1.
constexpr std::uint64_t foremost_weight = 8;

/// Pairs of items of different factors, of these factors.
std::uint64_t pairs_of(const std::vector<CoveringFactor>& factors, bool with_foremost) {
  std::uint64_t items = 0;
  std::uint64_t pairs = 0;
  for (const CoveringFactor& factor : factors) {
    if (factor.foremost && !with_foremost) continue;
    pairs += items * factor.levels;
    items += factor.levels;
  }
  return pairs;
}

}  // namespace

bool PairSet::insert(std::uint32_t one, std::uint32_t other) {
  if (contains(one, other)) return false;
  bits_[one * items_ + other] = true;
  bits_[other * items_ + one] = true;
  return true;
}

CoveringRows::CoveringRows(std::vector<CoveringFactor> factors, RandomStream random) : factors_(std::move(factors)), random_(random) {
  for (std::uint32_t factor = 0; factor < factors_.size(); ++factor) factor_of_.insert(factor_of_.end(), factors_[factor].levels, factor);
  pairs_ = pairs_of(factors_, true);
  foremost_pairs_ = pairs_ - pairs_of(factors_, false);
}

/// All pairs are left again.
void CoveringRows::begin() {
  planned_ = PairSet(items());
  pairs_left_ = pairs_;
  left_.assign(items(), 0);
  for (std::uint32_t one = 0; one < items(); ++one)
    for (std::uint32_t other = 0; other < items(); ++other) left_[one] += weight(one, other);
}

/// Of a pair: 0 where both are of one factor.
std::uint64_t CoveringRows::weight(std::uint32_t one, std::uint32_t other) const {
  if (factor_of_[one] == factor_of_[other]) return 0;
  return foremost(one) || foremost(other) ? foremost_weight : 1;
}

const CoveringRows::Row& CoveringRows::row(std::uint64_t index) {
  while (rows_.size() <= index) add_row();
  return rows_[index];
}

std::uint64_t CoveringRows::rows_to_all() {
  while (rows_to_all_ == 0) add_row();
  return rows_to_all_;
}

void CoveringRows::add_row() {
  if (pairs_left_ == 0) begin();
  std::vector<std::uint32_t> order(items());
  std::iota(order.begin(), order.end(), 0U);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random_.below(i)]);
  const std::size_t size = std::min(sizes[random_.below(sizes.size())], factors_.size());
  Row row;
  std::vector<std::uint64_t> gain(items());
  std::vector<bool> taken(factors_.size());
  std::uint32_t scarce = 0;
  while (row.size() < size) {
    const auto open = [&](std::uint32_t item) {
      const std::uint32_t factor = factor_of_[item];
      return !taken[factor] && (!factors_[factor].scarce || scarce < most_scarce);
    };
    const auto wanted = [&](std::uint32_t item) { return std::pair(gain[item], left_[item]); };
    auto best = order.end();
    for (auto item = order.begin(); item != order.end(); ++item)
      if (open(*item) && (best == order.end() || wanted(*item) > wanted(*best))) best = item;
    if (best == order.end()) break;
    const std::uint32_t chosen = *best;
    row.push_back(chosen);
    taken[factor_of_[chosen]] = true;
    if (factors_[factor_of_[chosen]].scarce) ++scarce;
    for (std::uint32_t item = 0; item < items(); ++item)
      if (!planned_.contains(item, chosen)) gain[item] += weight(item, chosen);
  }
  for (std::size_t i = 0; i < row.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      if (!planned_.insert(row[i], row[j])) continue;
      --pairs_left_;
      left_[row[i]] -= weight(row[i], row[j]);
      left_[row[j]] -= weight(row[i], row[j]);
    }
  rows_.push_back(std::move(row));
  if (pairs_left_ == 0 && rows_to_all_ == 0) rows_to_all_ = rows_.size();
}

}  // namespace tessera
