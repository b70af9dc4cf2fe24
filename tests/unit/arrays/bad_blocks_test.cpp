#include "stimuli/arrays/bad_blocks.hpp"

#include <catch2/catch.hpp>

namespace tessera {
namespace {

constexpr ArrayRow some_row(7);

TEST_CASE("places that touch are one, and what is written in the midst of one leaves two") {
  BadBlocks bad;
  bad.add(some_row, 1, {8, 16});
  bad.add(some_row, 1, {32, 40});
  CHECK(bad.ranges(1) == 2);
  bad.add(some_row, 1, {16, 32});
  CHECK(bad.of(some_row, 1) == BadBlocks::Ranges{{8, 40}});
  bad.remove(some_row, 1, {16, 24});
  CHECK(bad.of(some_row, 1) == BadBlocks::Ranges{{8, 16}, {24, 40}});
  CHECK(bad.ranges() == 2);
}

TEST_CASE("a place is bad on its drive and in its row alone") {
  BadBlocks bad;
  bad.add(some_row, 1, {8, 16});
  CHECK(bad.meets(some_row, 1, {0, 9}));
  CHECK(bad.meets(some_row, 1, {15, 16}));
  CHECK_FALSE(bad.meets(some_row, 1, {0, 8}));
  CHECK_FALSE(bad.meets(some_row, 1, {16, 24}));
  CHECK_FALSE(bad.meets(some_row, 2, {8, 16}));
  CHECK_FALSE(bad.meets(ArrayRow(8), 1, {8, 16}));
}

TEST_CASE("what is written whole, or lay on a drive that is gone, is no bad place any more") {
  BadBlocks bad;
  bad.add(some_row, 1, {8, 16});
  bad.add(some_row, 2, {8, 16});
  bad.add(ArrayRow(9), 2, {0, 8});
  bad.remove(some_row, 1, {0, 64});
  CHECK(bad.ranges(1) == 0);
  bad.forget(2);
  CHECK(bad.empty());
}

}  // namespace
}  // namespace tessera
