#pragma once
// How a write of part of a row comes by the new parity: what is read before, and what is written.
#include <cstdint>
#include <vector>

#include "stimuli/arrays/array_layout.hpp"

namespace tessera {

enum class WriteWay : std::uint8_t {
  whole,        ///< all data of the band is new: nothing is read
  no_parity,    ///< no parity is there to be kept right: nothing is read
  read_modify,  ///< old data and old parity are read; their difference to the new data goes into the parity
  reconstruct,  ///< the data that stays is read; the parity is made anew
  decode        ///< all that is there is read: what is missing and stays is computed first
};

/// Blocks of a chunk.
struct ChunkRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  constexpr bool operator==(const ChunkRange&) const = default;
  [[nodiscard]] constexpr bool empty() const { return begin == end; }
  [[nodiscard]] constexpr std::uint32_t count() const { return end - begin; }
};

struct WritePlan {
  WriteWay way = WriteWay::whole;
  ChunkRange band;                ///< from the first to the last block that is new in any column: parity is read and written there
  std::vector<ChunkRange> reads;  ///< by member; empty: not read
  [[nodiscard]] std::uint32_t drives_read() const;
};

/// `fresh`: the new blocks of each data column. `missing`: members that cannot be read or written, no more than there are parity members.
/// Of read-modify-write and reconstruct-write, that which reads from fewer drives; of two alike, reconstruct-write, as Linux md does.
[[nodiscard]] WritePlan plan_write(std::uint32_t columns, std::uint32_t parities, const std::vector<ChunkRange>& fresh,
                                   const std::vector<bool>& missing);

/// The same, where a member that is there could not be read: all others are, and it is computed.
[[nodiscard]] WritePlan plan_decode(std::uint32_t columns, std::uint32_t parities, const std::vector<ChunkRange>& fresh,
                                    const std::vector<bool>& unread);

}  // namespace tessera
