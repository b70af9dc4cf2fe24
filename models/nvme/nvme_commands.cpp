// The way of a command through the controller: fetch, transfers, completion; and asynchronous events.
#include <algorithm>
#include <utility>

#include "nvme/nvme_controller.hpp"

namespace tessera::nvme {

Controller::Command& Controller::take_slot() {
  Command& command = commands_[free_.back()];
  free_.pop_back();
  command = {};
  command.used = true;
  return command;
}

/// One command of the next queue that holds any, in turn.
bool Controller::fetch() {
  if (shutdown_ != 0 || free_.empty()) return false;
  const bool has_io_slot = free_.size() > admin_slots;
  for (std::uint32_t i = 0; i < sqs_.size(); ++i) {
    const std::uint32_t number = (next_sq_ + i) % static_cast<std::uint32_t>(sqs_.size());
    SubmissionQueue& queue = sqs_[number];
    if (!queue.holds_commands() || (number != 0 && !has_io_slot)) continue;
    next_sq_ = (number + 1) % static_cast<std::uint32_t>(sqs_.size());
    std::byte entry[command_bytes];
    if (!memory_.read(queue.base + queue.head * command_bytes, entry)) {
      fail();
      return true;
    }
    queue.head = (queue.head + 1) % queue.size;
    ++queue.in_flight;
    Command& command = take_slot();
    command.sq = static_cast<std::uint16_t>(number);
    command.entry = decode(entry);
    const Answer answer = number == 0 ? admin(command) : io(command);
    if (answer) end(command, *answer, command.result);
    return true;
  }
  return false;
}

void Controller::submit(Command& command, BlockOp op, std::uint64_t offset, std::uint64_t bytes, std::byte* data, bool fua) {
  ++command.transfers;
  ++transfers_;
  drive_.submit({.op = op,
                 .offset = offset,
                 .bytes = static_cast<std::uint32_t>(bytes),
                 .data = data,
                 .force_unit_access = fua,
                 .command = index_of(command),
                 .generation = generation_});
}

void Controller::ended(const BlockTransfer& transfer, bool ok) {
  if (forgotten_.erase(std::uint64_t{transfer.generation} << 32 | transfer.command) != 0) return;
  if (cut_ || transfer.generation != generation_) return;
  --transfers_;
  if (transfer.command == no_command) return;
  Command& command = commands_[transfer.command];
  if (!ok) command.failed = true;
  if (--command.transfers != 0) return;
  if (std::exchange(command.reads_media, false) && !command.failed) return submit_read(command);
  finished_.push_back(transfer.command);
}

void Controller::end(Command& command, Outcome outcome, std::uint32_t result) {
  command.outcome = outcome;
  command.result = result;
  finished_.push_back(index_of(command));
}

/// The first whose completion queue has space.
bool Controller::complete_one() {
  const auto at = std::ranges::find_if(finished_, [this](std::uint32_t index) {
    return commands_[index].after == no_command && !cqs_[sqs_[commands_[index].sq].completion_queue].full();
  });
  if (at == finished_.end()) return false;
  const std::uint32_t index = *at;
  finished_.erase(at);
  Command& command = commands_[index];
  if (command.sq != 0 && !command.outcome.failed()) finish_io(command);
  const bool failed = command.outcome.failed();
  if (failed) logs_.failed(command.sq, command.entry, command.outcome);
  if (!post(command.sq, command.entry.id, command.outcome.status, command.result)) fail();
  constexpr std::uint32_t not_aborted = 1;
  for (const std::uint32_t other : finished_) {
    if (commands_[other].after != index) continue;
    commands_[other].after = no_command;
    if (command.outcome.status != NvmeStatus::abort_requested) commands_[other].result = not_aborted;
  }
  command.used = false;
  free_.push_back(index);
  if (failed || now() >= next_look_) look_at_health();
  return true;
}

bool Controller::post(std::uint16_t number, std::uint16_t id, NvmeStatus status, std::uint32_t result) {
  SubmissionQueue& submitted = sqs_[number];
  CompletionQueue& queue = cqs_[submitted.completion_queue];
  std::byte entry[completion_bytes];
  encode({.result = result,
          .sq_head = static_cast<std::uint16_t>(submitted.head),
          .sq = number,
          .command = id,
          .status = status,
          .phase = queue.phase},
         entry);
  // The host may see the entry, and ring for it, before the write has ended: the tail is there first.
  const std::uint64_t at = queue.base + queue.tail * completion_bytes;
  queue.tail = (queue.tail + 1) % queue.size;
  if (queue.tail == 0) queue.phase = !queue.phase;
  if (!memory_.write(at, entry)) return false;
  interrupts_.completed(queue, cqs_);
  --submitted.in_flight;
  if (!submitted.ending || submitted.in_flight != 0) return true;
  const auto deletion =
      std::ranges::find_if(deletions_, [&](std::uint32_t index) { return (commands_[index].entry.cdw(10) & 0xffff) == number; });
  --queue.users;
  submitted = {};
  end(commands_[*deletion], NvmeStatus::success);
  deletions_.erase(deletion);
  return true;
}

/// One that the host has not asked for again since the last of its type is forgotten, as the standard has it.
void Controller::event(std::uint8_t type, std::uint8_t information, std::uint8_t log) {
  const auto mask = static_cast<std::uint8_t>(1U << type);
  if ((masked_events_ & mask) != 0) return;
  masked_events_ |= mask;
  events_.push_back(type | std::uint32_t{information} << 8 | std::uint32_t{log} << 16);
}

/// The host has read the type's log page.
void Controller::clear_event(std::uint8_t type) {
  masked_events_ &= static_cast<std::uint8_t>(~(1U << type));
  std::erase_if(events_, [type](std::uint32_t result) { return (result & 7) == type; });
}

std::uint8_t Controller::warnings(const DriveHealth& health) const {
  constexpr std::uint32_t under = 1U << 20;  // THSEL
  const bool temperature =
      health.kelvin >= features_.value(temperature_threshold) || health.kelvin <= features_.value(temperature_threshold, under);
  return static_cast<std::uint8_t>((health.spare_percent < spare_threshold ? spare_warning : 0) | (temperature ? temperature_warning : 0));
}

/// A critical warning that has come up is an event where the host has enabled it (5.21.1.11). Nobody reports the drive's health: it is
/// looked at after failures, when the host sets what decides, and otherwise with the first completion in a second.
void Controller::look_at_health() {
  constexpr std::uint8_t smart_type = 1, by_temperature = 1, by_spare = 2, smart_log = 2;
  const std::uint32_t enabled = features_.value(event_configuration) & 0xff;
  next_look_ = now() + Picoseconds(ps_per_second);
  const std::uint32_t present = enabled == 0 ? 0 : warnings(health()) & enabled;
  told_warnings_ = static_cast<std::uint8_t>(told_warnings_ & present);
  const std::uint32_t fresh = present & ~std::uint32_t{told_warnings_};
  if (fresh == 0 || (masked_events_ >> smart_type & 1) != 0) return;
  told_warnings_ = static_cast<std::uint8_t>(told_warnings_ | fresh);
  event(smart_type, (fresh & spare_warning) != 0 ? by_spare : by_temperature, smart_log);
}

bool Controller::answer_event() {
  if (events_.empty() || held_events_.empty() || free_.empty()) return false;
  Command& command = take_slot();
  command.entry.opcode = async_event_request;
  command.entry.id = held_events_.front();
  held_events_.pop_front();
  end(command, NvmeStatus::success, events_.front());
  events_.pop_front();
  return true;
}

}  // namespace tessera::nvme
