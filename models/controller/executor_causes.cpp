// What the tasks work for, and to which work a wait is charged.
#include <cstring>

#include "controller/executor.hpp"

namespace tessera {

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
