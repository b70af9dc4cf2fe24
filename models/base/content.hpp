#pragma once
// What sectors hold, as far as the model keeps it. The unit of content is the host block (512 B): nothing, a tag that
// names the write that made it, or its bytes. Devices move content; firmware cannot look into it.
#include <cstddef>
#include <cstdint>
#include <span>

namespace tessera {

enum class ContentMode : std::uint32_t { none, tags, bytes };

/// Bytes that the model keeps for each host block of 512 B.
constexpr std::uint32_t kept_per_block(ContentMode mode) { return mode == ContentMode::none ? 0 : mode == ContentMode::tags ? 8 : 512; }

/// A tag identifies one host block of one write request: tags of one request are consecutive, so a tag proves both the
/// version and the place. 0 is a block that was never written. In `bytes` mode the first 8 bytes of a block are its tag.
using Tag = std::uint64_t;
inline constexpr Tag never_written = 0;
/// Tag of a block in an unreadable or destroyed sector: no write ever makes it.
inline constexpr Tag destroyed = ~Tag{0};
/// Data that was there before the simulation began: the block's address with this bit set.
inline constexpr Tag prefill_mark = Tag{1} << 63;

/// A range of kept content (see kept_per_block); empty in mode `none`.
using ContentSpan = std::span<std::byte>;
using ConstContentSpan = std::span<const std::byte>;

}  // namespace tessera
