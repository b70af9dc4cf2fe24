#pragma once
// The high-frequency buffer (section 5.2): slots of one block each, fully associative, in frames that it has or has borrowed from the
// low-frequency buffer.
#include <cstdint>
#include <optional>

#include "firmware/layers/amphisbaena/amphisbaena_config.hpp"
#include "firmware/tables/dram_table.hpp"
#include "firmware/tables/packed_table.hpp"
#include "firmware/translation_layer.hpp"

namespace tessera::amphisbaena {

class BlockSpace {
 public:
  /// `blocks`: of the drive.
  BlockSpace(MemoryPort& memory, std::uint32_t frames, std::uint32_t chunk_sectors, std::uint64_t blocks, GiveBack rule = GiveBack::idle);

  [[nodiscard]] bool owns(std::uint32_t slot) const { return states_.read(slot / chunk_sectors_).tenure != Tenure::none; }
  [[nodiscard]] std::uint32_t frames() const { return frames_; }
  [[nodiscard]] std::uint32_t slots() const { return frames_ * chunk_sectors_; }
  [[nodiscard]] std::uint32_t free_slots() const { return free_; }

  /// A frame with nothing in it comes in; the slots of a borrowed one may be given back.
  void add_frame(std::uint32_t frame, bool borrowed);
  /// It leaves; its slots are free.
  void remove_frame(std::uint32_t frame);
  /// At boot: a frame comes in whose slots assign() gives to blocks, and release_rest() to nobody.
  void adopt_frame(std::uint32_t frame, bool borrowed);
  void release_rest(std::uint32_t frame);

  /// Gives a free slot to a block.
  std::uint32_t take(LogicalSector block);
  /// At boot: this slot of an adopted frame.
  void assign(std::uint32_t slot, LogicalSector block) { slots_.write(slot, value_, block.value() + 1); }
  /// The block in a slot was written.
  void touch(std::uint32_t slot);
  /// The block that has the slot, or none.
  [[nodiscard]] std::optional<LogicalSector> block_in(std::uint32_t slot) const;
  /// The block leaves for the low-frequency buffer; its slot is released when it is there.
  void let_go(std::uint32_t slot) { slots_.write(slot, whole(), 0); }
  /// It could not leave.
  void keep(std::uint32_t slot, LogicalSector block) { assign(slot, block); }
  /// The slot is free.
  void release(std::uint32_t slot);

  /// A borrowed frame that the rule gives back for the period that ends; `frame`: where to begin the search.
  [[nodiscard]] std::optional<std::uint32_t> next_to_return(std::uint32_t frame) const;
  /// A period begins.
  void begin_period();

  [[nodiscard]] Bytes bytes() const { return Bytes(states_.size() * sizeof(State)) + slots_.bytes(); }

 private:
  enum class Tenure : std::uint8_t { none, own, borrowed };
  struct State {
    Tenure tenure;
    bool updated;  ///< in this period, or borrowed in it
  };
  [[nodiscard]] bool counts_blocks() const { return rule_ == GiveBack::any || rule_ == GiveBack::fewest; }
  struct Blocks {
    std::uint32_t held;
    std::uint32_t updated;
  };
  [[nodiscard]] Blocks blocks_in(std::uint32_t frame) const;
  [[nodiscard]] std::optional<std::uint32_t> least_updated() const;

  std::uint32_t chunk_sectors_;
  GiveBack rule_;
  [[nodiscard]] PackedTable::Field whole() const { return {0, updated_.end()}; }
  void append_free(std::uint32_t slot);
  [[nodiscard]] static std::uint64_t link(std::uint32_t slot) { return std::uint64_t{slot} + 1; }

  DramArray<State> states_;   // by frame
  PackedTable::Field value_;  // of a slot that is taken: block + 1, or 0 when it was let go; of a free one: the next to be taken + 1, or 0
  PackedTable::Field is_free_;  // which of them
  PackedTable::Field updated_;  // the block was written in this period, where the rule counts blocks
  PackedTable slots_;
  std::uint64_t first_free_ = 0;  // as a link
  std::uint64_t last_free_ = 0;
  std::uint32_t frames_ = 0;
  std::uint32_t free_ = 0;
};

}  // namespace tessera::amphisbaena
