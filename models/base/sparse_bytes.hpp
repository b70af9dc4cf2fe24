#pragma once
// Bytes that are mostly zero, in the room of the others: tables with empty entries, numbers whose upper bytes are zero.
//
//   packed   for each 8 bytes a mask of those that are not zero, then these; after a mask of 0 the number of further groups of 8 zeros.
//            Zeros at the end take no room.
#include <cstddef>
#include <span>

namespace tessera {

/// Room that `count` bytes need at most.
constexpr std::size_t most_packed(std::size_t count) { return count + (count + 7) / 8; }

/// Returns how many bytes of `packed` were needed; it has room for most_packed(bytes.size()).
std::size_t pack(std::span<const std::byte> bytes, std::span<std::byte> packed);
/// Fills `bytes` with the first of what was packed, and with zeros beyond its end.
void unpack(std::span<const std::byte> packed, std::span<std::byte> bytes);

}  // namespace tessera
