// What the cores turn to: ready tasks, interrupts and messages, each in its crew's queue.
#include <algorithm>

#include "controller/control_path.hpp"
#include "controller/executor.hpp"

namespace tessera {

void Executor::interrupted(InterruptLine line, DeviceWait& wait, Picoseconds at, bool first) {
  enqueue({at, orders_++, &wait, first ? Entry::interrupt : Entry::more, line});
}

Executor::Crew& Executor::crew_for(const Ready& ready) {
  if (ready.entry == Entry::handed_over || ready.line == InterruptLine::timer) return crew(CpuRole::translation);
  return crew(ready.line == InterruptLine::host ? CpuRole::host : CpuRole::media);
}

void Executor::enqueue(const Ready& ready) {
  ready.wait->root->waits = LifePhase::cpu_wait;
  ready.wait->root->since = ready.at;
  push(crew_for(ready), ready);
}

void Executor::push(Crew& to, const Ready& ready) {
  to.ready.push(ready);
  ready_depth_.set(++waiting_for_cores_, ready.at);
  if (&to != running_) schedule_dispatch(to);
}

/// The core of the crew that is free first.
inline Executor::Core& Executor::next_core(const Crew& crew) {
  if (crew.cores.size() == 1) [[likely]]
    return *crew.cores.front();
  return **std::ranges::min_element(crew.cores, {}, &Core::free);
}

/// When the crew, for which something is ready, turns to it.
inline Picoseconds Executor::next_dispatch(const Crew& crew) const {
  return std::max(std::max(crew.ready.front().at, next_core(crew).free), timeline_.now());
}

void Executor::schedule_dispatch(Crew& crew) {
  if (crew.ready.empty()) return;
  const Picoseconds at = next_dispatch(crew);
  if (crew.dispatch_pending && crew.dispatch_at <= at) return;  // that one will look again
  crew.dispatch_pending = true;
  crew.dispatch_at = at;
  timeline_.post(at, *this, static_cast<std::uint64_t>(&crew - crews_.data()));
}

/// The ready task that the crew turns to now.
inline Executor::Ready Executor::take(Crew& crew) {
  if (!by_priority_) return crew.ready.take(0);
  // Among those whose time has come.
  const auto entries = crew.ready.entries();
  std::size_t best = 0;
  for (std::size_t at = 1; at < entries.size() && entries[at].at <= timeline_.now(); ++at)
    if (priority(entries[at]) < priority(entries[best])) best = at;
  return crew.ready.take(best);
}

void Executor::begin(Core& core, const char* what, std::uint32_t tag) {
  local_ = timeline_.now();
  dram_ = Picoseconds(0);
  if (code_ == nullptr) pending_.begin();  // fetching the code of an access takes its own time
  core.free = local_;
  core.task.show(what, local_);
  core.tag.set(tag, local_);
}

inline void Executor::end(Core& core) {
  const Picoseconds began = timeline_.now();
  const Picoseconds ended = local();
  pending_.end();
  running_ = nullptr;
  current_ = nullptr;
  core.free = ended;
  core.busy += ended - began;
  ran_ += ended - began;
  core.task.set(0, ended);
}

inline void Executor::dispatch(Crew& crew) {
  crew.dispatch_pending = false;
  Core& core = next_core(crew);
  const Ready ready = take(crew);
  ready_depth_.set(--waiting_for_cores_, timeline_.now());
  running_ = &crew;
  if (ready.entry == Entry::message) {
    carry_out(core, messages_.take(ready.message));
  } else if (&crew == &this->crew(CpuRole::translation)) {
    run(core, ready);
  } else {
    take_interrupt(core, ready);
  }
}

void Executor::on_time(std::uint64_t argument) {
  if (halted_) return;
  if (argument >= most_crews) {
    auto& sleeper = *reinterpret_cast<DeviceWait*>(argument);
    account(sleeper, sleeper.phase, timeline_.now());
    return interrupt(sleeper, InterruptLine::timer, timeline_.now());
  }
  Crew& crew = crews_[argument];
  if (!crew.dispatch_pending || timeline_.now() != crew.dispatch_at) return;  // superseded by an earlier one
  crew.dispatch_pending = false;
  if (crew.ready.empty()) return;
  if (next_dispatch(crew) > timeline_.now()) return schedule_dispatch(crew);
  for (;;) {
    dispatch(crew);
    if (crew.ready.empty()) return;
    if (halted_ || !timeline_.go_on(next_dispatch(crew))) return schedule_dispatch(crew);
  }
}

void Executor::charge_entry(const Ready& ready) {
  if (served_elsewhere_) [[unlikely]]
    return;
  if (ready.entry == Entry::handed_over) return charge(CpuOperation::task_switch, 1);
  if (ready.entry == Entry::interrupt) {
    charge(CpuOperation::interrupt, 1);
    if (control_ != nullptr) {
      const Picoseconds waited = control_->acknowledge(local());
      registers_ += waited;
      local_ += waited;
    }
  }
  if (ready.line == InterruptLine::timer) return;
  const bool arrives = ready.wait == &ready.wait->root->start && ready.line == InterruptLine::host;
  if (control_ != nullptr) control_->take(arrives ? BusExchange::command : BusExchange::completion);
  charge(arrives ? CpuOperation::command : CpuOperation::reap, 1);
}

/// By a core that is not the translation's, which goes on with the task.
void Executor::take_interrupt(Core& core, const Ready& ready) {
  begin(core, "interrupt", ready.wait->root->tag);
  account(*ready.wait, LifePhase::cpu_wait, local());
  show(ready.wait->root->life, LifePhase::cpu);
  charge_entry(ready);
  account(*ready.wait, LifePhase::cpu, local());
  show(ready.wait->root->life, LifePhase::cpu_wait);
  const Picoseconds taken = local();
  end(core);
  enqueue({taken, orders_++, ready.wait, Entry::handed_over, ready.line});
}

void Executor::run(Core& core, const Ready& ready) {
  RootTask* const root = ready.wait->root;
  begin(core, root->name, root->tag);
  current_ = root;
  account(*ready.wait, LifePhase::cpu_wait, local());
  charge_entry(ready);
  const auto task = ready.wait->task;
  task.resume();
  end(core);
  if (root->task.done()) retire(root);
}

/// The running task goes on meanwhile.
void Executor::leave_to(CpuRole role, CpuOperation operation, std::uint64_t times, RootTask* waiting, const Notice& notice) {
  RequestLife* const life = current_->life;
  const std::uint64_t number =
      messages_.put({operation, times, life, current_->tag, &notice.listener, notice.argument, notice.delay, notice.engine, waiting});
  show(life, LifePhase::cpu_wait);
  push(crew(role), {local(), orders_++, nullptr, Entry::message, InterruptLine::timer, number});
}

void Executor::carry_out(Core& core, const Message& message) {
  begin(core, to_string(message.operation), message.tag);
  if (message.life != nullptr) message.life->account(LifePhase::cpu_wait, local());
  show(message.life, LifePhase::cpu);
  const Picoseconds read = hand_out(message.operation, message.times, message.engine);
  if (message.life != nullptr) message.life->account(LifePhase::cpu, local());
  if (message.waiting != nullptr) message.waiting->since = local();
  show(message.life, message.waiting != nullptr ? message.waiting->waits : LifePhase::link);
  timeline_.post(read + message.delay, *message.listener, message.argument);
  end(core);
}

}  // namespace tessera
