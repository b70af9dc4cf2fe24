#pragma once
// The flash channel: batches as descriptors, completions from a ring.
#include <memory>
#include <vector>

#include "firmware/hal/cpu.hpp"
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
  static constexpr std::uint32_t ring_entries = 64;

  Flash(RegisterFile& registers, Cpu& cpu, const FlashShape& shape);

  void reap() override;

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

[[nodiscard]] std::unique_ptr<FlashUnit> make_flash(RegisterFile& registers, Cpu& cpu, const FlashShape& shape);

}  // namespace tessera::hal
