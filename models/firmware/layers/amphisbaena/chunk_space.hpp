#pragma once
// The low-frequency buffer (section 5.2, figures 9 and 10): chunks of consecutive sectors of a zone in frames of the buffer, fully
// associative. The chunk location tree (CLT) finds a chunk's frame; a frame's entry in the chunk mapping table (CMT) says which chunk
// it holds, and a bitmap which sectors of it.
#include <bit>
#include <cstdint>
#include <span>

#include "firmware/ports/cpu_port.hpp"
#include "firmware/tables/packed_table.hpp"

namespace tessera::amphisbaena {

class ChunkSpace {
 public:
  static constexpr std::uint32_t none = PackedLists::none;

  ChunkSpace(MemoryPort& memory, CpuPort& cpu, std::uint32_t frames, std::uint32_t chunk_sectors, std::uint32_t zones,
             std::uint32_t zone_sectors);

  /// chunk_num of equation (2): the chunk of its zone that an offset in the zone lies in.
  [[nodiscard]] std::uint32_t chunk_of(std::uint32_t offset) const { return offset / chunk_sectors_; }
  [[nodiscard]] std::uint32_t chunk_sectors() const { return chunk_sectors_; }
  [[nodiscard]] std::uint32_t frame_of_slot(std::uint32_t slot) const { return slot / chunk_sectors_; }
  [[nodiscard]] std::uint32_t slot_in(std::uint32_t frame, std::uint32_t offset) const {
    return frame * chunk_sectors_ + offset % chunk_sectors_;
  }

  /// The frame that holds the chunk, or none.
  [[nodiscard]] std::uint32_t find(std::uint32_t zone, std::uint32_t chunk) const;
  /// A free frame holds the chunk from now on; the caller puts a sector in at once.
  std::uint32_t allocate(std::uint32_t zone, std::uint32_t chunk);
  /// At boot: this free frame does.
  void assign(std::uint32_t frame, std::uint32_t zone, std::uint32_t chunk);
  /// A sector is put into its slot, or is on the way there.
  void put(std::uint32_t slot);
  /// A slot holds nothing any more; a frame without sectors is free.
  void remove(std::uint32_t slot);

  /// Frames come from the high-frequency buffer and go there.
  void add_frame(std::uint32_t frame) { lists_.push_back(free_list_, frame), ++free_, ++frames_; }
  std::uint32_t take_frame();
  [[nodiscard]] std::uint32_t free_frames() const { return free_; }
  /// Frames of this buffer, free or not.
  [[nodiscard]] std::uint32_t frames() const { return frames_; }

  /// The frames with chunks of a zone; none: no more.
  [[nodiscard]] std::uint32_t first_of(std::uint32_t zone) const { return lists_.front(zone); }
  [[nodiscard]] std::uint32_t after(std::uint32_t frame) const { return lists_.after(frame); }
  [[nodiscard]] std::uint32_t chunk_in(std::uint32_t frame) const { return static_cast<std::uint32_t>(entries_.read(frame, chunk_)); }
  /// Calls `visit` with the offset in the zone of each sector in the frame, ascending.
  template <class Visit>
  void for_each_offset(std::uint32_t frame, Visit visit) const {
    const std::uint32_t first = chunk_in(frame) * chunk_sectors_;
    for (std::uint32_t word = 0; word < words_per_frame_; ++word)
      for (std::uint64_t bits = bitmaps_.read(std::uint64_t{frame} * words_per_frame_ + word); bits != 0; bits &= bits - 1)
        visit(first + word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits)));
  }

  /// Zones whose chunks have changed since the last forget_changes().
  [[nodiscard]] std::uint32_t changed_zones() const { return changed_count_; }
  [[nodiscard]] std::uint32_t changed_zone(std::uint32_t i) const { return changed_.read(i); }
  void mark_changed(std::uint32_t zone);
  void forget_changes();

  /// For tests, without a charge.
  [[nodiscard]] bool holds(std::uint32_t zone, std::uint32_t chunk) const;
  [[nodiscard]] std::uint32_t chunks() const { return chunks_; }
  [[nodiscard]] Bytes bytes() const;

 private:
  using Field = PackedTable::Field;
  [[nodiscard]] std::uint64_t home(std::uint32_t zone, std::uint32_t chunk) const;
  [[nodiscard]] bool is(std::uint64_t frame, std::uint32_t zone, std::uint32_t chunk) const {
    return entries_.read(frame, zone_) == zone && entries_.peek(frame, chunk_) == chunk;
  }
  void take_out(std::uint32_t frame);
  [[nodiscard]] Field head() const { return {0, next_.width}; }
  [[nodiscard]] std::uint64_t& word_of(std::uint32_t slot) {
    return bitmaps_.write(std::uint64_t{frame_of_slot(slot)} * words_per_frame_ + slot % chunk_sectors_ / 64);
  }
  [[nodiscard]] std::uint64_t bit_of(std::uint32_t slot) const { return std::uint64_t{1} << (slot % chunk_sectors_ % 64); }

  CpuPort& cpu_;
  std::uint32_t chunk_sectors_;
  std::uint32_t words_per_frame_;
  std::uint32_t free_list_;  // after the lists of the zones
  // Of a frame's entry
  Field zone_;
  Field chunk_;
  Field sectors_;                     // bits set in the bitmap
  Field next_;                        // the next frame with the same place in heads_ plus one; 0: none
  PackedTable heads_;                 // charged as the paper's tree; a hash table finds a chunk at once
  PackedTable entries_;               // by frame
  DramArray<std::uint64_t> bitmaps_;  // words_per_frame_ of each frame
  PackedTable links_;
  PackedLists lists_;                 // frames: of each zone, and the free ones
  DramArray<std::uint32_t> changed_;  // stack
  DramBitmap is_changed_;             // by zone
  std::uint32_t changed_count_ = 0;
  std::uint32_t chunks_ = 0;
  std::uint32_t free_ = 0;
  std::uint32_t frames_ = 0;
};

}  // namespace tessera::amphisbaena
