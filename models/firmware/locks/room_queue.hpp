#pragma once
// Tasks that wait for room, each for so much of it. Only those for which there is some are woken: each looks again whether there still is,
// and where there is none any more it waits in the place that it had.
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
    std::uint64_t& place;
    Awaiter* later = nullptr;
    DeviceWait wait{};
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> task) {
      wait.task = task;
      queue.enter(*this);
    }
    void await_resume() const noexcept {}
  };

  /// `co_await queue.room(amount, phase, place)`: until wake() finds room for the amount; `phase` is what the time counts as in a request's
  /// life, `place` the task's own, which is 0 before it waits for the first time.
  [[nodiscard]] Awaiter room(std::uint32_t amount, LifePhase phase, std::uint64_t& place) { return Awaiter{*this, amount, phase, place}; }

  [[nodiscard]] bool empty() const { return first_ == nullptr; }

  /// Asks for each waiting task, in order of arrival, whether there is room for its amount, and makes it ready if so.
  template <class HasRoom>
  void wake(HasRoom has_room) {
    Awaiter** link = &first_;
    while (Awaiter* const task = *link) {
      cpu_.scan(1);
      if (has_room(task->amount)) {
        *link = task->later;
        cpu_.make_ready(task->wait);
      } else {
        link = &task->later;
      }
    }
  }

 private:
  void enter(Awaiter& task) {
    if (task.place == 0) task.place = ++places_;
    Awaiter** link = &first_;
    while (*link != nullptr && (*link)->place < task.place) link = &(*link)->later;
    task.later = *link;
    *link = &task;
    cpu_.suspend(task.wait, task.phase);
  }

  CpuPort& cpu_;
  Awaiter* first_ = nullptr;
  std::uint64_t places_ = 0;
};

}  // namespace tessera
