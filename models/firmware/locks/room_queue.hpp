#pragma once
// Tasks that wait for room, each for so much of it. Only those for which there is some are woken: each looks again whether there still is.
#include <coroutine>
#include <cstdint>

#include "firmware/ports/cpu_port.hpp"

namespace tessera {

class RoomQueue {
 public:
  explicit RoomQueue(CpuPort& cpu) : cpu_(cpu) {}
  RoomQueue(const RoomQueue&) = delete;
  RoomQueue& operator=(const RoomQueue&) = delete;

  struct Awaiter {
    RoomQueue& queue;
    std::uint32_t amount;
    LifePhase phase;
    Awaiter* later = nullptr;
    DeviceWait wait{};
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> task) {
      wait.task = task;
      queue.append(*this);
    }
    void await_resume() const noexcept {}
  };

  /// `co_await queue.room(amount, phase)`: until wake() finds room for the amount; `phase` is what the time counts as in a request's life.
  [[nodiscard]] Awaiter room(std::uint32_t amount, LifePhase phase) { return Awaiter{*this, amount, phase}; }

  /// Asks for each waiting task, in order of arrival, whether there is room for its amount, and makes it ready if so.
  template <class HasRoom>
  void wake(HasRoom has_room) {
    Awaiter** link = &first_;
    last_ = nullptr;
    while (Awaiter* const task = *link) {
      cpu_.scan(1);
      if (has_room(task->amount)) {
        *link = task->later;
        cpu_.make_ready(task->wait);
      } else {
        last_ = task;
        link = &task->later;
      }
    }
  }

 private:
  void append(Awaiter& task) {
    (last_ != nullptr ? last_->later : first_) = &task;
    last_ = &task;
    cpu_.suspend(task.wait, task.phase);
  }

  CpuPort& cpu_;
  Awaiter* first_ = nullptr;
  Awaiter* last_ = nullptr;
};

}  // namespace tessera
