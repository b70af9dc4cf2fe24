#pragma once
// The disk channel: chains as descriptors, completions from a ring.
#include <array>

#include "firmware/hal/cpu.hpp"
#include "firmware/hal/submission_queue.hpp"
#include "firmware/ports/media_port.hpp"

namespace tessera::hal {

class Media final : public MediaPort {
 public:
  static constexpr std::uint32_t ring_entries = 64;

  Media(RegisterFile& registers, Cpu& cpu);

  /// Takes the completions that have come.
  void reap();

  // MediaPort
  void submit(MediaChain& chain) override;
  void abandon(const DataBuffer& buffer) override;
  /// The unit holds chains that the supervisor is to carry out. Whether one concerns it is decided when it is submitted.
  void supervise(MediaSupervisor* supervisor) override;
  [[nodiscard]] std::uint32_t sectors_on(PhysicalTrack track) const override;

 private:
  struct ChainSubmission : Submission {
    struct Descriptor {
      MediaChainEntry head;
      std::array<MediaStepEntry, MediaChain::max_steps> steps;
    } at_unit;
    MediaChain* chain = nullptr;
  };
  bool complete(ChainSubmission& submission, const CompletionEntry& completion);
  void take_marks(const MediaChain& chain, bool any_lost);
  Task<void> recover(MediaChain& chain);

  RegisterFile& registers_;
  Cpu& cpu_;
  MediaSupervisor* supervisor_ = nullptr;
  SubmissionQueue queue_;
  Reuse<ChainSubmission> submissions_;
};

}  // namespace tessera::hal
