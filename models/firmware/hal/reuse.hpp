#pragma once
// Objects at addresses that stay, used again and again: made when none is free.
#include <memory>
#include <vector>

namespace tessera::hal {

template <class Object>
class Reuse {
 public:
  Object& take() {
    if (free_.empty()) {
      all_.push_back(std::make_unique<Object>());
      return *all_.back();
    }
    Object& object = *free_.back();
    free_.pop_back();
    return object;
  }
  void give_back(Object& object) { free_.push_back(&object); }
  [[nodiscard]] const std::vector<std::unique_ptr<Object>>& all() const { return all_; }

 private:
  std::vector<std::unique_ptr<Object>> all_;
  std::vector<Object*> free_;
};

}  // namespace tessera::hal
