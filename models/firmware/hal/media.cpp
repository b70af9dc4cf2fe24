#include "firmware/hal/media.hpp"

#include "firmware/hal/mover.hpp"

namespace tessera::hal {

Media::Media(RegisterFile& registers, Processor& processor)
    : registers_(registers),
      processor_(processor),
      queue_(registers, {Register::disk_submit, Register::disk_completions, Register::disk_entries, Register::disk_consumed},
             processor.ring_entries()) {}

MediaStepEntry Media::entry_of(const MediaStep& step) {
  MediaStepEntry entry{.op = static_cast<std::uint32_t>(step.op),
                       .hint = static_cast<std::uint32_t>(step.hint),
                       .surface = step.run.track.surface,
                       .radius = step.run.track.radius,
                       .first = step.run.first,
                       .count = step.run.count,
                       .data = address_of(step.data),
                       .system = step.system.empty() ? 0 : registers_.address_of(step.system.data())};
  if (step.header != nullptr) {
    entry.headers = registers_.address_of(step.header);
    entry.header_count = 1;
  } else if (!step.headers.empty()) {
    entry.headers = registers_.address_of(step.headers.data());
    entry.header_count = static_cast<std::uint32_t>(step.headers.size());
    entry.each_header = 1;
  }
  return entry;
}

/// Looks the chain up where any sector is known to be bad.
bool Media::supervises(const MediaChain& chain) {
  if (supervisor_ == nullptr || !supervisor_->armed()) return false;
  supervisor_->look_up(chain);
  return chain.priority != MediaClass::recovery && supervisor_->concerns(chain);
}

Media::ChainSubmission& Media::new_submission() {
  ChainSubmission& submission = submissions_.take();
  if (submission.bytes.data() == nullptr) {
    submission.bytes = SharedBytes(registers_, sizeof(Descriptor));
    submission.descriptor = registers_.address_of(submission.bytes.data());
  }
  return submission;
}

void Media::submit(MediaChain& chain) {
  processor_.suspend(chain.wait, LifePhase::media_queue);
  chain.steps_done = 0;
  ChainSubmission& submission = new_submission();
  submission.chain = &chain;
  Descriptor& at_unit = *submission.at_unit();
  std::uint32_t steps = 0;
  for (const MediaStep& step : chain.steps()) {
    if (step.op == MediaOp::write) push_lost(registers_, step.data);
    at_unit.steps[steps++] = entry_of(step);
  }
  const bool supervised = supervises(chain);
  at_unit.head = {.cookie = number_of(static_cast<Submission*>(&submission)),
                  .steps = steps,
                  .priority = static_cast<std::uint32_t>(chain.priority),
                  .carry_lost = chain.lost == LostSectors::carry ? 1U : 0U,
                  .tag = processor_.tag(),
                  .supervised = supervised ? 1U : 0U};
  queue_.submit(submission);
}

void Media::reap() {
  queue_.reap([this](Submission& submission, const CompletionEntry& completion) {
    return complete(static_cast<ChainSubmission&>(submission), completion);
  });
}

bool Media::complete(ChainSubmission& submission, const CompletionEntry& completion) {
  MediaChain& chain = *submission.chain;
  chain.status = static_cast<Status>(completion.status);
  chain.steps_done = static_cast<std::uint8_t>(completion.steps_done);
  take_marks(chain, completion.any_lost != 0);
  if (completion.held != 0) {
    processor_.start(recover(chain), no_host_tag);
    return false;
  }
  submissions_.give_back(submission);
  processor_.make_ready(chain.wait);
  return true;
}

void Media::take_marks(const MediaChain& chain, bool any_lost) {
  for (const MediaStep& step : chain.steps()) {
    if (step.op != MediaOp::read || step.data.buffer == nullptr) continue;
    if (any_lost) {
      pull_lost(registers_, step.data);
    } else {
      clear_lost(step.data);
    }
  }
}

/// The unit completes the chain once more behind this.
Task<void> Media::recover(MediaChain& chain) {
  const Status status = co_await supervisor_->carry_out(chain);
  registers_.write(Register::disk_resume, static_cast<std::uint64_t>(status) | std::uint64_t{chain.steps_done} << 32);
}

void Media::abandon(const DataBuffer& buffer) { registers_.write(Register::disk_abandon, buffer.address().value()); }

void Media::supervise(MediaSupervisor* supervisor) {
  supervisor_ = supervisor;
  registers_.write(Register::disk_supervise, supervisor != nullptr ? 1 : 0);
}

std::uint32_t Media::sectors_on(PhysicalTrack track) const {
  registers_.write(Register::disk_track, track.radius | std::uint64_t{track.surface} << 32);
  return static_cast<std::uint32_t>(registers_.read(Register::disk_track_sectors));
}

}  // namespace tessera::hal
