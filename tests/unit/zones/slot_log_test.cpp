// The order of the log's slots.
#include <catch2/catch.hpp>

#include "firmware/layers/fluid/slot_log.hpp"
#include "unit/firmware/fake_ports.hpp"

using namespace tessera;
using namespace tessera::fluid;
using namespace tessera::test;

TEST_CASE("a circular log gives its slots out in turn, and holes when the tail has passed them") {
  FakeMemory memory;
  SlotLog log(memory, 4, 0, LogHoles::circular);
  CHECK(log.room() == 4);
  for (std::uint32_t slot = 0; slot < 4; ++slot) CHECK(log.take().slot == slot);
  CHECK(log.room() == 0);
  log.release(1);
  CHECK(log.room() == 0);
  CHECK(log.oldest() == 0);
  log.release(0);
  CHECK(log.room() == 2);
  CHECK(log.oldest() == 2);
  const SlotLog::Taken taken = log.take();
  CHECK(taken.slot == 0);
  CHECK(taken.position == 5);
}

TEST_CASE("with reuse a hole is room at once, and the oldest goes first all the same") {
  FakeMemory memory;
  SlotLog log(memory, 3, 0, LogHoles::reuse);
  for (int i = 0; i < 3; ++i) log.take();
  log.release(1);
  CHECK(log.room() == 1);
  CHECK(log.take().slot == 1);
  CHECK(log.oldest() == 0);
  log.release(0);
  CHECK(log.oldest() == 2);
}

TEST_CASE("the reserve is no room, but can be taken") {
  FakeMemory memory;
  SlotLog log(memory, 3, 1, LogHoles::circular);
  log.take();
  CHECK(log.room() == 1);
  log.take();
  CHECK(log.room() == 0);
  CHECK(log.take().slot == 2);
  CHECK(log.room() == 0);
}

TEST_CASE("at boot the highest position is the head, and a lap behind it nothing can be in use") {
  FakeMemory memory;
  SlotLog log(memory, 4, 0, LogHoles::circular);
  log.restore_head(10);
  CHECK(log.possible(7));
  CHECK_FALSE(log.possible(6));
  log.restore(2, 7);  // positions count from 1: slot (7 - 1) % 4
  log.restore(0, 9);
  CHECK(log.oldest() == 2);
  CHECK(log.room() == 0);
  log.release(2);
  CHECK(log.room() == 2);
  CHECK(log.take().slot == 2);
}

TEST_CASE("at boot a slot without a position lies as far behind the head as the log is laid out, and is the oldest where it may be") {
  FakeMemory memory;
  SlotLog log(memory, 4, 0, LogHoles::circular);
  log.restore_head(6);                     // slots 0 and 1 have positions 5 and 6
  CHECK(log.restore_position(3, 0) == 4);  // of the lap before
  CHECK(log.restore_position(2, 0) == 3);  // the oldest, or the next one
  CHECK(log.restore_position(2, 2) == 3);
  CHECK(log.newest() == 6);
  CHECK(log.restore_position(2, 3) == 7);  // up to 3 all have left
  CHECK(log.newest() == 7);

  SlotLog young(memory, 4, 0, LogHoles::circular);
  young.restore_head(1);
  CHECK(young.restore_position(2, 0) == 3);  // the log has not come round: it was given out behind the head
  CHECK(young.newest() == 3);
}

TEST_CASE("at boot with reuse a slot without a position is older than all, and the head passes those that cannot be read") {
  FakeMemory memory;
  SlotLog log(memory, 4, 0, LogHoles::reuse);
  log.restore_head(6, true);
  CHECK(log.newest() == 6);
  log.restore_head(6, false);
  CHECK(log.newest() == 10);
  CHECK(log.restore_position(1, 5) == 6);
  CHECK(log.restore_position(3, 5) == 6);
  log.restore(1, 6);
  log.restore(3, 6);
  CHECK(log.oldest() == 1);
  CHECK(log.take().position == 11);
}
