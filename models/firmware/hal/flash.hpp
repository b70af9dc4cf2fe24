#pragma once
// The flash channel: batches as descriptors, completions from a ring.
#include <vector>

#include "firmware/hal/cpu.hpp"
#include "firmware/hal/submission_queue.hpp"
#include "firmware/ports/flash_port.hpp"

namespace tessera::hal {

class Flash final : public FlashPort {
 public:
  static constexpr std::uint32_t ring_entries = 64;

  Flash(RegisterFile& registers, Cpu& cpu, const FlashShape& shape);

  /// Takes the completions that have come.
  void reap();

  // FlashPort
  [[nodiscard]] FlashShape shape() const override { return shape_; }
  [[nodiscard]] bool is_bad(NandBlock block) const override;
  void submit(FlashBatch& batch) override;

 private:
  struct BatchSubmission : Submission {
    std::vector<std::byte> bytes;  // FlashBatchEntry and its commands
    FlashBatch* batch = nullptr;
    [[nodiscard]] FlashBatchEntry* head() { return reinterpret_cast<FlashBatchEntry*>(bytes.data()); }
    [[nodiscard]] FlashCommandEntry* commands() { return reinterpret_cast<FlashCommandEntry*>(bytes.data() + sizeof(FlashBatchEntry)); }
  };
  void complete(BatchSubmission& submission, const CompletionEntry& completion);

  RegisterFile& registers_;
  Cpu& cpu_;
  FlashShape shape_;
  SubmissionQueue queue_;
  Reuse<BatchSubmission> submissions_;
};

}  // namespace tessera::hal
