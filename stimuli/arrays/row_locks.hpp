#pragma once
// Exclusive locks on ranges of blocks: those of rows, one row's after the other's, a chunk each. Whoever waits is served in order of
// asking, and nobody overtakes one that it overlaps.
#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "base/address.hpp"
#include "base/check.hpp"

namespace tessera {

class RowLockWaiter {
 public:
  /// The range is its own from now on.
  virtual void locked() = 0;

 protected:
  ~RowLockWaiter() = default;
};

class RowLocks {
 public:
  void lock(HostRun range, RowLockWaiter& waiter) {
    if (clashes(range, waiting_.size())) return waiting_.push_back({range, &waiter});
    held_.push_back({range, &waiter});
    waiter.locked();
  }

  void unlock(const RowLockWaiter& holder) {
    const auto at = std::ranges::find(held_, &holder, &Entry::waiter);
    TESSERA_CHECK(at != held_.end(), "a lock was given back that nobody holds");
    held_.erase(at);
    for (std::size_t i = 0; i < waiting_.size();) {
      const Entry next = waiting_[i];
      if (clashes(next.range, i)) {
        ++i;
        continue;
      }
      waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
      held_.push_back(next);
      next.waiter->locked();
      i = 0;  // it may have asked for another
    }
  }

  void clear() {
    held_.clear();
    waiting_.clear();
  }

 private:
  struct Entry {
    HostRun range;
    RowLockWaiter* waiter = nullptr;
  };
  [[nodiscard]] static bool overlap(HostRun a, HostRun b) { return a.first < b.end() && b.first < a.end(); }
  /// Held, or asked for by one of the first `before` that wait.
  [[nodiscard]] bool clashes(HostRun range, std::size_t before) const {
    const auto meets = [range](const Entry& entry) { return overlap(entry.range, range); };
    return std::ranges::any_of(held_, meets) ||
           std::any_of(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(before), meets);
  }

  std::vector<Entry> held_;
  std::deque<Entry> waiting_;
};

}  // namespace tessera
