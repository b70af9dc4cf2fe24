#pragma once
// Tasks that wait until something has changed. A woken task looks again at what it waited for.
#include <coroutine>

#include "firmware/ports/cpu_port.hpp"

namespace tessera {

class WaitQueue {
 public:
  explicit WaitQueue(CpuPort& cpu) : cpu_(cpu) {}
  WaitQueue(const WaitQueue&) = delete;
  WaitQueue& operator=(const WaitQueue&) = delete;

  struct Awaiter {
    WaitQueue& queue;
    LifePhase phase;
    DeviceWait wait{};
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> task) {
      wait.task = task;
      queue.append(wait, phase);
    }
    void await_resume() const noexcept {}
  };

  /// `co_await queue.change(phase)`: until the next wake_all(); `phase` is what the time counts as in a request's life.
  [[nodiscard]] Awaiter change(LifePhase phase) { return Awaiter{*this, phase}; }

  /// Makes every waiting task ready, in order of arrival.
  void wake_all() {
    DeviceWait* wait = first_;
    first_ = last_ = nullptr;
    while (wait != nullptr) {
      DeviceWait* const next = wait->next;
      wait->next = nullptr;
      cpu_.make_ready(*wait);
      wait = next;
    }
  }
  [[nodiscard]] bool empty() const { return first_ == nullptr; }

 private:
  void append(DeviceWait& wait, LifePhase phase) {
    wait.next = nullptr;
    (last_ != nullptr ? last_->next : first_) = &wait;
    last_ = &wait;
    cpu_.suspend(wait, phase);
  }

  CpuPort& cpu_;
  DeviceWait* first_ = nullptr;
  DeviceWait* last_ = nullptr;
};

}  // namespace tessera
