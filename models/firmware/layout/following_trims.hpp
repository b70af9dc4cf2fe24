#pragma once
// TRIMs that follow one another count as one, so that bands are given up that none of them covers alone. One run of them is remembered,
// until the host writes into it.
#include <algorithm>

#include "base/address.hpp"

namespace tessera {

class FollowingTrims {
 public:
  void add(LogicalRun run) {
    if (run.first < first_ || run.first > end_) first_ = end_ = run.first;
    end_ = std::max(end_, run.end());
  }
  void written(LogicalRun run) {
    if (run.first < end_ && first_ < run.end()) end_ = first_;
  }
  /// Where the run begins that `run`, which was added, goes on with; its own first sector where that is not known any more.
  [[nodiscard]] LogicalSector begin_of(LogicalRun run) const { return first_ <= run.first && run.end() <= end_ ? first_ : run.first; }

 private:
  LogicalSector first_;
  LogicalSector end_;
};

}  // namespace tessera
