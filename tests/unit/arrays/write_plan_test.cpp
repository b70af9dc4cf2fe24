#include "stimuli/arrays/write_plan.hpp"

#include <catch2/catch.hpp>

namespace tessera {
namespace {

constexpr ChunkRange none{};

std::vector<bool> missing(std::uint32_t members, std::initializer_list<std::uint32_t> which = {}) {
  std::vector<bool> gone(members);
  for (const std::uint32_t member : which) gone[member] = true;
  return gone;
}

TEST_CASE("a small write to a wide row reads old data and old parity") {
  const WritePlan plan = plan_write(5, 1, {none, {2, 4}, none, none, none}, missing(6));
  CHECK(plan.way == WriteWay::read_modify);
  CHECK(plan.band == ChunkRange{2, 4});
  CHECK(plan.reads == std::vector<ChunkRange>{none, {2, 4}, none, none, none, {2, 4}});
}

TEST_CASE("most of a row is written by reading the rest of it") {
  const WritePlan plan = plan_write(5, 1, {{0, 8}, {0, 8}, {0, 8}, {0, 8}, none}, missing(6));
  CHECK(plan.way == WriteWay::reconstruct);
  CHECK(plan.reads == std::vector<ChunkRange>{none, none, none, none, {0, 8}, none});
}

TEST_CASE("as many reads either way are those of reconstruction") {
  // Three columns: old data and P, or the two others.
  CHECK(plan_write(3, 1, {{0, 8}, none, none}, missing(4)).way == WriteWay::reconstruct);
  CHECK(plan_write(4, 1, {{0, 8}, none, none, none}, missing(5)).way == WriteWay::read_modify);
}

TEST_CASE("a whole row reads nothing") {
  const WritePlan plan = plan_write(3, 2, {{1, 5}, {1, 5}, {1, 5}}, missing(5));
  CHECK(plan.way == WriteWay::whole);
  CHECK(plan.drives_read() == 0);
}

TEST_CASE("a write across a chunk's end has a band from the first to the last block") {
  const WritePlan plan = plan_write(6, 1, {{6, 8}, {0, 1}, none, none, none, none}, missing(7));
  CHECK(plan.band == ChunkRange{0, 8});
  CHECK(plan.reads == std::vector<ChunkRange>{{6, 8}, {0, 1}, none, none, none, none, {0, 8}});
}

TEST_CASE("with its drive missing, new data lives in the parity alone") {
  // Old data of column 0 cannot be read, so the difference is unknown; the others are all new or are read.
  const WritePlan plan = plan_write(4, 1, {{0, 8}, none, none, none}, missing(5, {0}));
  CHECK(plan.way == WriteWay::reconstruct);
  CHECK(plan.reads == std::vector<ChunkRange>{none, {0, 8}, {0, 8}, {0, 8}, none});
}

TEST_CASE("what stays on a missing drive is kept right by old data and old parity") {
  const WritePlan plan = plan_write(3, 1, {{0, 8}, none, none}, missing(4, {2}));
  CHECK(plan.way == WriteWay::read_modify);
}

TEST_CASE("a chunk of a missing drive that is new in part only is computed first") {
  const WritePlan plan = plan_write(3, 1, {{0, 4}, {0, 8}, none}, missing(4, {0}));
  CHECK(plan.way == WriteWay::decode);
  CHECK(plan.reads == std::vector<ChunkRange>{none, {0, 8}, {0, 8}, {0, 8}});
}

TEST_CASE("without parity nothing has to be read for it") {
  CHECK(plan_write(3, 1, {{0, 4}, none, none}, missing(4, {3})).way == WriteWay::no_parity);
  const WritePlan one_left = plan_write(3, 2, {{0, 4}, none, none}, missing(5, {3}));
  CHECK(one_left.way == WriteWay::reconstruct);
}

}  // namespace
}  // namespace tessera
