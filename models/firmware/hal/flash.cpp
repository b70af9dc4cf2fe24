#include "firmware/hal/flash.hpp"

#include <bit>

#include "firmware/hal/mover.hpp"

namespace tessera::hal {

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

FlashCommandEntry Flash::entry_of(const FlashCommand& command, const FlashBatch& batch) {
  return {.op = static_cast<std::uint32_t>(command.op),
          .subpage = command.subpage,
          .page = command.page.value(),
          .from = command.from.value(),
          .block = command.block.value(),
          .data = address_of(command.data),
          .oob = command.oob.empty() ? 0 : registers_.address_of(command.oob.data()),
          .oob_bytes = static_cast<std::uint32_t>(command.oob.size()),
          .retry = command.retry,
          .next = command.next == nullptr ? no_command : static_cast<std::uint32_t>(command.next - batch.commands.data()),
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
  make_room(submission, batch.commands.size());
  *submission.head() = {.cookie = number_of(static_cast<Submission*>(&submission)),
                        .count = static_cast<std::uint32_t>(batch.commands.size()),
                        .tag = processor_.tag()};
  FlashCommandEntry* entry = submission.commands();
  for (const FlashCommand& command : batch.commands) {
    if (command.op == FlashOp::program) push_lost(registers_, command.data);
    *entry++ = entry_of(command, batch);
  }
  queue_.submit(submission);
}

void Flash::reap() {
  queue_.reap([this](Submission& submission, const CompletionEntry& completion) {
    complete(static_cast<BatchSubmission&>(submission), completion);
    return true;
  });
}

void Flash::complete(BatchSubmission& submission, const CompletionEntry& completion) {
  FlashBatch& batch = *submission.batch;
  batch.status = static_cast<Status>(completion.status);
  const FlashCommandEntry* entry = submission.commands();
  for (FlashCommand& command : batch.commands) {
    command.status = static_cast<Status>((entry++)->status);
    if (command.op != FlashOp::read) continue;
    if (completion.any_lost != 0) {
      pull_lost(registers_, command.data);
    } else {
      clear_lost(command.data);
    }
  }
  submissions_.give_back(submission);
  processor_.make_ready(batch.wait);
}

std::unique_ptr<FlashUnit> make_flash(RegisterFile& registers, Processor& processor, const FlashShape& shape) {
  return std::make_unique<Flash>(registers, processor, shape);
}

}  // namespace tessera::hal
