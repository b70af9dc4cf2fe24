#pragma once
// Objects at addresses that stay, used again and again: made when none is free.
#include <utility>

namespace tessera::hal {

template <class Object>
class Reuse {
 public:
  Reuse() = default;
  Reuse(const Reuse&) = delete;
  Reuse& operator=(const Reuse&) = delete;
  ~Reuse() {
    while (all_ != nullptr) delete std::exchange(all_, all_->made_before);
  }

  Object& take() {
    if (free_ != nullptr) return *std::exchange(free_, free_->free_before);
    all_ = new Node(all_);
    return *all_;
  }
  void give_back(Object& object) {
    auto& node = static_cast<Node&>(object);
    node.free_before = std::exchange(free_, &node);
  }
  /// Calls `visit` for each that was ever taken.
  template <class Visit>
  void each(Visit visit) const {
    for (Node* node = all_; node != nullptr; node = node->made_before) visit(static_cast<Object&>(*node));
  }

 private:
  struct Node : Object {
    explicit Node(Node* before) : made_before(before) {}
    Node* made_before;
    Node* free_before = nullptr;
  };
  Node* all_ = nullptr;
  Node* free_ = nullptr;
};

}  // namespace tessera::hal
