#pragma once
// A task of the executor waits for firmware that runs elsewhere: in a shared library, on a processor of its own.
#include "firmware/ports/cpu_port.hpp"

namespace tessera {

/// `co_await Turn{cpu, wait, phase}`: until somebody makes `wait` ready.
struct Turn {
  CpuPort& cpu;
  DeviceWait& wait;
  LifePhase phase;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> task) {
    wait.task = task;
    cpu.suspend(wait, phase);
  }
  void await_resume() const noexcept {}
};

}  // namespace tessera
