#include "firmware/flash/clean_units.hpp"

namespace tessera {

CleanUnits::CleanUnits(MemoryPort& memory, FlashPort& flash, const Shape& shape, UnitOrder order, const Names& names, Index& index,
                       BlockLender* lender)
    : flash_(flash),
      index_(index),
      lender_(lender),
      leaves_(order),
      first_block_(shape.area.first),
      blocks_per_unit_(shape.blocks_per_unit),
      places_per_unit_(shape.places_per_unit),
      owners_(memory, MemoryCategory::metadata, shape.area.blocks() / blocks_per_unit_ * places_per_unit_, names.owners),
      units_(memory, MemoryCategory::metadata, shape.area.blocks() / blocks_per_unit_, names.units),
      order_(memory, MemoryCategory::metadata, static_cast<std::uint32_t>(units_.size()), lists, names.order),
      open_(shape.parallel, none) {
  if (lender_ != nullptr) {
    lender_->lend_to(*this);
    return;
  }
  for (Unit unit = 0; unit < units_.size(); ++unit) {
    bool good = true;
    for (std::uint32_t i = 0; i < blocks_per_unit_; ++i) good = good && !flash.is_bad(NandBlock(first_block(unit).value() + i));
    if (good)
      order_.push_back(fresh, unit);
    else
      ++retired_;
  }
}

void CleanUnits::release(Place place) {
  const std::uint64_t owner = owners_.read(place) - 1;
  owners_.write(place) = 0;
  index_.forget(owner);
}

void CleanUnits::begin_read(Place place) {
  const Unit unit = unit_of(place);
  State& state = units_.write(unit);
  ++state.readers;
  if (is_open(unit)) return;
  if (leaves_ == UnitOrder::filled)
    ++state.count;
  else
    order_.move_to_back(in_use, unit);
}

// --- Units that are filled ---

Task<void> CleanUnits::open() {
  commands_.clear();
  for (Unit& unit : open_) {
    if (unit != none) continue;
    bool erased = false;
    unit = take(erased);
    if (unit == none) break;
    for (std::uint32_t i = 0; i < blocks_per_unit_ && !erased; ++i) {
      FlashCommand& command = commands_.emplace_back();
      command.op = FlashOp::erase;
      command.block = NandBlock(first_block(unit).value() + i);
    }
  }
  if (commands_.empty()) co_return;
  erases_ += commands_.size();
  FlashBatch batch(commands_);
  const Status worst = co_await flash_.run(batch);
  for (const FlashCommand& command : commands_) {
    const auto unit = static_cast<Unit>((command.block.value() - first_block_) / blocks_per_unit_);
    if (!ok(worst) && !ok(command.status) && is_open(unit)) retire(unit);
  }
}

CleanUnits::Place CleanUnits::give(Unit unit, std::uint32_t places) {
  State& state = units_.write(unit);
  const Place place = first_place(unit) + state.count;
  state.count += places;
  return place;
}

void CleanUnits::close(Unit unit) {
  std::ranges::replace(open_, unit, none);
  order_.push_back(in_use, unit);
  ++in_use_;
  if (leaves_ == UnitOrder::filled) units_.write(unit).count = 0;
  if (lender_ != nullptr) lender_->renew(unit);
}

void CleanUnits::retire(Unit unit) {
  std::ranges::replace(open_, unit, none);
  empty(unit);
  ++retired_;
  if (lender_ == nullptr) return;
  --borrowed_;
  lender_->lost(unit);
}

// --- Units that leave ---

/// A unit without owners; none where all are being read. `erased`: it is.
CleanUnits::Unit CleanUnits::take(bool& erased) {
  Unit unit = none;
  if (lender_ == nullptr) {
    unit = order_.front(fresh);
    erased = blank_ && unit != none;
  } else if (const auto lent = lender_->lend()) {
    ++borrowed_;
    units_.write(*lent).count = 0;
    erased = true;
    return *lent;
  }
  if (unit == none) {
    unit = leaves_ == UnitOrder::filled ? filled_first() : least_recently_read();
    if (unit == none) return none;
    empty(unit);
    --in_use_;
  }
  order_.remove(unit);
  units_.write(unit).count = 0;
  return unit;
}

CleanUnits::Unit CleanUnits::least_recently_read() const {
  Unit unit = order_.front(in_use);
  while (unit != none && units_.read(unit).readers != 0) unit = order_.after(unit);
  return unit;
}

CleanUnits::Unit CleanUnits::filled_first() {
  for (std::uint32_t passed = 0; passed < 2 * in_use_; ++passed) {
    const Unit unit = order_.front(in_use);
    if (!passed_over(unit)) return unit;
  }
  return none;
}

/// Whether the unit, which is the first, is needed still: then it becomes the last.
bool CleanUnits::passed_over(Unit unit) {
  State& state = units_.write(unit);
  const bool again = state.count >= places_per_unit_ / 2;
  if (!again && state.readers == 0) return false;
  if (again) ++second_chances_;
  state.count = 0;
  order_.move_to_back(in_use, unit);
  if (lender_ != nullptr) lender_->renew(unit);
  return true;
}

void CleanUnits::empty(Unit unit) {
  for (Place place = first_place(unit); place < first_place(unit + 1); ++place) {
    if (owners_.read(place) == 0) continue;
    release(place);
    ++evictions_;
  }
}

// --- Units of a lender ---

std::optional<std::uint32_t> CleanUnits::oldest() const {
  const Unit unit = order_.front(in_use);
  return unit == none ? std::nullopt : std::optional(unit);
}

std::optional<std::uint32_t> CleanUnits::give_back(std::uint64_t age) {
  for (std::uint32_t passed = 0; passed < 2 * in_use_; ++passed) {
    const Unit unit = order_.front(in_use);
    if (lender_->age(unit) >= age) break;
    if (passed_over(unit)) continue;
    empty(unit);
    --in_use_;
    order_.remove(unit);
    --borrowed_;
    return unit;
  }
  return std::nullopt;
}

}  // namespace tessera
