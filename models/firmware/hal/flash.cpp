#include "firmware/hal/flash.hpp"

#include "firmware/hal/mover.hpp"

namespace tessera::hal {

namespace {

FlashCommandEntry entry_of(const FlashCommand& command, const FlashBatch& batch) {
  return {.op = static_cast<std::uint32_t>(command.op),
          .subpage = command.subpage,
          .page = command.page.value(),
          .from = command.from.value(),
          .block = command.block.value(),
          .data = address_of(command.data),
          .oob = command.oob.empty() ? 0 : address_of(command.oob.data()),
          .oob_bytes = static_cast<std::uint32_t>(command.oob.size()),
          .retry = command.retry,
          .next = command.next == nullptr ? no_command : static_cast<std::uint32_t>(command.next - batch.commands.data()),
          .led = command.led ? 1U : 0U};
}

}  // namespace

Flash::Flash(RegisterFile& registers, Cpu& cpu, const FlashShape& shape)
    : registers_(registers),
      cpu_(cpu),
      shape_(shape),
      queue_(registers, {Register::flash_submit, Register::flash_completions, Register::flash_entries, Register::flash_consumed},
             ring_entries) {}

bool Flash::is_bad(NandBlock block) const {
  registers_.write(Register::flash_block, block.value());
  return registers_.read(Register::flash_block_is_bad) != 0;
}

void Flash::submit(FlashBatch& batch) {
  TESSERA_CHECK(!batch.commands.empty(), "an empty flash batch was submitted");
  cpu_.suspend(batch.wait, LifePhase::flash_queue);
  BatchSubmission& submission = submissions_.take();
  submission.batch = &batch;
  submission.bytes.resize(sizeof(FlashBatchEntry) + batch.commands.size() * sizeof(FlashCommandEntry));
  *submission.head() = {.cookie = address_of(static_cast<Submission*>(&submission)),
                        .count = static_cast<std::uint32_t>(batch.commands.size()),
                        .tag = cpu_.tag()};
  FlashCommandEntry* entry = submission.commands();
  for (const FlashCommand& command : batch.commands) {
    if (command.op == FlashOp::program) push_lost(registers_, command.data);
    *entry++ = entry_of(command, batch);
  }
  submission.descriptor = address_of(submission.bytes.data());
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
  cpu_.make_ready(batch.wait);
}

std::unique_ptr<FlashUnit> make_flash(RegisterFile& registers, Cpu& cpu, const FlashShape& shape) {
  return std::make_unique<Flash>(registers, cpu, shape);
}

}  // namespace tessera::hal
