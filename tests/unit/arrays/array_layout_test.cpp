// Tables worked by hand from the rule of Linux md, drivers/md/raid5.c.
#include "stimuli/arrays/array_layout.hpp"

#include <catch2/catch.hpp>
#include <string>

namespace tessera {
namespace {

constexpr std::uint32_t chunk = 8;

/// What each drive holds in a row, a word a drive: the number of the array's chunk, P or Q.
std::string drives_of(const ArrayLayout& layout, std::uint64_t row) {
  std::string text;
  for (std::uint32_t slot = 0; slot < layout.drives(); ++slot) {
    const std::uint32_t member = layout.member_of(ArrayRow(row), DriveSlot(slot)).value();
    text += slot == 0 ? "" : " ";
    if (member < layout.columns())
      text += std::to_string(row * layout.columns() + member);
    else
      text += member == layout.columns() ? "P" : "Q";
  }
  return text;
}

TEST_CASE("raid5 rotates parity left-symmetrically") {
  const ArrayLayout layout({ArrayKind::raid5}, chunk, {80, 80, 80, 80});
  CHECK(drives_of(layout, 0) == "0 1 2 P");
  CHECK(drives_of(layout, 1) == "4 5 P 3");
  CHECK(drives_of(layout, 2) == "8 P 6 7");
  CHECK(drives_of(layout, 3) == "P 9 10 11");
  CHECK(drives_of(layout, 4) == "12 13 14 P");
}

TEST_CASE("raid6 puts Q after P and the data after Q") {
  const ArrayLayout layout({ArrayKind::raid6}, chunk, {80, 80, 80, 80, 80});
  CHECK(drives_of(layout, 0) == "Q 0 1 2 P");
  CHECK(drives_of(layout, 1) == "3 4 5 P Q");
  CHECK(drives_of(layout, 2) == "7 8 P Q 6");
  CHECK(drives_of(layout, 3) == "11 P Q 9 10");
  CHECK(drives_of(layout, 4) == "P Q 12 13 14");
  CHECK(drives_of(layout, 5) == "Q 15 16 17 P");
}

TEST_CASE("a request falls into its chunks") {
  const ArrayLayout layout({ArrayKind::raid5}, chunk, {80, 80, 80});
  CHECK(layout.user_blocks() == 160);
  const auto parts = layout.parts(ArrayBlock(12), 14);  // chunks 1, 2 and 3, of two a row
  REQUIRE(parts.size() == 3);
  CHECK(parts[0] == ArrayPart{ArrayRow(0), 1, 4, 4, 0});
  CHECK(parts[1] == ArrayPart{ArrayRow(1), 0, 0, 8, 4});
  CHECK(parts[2] == ArrayPart{ArrayRow(1), 1, 0, 2, 12});
  CHECK(layout.place_of(ArrayRow(1), 0) == HostBlock(8));
}

TEST_CASE("the smallest drive counts, in whole chunks, behind what the array keeps") {
  const ArrayLayout layout({ArrayKind::raid6}, chunk, {83, 100, 200, 90}, HostBlock(16));
  CHECK(layout.rows() == 8);
  CHECK(layout.user_blocks() == 8 * 2 * chunk);
  CHECK(layout.place_of(ArrayRow(3), 0) == HostBlock(40));
}

TEST_CASE("a jbod is one drive after the other, each as large as it is") {
  const ArrayLayout layout({ArrayKind::jbod}, chunk, {16, 40});
  CHECK(layout.user_blocks() == 56);
  const auto parts = layout.parts(ArrayBlock(10), 10);
  REQUIRE(parts.size() == 2);
  CHECK(parts[0] == ArrayPart{ArrayRow(1), 0, 2, 6, 0});
  CHECK(parts[1] == ArrayPart{ArrayRow(0), 1, 0, 4, 6});
}

TEST_CASE("every drive of a mirror holds the array") {
  const ArrayLayout layout({ArrayKind::mirror}, chunk, {24, 16, 24});
  CHECK(layout.user_blocks() == 16);
  CHECK(layout.parts(ArrayBlock(8), 8).front() == ArrayPart{ArrayRow(1), 0, 0, 8, 0});
  CHECK(layout.slot_of(ArrayRow(1), 2) == DriveSlot(2));
  CHECK(layout.survives() == 2);
}

TEST_CASE("every block of an array has a place of its own") {
  const ArrayShape shape = GENERATE(ArrayShape{ArrayKind::jbod}, ArrayShape{ArrayKind::raid5}, ArrayShape{ArrayKind::raid6},
                                    ArrayShape{ArrayKind::raid10}, ArrayShape{.kind = ArrayKind::raid10, .copies = 3},
                                    ArrayShape{.kind = ArrayKind::erasure, .data = 2, .parities = 1, .spare_places = 1},
                                    ArrayShape{.kind = ArrayKind::erasure, .data = 0, .parities = 2, .spare_places = 1});
  const ArrayLayout layout(shape, chunk, {64, 64, 64, 64, 64});
  std::vector<std::vector<bool>> taken(5, std::vector<bool>(64));
  for (std::uint64_t block = 0; block < layout.user_blocks(); ++block) {
    const ArrayPart part = layout.parts(ArrayBlock(block), 1).front();
    const std::uint64_t slot = layout.slot_of(part.row, part.column).value();
    const std::uint64_t at = (layout.place_of(part.row, part.column) + part.begin).value();
    REQUIRE_FALSE(taken[slot][at]);
    taken[slot][at] = true;
  }
}

}  // namespace
}  // namespace tessera
