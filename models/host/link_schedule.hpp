#pragma once
// The host link as a resource. An ideal one carries an extent at a time, whole, in the order in which they are asked for. One with frames
// carries those of all commands in turns (base/shared_resource.hpp): Serial ATA on one wire for both directions, SAS on one for each.
#include <array>
#include <optional>

#include "base/long_time.hpp"
#include "base/metrics.hpp"
#include "base/shared_resource.hpp"
#include "base/signal.hpp"
#include "host/link_faults.hpp"
#include "host/link_framing.hpp"

namespace tessera {

class LinkSchedule {
 public:
  LinkSchedule(const HostConfig& config, SignalScope& signals, std::uint64_t seed);

  [[nodiscard]] const LinkFraming& framing() const { return framing_; }

  struct Passage {
    Picoseconds begin;
    Picoseconds end;
  };
  /// Carries an extent of the command with this tag, asked for at `now` or as of `from`, an earlier time.
  Passage carry(std::uint32_t tag, const LinkExtent& extent, Picoseconds from, Picoseconds now);

  void power_off(Picoseconds now);
  void report(MetricSet& metrics, LongTime elapsed) const;
  void reset_statistics();

 private:
  [[nodiscard]] Passage carry_whole(const LinkExtent& extent, Picoseconds from);
  [[nodiscard]] Passage carry_frames(std::uint32_t tag, const LinkExtent& extent, Picoseconds from);
  void show(std::uint32_t tag, const LinkExtent& extent, const Passage& passage, Picoseconds now) const;

  Signal link_, link_tag_;
  LinkFraming framing_;
  bool full_duplex_;
  Picoseconds free_;                     // of an ideal link, or: from here on nothing is carried
  std::array<SharedResource, 2> wires_;  // of a link with frames, by direction; a half duplex one has the first alone
  std::optional<LinkFaults> faults_;     // where the description has any
  Picoseconds taken_;
  std::array<Picoseconds, 2> busy_{};
  std::array<Bytes, 2> overhead_{};
  std::uint64_t frames_ = 0;
};

}  // namespace tessera
