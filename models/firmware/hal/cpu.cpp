#include "firmware/hal/cpu.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace tessera::hal {

void Cpu::start(Task<void> task, HostTag tag) {
  Root& root = roots_.take();
  root.task = std::move(task);
  root.tag = tag;
  root.start.task = root.task.handle();
  root.start.root = reinterpret_cast<RootTask*>(&root);
  make_ready(root.start);
}

void Cpu::make_ready(DeviceWait& wait) {
  if (ending_) return;
  wait.next = nullptr;
  (first_ready_ != nullptr ? last_ready_->next : first_ready_) = &wait;
  last_ready_ = &wait;
}

void Cpu::suspend(DeviceWait& wait, LifePhase) {
  TESSERA_CHECK(running_ != nullptr, "a task suspended itself while none was running");
  wait.root = reinterpret_cast<RootTask*>(running_);
}

void Cpu::run() {
  while (first_ready_ != nullptr) {
    DeviceWait& wait = *std::exchange(first_ready_, first_ready_->next);
    Root& root = *reinterpret_cast<Root*>(wait.root);
    running_ = &root;
    wait.task.resume();
    running_ = nullptr;
    if (!root.task.done()) continue;
    root.task = {};
    roots_.give_back(root);
  }
}

void Cpu::wake_at(Picoseconds when, DeviceWait& wait) {
  suspend(wait, LifePhase::background_wait);
  sleepers_.push_back({when, orders_++, &wait});
  std::push_heap(sleepers_.begin(), sleepers_.end(), std::greater<>());
  set_alarm();
}

void Cpu::wake() {
  const Picoseconds time = now();
  alarm_ = no_alarm;
  while (!sleepers_.empty() && sleepers_.front().when <= time) {
    make_ready(*sleepers_.front().wait);
    std::pop_heap(sleepers_.begin(), sleepers_.end(), std::greater<>());
    sleepers_.pop_back();
  }
  set_alarm();
}

/// For the first of the sleepers. An alarm that went off is set no more.
void Cpu::set_alarm() {
  if (sleepers_.empty() || sleepers_.front().when.value() == alarm_) return;
  alarm_ = sleepers_.front().when.value();
  registers_.write(Register::timer_alarm, alarm_);
}

void Cpu::spend(Picoseconds time) {
  const Picoseconds until = now() + time;
  while (now() < until) {
  }
}

void Cpu::event(const FirmwareEvent& event) {
  registers_.write(Register::probe_name, registers_.address_of(event.kind));
  registers_.write(Register::probe_subject, event.subject);
  registers_.write(Register::probe_amount, event.amount);
  registers_.write(Register::probe_event, static_cast<std::uint64_t>(event.edge));
}

std::uint32_t Cpu::declare_gauge(const GaugeInfo& info) {
  registers_.write(Register::probe_name, registers_.address_of(info.name));
  registers_.write(Register::probe_unit, registers_.address_of(info.unit));
  registers_.write(Register::probe_what, registers_.address_of(info.what));
  registers_.write(Register::probe_declare, 0);
  return static_cast<std::uint32_t>(registers_.read(Register::probe_number));
}

void Cpu::gauge(std::uint32_t number, std::uint64_t value) {
  registers_.write(Register::probe_number, number);
  registers_.write(Register::probe_value, value);
}

void Cpu::end() {
  ending_ = true;
  roots_.each([](Root& root) { root.task = {}; });
}

}  // namespace tessera::hal
