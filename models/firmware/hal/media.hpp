#pragma once
// The disk channel: chains as descriptors, completions from a ring.
#include <array>

#include "firmware/hal/processor.hpp"
#include "firmware/hal/reuse.hpp"
#include "firmware/hal/submission_queue.hpp"
#include "firmware/ports/media_port.hpp"

namespace tessera::hal {

class Media final : public MediaPort {
 public:
  Media(RegisterFile& registers, Processor& processor);

  /// Takes the completions that have come.
  void reap();

  // MediaPort
  void submit(MediaChain& chain) override;
  void abandon(const DataBuffer& buffer) override;
  /// The unit holds chains that the supervisor is to carry out. Whether one concerns it is decided when it is submitted.
  void supervise(MediaSupervisor* supervisor) override;
  [[nodiscard]] std::uint32_t sectors_on(PhysicalTrack track) const override;

 private:
  struct Descriptor {
    MediaChainEntry head;
    std::array<MediaStepEntry, MediaChain::max_steps> steps;
  };
  struct ChainSubmission : Submission {
    SharedBytes bytes;  // a Descriptor
    MediaChain* chain = nullptr;
    [[nodiscard]] Descriptor* at_unit() const { return reinterpret_cast<Descriptor*>(bytes.data()); }
  };
  [[nodiscard]] ChainSubmission& new_submission();
  [[nodiscard]] bool supervises(const MediaChain& chain);
  [[nodiscard]] MediaStepEntry entry_of(const MediaStep& step);
  bool complete(ChainSubmission& submission, const CompletionEntry& completion);
  void take_marks(const MediaChain& chain, bool any_lost);
  Task<void> recover(MediaChain& chain);

  RegisterFile& registers_;
  Processor& processor_;
  MediaSupervisor* supervisor_ = nullptr;
  SubmissionQueue queue_;
  Reuse<ChainSubmission> submissions_;
};

}  // namespace tessera::hal
