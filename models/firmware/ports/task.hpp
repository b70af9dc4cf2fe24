#pragma once
// Coroutines of the firmware. A Task runs when awaited, hands its result to its awaiter and is destroyed with it: ending
// the root of a tree of tasks ends them all (a power cut). Frames come from a pool; nothing here throws.
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <utility>

#include "base/request_life.hpp"
#include "base/units.hpp"

namespace tessera {

struct RootTask;  // the executor's own

/// A suspended task at a device, lock or timer. Lives in the awaiter's frame.
struct DeviceWait {
  std::coroutine_handle<> task;
  RootTask* root = nullptr;               ///< the command or background task that it belongs to; set by the executor
  LifePhase phase = LifePhase::cpu_wait;  ///< what the time from `since` to `ready` counts as, unless the device says more
  DeviceWait* next = nullptr;             ///< for intrusive queues
};

/// Pool of coroutine frames by size class. Process-wide: a process simulates in one thread.
void* allocate_frame(std::size_t size);
void release_frame(void* frame, std::size_t size);

namespace detail {

struct PromiseBase {
  std::coroutine_handle<> continuation = std::noop_coroutine();

  static void* operator new(std::size_t size) { return allocate_frame(size); }
  static void operator delete(void* frame, std::size_t size) { release_frame(frame, size); }

  std::suspend_always initial_suspend() noexcept { return {}; }
  struct FinalAwaiter {
    bool await_ready() noexcept { return false; }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> self) noexcept {
      return self.promise().continuation;
    }
    void await_resume() noexcept {}
  };
  FinalAwaiter final_suspend() noexcept { return {}; }
  // Only a failed model check throws; it must reach the kernel, not be swallowed by a frame.
  void unhandled_exception() {
#ifdef __cpp_exceptions
    throw;
#endif
  }
};

template <class T>
struct Promise : PromiseBase {
  T value{};
  std::coroutine_handle<Promise> get_return_object() { return std::coroutine_handle<Promise>::from_promise(*this); }
  void return_value(T result) { value = std::move(result); }
  T take() { return std::move(value); }
};

template <>
struct Promise<void> : PromiseBase {
  std::coroutine_handle<Promise> get_return_object() { return std::coroutine_handle<Promise>::from_promise(*this); }
  void return_void() {}
  void take() {}
};

}  // namespace detail

/// A lazily started coroutine with one awaiter.
template <class T = void>
class [[nodiscard]] Task {
 public:
  using promise_type = detail::Promise<T>;
  using Handle = std::coroutine_handle<promise_type>;

  Task() = default;
  Task(Handle handle) : handle_(handle) {}
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    if (this != &other) {
      destroy();
      handle_ = std::exchange(other.handle_, nullptr);
    }
    return *this;
  }
  ~Task() { destroy(); }

  [[nodiscard]] bool done() const { return !handle_ || handle_.done(); }
  [[nodiscard]] Handle handle() const { return handle_; }
  /// The result of a finished root task.
  T take() { return handle_.promise().take(); }

  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiter) noexcept {
    handle_.promise().continuation = awaiter;
    return handle_;
  }
  T await_resume() { return handle_.promise().take(); }

 private:
  void destroy() {
    if (handle_) handle_.destroy();
  }
  Handle handle_;
};

/// Awaits a device command: `Port::submit(Command&)`, then `command.status`.
template <class Port, class Command>
struct DeviceAwaiter {
  Port& port;
  Command& command;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> task) {
    command.wait.task = task;
    port.submit(command);
  }
  auto await_resume() const { return command.status; }
};

template <class Cpu>
struct SleepAwaiter {
  Cpu& cpu;
  Picoseconds when;
  DeviceWait wait;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> task) {
    wait.task = task;
    cpu.wake_at(when, wait);
  }
  void await_resume() const noexcept {}
};

}  // namespace tessera
