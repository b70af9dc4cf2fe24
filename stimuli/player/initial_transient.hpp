#pragma once
// Which requests at the start of a run were warm-up, and whether the run became steady: the only rule of either. Whoever reads logs takes
// `host.steady.from` and `host.steady.reached` (docs/guide/python.md).
//
// The latencies, in order of arrival, are taken by batches of five. MSER-5 (White 1997; Hoad, Robinson and Davies 2010) cuts where the
// squared standard error of the mean of the batches after it is smallest, over the first half. After rare bursts it cuts at the last one,
// and it keeps a start that is faster and more even than what follows, such as caches that fill. So its cut counts only if the latencies
// before it differ from those after it by more than chance, by ranks of stretches, and so does each share of the run that differs from all
// after it.
//
// A run is not steady if the cut is at the half, which says that a later one would be better, or if latencies drift after the warm-up: in
// either case the means of both halves differ by 5 %. A drift is a difference of both halves beyond chance (Student's t), or a trend of
// twenty groups as one steady run in a hundred has it (Mann 1945, Kendall 1975). Latencies that remember each other for longer than a
// hundredth of the run drift by chance more often.
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
    double mean_ms = 0;          ///< of the latencies after the cut
  };
  /// Empty below `fewest_batches`. Batches that are not full do not count, but in the mean.
  [[nodiscard]] std::optional<Cut> cut() const;

 private:
  struct Batch {
    unsigned __int128 latencies = 0;  // ps, sum
    std::uint64_t requests = 0;
  };
  void merge_pairs();
  [[nodiscard]] std::size_t full_batches() const;
  [[nodiscard]] std::size_t mser_5(std::size_t count) const;
  /// Whether the batches of [from, to) are slower, or faster, than those of [to, count), however far apart a few of these are.
  [[nodiscard]] bool differs(std::size_t from, std::size_t to, std::size_t count) const;
  [[nodiscard]] bool drifts(std::size_t from, std::size_t count) const;
  [[nodiscard]] double mean_ms(std::size_t from, std::size_t to) const;

  [[nodiscard]] std::uint64_t batch_size() const { return smallest_batch << merges_; }

  std::vector<Batch> batches_;
  unsigned merges_ = 0;
};

}  // namespace tessera
