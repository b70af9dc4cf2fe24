#pragma once
// Shared locks on the places of one read, which may lie on several tracks.
#include <algorithm>
#include <array>
#include <optional>

#include "firmware/locks/range_locks.hpp"

namespace tessera {

/// All take their place in the queue before any is awaited, so two tasks that want several never wait for each other.
///   held.add(box); ...
///   for (auto* lock = held.first(); lock != nullptr; lock = held.next()) co_await *lock;
template <class Range>
class SharedLocks {
 public:
  using Lock = typename RangeLocks<Range>::Lock;
  static constexpr std::size_t most = 4;

  explicit SharedLocks(RangeLocks<Range>& locks) : locks_(locks) {}

  [[nodiscard]] bool full() const { return count_ == most; }
  void add(const Range& range) { held_[count_++].emplace(locks_, range, LockMode::shared); }
  [[nodiscard]] bool granted() const {
    return std::all_of(held_.begin(), held_.begin() + count_, [](const auto& lock) { return lock->granted(); });
  }
  [[nodiscard]] Lock* first() {
    next_ = 0;
    return next();
  }
  [[nodiscard]] Lock* next() { return next_ < count_ ? &*held_[next_++] : nullptr; }

 private:
  RangeLocks<Range>& locks_;
  std::array<std::optional<Lock>, most> held_;
  std::size_t count_ = 0;
  std::size_t next_ = 0;
};

}  // namespace tessera
