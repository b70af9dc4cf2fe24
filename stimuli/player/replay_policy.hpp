#pragma once
// When a request of the input arrives at the host: the ways of replaying a trace.
#include <cstdint>
#include <string_view>

#include "base/units.hpp"

namespace tessera {

class TraceSource;

enum class ReplayKind : std::uint32_t {
  timed,    ///< open loop: at the times of the input, however far behind the drive is
  queue,    ///< fixed queue of the interlaced paper: the input's gaps, stretched while `depth` requests are uncompleted
  closed,   ///< closed loop: `depth` requests are uncompleted at all times; the input's times are ignored
  think,    ///< a host that waits for each completion and then thinks for as long as the input says
  by_input  ///< think where the input tells think times, timed elsewhere
};

/// The arrival d[i] of request i, in terms of its time t[i] in the input and of the instant s[i] from which on fewer than
/// `depth` requests are uncompleted:
///   timed   d[i] = t[i]
///   queue   d[i] = max(d[i-1] + (t[i] - t[i-1]), s[i])     (interlaced translation layers, replay with 64 outstanding)
///   closed  d[i] = s[i]
///   think   d[i] = completion of i-1 + think time of i     (DiskSim's validation against measured drives)
/// All counted from the start of the player. Latency is completion minus d[i].
struct ReplayPolicy {
  ReplayKind kind = ReplayKind::timed;
  std::uint32_t depth = 0;  ///< queue and closed: 1 .. 65536

  /// "timed", "think", "queue:N" or "closed:N", as the command line has it; InputError otherwise.
  [[nodiscard]] static ReplayPolicy parse(std::string_view text);

  /// The policy for this input: settles `by_input`, and gives `think` its depth of 1. InputError where `think` was asked for and
  /// the input tells no think times.
  [[nodiscard]] ReplayPolicy settled(const TraceSource& input) const;

  [[nodiscard]] bool bounded() const { return kind != ReplayKind::timed; }
};

}  // namespace tessera
