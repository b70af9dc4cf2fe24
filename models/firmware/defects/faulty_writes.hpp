#pragma once
// What a drive without spare sectors does about sectors that cannot be written: they are lost, and nothing else is.
//
// A write destroys what it reaches on overlapping tracks, whether it fails or not, and what the rest of its run was to bring lies in DRAM
// alone where the run is a rewrite. So a write that stopped is begun again, narrowed down to the sectors that stop it, and all others are
// written; its header is not where one of them stays: nothing may prove a run whole that is not. A read that failed ends as it would have.
#include "firmware/ports/media_port.hpp"

namespace tessera {

class FaultyWrites final : public MediaSupervisor {
 public:
  /// Takes over the media port's errors.
  explicit FaultyWrites(MediaPort& media);
  ~FaultyWrites() override;
  FaultyWrites(const FaultyWrites&) = delete;
  FaultyWrites& operator=(const FaultyWrites&) = delete;

  void look_up(const MediaChain&) override {}
  [[nodiscard]] bool concerns(const MediaChain&) const override { return false; }
  [[nodiscard]] Task<Status> carry_out(MediaChain& chain) override;

 private:
  Task<Status> write_others(MediaStep step);

  MediaPort& media_;
};

}  // namespace tessera
