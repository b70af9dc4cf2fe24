#pragma once
// What a campaign has come to: counts of each layer and kind of fault, and the failures.
#include <map>

#include "platforms/torture/combined_result.hpp"
#include "platforms/torture/covering_rows.hpp"

namespace tessera {

class CombinedReport {
 public:
  struct Counts {
    std::uint64_t runs = 0;
    std::uint64_t refused = 0;  ///< the drawn drive did not fit the layer after all
    std::uint64_t requests = 0;
    std::uint64_t cuts = 0;
    std::uint64_t in_recovery = 0;
    std::uint64_t loaded = 0;
    std::uint64_t excused = 0;
    std::uint64_t dead = 0;
    std::uint64_t failures = 0;
  };

  /// Of pairs of values (drawn_rows.hpp), which of them runs had.
  struct Pairs {
    std::uint64_t met = 0;
    std::uint64_t all = 0;
    std::uint64_t own_met = 0;  ///< with a parameter of the layer's own
    std::uint64_t own_all = 0;
  };

  void add(const CombinedResult& result);
  /// `rows`: of the run's layer.
  void add_pairs(const CombinedResult& result, const CoveringRows& rows);

  [[nodiscard]] const Counts& all() const { return all_; }
  /// 0: no failure; 1: data or answers that must not be; 3: nothing but model bugs, crashes and hangs.
  [[nodiscard]] int status() const { return lost_ ? 1 : all_.failures > 0 ? 3 : 0; }
  /// Two tables, and one of pairs.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::string json(std::uint64_t seed, const std::vector<std::string>& told) const;

 private:
  struct LayerPairs {
    Pairs count;
    PairSet met;
  };

  [[nodiscard]] Pairs sum_of_pairs() const;

  Counts all_;
  std::map<std::string, Counts> layers_;
  std::map<std::string, Counts> faults_;
  std::map<std::string, LayerPairs> pairs_;
  Pairs shared_;  ///< of parameters that all layers share, met on any of them
  PairSet shared_met_{0};
  bool lost_ = false;
};

}  // namespace tessera
