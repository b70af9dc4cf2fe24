#pragma once
// The write buffer (MEM) of the HWSR paper: blocks in DRAM with a bit for each sector that was written, and the rule by which
// blocks leave it (section II-D, figure 6).
#include <cstdint>
#include <span>
#include <vector>

#include "firmware/buffer/buffer_config.hpp"
#include "firmware/buffer/segment_table.hpp"
#include "firmware/tables/dram_table.hpp"

namespace tessera {

class MemBuffer {
 public:
  using Slot = DramLists::Index;
  static constexpr Slot none = DramLists::none;

  MemBuffer(MemoryPort& memory, CpuPort& cpu, const BufferConfig& config, const BlockAddress& address, SegmentTable& table);

  [[nodiscard]] std::uint32_t slots() const { return slots_; }
  [[nodiscard]] std::uint32_t used() const { return used_; }
  /// Most slots that were ever used: what a power loss must save.
  [[nodiscard]] std::uint32_t peak() const { return peak_; }
  /// Sectors with data that restore() found lost, and that were nowhere else.
  [[nodiscard]] std::uint32_t lost_at_boot() const { return lost_at_boot_; }
  /// Slots whose way to the disk came to nothing: no background work tries it again before they are written again or try_again().
  [[nodiscard]] std::uint32_t set_aside() const { return aside_; }
  /// Whether all that the buffer holds is set aside.
  [[nodiscard]] bool only_set_aside() const { return used_ == aside_; }
  /// Whether no block can come in before one leaves.
  [[nodiscard]] bool full() const { return used_ == slots_; }

  /// Where a block is, or none.
  [[nodiscard]] Slot find(std::uint64_t block) const;
  /// A slot for a block that has none; the buffer must not be full. written() must follow at once.
  [[nodiscard]] Slot take(std::uint64_t block);
  /// Sectors of a slot that hold data.
  [[nodiscard]] SectorMask valid(Slot slot) const { return directory_.read(slot).valid; }
  [[nodiscard]] std::uint64_t block(Slot slot) const { return directory_.peek(slot).block; }
  /// Whether a slot still holds a block of `segment`.
  [[nodiscard]] bool holds(Slot slot, std::uint64_t segment) const {
    const Entry& entry = directory_.read(slot);
    return settled(slot) && address_.segment_of(entry.block) == segment;
  }
  [[nodiscard]] DataSpan data(Slot slot, std::uint32_t first, std::uint32_t count) const {
    return buffer_->part(slot * address_.block_sectors() + first, count);
  }
  /// Sectors were written, their data put in place by the caller: the block is the most recently used. `sequence` orders writes
  /// over the whole drive.
  void written(Slot slot, std::uint32_t first, std::uint32_t count, std::uint64_t sequence);

  /// The blocks that the replacement rule takes, all of one segment. Blocks that are being written back are not taken, and blocks that are
  /// set aside only with others; there must be others.
  void choose_victims(std::vector<Slot>& victims) const;
  /// All blocks of a segment that are not being written back.
  void blocks_of(std::uint64_t segment, std::vector<Slot>& blocks) const;
  /// A copy of the blocks is on its way to the disk.
  void begin_write_back(std::span<const Slot> blocks);
  /// The way is over: the blocks leave, unless they were written meanwhile; these stay with all that they hold.
  void end_write_back(std::span<const Slot> blocks);
  /// It came to nothing: the blocks stay, set aside unless they were written meanwhile.
  void abandon_write_back(std::span<const Slot> blocks);
  /// Blocks that were set aside wait for their way to the disk as all others.
  void try_again();
  /// Blocks that are set aside leave: what of them is not on the disk is lost.
  void give_up(std::span<const Slot> blocks);

  /// The block whose data has waited longest for its way to the disk, or none. Blocks that are set aside do not wait.
  [[nodiscard]] Slot longest_waiting() const;
  /// The block with the oldest write, where it is set aside; else none.
  [[nodiscard]] Slot oldest_set_aside() const;
  /// Sequence number of the oldest write of a slot.
  [[nodiscard]] std::uint64_t since(Slot slot) const { return directory_.read(slot).since; }
  /// Sequence number of the oldest write whose data is only here; `otherwise` where there is none.
  [[nodiscard]] std::uint64_t oldest(std::uint64_t otherwise) const;

  /// Boot after a power cut, durability `plp`: takes over what the dump restored. Gives the next sequence number.
  [[nodiscard]] std::uint64_t restore();

  /// DRAM of directory and lists.
  [[nodiscard]] Bytes metadata_bytes() const;

 private:
  enum class State : std::uint32_t {
    free,
    dirty,
    writing,  ///< a copy is on its way to the disk
    renewed,  ///< and the block was written since the copy was taken
    aside     ///< as dirty, but the disk did not take the copy
  };
  /// What survives with the dump.
  struct Entry {
    std::uint64_t block;
    SectorMask valid;
    std::uint64_t since;  ///< sequence number of the oldest write that is only here
    SectorMask on_disk;   ///< of `valid`: what the disk has as well
    std::uint64_t newest;
    State state;
    std::uint32_t in_window;  ///< among the `window_` least recently used blocks
  };
  /// Of a block that is being written back.
  struct SinceCopy {
    SectorMask written = 0;      ///< since the copy was taken
    std::uint64_t sequence = 0;  ///< of the first such write
  };
  enum List : std::uint32_t { free_list, recency, lists };  // recency: least recently used first

  /// Whether it is not being written back.
  [[nodiscard]] bool settled(Slot slot) const {
    if (slot == none) return false;
    const State state = directory_.read(slot).state;
    return state == State::dirty || state == State::aside;
  }
  [[nodiscard]] bool waits(Slot slot) const { return slot != none && directory_.read(slot).state == State::dirty; }
  void enter_state(Entry& entry, State state);
  [[nodiscard]] Slot least_recent() const;
  void enter(Slot slot);
  void leave(Slot slot);
  void enter_recency(Slot slot);
  void leave_recency(Slot slot);
  void enter_ages(Slot slot);
  void use_segment(std::uint64_t block);

  CpuPort& cpu_;
  BlockAddress address_;
  SegmentTable& table_;
  Replacement replacement_;
  std::uint32_t slots_;
  std::uint32_t window_;  ///< blocks
  DramArray<Entry> directory_;
  std::vector<SinceCopy> since_copy_;  // by slot; a cut needs none of it
  DramLists lists_;
  DramLists ages_;                     ///< one list, by `since`
  DramLists segments_;                 ///< one list of nodes of the segment table, least recently used first; segment_lru only
  DramArray<std::uint32_t> buffered_;  ///< blocks by node; segment_lru only
  DataBuffer own_buffer_;              ///< durability other than plp
  DataBuffer* buffer_;
  std::uint32_t used_ = 0;
  Gauge used_gauge_;
  std::uint32_t aside_ = 0;
  std::uint32_t peak_ = 0;
  std::uint32_t lost_at_boot_ = 0;
  std::uint32_t window_used_ = 0;
  Slot window_end_ = none;  ///< the most recently used block of the window
};

}  // namespace tessera
