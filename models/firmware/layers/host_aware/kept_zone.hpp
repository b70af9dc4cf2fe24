#pragma once
// What this layer keeps of a zone, in the fields that the ledger has (zoned/zone_ledger.hpp). In the word that says as what the zone is
// kept there is also up to where a destroyed sector may have held data; and where a zone that must be written in order keeps what is in
// doubt of it, this one keeps the head of the media cache's log at its last reset.
#include "firmware/layers/zoned/zone_ledger.hpp"

namespace tessera::host_aware {

using zoned::KeptAs;
using zoned::KeptZone;

inline constexpr std::uint32_t kept_as_bits = 3;

[[nodiscard]] inline KeptAs kept_as(const KeptZone& kept) { return static_cast<KeptAs>(kept.as & ((1U << kept_as_bits) - 1)); }
/// Sectors from the zone's begin: of those in front of it one that an overlapping write has destroyed may have held data.
[[nodiscard]] inline std::uint32_t forgotten_end(const KeptZone& kept) { return kept.as >> kept_as_bits; }
inline void set_kept_as(KeptZone& kept, KeptAs as, std::uint32_t forgotten_end) {
  kept.as = static_cast<std::uint32_t>(as) | forgotten_end << kept_as_bits;
}

[[nodiscard]] inline std::uint64_t reset_at(const KeptZone& kept) { return kept.doubt_first | std::uint64_t{kept.doubt_count} << 32; }
inline void set_reset_at(KeptZone& kept, std::uint64_t head) {
  kept.doubt_first = static_cast<std::uint32_t>(head);
  kept.doubt_count = static_cast<std::uint32_t>(head >> 32);
}

}  // namespace tessera::host_aware
