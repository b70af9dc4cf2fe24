#pragma once
// Chains of the firmware on their way to the platters, of which those wait that would meet tracks half rewritten.
//
// A chain is held by a task of its own, which its caller resumes in turn: the caller sees the end of its chain and nothing else. Whoever
// rewrites tracks submits below this, and no chain that is under way waits for one that is held, so neither waits for the other for good.
#include <cstdint>
#include <vector>

#include "firmware/locks/wait_queue.hpp"
#include "firmware/ports/media_port.hpp"
#include "firmware/refresh/overlap.hpp"

namespace tessera {

/// Radii [first, end) of one surface.
struct RadiusSpan {
  std::uint32_t surface = 0;
  std::uint32_t first = 0;
  std::uint32_t end = 0;
};

class TrackHold {
 public:
  TrackHold(MediaPort& media, CpuPort& cpu, const Overlap& overlap) : media_(media), overlap_(overlap), released_(cpu), ended_(cpu) {}

  /// Called with each chain right before it goes to the platters, and as soon as one has to wait for the tracks.
  using Passes = void (*)(void* whom, const MediaChain& chain);
  using Waits = void (*)(void* whom);
  void tell(void* whom, Passes passes, Waits waits) {
    whom_ = whom;
    passes_ = passes;
    waits_ = waits;
  }

  /// For MediaPort::submit(): as that of the port below, once no tracks are held that the chain reads, writes or destroys.
  void submit(MediaChain& chain);

  /// Holds these tracks; none are held. Ready once no chain is under way that touches them.
  [[nodiscard]] Task<void> take(RadiusSpan tracks);
  void release();
  /// Whether a chain waits for the tracks.
  [[nodiscard]] bool awaited() const { return !released_.empty(); }
  /// Chains that had to wait, ever.
  [[nodiscard]] std::uint64_t held() const { return held_; }

 private:
  Task<void> carry(MediaChain& chain, std::size_t place);
  [[nodiscard]] bool touches(const MediaChain& chain) const;
  [[nodiscard]] bool any_under_way() const;

  MediaPort& media_;
  const Overlap& overlap_;
  void* whom_ = nullptr;
  Passes passes_ = nullptr;
  Waits waits_ = nullptr;
  RadiusSpan tracks_;                   // first == end: none
  std::vector<Task<void>> tasks_;       // by place
  std::vector<std::size_t> free_;       // places
  std::vector<MediaChain*> under_way_;  // at the port below
  WaitQueue released_;
  WaitQueue ended_;
  std::uint64_t held_ = 0;
};

}  // namespace tessera
