#pragma once
// Up to `most` values inside their owner. Room that is not in use is not written: a list of many in a coroutine's frame costs what it
// holds.
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

namespace tessera {

template <class Value, std::size_t most>
class InlineList {
  static_assert(std::is_trivially_copyable_v<Value>, "values end with the list, without a word");

 public:
  InlineList() {}  // NOLINT(modernize-use-equals-default): value initialisation would write all of the room
  InlineList(const InlineList&) = delete;
  InlineList& operator=(const InlineList&) = delete;

  /// There must be room.
  void push_back(const Value& value) { std::construct_at(reinterpret_cast<Value*>(room_) + size_++, value); }
  void clear() { size_ = 0; }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] bool full() const { return size_ == most; }
  [[nodiscard]] std::span<const Value> all() const { return {std::launder(reinterpret_cast<const Value*>(room_)), size_}; }

 private:
  alignas(Value) std::byte room_[most * sizeof(Value)];
  std::size_t size_ = 0;
};

}  // namespace tessera
