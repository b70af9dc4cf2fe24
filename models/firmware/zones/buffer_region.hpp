#pragma once
// The conventional buffer as numbered slots of one sector. Each slot carries in its out-of-band bytes whose sector it holds and how
// new it is, so that writing the data is the commit and a slot can be rewritten alone: no map of the buffer is ever written.
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "firmware/layout/conventional_layout.hpp"
#include "firmware/tables/scratch_pool.hpp"
#include "firmware/translation_layer.hpp"
#include "firmware/zones/slot_names.hpp"

namespace tessera {

/// What a slot says of itself.
struct SlotRecord {
  LogicalSector sector;
  std::uint64_t sequence = 0;  ///< of copies of one sector the one with the highest counts
  std::uint64_t tag = 0;       ///< the layer's own word: a position in its log, a chunk, ...
  SlotNames names{};           ///< what it tells of other slots
};

/// data.count slots from `first` on.
struct SlotRun {
  std::uint32_t first = 0;
  DataSpan data;
};

class BufferRegion {
 public:
  /// `regions`: conventional; `slots`: at most their sectors.
  BufferRegion(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& regions, std::uint32_t slots);

  [[nodiscard]] std::uint32_t slots() const { return slots_; }
  /// A new sequence number, higher than all that were taken or found by scan().
  [[nodiscard]] std::uint64_t take_sequence() { return ++newest_; }
  [[nodiscard]] std::uint64_t newest_sequence() const { return newest_; }
  /// At boot: numbers up to this one were taken, although no slot may show it (ZoneStore::newest_watermark()).
  void skip_sequences(std::uint64_t newest) { newest_ = std::max(newest_, newest); }

  /// Writes records.size() slots from `first` on, one positioning; record i and sector i of `data` go to slot first + i.
  /// Durable on return. After a status that is not ok, or a cut, each of the slots holds either its new or its old content and
  /// record.
  [[nodiscard]] Task<Status> write(std::uint32_t first, std::span<const SlotRecord> records, DataSpan data, MediaClass priority);
  /// Reads runs of slots in this order; where one continues the last, there is no positioning between them. What
  /// the host reads fails where a sector is lost; a merge or move (other classes) carries it on.
  [[nodiscard]] Task<Status> read(std::span<const SlotRun> runs, MediaClass priority);

  class Finder {
   public:
    virtual ~Finder() = default;
    virtual void found(std::uint32_t slot, const SlotRecord& record) = 0;
    /// It cannot be known whether the slot has a record.
    virtual void unknown(std::uint32_t slot) = 0;
  };
  /// Boot after a power cut: names every slot with a record to `finder`, whether its content counts or not, and every slot that cannot be
  /// read.
  [[nodiscard]] Task<void> scan(Finder& finder);

  /// Whether, in a write of `count` slots from `first` on, the slot in front of `slot` may reach the platter after it: both lie on a track
  /// that is written as a whole, which begins with whatever sector comes first.
  [[nodiscard]] bool may_pass_slot_in_front(std::uint32_t slot, std::uint32_t first, std::uint32_t count) const;

  [[nodiscard]] std::uint64_t sectors_written() const { return sectors_written_; }

 private:
  [[nodiscard]] PhysicalRun place(std::uint32_t slot, std::uint32_t count) const { return layout_.piece({LogicalSector(slot), count}); }

  MediaPort& media_;
  ConventionalLayout layout_;
  std::uint32_t slots_;
  ScratchPool<std::vector<SectorHeader>> headers_;
  std::uint64_t newest_ = 0;
  std::uint64_t sectors_written_ = 0;
};

}  // namespace tessera
