#pragma once
// What goes wrong on the link: frames whose check (CRC) fails and that are sent again, and times in which the link is down.
#include <cstdint>
#include <vector>

#include "base/metrics.hpp"
#include "base/random.hpp"
#include "host/host_config.hpp"

namespace tessera {

class LinkFaults {
 public:
  /// InputError where the description's outages overlap or its rows are no frames.
  LinkFaults(const HostConfig& config, std::uint64_t seed);

  /// Whether anything can go wrong at all.
  [[nodiscard]] static bool any(const HostConfig& config);

  /// The end of a frame that takes `duration` and begins at `begin`: it is repeated as long as its check fails, and sent anew as soon as a
  /// link that went down under it is up.
  [[nodiscard]] Picoseconds carry(Picoseconds begin, Picoseconds duration);

  /// Adds `link.crc_errors`, `link.repeated` and `link.down`.
  void report(MetricSet& metrics) const;

 private:
  struct Outage {
    Picoseconds down;
    Picoseconds up;
  };
  [[nodiscard]] bool check_fails(std::uint32_t repeats);
  [[nodiscard]] Picoseconds when_up(Picoseconds begin, Picoseconds duration);

  std::uint32_t per_million_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> scripted_;  // frame from 1, and how often it fails; ascending
  std::vector<Outage> outages_;                                    // ascending
  RandomStream random_;
  std::size_t next_scripted_ = 0;
  std::size_t next_outage_ = 0;
  std::uint64_t frames_ = 0;
  std::uint64_t errors_ = 0;
  Picoseconds repeated_;
  Picoseconds down_;
};

}  // namespace tessera
