#pragma once
// The newest changes of signals in the order in which they were told, while nobody knows yet whether they will be wanted.
//
// Changes are laid down a chunk at a time, and looked at when their chunk is needed for newer ones.
#include <cstdint>
#include <span>
#include <vector>

#include "base/signal_change.hpp"

namespace tessera {

class ChangeRing {
 public:
  /// Keeps the newest `changes` at least, and at most a chunk more: a sixteenth.
  explicit ChangeRing(std::size_t changes);

  /// Where the next changes are to be laid down; what is there leaves.
  [[nodiscard]] std::span<SignalChange> room() { return {changes_.data() + chunk_number_ % chunks_ * chunk_, chunk_}; }
  /// That room is full.
  void next_room() { ++chunk_number_; }
  /// What is in the room from before.
  [[nodiscard]] std::span<const SignalChange> leaving() { return room().first(chunk_number_ < chunks_ ? 0 : chunk_); }

  /// After `laid` changes in the room, the last: calls take(change) for all that are kept, in the order of telling.
  template <class Take>
  void take(std::size_t laid, Take&& take) {
    const std::uint64_t last = chunk_number_;
    for (chunk_number_ = last < chunks_ ? 0 : last + 1 - chunks_; chunk_number_ < last; ++chunk_number_)
      for (const SignalChange& change : room()) take(change);
    for (const SignalChange& change : room().first(laid)) take(change);
  }

 private:
  std::size_t chunk_;  // changes
  std::size_t chunks_;
  std::vector<SignalChange> changes_;
  std::uint64_t chunk_number_ = 0;  // the one that is laid down
};

}  // namespace tessera
