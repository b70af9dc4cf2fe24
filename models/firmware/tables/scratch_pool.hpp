#pragma once
// Working memory of operations, reused by later ones: as many objects as operations were ever under way at once.
#include <memory>
#include <utility>
#include <vector>

namespace tessera {

template <class T>
class ScratchPool {
 public:
  struct GiveBack {
    ScratchPool* pool;
    void operator()(T* object) const { pool->free_.emplace_back(object); }
  };
  using Handle = std::unique_ptr<T, GiveBack>;

  /// An object with whatever its last user left in it.
  [[nodiscard]] Handle take() {
    if (free_.empty()) return Handle(new T, {this});
    T* const object = free_.back().release();
    free_.pop_back();
    return Handle(object, {this});
  }

 private:
  std::vector<std::unique_ptr<T>> free_;
};

}  // namespace tessera
