#include "stimuli/arrays/array_task.hpp"

#include <utility>

#include "stimuli/hosts/command_life.hpp"

namespace tessera {

ArrayTask::ArrayTask(ArrayHost& host, ArrayRow row) : host_(host), row_(row) { life_.begin(host.timeline_.now()); }

void ArrayTask::lock(ChunkRange range) {
  host_.locks_.lock({HostBlock(row_.value() * host_.layout_.chunk_blocks() + range.begin), range.count()}, *this);
}

void ArrayTask::locked() {
  has_lock_ = true;
  life_.account(LifePhase::lock, host_.timeline_.now(), Cause::requests);
  locked_in();
}

void ArrayTask::begin_stage(std::vector<Step> steps, CommandPriority priority) {
  TESSERA_CHECK(!steps.empty(), "a stage without commands");
  open_ = static_cast<std::uint32_t>(steps.size());
  sent_.clear();
  ArrayHost& host = host_;  // a stage whose commands are all answered at once may end the task
  const ArrayRow row = row_;
  for (Step& step : steps) send(host, *this, row, step, priority);
}

void ArrayTask::begin_step(Step&& step, CommandPriority priority) {
  open_ = 1;
  sent_.clear();
  send(host_, *this, row_, step, priority);
}

void ArrayTask::send(ArrayHost& host, ArrayTask& task, ArrayRow row, Step& step, CommandPriority priority) {
  const auto own = [&] { return host.layout_.slot_of(row, step.member); };
  const std::optional<std::uint32_t> held = step.drive ? step.drive : host.drive_of(row, step.member);
  const std::uint32_t drive = held ? *held : host.drive_in_[own().value()];  // which failed, and says so
  const auto place = [&] { return host.layout_.place_of(row, step.member, host.slot_of_drive(drive, own())); };
  HostRun blocks;  // of a FLUSH none: it is of no row
  if (step.blocks)
    blocks = *step.blocks;
  else if (step.op != HostOp::flush)
    blocks = {place() + step.range.begin, step.range.count()};
  if (step.op == HostOp::read) step.content.resize(std::size_t{blocks.count} * host.kept_);
  const ChunkRange range = step.blocks ? ChunkRange() : step.range;
  const bool bad = !host.bad_.empty() && host.bad_.meets(row, drive, range);
  const bool refused = bad && step.op == HostOp::read;
  const auto number = static_cast<std::uint32_t>(task.sent_.size());
  task.sent_.push_back({.row = row, .member = step.member, .drive = drive, .range = range, .judged = !refused && !step.probes});
  ArrayCommand command{.op = step.op,
                       .force_unit_access = step.force_unit_access || (bad && host.forgets_[drive]),  // what it held before must not return
                       .blocks = blocks,
                       .content = std::move(step.content),
                       .priority = priority,
                       .receiver = &task,
                       .part = number};
  if (refused) return host.queues_[drive]->refuse(command, Status::media_error);
  ++host.counts_.commands;
  host.queues_[drive]->send(std::move(command));
}

void ArrayTask::answered(std::uint32_t number, HostRequest& command) {
  const ArrayHost::SentCommand sent = sent_[number];
  if (sent.judged) host_.judge(sent, command);
  took(sent.member, command);
  if (--open_ > 0) return;
  append(life_, command.life);
  stage_over();
}

std::unique_ptr<ArrayTask> ArrayTask::end() {
  if (has_lock_) host_.locks_.unlock(*this);
  return host_.end(*this);
}

}  // namespace tessera
