#pragma once
#include <cstdint>

#include "base/format.hpp"
#include "base/parameter.hpp"

namespace tessera {

/// What the firmware's counters of writes belong to.
enum class RefreshCounters : std::uint8_t {
  track,  ///< a track: counts the writes next to it; at the threshold it is refreshed (US 8,531,793)
  area    ///< a part of a track: counts the writes to it; at the threshold both neighbours of its track are refreshed (US 9,007,708)
};

/// Rewriting tracks whose neighbours were written often.
struct RefreshConfig {
  static constexpr std::uint32_t most = 0x7fff;  ///< a counter has 15 bits, and one that says that its track waits

  std::uint32_t threshold = 0;  ///< writes; 0: no refresh
  RefreshCounters counters = RefreshCounters::track;
  std::uint32_t areas_per_track = 16;
  bool dumped = true;

  [[nodiscard]] bool used() const { return threshold != 0; }
  [[nodiscard]] std::uint32_t counters_per_track() const { return counters == RefreshCounters::area ? areas_per_track : 1; }
  /// Writes next to a track that may pass before its refresh begins: of one neighbour or of both.
  [[nodiscard]] std::uint32_t most_writes() const { return counters == RefreshCounters::area ? 2 * threshold : threshold; }

  void describe(ParameterVisitor& visitor);
  /// A sentence why tracks of `plan` cannot be refreshed, or nothing.
  [[nodiscard]] std::string problem(const FormatPlan& plan) const;
};

}  // namespace tessera
