#include "stimuli/arrays/parity.hpp"

#include <bit>
#include <catch2/catch.hpp>

namespace tessera {
namespace {

Content bytes(std::initializer_list<int> values) {
  Content content;
  for (const int value : values) content.push_back(static_cast<std::byte>(value));
  return content;
}

RowContent encoded(std::uint32_t columns, std::uint32_t parities) {
  RowContent row;
  for (std::uint32_t column = 0; column < columns; ++column)
    row.push_back(bytes({static_cast<int>(17 * column + 1), static_cast<int>(255 - column), static_cast<int>(column * column), 0}));
  row.resize(columns + parities);
  for (std::uint32_t parity = 0; parity < parities; ++parity) encode(row, columns, parity);
  return row;
}

TEST_CASE("P is the exclusive or, and Q weighs each column by a power of two in the field") {
  RowContent row{bytes({0x01, 0x80}), bytes({0x02, 0x80}), {}, {}};
  encode(row, 2, 0);
  encode(row, 2, 1);
  CHECK(row[2] == bytes({0x03, 0x00}));
  // 0x02 * 2 = 0x04; 0x80 * 2 = 0x100, which the polynomial 0x11d brings back to 0x1d.
  CHECK(row[3] == bytes({0x05, 0x9d}));
}

/// Every choice of as many members as there is parity.
void check_recovery(std::uint32_t columns, std::uint32_t parities) {
  const RowContent whole = encoded(columns, parities);
  const std::uint32_t members = columns + parities;
  for (std::uint32_t choice = 0; choice < 1U << members; ++choice) {
    if (static_cast<std::uint32_t>(std::popcount(choice)) != parities) continue;
    RowContent row = whole;
    std::vector<bool> missing(members);
    for (std::uint32_t member = 0; member < members; ++member)
      if ((choice >> member & 1) != 0) {
        missing[member] = true;
        row[member] = bytes({9, 9, 9, 9});
      }
    recover(row, columns, missing);
    INFO(columns << "+" << parities << ", missing " << choice);
    for (std::uint32_t column = 0; column < columns; ++column) REQUIRE(row[column] == whole[column]);
  }
}

TEST_CASE("what parity is asked for comes back, whichever members are missing") {
  check_recovery(5, 1);
  check_recovery(5, 2);
  check_recovery(8, 3);
  check_recovery(6, 6);
}

TEST_CASE("a row of 256 members gives back what it lost at its ends") {
  constexpr std::uint32_t parities = 3;
  constexpr std::uint32_t columns = 256 - parities;
  const RowContent whole = encoded(columns, parities);
  RowContent row = whole;
  std::vector<bool> missing(256);
  for (const std::uint32_t column : {0U, 1U, columns - 1}) {
    missing[column] = true;
    row[column] = bytes({1, 2, 3, 4});
  }
  recover(row, columns, missing);
  CHECK(row == whole);
}

TEST_CASE("the difference of a column changes P and Q as encoding anew does") {
  constexpr std::uint32_t columns = 4;
  RowContent row = encoded(columns, 2);
  Content difference = bytes({0x55, 0xff, 0x00, 0x10});
  RowContent changed = row;
  add_to(changed[2], difference);
  for (std::uint32_t parity = 0; parity < 2; ++parity) encode(changed, columns, parity);
  add_to(row[columns], difference);
  add_scaled(row[columns + 1], difference, parity_factor(2, 1, 2));
  CHECK(row[columns] == changed[columns]);
  CHECK(row[columns + 1] == changed[columns + 1]);
}

TEST_CASE("parity of blocks that nobody wrote is zero") {
  RowContent row(5, Content(16));
  encode(row, 3, 1);
  CHECK(row[4] == Content(16));
}

}  // namespace
}  // namespace tessera
