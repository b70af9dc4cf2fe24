#pragma once
// The writes to slots of the buffer that are under way, and what their records tell of other slots (slot_names.hpp).
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "firmware/translation_layer.hpp"
#include "firmware/zones/buffer_region.hpp"
#include "firmware/zones/slot_names.hpp"
#include "firmware/zones/slot_owners.hpp"

namespace tessera {

class SlotWrites {
 public:
  SlotWrites(const SlotOwners& owners, const BufferRegion& buffer) : owners_(owners), buffer_(buffer) {}

  /// `sectors` go to slots from `first` on; names_for() each of them, and then end().
  void begin(std::uint32_t first, LogicalRun sectors) { under_way_.push_back({first, sectors, buffer_.newest_sequence()}); }
  /// For the record of sector `i` of the write that was begun last.
  [[nodiscard]] SlotNames names_for(std::uint32_t i);
  /// The write to slots from `first` on is over: they hold their sectors, or it came to nothing.
  void end(std::uint32_t first);
  /// The newest sequence number when the write to `slot` that is under way began: its record has a later one. None: no write is.
  [[nodiscard]] std::optional<std::uint64_t> sequence_before(std::uint32_t slot) const;

  /// While it lives, sectors of this run may be leaving the buffer for their zone, and no record names them. One at a time.
  class Leaving {
   public:
    Leaving(SlotWrites& writes, LogicalRun sectors) : writes_(writes) { writes_.leaving_ = sectors; }
    Leaving(const Leaving&) = delete;
    Leaving& operator=(const Leaving&) = delete;
    ~Leaving() { writes_.leaving_.reset(); }

   private:
    SlotWrites& writes_;
  };

 private:
  struct Write {
    std::uint32_t first;
    LogicalRun sectors;
    std::uint64_t sequence_before;
    [[nodiscard]] bool has(std::uint32_t slot) const { return slot >= first && slot - first < sectors.count; }
  };
  [[nodiscard]] bool in_order(const Write& write, std::uint32_t i) const;
  [[nodiscard]] std::optional<SlotName> name_of(std::uint32_t slot) const;
  [[nodiscard]] std::optional<SlotName> next_unnamed();

  const SlotOwners& owners_;
  const BufferRegion& buffer_;
  std::vector<Write> under_way_;
  std::optional<LogicalRun> leaving_;
  /// Slots of writes that ended and that no record of theirs names: each write's last, and those of tracks that were written as a whole. A
  /// ring; what has no room is not named.
  std::array<std::uint32_t, 64> unnamed_{};
  std::uint64_t ended_ = 0;
  std::uint64_t named_ = 0;
};

}  // namespace tessera
