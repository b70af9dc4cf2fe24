#include "machine/flash_unit.hpp"

#include <utility>

namespace tessera {

FlashUnit::FlashUnit(Machine& machine, Errands& errands)
    : machine_(machine),
      errands_(errands),
      shape_(machine.ports().flash->shape()),
      completions_(machine, "flash", hal::interrupt_lines::flash, Entries::of_flash) {}

std::uint64_t FlashUnit::read(hal::Register which) {
  using enum hal::Register;
  switch (which) {
    case flash_completions: return completions_.address();
    case flash_entries: return completions_.entries();
    case flash_block: return block_;
    default: break;
  }
  if (block_ >= shape_.blocks)
    throw FirmwareFault("flash.block is " + std::to_string(block_) + ", of " + std::to_string(shape_.blocks) + " blocks");
  return machine_.ports().flash->is_bad(NandBlock(block_)) ? 1 : 0;
}

void FlashUnit::write(hal::Register which, std::uint64_t value) {
  using enum hal::Register;
  switch (which) {
    case flash_submit: return submit(value);
    case flash_completions: return completions_.set_address(value);
    case flash_entries: return completions_.set_entries(value);
    case flash_consumed: return completions_.set_consumed(value);
    default: block_ = value;
  }
}

void FlashUnit::check_place(const hal::FlashCommandEntry& entry) const {
  if (entry.op > static_cast<std::uint32_t>(FlashOp::copyback))
    throw FirmwareFault("a flash command has operation " + std::to_string(entry.op));
  const auto op = static_cast<FlashOp>(entry.op);
  if (op == FlashOp::erase ? entry.block >= shape_.blocks : entry.page >= shape_.pages() || entry.subpage >= shape_.subpages)
    throw FirmwareFault(op == FlashOp::erase
                            ? "a flash command names block " + std::to_string(entry.block) + " of " + std::to_string(shape_.blocks)
                            : "a flash command names page " + std::to_string(entry.page) + ", subpage " + std::to_string(entry.subpage) +
                                  ", of " + std::to_string(shape_.pages()) + " pages of " + std::to_string(shape_.subpages));
  if (op == FlashOp::copyback && entry.from >= shape_.pages())
    throw FirmwareFault("a flash command copies page " + std::to_string(entry.from) + " of " + std::to_string(shape_.pages()));
  if (entry.oob_bytes > shape_.subpage_oob_bytes() || entry.retry > shape_.read_retries)
    throw FirmwareFault("a flash command has " + std::to_string(entry.oob_bytes) + " out-of-band bytes and retry level " +
                        std::to_string(entry.retry) + "; at most " + std::to_string(shape_.subpage_oob_bytes()) + " and " +
                        std::to_string(shape_.read_retries) + " may be");
}

FlashCommand FlashUnit::command_of(const hal::FlashCommandEntry& entry) const {
  check_place(entry);
  FlashCommand own;
  own.op = static_cast<FlashOp>(entry.op);
  own.page = NandPage(entry.page);
  own.from = NandPage(entry.from);
  own.block = NandBlock(entry.block);
  own.data = machine_.data(entry.data, 1);
  if (entry.oob != 0) own.oob = machine_.bytes(entry.oob, entry.oob_bytes, "out-of-band bytes");
  own.retry = static_cast<std::uint8_t>(entry.retry);
  own.subpage = static_cast<std::uint8_t>(entry.subpage);
  own.led = entry.led != 0;
  return own;
}

void FlashUnit::submit(std::uint64_t address) {
  completions_.require_started();
  auto submission = std::make_unique<Submission>();
  submission->entry = machine_.load<hal::FlashBatchEntry>(address, "a flash batch");
  submission->address = address + sizeof submission->entry;
  const std::uint32_t count = submission->entry.count;
  if (count == 0) throw FirmwareFault("a flash batch has no commands");
  // All of it is memory, however many it says.
  static_cast<void>(machine_.bytes(submission->address, count * sizeof(hal::FlashCommandEntry), "a flash batch's commands"));
  submission->commands.resize(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto entry = machine_.load<hal::FlashCommandEntry>(submission->address + i * sizeof(hal::FlashCommandEntry), "a flash command");
    submission->commands[i] = command_of(entry);
    if (entry.next == hal::no_command) continue;
    if (entry.next >= count) throw FirmwareFault("a flash command names command " + std::to_string(entry.next) + " as its next");
    submission->commands[i].next = &submission->commands[entry.next];
  }
  const std::uint32_t tag = submission->entry.tag;
  errands_.give(tag, *this, submissions_.put(std::move(submission)));
}

Task<void> FlashUnit::carry_out(std::uint64_t number) {
  FlashBatch batch(submissions_[number]->commands);
  machine_.entries_lie(Entries::to_flash, submissions_[number]->address - sizeof(hal::FlashBatchEntry),
                       sizeof(hal::FlashBatchEntry) + batch.commands.size() * sizeof(hal::FlashCommandEntry));
  const Status status = co_await machine_.ports().flash->run(batch);
  answer(*submissions_[number], status);
  static_cast<void>(submissions_.take(number));
}

void FlashUnit::answer(const Submission& submission, Status status) {
  bool lost = false;
  for (std::size_t i = 0; i < submission.commands.size(); ++i) {
    const FlashCommand& command = submission.commands[i];
    lost = lost || (command.op == FlashOp::read && any_lost(command.data));
    machine_.store(submission.address + i * sizeof(hal::FlashCommandEntry) + offsetof(hal::FlashCommandEntry, status),
                   static_cast<std::uint32_t>(command.status), "a flash command's status");
  }
  completions_.post({.cookie = submission.entry.cookie, .status = static_cast<std::uint32_t>(status), .any_lost = lost ? 1U : 0U});
}

}  // namespace tessera
