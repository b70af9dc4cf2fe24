#include "firmware/hal/submission_queue.hpp"

namespace tessera::hal {

SubmissionQueue::SubmissionQueue(RegisterFile& registers, const SubmissionRegisters& unit, std::uint32_t entries)
    : registers_(registers), unit_(unit), ring_(registers, entries) {
  registers_.write(unit_.completions, ring_.address());
  registers_.write(unit_.entries, entries);
}

void SubmissionQueue::submit(Submission& submission) {
  submission.next = nullptr;
  if (first_ == nullptr && at_unit_ < ring_.entries()) return ring_bell(submission);
  (first_ != nullptr ? last_->next : first_) = &submission;
  last_ = &submission;
}

void SubmissionQueue::ring_bell(const Submission& submission) {
  ++at_unit_;
  std::atomic_thread_fence(std::memory_order_release);
  registers_.write(unit_.submit, submission.descriptor);
}

Submission& SubmissionQueue::take_first() {
  Submission& first = *first_;
  first_ = first.next;
  return first;
}

}  // namespace tessera::hal
