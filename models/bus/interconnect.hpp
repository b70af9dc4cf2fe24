#pragma once
// The interconnect between the initiators and the memory: width, clock, arbitration and occupancy, in closed form by extent
// (base/shared_resource.hpp). The CPU's single accesses slip in between the bursts of the DMA engines.
//
// Not modelled: separate read and write channels (what moves has the data path to itself), outstanding transactions and their reordering.
#include <array>
#include <cstdint>
#include <vector>

#include "base/metrics.hpp"
#include "base/shared_resource.hpp"
#include "base/signal.hpp"
#include "bus/bus_config.hpp"
#include "bus/dma_transfer.hpp"

namespace tessera {

class Interconnect {
 public:
  Interconnect(const BusConfig& config, std::uint32_t flash_channels);

  /// An extent of a DMA engine, priced at `at`; it comes after the engine's extents before.
  DmaGrant transfer(const DmaTransfer& transfer, Picoseconds at);

  /// A single access of the CPU: gives when it has crossed the bus.
  Picoseconds access(Bytes bytes, Picoseconds at);

  /// The power fails: what was under way is forgotten.
  void cut() { shared_.clear(); }
  [[nodiscard]] SignalScope& signals() { return signals_; }
  /// Adds `bus.*`.
  void report(MetricSet& metrics, Picoseconds now) const;

 private:
  static constexpr std::size_t kinds = 5;
  [[nodiscard]] static std::size_t kind_of(BusInitiator who) {
    return static_cast<std::size_t>(who < BusInitiator::flash ? who : BusInitiator::flash);
  }
  [[nodiscard]] Picoseconds beats(Bytes bytes) const { return period_ * ((bytes.value() + width_ - 1) / width_); }

  /// What signals show of an initiator: whether an extent of its is under way, and its bytes.
  struct UseSignals {
    Signal busy, bytes;
  };
  void show(BusInitiator who, Bytes bytes, Picoseconds begin, Picoseconds end) const;

  SignalScope signals_;
  std::vector<UseSignals> uses_;  // by initiator

  std::uint64_t width_;
  Picoseconds period_;  // 0: infinitely fast
  Picoseconds crossing_;
  Picoseconds burst_;
  SharedResource shared_;

  struct Counters {
    Bytes bytes;
    Picoseconds busy;
    Picoseconds waited;
  };
  std::array<Counters, kinds> counters_{};
};

}  // namespace tessera
