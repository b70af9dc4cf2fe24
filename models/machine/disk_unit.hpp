#pragma once
// The disk channel's registers: chains of media steps by descriptor. A chain that is the firmware's to carry out is held when its turn has
// come.
#include <memory>
#include <vector>

#include "base/geometry.hpp"
#include "base/slot_pool.hpp"
#include "machine/completion_ring.hpp"
#include "machine/errands.hpp"
#include "machine/register_file.hpp"

namespace tessera {

class DiskUnit final : public RegisterUnit, private ErrandWorker, private MediaSupervisor {
 public:
  /// `remaps`: sectors behind those of their tracks that the firmware may name one by one.
  DiskUnit(Machine& machine, Errands& errands, std::uint32_t sector_bytes, std::uint32_t surfaces, std::uint32_t radii,
           std::vector<RemappedSector> remaps);

  std::uint64_t read(hal::Register which) override;
  void write(hal::Register which, std::uint64_t value) override;

 private:
  struct Submission {
    MediaChain chain;
    hal::MediaChainEntry entry;
    std::uint64_t address = 0;  // of the entry
  };

  void submit(std::uint64_t address);
  [[nodiscard]] MediaStep step_of(const hal::MediaStepEntry& entry) const;
  void check_place(const hal::MediaStepEntry& entry) const;
  [[nodiscard]] bool moved_there(const hal::MediaStepEntry& entry) const;
  void arm(bool supervises);
  void resume(std::uint64_t value);
  Task<void> carry_out(std::uint64_t number) override;
  void post(const Submission& submission, bool held);

  void look_up(const MediaChain&) override {}
  [[nodiscard]] bool concerns(const MediaChain& chain) const override;
  Task<Status> carry_out(MediaChain& chain) override;
  [[nodiscard]] const Submission& submission_of(const MediaChain& chain) const;
  void abandon(std::uint64_t address);

  Machine& machine_;
  Errands& errands_;
  std::uint32_t sector_bytes_;
  std::uint32_t surfaces_;
  std::uint32_t radii_;
  std::vector<RemappedSector> remaps_;
  CompletionRing completions_;
  SlotPool<std::unique_ptr<Submission>> submissions_;
  std::uint64_t track_ = 0;
  bool supervises_ = false;
  MediaChain* held_ = nullptr;  // for the firmware
  Status held_status_ = Status::ok;
  DeviceWait holder_;
  bool holder_waits_ = false;
};

}  // namespace tessera
