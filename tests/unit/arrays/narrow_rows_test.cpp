// Rows that take some of the drives: near copies as md lays them, and declustered parity.
#include "stimuli/arrays/narrow_rows.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "stimuli/arrays/array_layout.hpp"

namespace tessera {
namespace {

constexpr std::uint32_t chunk = 8;

/// What each drive holds in a line, a word a drive: the number of the array's chunk.
std::string line_of(const ArrayLayout& layout, std::uint64_t line) {
  std::map<std::uint64_t, std::string> held;
  for (std::uint64_t row = 0; row < layout.rows(); ++row)
    for (std::uint32_t member = 0; member < layout.width(); ++member)
      if (layout.place_of(ArrayRow(row), member) == HostBlock(line * chunk))
        held[layout.slot_of(ArrayRow(row), member).value()] = std::to_string(row);
  std::string text;
  for (const auto& [slot, word] : held) text += (text.empty() ? "" : " ") + word;
  return text;
}

TEST_CASE("raid10 lays copies next to each other, also where they go over the end of a line") {
  const ArrayLayout even({ArrayKind::raid10}, chunk, {80, 80, 80, 80});
  CHECK(line_of(even, 0) == "0 0 1 1");
  CHECK(line_of(even, 1) == "2 2 3 3");
  CHECK(even.user_blocks() == 20 * chunk);
  CHECK(even.survives() == 1);
  const ArrayLayout odd({ArrayKind::raid10}, chunk, {80, 80, 80});  // md(4), near=2 on three drives
  CHECK(line_of(odd, 0) == "0 0 1");
  CHECK(line_of(odd, 1) == "1 2 2");
  CHECK(odd.user_blocks() == 15 * chunk);
  const ArrayLayout three({.kind = ArrayKind::raid10, .copies = 3}, chunk, {80, 80, 80, 80});
  CHECK(line_of(three, 0) == "0 0 0 1");
  CHECK(line_of(three, 1) == "1 1 2 2");
  CHECK(three.survives() == 2);
}

TEST_CASE("no row meets a drive twice, and none lies on a spare place") {
  const auto [width, drives, spares] =
      GENERATE(std::tuple(3, 7, 0), std::tuple(3, 7, 1), std::tuple(6, 11, 1), std::tuple(4, 9, 2), std::tuple(5, 5, 0));
  const NarrowRows rows(width, drives, spares, true);
  std::set<std::pair<std::uint64_t, std::uint64_t>> taken;
  const std::uint64_t lines = rows.rows(1000);
  for (std::uint64_t row = 0; row < lines; ++row) {
    std::set<std::uint64_t> met;
    for (std::uint32_t member = 0; member < static_cast<std::uint32_t>(width); ++member) {
      const NarrowRows::Place place = rows.place_of(ArrayRow(row), member);
      REQUIRE(place.line < 1000);
      REQUIRE(met.insert(place.slot.value()).second);
      REQUIRE(taken.emplace(place.line, place.slot.value()).second);
      for (std::uint32_t spare = 0; spare < static_cast<std::uint32_t>(spares); ++spare)
        REQUIRE(rows.spare_in(place.line, spare) != place.slot);
    }
  }
}

/// As many slices as there are drives.
TEST_CASE("over a turn of the order all drives hold each member and each spare place equally often") {
  constexpr std::uint32_t width = 4;
  constexpr std::uint32_t drives = 9;
  const NarrowRows rows(width, drives, 1, true);  // 8 drives a line: two rows, a slice
  std::map<std::pair<std::uint32_t, std::uint64_t>, int> held;
  std::map<std::uint64_t, int> spare;
  for (std::uint64_t row = 0; row < 2 * drives; ++row)
    for (std::uint32_t member = 0; member < width; ++member) ++held[{member, rows.place_of(ArrayRow(row), member).slot.value()}];
  for (std::uint64_t line = 0; line < drives; ++line) ++spare[rows.spare_in(line, 0).value()];
  CHECK(held.size() == width * drives);
  for (const auto& [who, times] : held) CHECK(times == 2);
  for (const auto& [slot, times] : spare) CHECK(times == 1);
}

/// The point of it: what a failed drive held is read from all others and written to all others.
TEST_CASE("the partners of one drive are spread over all others") {
  constexpr std::uint32_t drives = 12;
  const NarrowRows rows(4, drives, 0, true);
  std::map<std::uint64_t, int> partners;
  int shared = 0;
  for (std::uint64_t row = 0; row < 3 * drives * 64; ++row) {
    std::set<std::uint64_t> met;
    for (std::uint32_t member = 0; member < 4; ++member) met.insert(rows.place_of(ArrayRow(row), member).slot.value());
    if (!met.contains(0)) continue;
    ++shared;
    for (const std::uint64_t slot : met)
      if (slot != 0) ++partners[slot];
  }
  CHECK(shared == drives * 64);
  CHECK(partners.size() == drives - 1);
  for (const auto& [slot, times] : partners) CHECK(times > shared * 3 / 11 / 2);
}

TEST_CASE("an erasure code uses whole slices, and its rows take the width that is asked for") {
  const ArrayShape shape{.kind = ArrayKind::erasure, .data = 4, .parities = 2, .spare_places = 1};
  const ArrayLayout layout(shape, chunk, std::vector<std::uint64_t>(12, 100 * chunk));  // 11 drives a line: 6 lines a slice of 11 rows
  CHECK(layout.width() == 6);
  CHECK(layout.columns() == 4);
  CHECK(layout.rows() == 100 / 6 * 11);
  CHECK(layout.drive_end() == HostBlock(96 * chunk));
  CHECK(layout.survives() == 2);
  CHECK(layout.rows_abreast() == 11.0 / 6);
  const ArrayLayout wide({.kind = ArrayKind::erasure, .parities = 3}, chunk, std::vector<std::uint64_t>(10, 80));
  CHECK(wide.columns() == 7);
  CHECK(wide.rows() == 10);
}

}  // namespace
}  // namespace tessera
