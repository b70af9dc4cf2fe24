#include "controller/executor.hpp"

#include <algorithm>

namespace tessera {

namespace {
constexpr std::uint64_t dispatch = 0;  // timeline argument; anything else is the address of a sleeping DeviceWait
}

Executor::Executor(Timeline& timeline, const ControllerConfig& config)
    : timeline_(timeline), config_(config), cycle_(period(config.clock)) {}

Executor::~Executor() { power_off(); }

RootTask& Executor::start(Task<void> task, RequestLife* life, Picoseconds ready) {
  std::unique_ptr<RootTask> root;
  if (spare_.empty()) {
    root = std::make_unique<RootTask>();
  } else {
    root = std::move(spare_.back());
    spare_.pop_back();
  }
  root->task = std::move(task);
  root->name = "task";
  root->tag = no_tag;
  root->life = life;
  root->start.task = root->task.handle();
  root->start.root = root.get();
  roots_.push_back(std::move(root));
  RootTask& started = *roots_.back();
  tasks_depth_.set(roots_.size(), now());
  enqueue(started.start, ready);
  return started;
}

void Executor::spawn(Task<void> task, const char* name) { start(std::move(task), nullptr, now()).name = name; }

void Executor::enqueue(DeviceWait& wait, Picoseconds at) {
  wait.root->waits = LifePhase::cpu_wait;
  wait.root->since = at;
  ready_.push_back({at, orders_++, &wait});
  std::push_heap(ready_.begin(), ready_.end(), std::greater<>());
  ready_depth_.set(ready_.size(), at);
  if (!running_) schedule_dispatch();
}

void Executor::schedule_dispatch() {
  if (ready_.empty()) return;
  const Picoseconds at = std::max({ready_.front().at, local_, timeline_.now()});
  if (dispatch_pending_ && dispatch_at_ <= at) return;  // that one will look again
  dispatch_pending_ = true;
  dispatch_at_ = at;
  timeline_.post(at, *this, dispatch);
}

void Executor::interrupt(DeviceWait& wait) {
  if (Signal::anyone_watches() && wait.root->life != nullptr) [[unlikely]]
    wait.root->life->enter(LifePhase::cpu_wait, timeline_.now());
  enqueue(wait, timeline_.now() + config_.interrupt_latency);
}

void Executor::account(DeviceWait& wait, LifePhase phase, Picoseconds until) {
  if (wait.root->life != nullptr) wait.root->life->account(phase, until);
}

void Executor::on_time(std::uint64_t argument) {
  if (halted_) return;
  if (argument != dispatch) {
    auto& sleeper = *reinterpret_cast<DeviceWait*>(argument);
    account(sleeper, sleeper.phase, timeline_.now());
    enqueue(sleeper, timeline_.now());
    return;
  }
  if (!dispatch_pending_ || timeline_.now() != dispatch_at_) return;  // superseded by an earlier one
  dispatch_pending_ = false;
  if (ready_.empty()) return;
  if (std::max(ready_.front().at, local_) > timeline_.now()) return schedule_dispatch();
  DeviceWait& wait = *ready_.front().wait;
  std::pop_heap(ready_.begin(), ready_.end(), std::greater<>());
  ready_.pop_back();
  ready_depth_.set(ready_.size(), timeline_.now());
  run(wait);
  schedule_dispatch();
}

void Executor::run(DeviceWait& wait) {
  const Picoseconds begin = timeline_.now();
  current_ = wait.root;
  account(wait, LifePhase::cpu_wait, begin);
  local_ = begin;
  dram_ = Picoseconds(0);
  running_ = true;
  charge(Cycles(config_.costs.interrupt));
  RootTask* const root = wait.root;
  const auto task = wait.task;
  task_.show(root->name, begin);
  tag_.set(root->tag, begin);
  task.resume();
  running_ = false;
  busy_ += local_ - begin;
  ran_ += local_ - begin;
  task_.set(0, local_);
  current_ = nullptr;
  if (root->task.done()) retire(root);
}

void Executor::retire(RootTask* root) {
  const auto at = std::find_if(roots_.begin(), roots_.end(), [root](const auto& held) { return held.get() == root; });
  (*at)->task = {};
  spare_.push_back(std::move(*at));
  *at = std::move(roots_.back());
  roots_.pop_back();
  tasks_depth_.set(roots_.size(), local_);
}

void Executor::account_cpu() {
  if (current_->life == nullptr) return;
  RequestLife& life = *current_->life;
  // The run began at life.mark; `dram_` of it was memory, the rest was the core.
  if (life.lane != nullptr) [[unlikely]] {
    life.enter(LifePhase::dram, life.mark);
    life.enter(LifePhase::cpu, life.mark + dram_);
  }
  life.account(LifePhase::dram, life.mark + dram_);
  life.account(LifePhase::cpu, local_);
  dram_ = Picoseconds(0);
}

void Executor::release_life() {
  account_cpu();
  current_->life = nullptr;
  current_->tag = no_tag;
}

// Signals are watched from the start of a simulation or not at all, so that what is counted for them alone is counted here.

void Executor::show_suspended(LifePhase phase) {
  if (current_->life != nullptr) current_->life->enter(phase, local_);
  if (phase == LifePhase::lock) lock_waiters_.set(++waiting_for_locks_, local_);
}

void Executor::show_resumed(const DeviceWait& wait) {
  if (wait.phase == LifePhase::lock) lock_waiters_.set(--waiting_for_locks_, now());
  if (wait.root->life != nullptr) wait.root->life->enter(LifePhase::cpu_wait, now());
}

void Executor::suspend(DeviceWait& wait, LifePhase phase) {
  TESSERA_CHECK(running_, "a task suspended itself while none was running");
  account_cpu();
  wait.root = current_;
  wait.phase = phase;
  current_->waits = phase;
  current_->since = local_;
  if (Signal::anyone_watches()) [[unlikely]]
    show_suspended(phase);
}

void Executor::make_ready(DeviceWait& wait) {
  if (powering_off_) return;
  if (Signal::anyone_watches()) [[unlikely]]
    show_resumed(wait);
  account(wait, wait.phase, now());
  enqueue(wait, now());
}

void Executor::wake_at(Picoseconds when, DeviceWait& wait) {
  suspend(wait, LifePhase::background_wait);
  timeline_.post(std::max(when, local_), *this, reinterpret_cast<std::uint64_t>(&wait));
}

void Executor::event(const FirmwareEvent& event) {
  firmware_.event(event, now());
  if (observer_ != nullptr) observer_->firmware_event(event, now());
}

void Executor::power_off() {
  running_ = halted_ = false;
  local_ = timeline_.now();
  // A frame that ends gives its locks back, which would make others ready: they are all gone with the power.
  powering_off_ = true;
  for (auto& root : roots_) root->task = {};
  powering_off_ = false;
  roots_.clear();
  ready_.clear();
  timeline_.withdraw(*this);
  dispatch_pending_ = false;
  waiting_for_locks_ = 0;
  for (const Signal signal : {task_, ready_depth_, tasks_depth_, lock_waiters_}) signal.replace(0, local_);
  firmware_.power_off(local_);
}

void Executor::reset_statistics() {
  busy_ = Picoseconds(0);
  firmware_.reset_statistics(timeline_.now());
}

void Executor::report(MetricSet& metrics, Picoseconds elapsed) const {
  const auto share =
      elapsed == Picoseconds(0) ? std::nullopt : std::optional(static_cast<double>(busy_.value()) / static_cast<double>(elapsed.value()));
  metrics.add("cpu.utilisation", share, "1", "share of the measured time in which the controller's CPU was busy");
}

}  // namespace tessera
