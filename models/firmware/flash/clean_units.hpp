#pragma once
// Flash that holds copies of what the platters hold: what every flash read cache is made of. Flash is programmed page by page and erased by
// block; a unit is what is erased at once, one block or several. Units are filled in order, read, and leave as a whole: nothing in them is
// ever moved, and their index may be lost at any time.
//
// A unit has places, each of which may have an owner, a number from 0 on. Which places are programmed with what, and how an owner is found
// again, is the cache's.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "firmware/flash/block_lender.hpp"
#include "firmware/flash/flash_area.hpp"
#include "firmware/ports/cpu_port.hpp"
#include "firmware/ports/flash_port.hpp"
#include "firmware/tables/dram_table.hpp"

namespace tessera {

/// Which unit leaves. One that is being read stays.
enum class UnitOrder : std::uint8_t {
  last_read,  ///< that which was read least recently
  filled      ///< that which was filled first, but for those of whose places half were read since they were filled or passed over
};

class CleanUnits final : private BlockBorrower {
 public:
  using Unit = std::uint32_t;
  using Place = std::uint32_t;
  static constexpr Unit none = DramLists::none;

  /// What the cache that has the units does when places leave with their unit.
  class Index {
   public:
    virtual void forget(std::uint64_t owner) = 0;

   protected:
    ~Index() = default;
  };
  struct Shape {
    FlashArea area;
    std::uint32_t blocks_per_unit = 1;
    std::uint32_t places_per_unit = 0;
    std::uint32_t parallel = 1;
  };
  /// Names of its tables in DRAM.
  struct Names {
    std::string_view owners, units, order;
  };

  /// Fills `shape.parallel` units side by side. `lender`, which may be null, has the blocks and lends them one by one; a unit is one block
  /// then.
  CleanUnits(MemoryPort& memory, FlashPort& flash, const Shape& shape, UnitOrder order, const Names& names, Index& index,
             BlockLender* lender = nullptr);

  [[nodiscard]] Place places() const { return static_cast<Place>(owners_.size()); }
  [[nodiscard]] Unit unit_of(Place place) const { return place / places_per_unit_; }
  [[nodiscard]] Place first_place(Unit unit) const { return unit * places_per_unit_; }
  [[nodiscard]] NandBlock first_block(Unit unit) const { return NandBlock(first_block_ + std::uint64_t{unit} * blocks_per_unit_); }

  /// On the first boot: units that were not used yet are erased.
  void format() { blank_ = true; }
  void set_owner(Place place, std::uint64_t owner) { owners_.write(place) = owner + 1; }
  /// The owner's data is out of date: the place is not its any more.
  void release(Place place);

  /// Around each read of a place.
  void begin_read(Place place);
  void end_read(Place place) { --units_.write(unit_of(place)).readers; }

  /// Sees to it that units are open: erased, without owners, to be filled. An entry of opened() stays none where all others are being read,
  /// or fail.
  [[nodiscard]] Task<void> open();
  [[nodiscard]] std::span<const Unit> opened() const { return open_; }
  [[nodiscard]] bool is_open(Unit unit) const { return std::ranges::find(open_, unit) != open_.end(); }
  /// The next places of an open unit, to be programmed.
  [[nodiscard]] Place give(Unit unit, std::uint32_t places = 1);
  [[nodiscard]] bool is_full(Unit unit) const { return units_.read(unit).count == places_per_unit_; }
  /// The open unit is full.
  void close(Unit unit);
  /// The open unit failed: it is not used again.
  void retire(Unit unit);

  [[nodiscard]] Bytes bytes() const {
    return Bytes(owners_.size() * sizeof(std::uint64_t) + units_.size() * sizeof(State)) + order_.bytes();
  }
  [[nodiscard]] std::uint64_t units() const { return units_.size(); }
  [[nodiscard]] std::uint64_t retired() const { return retired_; }
  [[nodiscard]] std::uint64_t erases() const { return erases_; }        ///< of flash blocks, failed ones included
  [[nodiscard]] std::uint64_t evictions() const { return evictions_; }  ///< places whose owner left with the unit
  [[nodiscard]] std::uint64_t second_chances() const { return second_chances_; }
  [[nodiscard]] std::uint64_t borrowed() const { return borrowed_; }  ///< units that it has of the lender now

 private:
  struct State {
    std::uint32_t readers;
    std::uint32_t count;  ///< places given since it was opened; once it is full: places read, in UnitOrder::filled
  };
  enum List : std::uint32_t { fresh, in_use, lists };  // in_use: the first one leaves first; a unit in neither list is open, or retired

  [[nodiscard]] Unit take(bool& erased);
  [[nodiscard]] Unit least_recently_read() const;
  [[nodiscard]] Unit filled_first();
  [[nodiscard]] bool passed_over(Unit unit);
  void empty(Unit unit);
  [[nodiscard]] std::optional<std::uint32_t> oldest() const override;
  [[nodiscard]] std::optional<std::uint32_t> give_back(std::uint64_t age) override;

  FlashPort& flash_;
  Index& index_;
  BlockLender* lender_;
  UnitOrder leaves_;
  std::uint64_t first_block_;
  std::uint32_t blocks_per_unit_;
  std::uint32_t places_per_unit_;
  DramArray<std::uint64_t> owners_;  // by place: plus one; 0: none
  DramArray<State> units_;
  DramLists order_;
  std::vector<Unit> open_;
  std::vector<FlashCommand> commands_;
  std::uint32_t in_use_ = 0;  // units in that list
  bool blank_ = false;
  std::uint64_t retired_ = 0;
  std::uint64_t erases_ = 0;
  std::uint64_t evictions_ = 0;
  std::uint64_t second_chances_ = 0;
  std::uint64_t borrowed_ = 0;
};

}  // namespace tessera
