#pragma once
#include "base/units.hpp"

namespace tessera {

/// 200 days: what comes from outside (arrivals, power cuts, restarts) happens before. The 64 bits of a Picoseconds end after 213 days, and
/// what is under way by then still has to end: no parameter of the drive is a time above 1e18 ps, 11.6 days.
inline constexpr Picoseconds end_of_input{std::uint64_t{200} * 86'400 * 1'000'000'000'000};

}  // namespace tessera
