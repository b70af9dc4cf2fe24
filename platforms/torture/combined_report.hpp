#pragma once
// What a campaign has come to: counts of each layer and kind of fault, and the failures.
#include <map>

#include "platforms/torture/combined_result.hpp"

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

  void add(const CombinedResult& result);

  [[nodiscard]] const Counts& all() const { return all_; }
  /// 0: no failure; 1: data or answers that must not be; 3: nothing but model bugs, crashes and hangs.
  [[nodiscard]] int status() const { return lost_ ? 1 : all_.failures > 0 ? 3 : 0; }
  /// Two tables.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::string json(std::uint64_t seed, const std::vector<std::string>& told) const;

 private:
  Counts all_;
  std::map<std::string, Counts> layers_;
  std::map<std::string, Counts> faults_;
  bool lost_ = false;
};

}  // namespace tessera
