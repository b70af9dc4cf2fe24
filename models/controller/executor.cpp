#include "controller/executor.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "controller/code_memory.hpp"
#include "controller/control_path.hpp"

namespace tessera {

namespace {

/// By number of cores, the crew of host, translation and media (cpu_config.hpp: CpuRole).
constexpr std::array<std::array<std::size_t, 3>, 4> crews_of_roles{{{0, 0, 0}, {0, 1, 0}, {0, 1, 2}, {0, 1, 2}}};
constexpr std::size_t translation = 1;

/// Whose engine writes the completions that a line announces.
BusInitiator engine_of(InterruptLine line) {
  switch (line) {
    case InterruptLine::disk: return BusInitiator::disk;
    case InterruptLine::flash: return BusInitiator::flash;
    default: return BusInitiator::host;
  }
}

}  // namespace

Executor::Executor(Timeline& timeline, const CpuConfig& config)
    : timeline_(timeline),
      interrupts_(timeline, config, *this),
      costs_(config.costs.cycles),
      cycle_(period(config.clock)),
      cores_(config.cores),
      crews_(std::min<std::size_t>(config.cores, most_crews)),
      by_priority_(!interrupts_.equal_priorities()),
      served_elsewhere_(config.served_elsewhere) {
  table_access_ = cycle_ * costs_[static_cast<std::size_t>(CpuOperation::table_access)];
  for (std::size_t core = 0; core < cores_.size(); ++core) {
    SignalScope& scope = signals_.part("core" + std::to_string(core));
    cores_[core].task = scope.text("task", "idle");
    cores_[core].tag = scope.number("tag", 16, no_tag);
    crews_[core < most_crews ? core : translation].cores.push_back(&cores_[core]);
  }
  for (std::size_t role = 0; role < crew_of_.size(); ++role) crew_of_[role] = &crews_[crews_of_roles[config.cores - 1][role]];
}

Executor::~Executor() { power_off(); }

RootTask& Executor::make_root(Task<void> task, RequestLife* life) {
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
  root->host_read = root->host_write = root->updates = false;
  root->life = life;
  root->work.restart(life == nullptr ? Cause::background : Cause::host);
  root->start.task = root->task.handle();
  root->start.root = root.get();
  root->place = roots_.size();
  roots_.push_back(std::move(root));
  tasks_depth_.set(roots_.size(), now());
  return *roots_.back();
}

RootTask& Executor::start(Task<void> task, RequestLife* life, Picoseconds ready) {
  RootTask& root = make_root(std::move(task), life);
  enqueue({ready, orders_++, &root.start, Entry::handed_over, InterruptLine::timer});
  return root;
}

RootTask& Executor::start(Task<void> task, RequestLife* life, InterruptLine line, Picoseconds at) {
  RootTask& root = make_root(std::move(task), life);
  root.waits = LifePhase::cpu_wait;
  root.since = at;
  if (control_ != nullptr) at = control_->announce(engine_of(line), BusExchange::command, at);
  interrupts_.raise(line, root.start, at);
  return root;
}

/// The disk channel serves what a host command has spawned as what the command itself asks for.
void Executor::spawn(Task<void> task, const char* name) {
  RootTask& root = start(std::move(task), nullptr, now());
  root.name = name;
  inherit_work(root);
  if (current_ == nullptr) return;
  root.host_read = current_->host_read;
  root.host_write = current_->host_write;
  root.updates = current_->updates;
}

void Executor::interrupt(DeviceWait& wait, InterruptLine line, Picoseconds at) {
  if (Signal::anyone_watches() && wait.root->life != nullptr) [[unlikely]]
    wait.root->life->enter(LifePhase::cpu_wait, at);
  if (control_ != nullptr && line != InterruptLine::timer) at = control_->announce(engine_of(line), BusExchange::completion, at);
  interrupts_.raise(line, wait, at);
}

void Executor::account(DeviceWait& wait, LifePhase phase, Picoseconds until) {
  if (wait.root->life != nullptr) wait.root->life->account(phase, until);
}

void Executor::retire(RootTask* root) {
  root->task = {};
  auto& place = roots_[root->place];
  std::swap(place, roots_.back());
  place->place = root->place;
  spare_.push_back(std::move(roots_.back()));
  roots_.pop_back();
  tasks_depth_.set(roots_.size(), local());
}

void Executor::account_cpu() {
  if (current_->life == nullptr) return;
  RequestLife& life = *current_->life;
  const Picoseconds now = local();
  // The run began at life.mark; `dram_` of it was memory, the rest was the core.
  if (life.lane != nullptr) [[unlikely]] {
    life.enter(LifePhase::dram, life.mark);
    life.enter(LifePhase::cpu, life.mark + dram_);
  }
  const Picoseconds ran = now - life.mark;
  life.parts[static_cast<std::size_t>(LifePhase::dram)] += dram_;
  life.parts[static_cast<std::size_t>(LifePhase::cpu)] += ran - dram_;
  if (life.works_for != Cause::host) [[unlikely]]
    life.charge(life.works_for, ran);
  life.mark = now;
  dram_ = Picoseconds(0);
}

/// The core writes what the engine reads after its doorbell; gives when it has. An engine reads its ring in order: many entries, which take
/// long on the bus, keep later ones waiting.
Picoseconds Executor::hand_out(CpuOperation operation, std::uint64_t times, BusInitiator engine) {
  charge(operation, times);
  if (control_ == nullptr) return local();
  const BusExchange entry = operation == CpuOperation::submit ? BusExchange::command : BusExchange::completion;
  Picoseconds& read = ring_read_[static_cast<std::size_t>(engine)];
  read = std::max(read, control_->hand_out(engine, entry, times));
  return read;
}

Picoseconds Executor::ring(DeviceRegister bell) { return control_ == nullptr ? now() : control_->ring(bell, now()); }

void Executor::settle() const {
  performed_[static_cast<std::size_t>(CpuOperation::table_access)] += pending_.count();
  const Picoseconds taken = pending_.price();
  local_ += taken;
  dram_ += taken;
}

/// For another pending access.
bool Executor::make_room() {
  if (pending_.empty()) return false;
  settle();
  return true;
}

/// Before the boot no task runs: the image is loaded in no time.
void Executor::fetch(CpuOperation operation) {
  if (running_ != nullptr) code_->fetch(operation);
}

void Executor::suspend_for(DeviceWait& wait, LifePhase phase, std::uint64_t descriptors, const Notice& written) {
  const bool here = &crew(CpuRole::media) == running_;
  const Picoseconds read = here ? hand_out(CpuOperation::submit, descriptors, written.engine) : Picoseconds(0);
  suspend(wait, phase);
  if (!here) return leave_to(CpuRole::media, CpuOperation::submit, descriptors, current_, written);
  timeline_.post(read + written.delay, written.listener, written.argument);
}

void Executor::complete_request(const Notice& completed) {
  const bool here = &crew(CpuRole::host) == running_;
  const Picoseconds read = here ? hand_out(CpuOperation::completion, 1, completed.engine) : Picoseconds(0);
  account_cpu();
  if (here) {
    show(current_->life, LifePhase::link);
    timeline_.post(read + completed.delay, completed.listener, completed.argument);
  } else {
    leave_to(CpuRole::host, CpuOperation::completion, 1, nullptr, completed);
  }
  if (RequestLife* const life = std::exchange(current_->life, nullptr); life != nullptr) {
    life->works_for = Cause::host;
    if (life->helped) [[unlikely]]
      end_help(*life);
  }
  current_->tag = no_tag;
}

// Signals are watched from the start of a simulation or not at all, so that what is counted for them alone is counted here.

void Executor::show_suspended(LifePhase phase) {
  if (current_->life != nullptr) current_->life->enter(phase, local());
  if (phase == LifePhase::lock) lock_waiters_.set(++waiting_for_locks_, local());
}

void Executor::show_resumed(const DeviceWait& wait, Picoseconds at) {
  if (wait.phase == LifePhase::lock) lock_waiters_.set(--waiting_for_locks_, at);
  if (wait.root->life != nullptr) wait.root->life->enter(LifePhase::cpu_wait, at);
}

void Executor::suspend(DeviceWait& wait, LifePhase phase) {
  TESSERA_CHECK(running_ != nullptr, "a task suspended itself while none was running");
  account_cpu();
  wait.root = current_;
  wait.phase = phase;
  current_->waits = phase;
  current_->since = local();
  if (Signal::anyone_watches()) [[unlikely]]
    show_suspended(phase);
}

void Executor::make_ready(DeviceWait& wait) {
  if (powering_off_) return;
  // The running task may be behind the instant at which one of another core began to wait: that one then goes on at once.
  const Picoseconds at = std::max(now(), wait.root->since);
  if (Signal::anyone_watches()) [[unlikely]]
    show_resumed(wait, at);
  account_wait(wait, at);
  enqueue({at, orders_++, &wait, Entry::handed_over, InterruptLine::timer});
}

void Executor::wake_at(Picoseconds when, DeviceWait& wait) {
  const Picoseconds set = ring(DeviceRegister::timer);
  suspend(wait, LifePhase::background_wait);
  timeline_.post(std::max(when, set), *this, reinterpret_cast<std::uint64_t>(&wait));
}

void Executor::event(const FirmwareEvent& event) {
  firmware_.event(event, now());
  if (observer_ != nullptr) observer_->firmware_event(event, now());
  if (event.edge != FirmwareEvent::Edge::instant) note_work(event);
}

void Executor::power_off() {
  if (!pending_.empty()) settle();  // of a task that a fault of the firmware has ended
  pending_.end();
  running_ = nullptr;
  halted_ = false;
  // A frame that ends gives its locks back, which would make others ready: they are all gone with the power.
  powering_off_ = true;
  for (auto& root : roots_) root->task = {};
  powering_off_ = false;
  roots_.clear();
  interrupts_.power_off();
  timeline_.withdraw(*this);
  const Picoseconds now = timeline_.now();
  for (Crew& crew : crews_) {
    crew.ready.clear();
    crew.dispatch_pending = false;
  }
  for (Core& core : cores_) {
    core.free = now;
    core.task.replace(0, now);
  }
  messages_.clear();
  waiting_for_cores_ = waiting_for_locks_ = 0;
  ring_read_ = {};
  for (const Signal signal : {ready_depth_, tasks_depth_, lock_waiters_}) signal.replace(0, now);
  firmware_.power_off(now);
}

void Executor::reset_statistics() {
  for (Core& core : cores_) core.busy = Picoseconds(0);
  firmware_.reset_statistics(timeline_.now());
}

void Executor::report(MetricSet& metrics, LongTime elapsed) const {
  Picoseconds busy;
  for (const Core& core : cores_) busy += core.busy;
  metrics.add("cpu.utilisation", share_of(busy, elapsed * cores_.size()), "1",
              "share of the measured time in which the controller's CPU was busy, mean of its cores");
  for (std::size_t core = 0; cores_.size() > 1 && core < cores_.size(); ++core)
    metrics.add("cpu.core" + std::to_string(core) + ".utilisation", share_of(cores_[core].busy, elapsed), "1",
                "share of the measured time in which core " + std::to_string(core) + " was busy");
  for (std::size_t i = 0; i < cpu_operations; ++i) {
    const std::string name = to_string(static_cast<CpuOperation>(i));
    metrics.count("cpu.by_operation." + name + ".count", static_cast<double>(performed_[i]), "1",
                  "operations '" + name + "' of the firmware");
    metrics.count("cpu.by_operation." + name + ".time", cycle_ * (costs_[i] * performed_[i]),
                  "time of the cores in operations '" + name + "', memory excluded");
  }
  metrics.count("cpu.registers.time", registers_, "time of the cores waiting for registers");
  interrupts_.report(metrics);
}

// --- What the cores turn to ---

// What the cores turn to: ready tasks, interrupts and messages, each in its crew's queue.

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

// --- Causes ---

// What the tasks work for, and to which work a wait is charged.

namespace {

/// Waits that another task ends because it has done something: not those for a device, the link or a core.
bool ended_by_others(LifePhase phase) {
  switch (phase) {
    case LifePhase::lock:
    case LifePhase::backup:
    case LifePhase::media_queue:
    case LifePhase::background_wait:
    case LifePhase::flash_queue:
    case LifePhase::cleaning:
    case LifePhase::error_recovery: return true;
    default: return false;
  }
}

/// Of a wait that another request's own work has ended.
Cause of_other_request(LifePhase wait) {
  if (wait == LifePhase::cleaning) return Cause::cleaning;
  return wait == LifePhase::flash_queue ? Cause::flash : Cause::requests;
}

}  // namespace

bool TaskWork::does(const FirmwareEvent& event) const {
  return kind_ != nullptr && subject_ == event.subject && std::strcmp(kind_, event.kind) == 0;
}

/// A task works for what its name says, or for what the one that started it does.
void Executor::inherit_work(RootTask& root) {
  const std::optional<Cause> named = cause_of_work(root.name);
  root.work.task = named ? *named : current_ != nullptr ? current_->work.now : Cause::background;
  root.work.now = root.work.task;
  if (current_ == nullptr) return;
  root.work.serves = current_->life != nullptr ? current_->life : current_->work.serves;
  if (current_->life != nullptr) current_->life->helped = true;
}

/// A request ends: nobody works for it any more.
void Executor::end_help(const RequestLife& life) {
  for (const auto& root : roots_)
    if (root->work.serves == &life) root->work.serves = nullptr;
}

/// Work may end in another task than it began in.
void Executor::note_work(const FirmwareEvent& event) {
  if (current_ == nullptr) return;
  if (event.edge == FirmwareEvent::Edge::begin) {
    account_cpu();
    current_->work.begin(event, local());
    return set_work(*current_);
  }
  RootTask* root = current_;
  if (!root->work.does(event)) {
    const auto other = std::ranges::find_if(roots_, [&](const auto& one) { return one->work.does(event); });
    if (other == roots_.end()) return;
    root = other->get();
  } else {
    account_cpu();
  }
  root->work.end(local());
  set_work(*root);
}

void Executor::set_work(const RootTask& root) {
  if (root.life != nullptr) root.life->works_for = root.work.now;
}

/// The running task ends the wait. While it did a piece of work, or waited for one, that was what held the other up, else the task as such.
void Executor::account_wait(const DeviceWait& wait, Picoseconds until) {
  RequestLife* const life = wait.root->life;
  if (current_ != nullptr && current_ != wait.root && ended_by_others(wait.phase)) {
    const TaskWork& work = current_->work;
    if (life != nullptr && life->works_for == Cause::host) {
      Cause task = work.task;
      if (task == Cause::host && work.serves != life) task = of_other_request(wait.phase);
      Picoseconds as_such = until - life->mark;
      work.each_piece(life->mark, until, [&](Cause cause, Picoseconds begin, Picoseconds end) {
        life->charge(cause, end - begin);
        as_such -= end - begin;
      });
      life->charge(task, as_such);
    }
    wait.root->work.waited_for(work, wait.root->since, until);
  }
  if (life != nullptr) life->account(wait.phase, until);
}

}  // namespace tessera
