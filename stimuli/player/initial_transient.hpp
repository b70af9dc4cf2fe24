#pragma once
// Which requests at the start of a run were warm-up, as the run itself finds: MSER-5 (White 1997; Hoad, Robinson and Davies 2010). The
// latencies, in order of arrival, are taken by batches of five; the warm-up is the cut that makes the squared standard error of the mean of
// the batches behind it smallest, over the first half. The run was not steady if the cut is at the half, which says that a later one would
// be better, or if latencies still drifted behind it. This is the only rule of warm-up: whoever reads logs takes `host.steady.from`.
#include <cstdint>
#include <optional>
#include <vector>

#include "base/units.hpp"

namespace tessera {

/// Memory does not grow with the run: where there would be more than `most_batches`, pairs are merged, so that a batch is of 5, 10, 20, ...
/// requests. Requests may complete in any order; each belongs to the batch of its number.
class InitialTransient {
 public:
  static constexpr std::uint64_t smallest_batch = 5;
  static constexpr std::size_t fewest_batches = 4;
  static constexpr std::size_t most_batches = 2048;

  /// `number` counts from 0 in order of arrival, without gaps.
  void completed(std::uint64_t number, Picoseconds latency);

  struct Cut {
    std::uint64_t requests = 0;  ///< to be left out at the start
    bool steady = true;          ///< the cut lies before the half, and nothing drifts behind it
  };
  /// Empty below `fewest_batches`. Batches that are not full do not count.
  [[nodiscard]] std::optional<Cut> cut() const;

 private:
  struct Batch {
    unsigned __int128 latencies = 0;  // ps, sum
    std::uint64_t requests = 0;
  };
  void merge_pairs();
  /// Whether the means of both halves behind a cut differ by more than a twentieth of the smaller one, and by more than chance.
  [[nodiscard]] bool drifts(std::size_t from, std::size_t count) const;
  [[nodiscard]] double mean_ms(std::size_t from, std::size_t to) const;

  [[nodiscard]] std::uint64_t batch_size() const { return smallest_batch << merges_; }

  std::vector<Batch> batches_;
  unsigned merges_ = 0;
};

}  // namespace tessera
