#include "firmware/hal/flash.hpp"

#include <algorithm>
#include <bit>
#include <functional>

#include "firmware/hal/mover.hpp"

namespace tessera::hal {

namespace {

bool holds(const FlashBatch& batch, const FlashCommand* command) {
  const FlashCommand* const first = batch.commands.data();
  return !std::less<>()(command, first) && std::less<>()(command, first + batch.commands.size());
}

}  // namespace

Flash::Flash(RegisterFile& registers, Processor& processor, const FlashShape& shape)
    : registers_(registers),
      processor_(processor),
      shape_(shape),
      queue_(registers, {Register::flash_submit, Register::flash_completions, Register::flash_entries, Register::flash_consumed},
             processor.ring_entries()) {}

bool Flash::is_bad(NandBlock block) const {
  registers_.write(Register::flash_block, block.value());
  return registers_.read(Register::flash_block_is_bad) != 0;
}

/// Writes that share a page have a batch each; whose batch gives the page to the flash leads the commands of the others.
void Flash::find_further(BatchSubmission& submission) const {
  submission.further.clear();
  if (shape_.subpages == 1) return;
  for (const FlashCommand& command : submission.batch->commands)
    for (FlashCommand* next = command.next; next != nullptr && !holds(*submission.batch, next); next = next->next)
      submission.further.push_back(next);
}

FlashCommandEntry Flash::entry_of(const FlashCommand& command, const BatchSubmission& submission) {
  const FlashBatch& batch = *submission.batch;
  const auto place_of = [&](const FlashCommand* one) -> std::ptrdiff_t {
    if (holds(batch, one)) return one - batch.commands.data();
    return std::ssize(batch.commands) + (std::ranges::find(submission.further, one) - submission.further.begin());
  };
  return {.op = static_cast<std::uint32_t>(command.op),
          .subpage = command.subpage,
          .page = command.page.value(),
          .from = command.from.value(),
          .block = command.block.value(),
          .data = address_of(command.data),
          .oob = command.oob.empty() ? 0 : registers_.address_of(command.oob.data()),
          .oob_bytes = static_cast<std::uint32_t>(command.oob.size()),
          .retry = command.retry,
          .next = command.next == nullptr ? no_command : static_cast<std::uint32_t>(place_of(command.next)),
          .led = command.led ? 1U : 0U};
}

/// Room for so many commands, with some to spare: it is kept for the batches that follow.
void Flash::make_room(BatchSubmission& submission, std::size_t commands) {
  if (submission.bytes.size() >= sizeof(FlashBatchEntry) + commands * sizeof(FlashCommandEntry)) return;
  submission.bytes = {};
  submission.bytes = SharedBytes(registers_, sizeof(FlashBatchEntry) + std::bit_ceil(commands) * sizeof(FlashCommandEntry));
  submission.descriptor = registers_.address_of(submission.bytes.data());
}

void Flash::submit(FlashBatch& batch) {
  TESSERA_CHECK(!batch.commands.empty(), "an empty flash batch was submitted");
  processor_.suspend(batch.wait, LifePhase::flash_queue);
  BatchSubmission& submission = submissions_.take();
  submission.batch = &batch;
  find_further(submission);
  const std::size_t count = batch.commands.size() + submission.further.size();
  make_room(submission, count);
  *submission.head() = {
      .cookie = number_of(static_cast<Submission*>(&submission)), .count = static_cast<std::uint32_t>(count), .tag = processor_.tag()};
  FlashCommandEntry* entry = submission.commands();
  const auto add = [&](const FlashCommand& command) {
    if (command.op == FlashOp::program) push_lost(registers_, command.data);
    *entry++ = entry_of(command, submission);
  };
  for (const FlashCommand& command : batch.commands) add(command);
  for (const FlashCommand* command : submission.further) add(*command);
  queue_.submit(submission);
}

void Flash::reap() {
  queue_.reap([this](Submission& submission, const CompletionEntry& completion) {
    complete(static_cast<BatchSubmission&>(submission), completion);
    return true;
  });
}

void Flash::complete(FlashCommand& command, const FlashCommandEntry& entry, bool any_lost) {
  command.status = static_cast<Status>(entry.status);
  if (command.op != FlashOp::read) return;
  if (any_lost)
    pull_lost(registers_, command.data);
  else
    clear_lost(command.data);
}

void Flash::complete(BatchSubmission& submission, const CompletionEntry& completion) {
  FlashBatch& batch = *submission.batch;
  batch.status = static_cast<Status>(completion.status);
  const FlashCommandEntry* entry = submission.commands();
  for (FlashCommand& command : batch.commands) complete(command, *entry++, completion.any_lost != 0);
  for (FlashCommand* command : submission.further) complete(*command, *entry++, completion.any_lost != 0);
  submissions_.give_back(submission);
  processor_.make_ready(batch.wait);
}

std::unique_ptr<FlashUnit> make_flash(RegisterFile& registers, Processor& processor, const FlashShape& shape) {
  return std::make_unique<Flash>(registers, processor, shape);
}

}  // namespace tessera::hal
