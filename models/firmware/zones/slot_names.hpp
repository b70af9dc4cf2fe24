#pragma once
// What the records of slots tell of other slots, so that a slot whose own record cannot be read is known although the dump of the table of
// all slots failed, too.
//
// A record names three other slots and the sectors in them: its two neighbours, and one that was filled lately and that nobody has named
// yet. A slot that is still being written is not named: a cut that tears it must take nothing else. A name is as old as its record. It
// counts unless the sector has left the slot since, which a newer record of the sector or the watermark of its zone shows: so a sector
// that is being written to another slot, or back to its zone, is not named either.
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/address.hpp"

namespace tessera {

/// A slot, and the sector in it when the record was written; none: the slot was free.
struct SlotName {
  std::uint32_t slot = 0;
  std::optional<LogicalSector> sector;
};

/// The names in one record.
using SlotNames = std::array<std::optional<SlotName>, 3>;

/// A name as a word of the record; 0: none. What has no room in it is not named: sectors from 2^39 on, slots from 2^24 on.
[[nodiscard]] std::uint64_t encode_name(const std::optional<SlotName>& name);
[[nodiscard]] std::optional<SlotName> decode_name(std::uint64_t word);

/// What a boot has heard of all slots.
class HeardNames {
 public:
  struct Name {
    std::uint64_t sequence = 0;  ///< of the record that it is in
    LogicalSector sector;
  };

  explicit HeardNames(std::uint32_t slots) : heard_(slots) {}
  /// The record with this number has these names.
  void add(std::uint64_t sequence, const SlotNames& names);
  /// The newest name of a slot; none where nobody named it, or it was free then.
  [[nodiscard]] std::optional<Name> of(std::uint32_t slot) const;

 private:
  struct Heard {
    std::uint64_t sequence = 0;
    std::optional<LogicalSector> sector;
  };
  std::vector<Heard> heard_;  // by slot
};

}  // namespace tessera
