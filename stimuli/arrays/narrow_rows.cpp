#include "stimuli/arrays/narrow_rows.hpp"

#include <numeric>
#include <utility>

#include "base/check.hpp"
#include "base/random.hpp"

namespace tessera {

namespace {

constexpr std::uint64_t seed = 1;           // ours: the layout is part of an array, and the same in every run
constexpr std::uint32_t drawn_orders = 64;  // ours: dRAID has 64 to 512

std::vector<std::uint16_t> drawn_order(std::uint32_t drives, RandomStream& random) {
  std::vector<std::uint16_t> order(drives);
  std::iota(order.begin(), order.end(), std::uint16_t{0});
  for (std::uint32_t left = drives; left > 1; --left) std::swap(order[left - 1], order[random.below(left)]);
  return order;
}

}  // namespace

NarrowRows::NarrowRows(std::uint32_t width, std::uint32_t drives, std::uint32_t spares, bool permuted)
    : width_(width),
      drives_(drives),
      used_(drives - spares),
      lines_(std::lcm(width, used_) / used_),
      rows_in_slice_(std::lcm(width, used_) / width) {
  TESSERA_CHECK(width > 0 && width <= used_, "a row meets no drive twice");
  if (!permuted) return;
  RandomStream random(seed, "array.places");
  for (std::uint32_t i = 0; i < drawn_orders; ++i) orders_.push_back(drawn_order(drives, random));
}

NarrowRows::Place NarrowRows::place_of(ArrayRow row, std::uint32_t member) const {
  const std::uint64_t chunk = row.value() * width_ + member;  // along the lines
  const std::uint64_t line = chunk / used_;
  return {slot_at(line, static_cast<std::uint32_t>(chunk % used_)), line};
}

DriveSlot NarrowRows::spare_in(std::uint64_t line, std::uint32_t number) const { return slot_at(line, used_ + number); }

DriveSlot NarrowRows::slot_at(std::uint64_t line, std::uint32_t position) const {
  if (orders_.empty()) return DriveSlot(position);
  const std::uint64_t slice = line / lines_;
  return DriveSlot((orders_[slice / drives_ % drawn_orders][position] + slice % drives_) % drives_);
}

}  // namespace tessera
