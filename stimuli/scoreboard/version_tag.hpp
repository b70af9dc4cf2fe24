#pragma once
// What a tag says: the version (a count of writes and TRIMs) above, the block's address below. Whoever finds a tag on the platters knows
// the block whose data it is, and consecutive blocks of one write have consecutive tags.
#include "base/address.hpp"
#include "base/content.hpp"

namespace tessera {

/// Of a tag's 62 bits below the marks: 2^36 blocks are 32 TiB, and 2^26 writes and TRIMs take longer than anybody checks a run.
inline constexpr std::uint32_t tag_address_bits = 36;
inline constexpr std::uint64_t most_versions = std::uint64_t{1} << (62 - tag_address_bits);

constexpr Tag version_tag(std::uint64_t version, HostBlock block) { return version << tag_address_bits | block.value(); }
/// Of a tag that a write made, or of a prefill mark.
constexpr HostBlock block_of(Tag tag) { return HostBlock(tag & ((std::uint64_t{1} << tag_address_bits) - 1)); }
constexpr std::uint64_t version_of(Tag tag) { return (tag & ~(std::uint64_t{3} << 62)) >> tag_address_bits; }
/// Whether the tag names a block: it is neither never_written nor destroyed.
constexpr bool names_block(Tag tag) { return tag != never_written && tag != destroyed; }

}  // namespace tessera
