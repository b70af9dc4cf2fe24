#include "stimuli/arrays/drive_queue.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace tessera {

DriveQueue::DriveQueue(Timeline& timeline, HostLink& drive, std::uint32_t tags, std::uint32_t background_tags)
    : timeline_(timeline), drive_(drive), background_tags_(std::min(background_tags, tags)) {
  for (std::uint32_t tag = 0; tag < tags; ++tag) slots_.push_back(std::make_unique<Slot>());
  for (std::uint32_t tag = tags; tag-- > 0;) free_.push_back(tag);
}

void DriveQueue::watch(Picoseconds time_out, std::function<void()> late) {
  time_out_ = time_out;
  late_ = std::move(late);
}

/// One look at a time, at the command that was sent first.
void DriveQueue::await_answer(Picoseconds sent) {
  if (time_out_ == Picoseconds(0) || awaits_) return;
  awaits_ = true;
  timeline_.post(sent + time_out_, *this);
}

void DriveQueue::on_time(std::uint64_t) {
  awaits_ = false;
  if (suspended_) return;
  std::optional<Picoseconds> oldest;
  for (const auto& slot : slots_)
    if (slot->receiver != nullptr) oldest = std::min(oldest.value_or(slot->sent), slot->sent);
  if (!oldest) return;
  if (*oldest + time_out_ > timeline_.now()) return await_answer(*oldest);
  late_();
}

void DriveQueue::send(ArrayCommand&& command) {
  position_ = command.blocks.end();
  if (failed_) return refuse(command, Status::aborted);
  const Picoseconds now = timeline_.now();
  statistics_.arrived(now);
  const bool in_turn = command.priority == CommandPriority::foreground || background_ < background_tags_;
  if (in_turn && !free_.empty() && !suspended_ && queues_[0].empty() && queues_[1].empty()) return issue(std::move(command), now);
  auto& queue = queues_[static_cast<std::size_t>(command.priority)];
  queue.push_back({std::move(command), now});
  pump();
}

void DriveQueue::refuse(const ArrayCommand& command, Status status) const {
  HostRequest request;
  request.op = command.op;
  request.blocks = command.blocks;
  request.status = status;
  request.life.begin(timeline_.now());
  command.receiver->answered(command.part, request);
}

/// One tag is left to background work, so that a busy host cannot hold it up for ever.
void DriveQueue::pump() {
  auto& [foreground, background] = queues_;
  while (!free_.empty() && !suspended_ && !failed_) {
    const bool background_may = !background.empty() && background_ < background_tags_;
    if (background_may && (background_ == 0 || foreground.empty()))
      issue(background);
    else if (!foreground.empty())
      issue(foreground);
    else
      return;
  }
}

void DriveQueue::issue(std::deque<Waiting>& queue) {
  Waiting next = std::move(queue.front());
  queue.pop_front();
  issue(std::move(next.command), next.since);
}

void DriveQueue::issue(ArrayCommand&& command, Picoseconds since) {
  const std::uint32_t tag = free_.back();
  free_.pop_back();
  Slot& slot = *slots_[tag];
  slot.receiver = command.receiver;
  slot.part = command.part;
  slot.priority = command.priority;
  background_ += slot.priority == CommandPriority::background ? 1 : 0;
  HostRequest& request = slot.request;
  request.op = command.op;
  request.force_unit_access = command.force_unit_access;
  request.all_zones = false;
  request.blocks = command.blocks;
  request.number = sent_++;
  request.tag = tag;
  request.content = std::move(command.content);
  request.status = Status::ok;
  request.aborted = false;
  request.attempts = 0;
  request.life.begin(since);
  request.life.account(LifePhase::host_queue, timeline_.now(), Cause::tags);
  request.life.issue = timeline_.now();
  slot.sent = timeline_.now();
  await_answer(slot.sent);
  drive_.issue(request);
}

void DriveQueue::completed(HostRequest& request) {
  if (failed_) return;
  Slot& slot = *slots_[request.tag];
  TESSERA_CHECK(&slot.request == &request && slot.receiver != nullptr, "the drive completed a command that the array did not send");
  answer(slot);
  pump();
}

/// The slot is free after the call: its request is what the receiver looks at.
void DriveQueue::answer(Slot& slot) {
  statistics_.completed(slot.request, timeline_.now(), warmup_);
  background_ -= slot.priority == CommandPriority::background ? 1 : 0;
  std::exchange(slot.receiver, nullptr)->answered(slot.part, slot.request);
  free_.push_back(slot.request.tag);
}

std::vector<DriveQueue::Slot*> DriveQueue::at_drive() const {
  std::vector<Slot*> taken;
  for (const auto& slot : slots_)
    if (slot->receiver != nullptr) taken.push_back(slot.get());
  std::ranges::sort(taken, {}, [](const Slot* slot) { return slot->request.number; });
  return taken;
}

void DriveQueue::fail() {
  failed_ = true;
  timeline_.withdraw(*this);
  const Picoseconds now = timeline_.now();
  const auto waiting = std::exchange(queues_, {});
  for (Slot* slot : at_drive()) {
    slot->request.life.cut_short(now);
    slot->request.life.account(LifePhase::error_recovery, now, Cause::recovery);
    slot->request.status = Status::aborted;
    answer(*slot);
  }
  for (const auto& queue : waiting)
    for (const Waiting& next : queue) {
      HostRequest request;
      request.op = next.command.op;
      request.blocks = next.command.blocks;
      request.status = Status::aborted;
      request.life.begin(next.since);
      request.life.account(LifePhase::host_queue, now, Cause::tags);
      statistics_.lost(now);
      next.command.receiver->answered(next.command.part, request);
    }
}

void DriveQueue::suspend() {
  suspended_ = true;
  for (Slot* slot : at_drive()) slot->request.life.cut_short(timeline_.now());
}

void DriveQueue::resume() {
  suspended_ = false;
  for (Slot* slot : at_drive()) {
    slot->request.life.account(LifePhase::outage, timeline_.now(), Cause::recovery);
    slot->sent = timeline_.now();
    await_answer(slot->sent);
    drive_.issue(slot->request);
  }
  pump();
}

void DriveQueue::forget() {
  suspended_ = false;
  timeline_.withdraw(*this);
  awaits_ = false;
  for (const auto& queue : queues_)
    for (std::size_t i = 0; i < queue.size(); ++i) statistics_.lost(timeline_.now());
  queues_ = {};
  for (Slot* slot : at_drive()) {
    statistics_.lost(timeline_.now());
    slot->receiver = nullptr;
    free_.push_back(slot->request.tag);
  }
  background_ = 0;
}

}  // namespace tessera
