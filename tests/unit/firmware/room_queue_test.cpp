// Who is woken of those that wait for room.
#include <catch2/catch.hpp>

#include "fake_ports.hpp"
#include "firmware/locks/room_queue.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

struct Room {
  FakeCpu cpu;
  RoomQueue queue{cpu};
  std::uint32_t free = 0;
  std::vector<std::uint32_t> served;

  Task<void> take(std::uint32_t amount) {
    std::uint64_t place = 0;
    while (free < amount) co_await queue.room(amount, LifePhase::flash_queue, place);
    free -= amount;
    served.push_back(amount);
  }
  void give(std::uint32_t amount) {
    free += amount;
    std::uint32_t left = free;
    queue.wake([&left](std::uint32_t wanted) {
      if (wanted > left) return false;
      left -= wanted;
      return true;
    });
    cpu.run();
  }
};

using Served = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("room queue: who finds room is served in order of arrival, and smaller ones pass those that find none") {
  Room room;
  for (const std::uint32_t amount : {5U, 2U, 3U, 1U}) room.cpu.spawn(room.take(amount));
  room.give(1);
  CHECK(room.served == Served{1});
  room.give(4);
  CHECK(room.served == Served{1, 2});
  room.give(4);
  CHECK(room.served == Served{1, 2, 5});
  room.give(2);
  CHECK(room.served == Served{1, 2, 5, 3});
}

TEST_CASE("room queue: who comes behind the last that was woken waits behind those that stayed") {
  Room room;
  for (const std::uint32_t amount : {4U, 1U}) room.cpu.spawn(room.take(amount));
  room.give(1);
  room.cpu.spawn(room.take(3));
  room.give(7);
  CHECK(room.served == Served{1, 4, 3});
}

TEST_CASE("room queue: a task whose room is gone when it comes to its turn waits again") {
  Room room;
  room.cpu.spawn(room.take(2));
  room.queue.wake([](std::uint32_t) { return true; });
  room.cpu.run();
  CHECK(room.served.empty());
  room.give(2);
  CHECK(room.served == Served{2});
}

TEST_CASE("room queue: a task that finds its room gone keeps its place") {
  Room room;
  for (const std::uint32_t amount : {3U, 2U}) room.cpu.spawn(room.take(amount));
  for (int taken = 0; taken < 4; ++taken) {
    room.queue.wake([&](std::uint32_t wanted) { return wanted == 3; });
    room.cpu.run();
  }
  room.give(3);
  CHECK(room.served == Served{3});
  room.give(2);
  CHECK(room.served == Served{3, 2});
}
