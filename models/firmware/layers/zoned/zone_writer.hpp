#pragma once
// Writes of sequential zones, each zone's in the order of its sectors, whatever the order in which their data came. What waits after a
// write and continues it goes with the next one, so that a queue of writes loses no turn of the platters.
#include <array>
#include <cstdint>
#include <vector>

#include "firmware/flash/band_layout.hpp"
#include "firmware/layers/zoned/zone_ledger.hpp"
#include "firmware/layers/zoned/zone_states.hpp"
#include "firmware/ports/turn.hpp"
#include "firmware/translation_layer.hpp"

namespace tessera::zoned {

class ZoneWriter {
 public:
  ZoneWriter(const Ports& ports, const BandLayout& layout, ZoneStates& states, ZoneLedger& ledger)
      : ports_(ports), layout_(layout), states_(states), ledger_(ledger) {}

  /// An admitted write, or a part of one, of the zone's sectors from `first` on: on the platters when it returns ok.
  [[nodiscard]] Task<Status> write(std::uint32_t zone, std::uint32_t first, DataSpan data);
  /// What waits for sectors of the zone from `from` on ends: what lies in front of it is not written.
  void drop(std::uint32_t zone, std::uint32_t from);

  /// A chain of the zone has ended with this status: sectors up to `written` are on the platters. The log is told of a zone that is full
  /// now, or read only.
  [[nodiscard]] Task<Status> end_chain(std::uint32_t zone, std::uint32_t written, Status status);
  /// Adds the step of a chain that writes the zone's sectors from `first` on, as many as `data` has on one track; gives how many.
  struct Marks {
    std::array<SectorHeader, MediaChain::max_steps> headers;
    std::array<std::uint32_t, MediaChain::max_steps> ends{};
    /// Sectors of the zone that are written once so much of the chain is.
    [[nodiscard]] std::uint32_t written(const MediaChain& chain, std::uint32_t before) const {
      return chain.steps_done == 0 ? before : ends[chain.steps_done - 1];
    }
  };
  std::uint32_t add_step(MediaChain& chain, Marks& marks, std::uint32_t zone, std::uint32_t first, DataSpan data);

  [[nodiscard]] bool idle() const { return pending_.empty(); }
  /// Media commands, and writes of the host that went with them.
  [[nodiscard]] std::uint64_t chains() const { return chains_; }
  [[nodiscard]] std::uint64_t sectors() const { return sectors_; }

 private:
  struct Pending {
    std::uint32_t zone = 0;
    std::uint32_t first = 0;
    DataSpan data;
    std::uint32_t done = 0;  ///< sectors on the platters
    Status status = Status::ok;
    bool ended = false;
    bool waits = false;
    DeviceWait wait{};
    [[nodiscard]] std::uint32_t next() const { return first + done; }
  };
  [[nodiscard]] bool busy(std::uint32_t zone) const;
  [[nodiscard]] Pending* at(std::uint32_t zone, std::uint32_t first);
  [[nodiscard]] Task<Status> write_chain(std::uint32_t zone);
  [[nodiscard]] Task<Status> keep(std::uint32_t zone, KeptAs as);
  void advance(std::uint32_t zone, std::uint32_t written);
  void end(Pending& pending, Status status);
  void wake_next(std::uint32_t zone);
  void wake(Pending& pending);

  Ports ports_;
  const BandLayout& layout_;
  ZoneStates& states_;
  ZoneLedger& ledger_;
  std::vector<Pending*> pending_;    // in the order in which they came: no more than the host has tags, twice where they stream
  std::vector<std::uint32_t> busy_;  // zones with a write at the platters
  std::uint64_t chains_ = 0;
  std::uint64_t sectors_ = 0;
};

}  // namespace tessera::zoned
