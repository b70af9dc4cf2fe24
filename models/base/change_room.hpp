#pragma once
// Room that a recorder gives for changes: the signals that it alone watches write theirs there themselves, which takes some ten
// instructions each.
#include <span>

#include "base/signal_change.hpp"

namespace tessera {

class ChangeRoom {
 public:
  void add(const SignalChange& change) {
    *next_ = change;
    if (++next_ == end_) [[unlikely]]
      full();
  }
  /// Room for changes in a row; null where so many do not fit, and each has to be added.
  [[nodiscard]] SignalChange* claim(std::ptrdiff_t changes) {
    if (end_ - next_ <= changes) [[unlikely]]
      return nullptr;
    SignalChange* const row = next_;
    next_ += changes;
    return row;
  }
  /// What was told since.
  [[nodiscard]] std::span<const SignalChange> told() const { return {begin_, next_}; }
  /// The next changes go there.
  void lay_down_in(std::span<SignalChange> room) {
    begin_ = next_ = room.data();
    end_ = next_ + room.size();
  }

 protected:
  ~ChangeRoom() = default;
  /// Lays the next changes down elsewhere.
  virtual void full() = 0;

 private:
  SignalChange* next_ = nullptr;
  SignalChange* end_ = nullptr;
  SignalChange* begin_ = nullptr;
};

}  // namespace tessera
