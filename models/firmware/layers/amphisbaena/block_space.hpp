#pragma once
// The high-frequency buffer (section 5.2): slots of one block each, fully associative, in frames that it has or has borrowed from the
// low-frequency buffer.
#include <cstdint>
#include <optional>

#include "firmware/layers/amphisbaena/amphisbaena_config.hpp"
#include "firmware/tables/dram_table.hpp"
#include "firmware/translation_layer.hpp"

namespace tessera::amphisbaena {

class BlockSpace {
 public:
  BlockSpace(MemoryPort& memory, std::uint32_t frames, std::uint32_t chunk_sectors, GiveBack rule = GiveBack::idle);

  [[nodiscard]] bool owns(std::uint32_t slot) const { return states_.read(slot / chunk_sectors_).tenure != Tenure::none; }
  [[nodiscard]] std::uint32_t frames() const { return frames_; }
  [[nodiscard]] std::uint32_t slots() const { return frames_ * chunk_sectors_; }
  [[nodiscard]] std::uint32_t free_slots() const { return free_; }

  /// A frame with nothing in it comes in; the slots of a borrowed one may be given back.
  void add_frame(std::uint32_t frame, bool borrowed);
  /// It leaves; its slots are free.
  void remove_frame(std::uint32_t frame);

  /// Gives a free slot to a block.
  std::uint32_t take(LogicalSector block);
  /// At boot: this free slot.
  void assign(std::uint32_t slot, LogicalSector block);
  /// The block in a slot was written.
  void touch(std::uint32_t slot);
  /// The block that has the slot, or none.
  [[nodiscard]] std::optional<LogicalSector> block_in(std::uint32_t slot) const;
  /// The block leaves for the low-frequency buffer; its slot is released when it is there.
  void let_go(std::uint32_t slot) { blocks_.write(slot) = 0; }
  /// It could not leave.
  void keep(std::uint32_t slot, LogicalSector block) { blocks_.write(slot) = block.value() + 1; }
  /// The slot is free.
  void release(std::uint32_t slot);

  /// A borrowed frame that the rule gives back for the period that ends; `frame`: where to begin the search.
  [[nodiscard]] std::optional<std::uint32_t> next_to_return(std::uint32_t frame) const;
  /// A period begins.
  void begin_period();

  [[nodiscard]] Bytes bytes() const {
    return Bytes(states_.size() * sizeof(State) + blocks_.size() * sizeof(std::uint64_t)) + lists_.bytes();
  }

 private:
  enum class Tenure : std::uint8_t { none, own, borrowed };
  struct State {
    Tenure tenure;
    bool updated;  ///< in this period, or borrowed in it
  };
  /// In the entry of a block that was written in this period, where the rule counts blocks.
  static constexpr std::uint64_t updated_mark = std::uint64_t{1} << 63U;

  [[nodiscard]] bool counts_blocks() const { return rule_ == GiveBack::any || rule_ == GiveBack::fewest; }
  struct Blocks {
    std::uint32_t held;
    std::uint32_t updated;
  };
  [[nodiscard]] Blocks blocks_in(std::uint32_t frame) const;
  [[nodiscard]] std::optional<std::uint32_t> least_updated() const;

  std::uint32_t chunk_sectors_;
  GiveBack rule_;
  DramArray<State> states_;          // by frame
  DramArray<std::uint64_t> blocks_;  // by slot: block + 1, or 0; updated_mark
  DramLists lists_;                  // free slots
  std::uint32_t frames_ = 0;
  std::uint32_t free_ = 0;
};

}  // namespace tessera::amphisbaena
