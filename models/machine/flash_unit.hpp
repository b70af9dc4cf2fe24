#pragma once
// The flash channel's registers: batches of page and block operations by descriptor.
#include <memory>
#include <vector>

#include "base/slot_pool.hpp"
#include "machine/completion_ring.hpp"
#include "machine/errands.hpp"
#include "machine/register_file.hpp"

namespace tessera {

class FlashUnit final : public RegisterUnit, private ErrandWorker {
 public:
  /// The machine must have flash.
  FlashUnit(Machine& machine, Errands& errands);

  std::uint64_t read(hal::Register which) override;
  void write(hal::Register which, std::uint64_t value) override;

 private:
  struct Submission {
    hal::FlashBatchEntry entry;
    std::uint64_t address;  // of the first command
    std::vector<FlashCommand> commands;
  };

  void submit(std::uint64_t address);
  [[nodiscard]] FlashCommand command_of(const hal::FlashCommandEntry& entry) const;
  void check_place(const hal::FlashCommandEntry& entry) const;
  Task<void> carry_out(std::uint64_t number) override;
  void answer(const Submission& submission, Status status);

  Machine& machine_;
  Errands& errands_;
  FlashShape shape_;
  CompletionRing completions_;
  SlotPool<std::unique_ptr<Submission>> submissions_;
  std::uint64_t block_ = 0;
};

}  // namespace tessera
