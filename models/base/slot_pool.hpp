#pragma once
// Values under small numbers that are used again: what an entry of the calendar, whose argument is a number, is about.
#include <cstdint>
#include <utility>
#include <vector>

namespace tessera {

template <class Value>
class SlotPool {
 public:
  /// Keeps `value`; gives the number under which take() finds it.
  std::uint64_t put(Value value) {
    if (free_.empty()) {
      slots_.push_back(std::move(value));
      return slots_.size() - 1;
    }
    const std::uint64_t number = free_.back();
    free_.pop_back();
    slots_[number] = std::move(value);
    return number;
  }
  /// What is kept under `number`.
  [[nodiscard]] Value& operator[](std::uint64_t number) { return slots_[number]; }
  /// What is kept under `number`, which is free from here on and holds a default value.
  Value take(std::uint64_t number) {
    free_.push_back(number);
    return std::exchange(slots_[number], {});
  }
  /// Calls `visit` for each slot, those that are free with a default value.
  template <class Visit>
  void each(Visit visit) const {
    for (const Value& value : slots_) visit(value);
  }
  void clear() {
    slots_.clear();
    free_.clear();
  }

 private:
  std::vector<Value> slots_;
  std::vector<std::uint64_t> free_;
};

}  // namespace tessera
