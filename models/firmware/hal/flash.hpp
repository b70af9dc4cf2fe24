#pragma once
// The flash channel: batches as descriptors, completions from a ring.
#include <memory>
#include <vector>

#include "firmware/hal/processor.hpp"
#include "firmware/hal/reuse.hpp"
#include "firmware/hal/submission_queue.hpp"
#include "firmware/ports/flash_port.hpp"

namespace tessera::hal {

/// The flash port with what the interrupt asks of it.
class FlashUnit : public FlashPort {
 public:
  /// Takes the completions that have come.
  virtual void reap() = 0;
};

class Flash final : public FlashUnit {
 public:
  Flash(RegisterFile& registers, Processor& processor, const FlashShape& shape);

  void reap() override;

  // FlashPort
  [[nodiscard]] FlashShape shape() const override { return shape_; }
  [[nodiscard]] bool is_bad(NandBlock block) const override;
  void submit(FlashBatch& batch) override;

 private:
  struct BatchSubmission : Submission {
    SharedBytes bytes;  // FlashBatchEntry and its commands, the further ones last
    FlashBatch* batch = nullptr;
    std::vector<FlashCommand*> further;  // of other batches, led by commands of this one
    [[nodiscard]] FlashBatchEntry* head() const { return reinterpret_cast<FlashBatchEntry*>(bytes.data()); }
    [[nodiscard]] FlashCommandEntry* commands() const {
      return reinterpret_cast<FlashCommandEntry*>(bytes.data() + sizeof(FlashBatchEntry));
    }
  };
  void find_further(BatchSubmission& submission) const;
  void make_room(BatchSubmission& submission, std::size_t commands);
  [[nodiscard]] FlashCommandEntry entry_of(const FlashCommand& command, const BatchSubmission& submission);
  void complete(FlashCommand& command, const FlashCommandEntry& entry, bool any_lost);
  void complete(BatchSubmission& submission, const CompletionEntry& completion);

  RegisterFile& registers_;
  Processor& processor_;
  FlashShape shape_;
  SubmissionQueue queue_;
  Reuse<BatchSubmission> submissions_;
};

[[nodiscard]] std::unique_ptr<FlashUnit> make_flash(RegisterFile& registers, Processor& processor, const FlashShape& shape);

}  // namespace tessera::hal
