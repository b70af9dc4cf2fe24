// The circular log of a region: the order of its slots, what a cleaning moves, and what is left after a power cut.
#include "firmware/layers/sblock/region_logs.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <map>
#include <vector>

#include "base/random.hpp"
#include "unit/firmware/fake_ports.hpp"

using namespace tessera;
using namespace tessera::sblock;
using namespace tessera::test;

namespace {

constexpr std::uint32_t region = 0;

/// A write with the cleaning in front of it, as the store does it; gives the S-blocks that moved.
std::uint32_t write(RegionLogs& logs, std::uint32_t sblock) {
  std::uint32_t moved = 0;
  while (logs.free_slots(region) < 2) {
    const std::uint32_t oldest = logs.at_tail(region);
    if (oldest != RegionLogs::none) {
      logs.append(region, oldest);
      ++moved;
    }
    logs.pass_tail(region);
  }
  logs.append(region, sblock);
  return moved;
}

std::vector<std::uint32_t> places(const RegionLogs& logs) {
  std::vector<std::uint32_t> slots;
  for (std::uint32_t sblock = 0; sblock < logs.shape().sblocks; ++sblock) slots.push_back(logs.slot_of(region, sblock));
  return slots;
}

/// S-blocks moved a write, uniform writes at steady state, in a log with `spare` of its `slots` not in use.
double measured_omega(std::uint32_t slots, double spare) {
  FakeMemory memory;
  const auto live = static_cast<std::uint32_t>(std::lround(slots * (1 - spare)));
  RegionLogs logs(memory, 1, {slots, 0, live});
  logs.prefill(region, live);
  RandomStream random(7, "S-block writes");
  for (std::uint32_t i = 0; i < 20 * slots; ++i) write(logs, static_cast<std::uint32_t>(random.below(live)));
  std::uint64_t moved = 0;
  const std::uint32_t writes = 100'000;
  for (std::uint32_t i = 0; i < writes; ++i) moved += write(logs, static_cast<std::uint32_t>(random.below(live)));
  return static_cast<double>(moved) / writes;
}

/// A first-in first-out log under uniform writes: a slot at the tail is live with probability p, where (1 - p) / -ln p is the share
/// of slots that live; each slot won back then costs p / (1 - p) moves.
double fifo_omega(double spare) {
  double low = 1e-9;
  double high = 1 - 1e-9;
  for (int i = 0; i < 200; ++i) {
    const double p = (low + high) / 2;
    ((1 - p) / -std::log(p) < 1 - spare ? low : high) = p;
  }
  return low / (1 - low);
}

}  // namespace

TEST_CASE("writes A A A B to a log of five slots with A B C move 0 0 2 0 S-blocks") {
  const std::uint32_t guard = GENERATE(0U, 1U, 3U);
  FakeMemory memory;
  RegionLogs logs(memory, 1, {5 + guard, guard, 3});
  logs.prefill(region, 3);
  const std::vector<std::uint32_t> writes{0, 0, 0, 1};
  const std::vector<std::uint32_t> moved{0, 0, 2, 0};
  std::vector<std::vector<std::uint32_t>> positions{{3, 1, 2}, {4, 1, 2}, {7, 5, 6}, {7, 8, 6}};
  for (std::size_t i = 0; i < writes.size(); ++i) {
    INFO("write " << i);
    CHECK(write(logs, writes[i]) == moved[i]);
    for (std::uint32_t& position : positions[i]) position %= 5 + guard;
    CHECK(places(logs) == positions[i]);
  }
}

TEST_CASE("a cleaning moves as many S-blocks a write as the theory of a first-in first-out log says") {
  CHECK(fifo_omega(0.1) == Approx(4.2).margin(0.05));
  for (const double spare : {0.02, 0.05, 0.1, 0.2, 0.3}) {
    INFO("spare " << spare);
    CHECK(measured_omega(1000, spare) == Approx(fifo_omega(spare)).epsilon(0.06));
  }
}

TEST_CASE("the mean of S-blocks moved is about half of the paper's 1/beta") {
  for (const double spare : {0.05, 0.1, 0.2}) CHECK(measured_omega(1000, spare) < 0.5 / spare);
}

TEST_CASE("the slots of the guard and of the next write never hold anything live") {
  for (std::uint64_t run = 0; run < 60; ++run) {
    RandomStream random(run, "log histories");
    const auto guard = static_cast<std::uint32_t>(random.below(9));
    const auto sblocks = static_cast<std::uint32_t>(1 + random.below(20));
    const auto slots = static_cast<std::uint32_t>(sblocks + guard + 2 + random.below(5));
    INFO("run " << run << ": " << slots << " slots, guard of " << guard << ", " << sblocks << " S-blocks");
    FakeMemory memory;
    RegionLogs logs(memory, 1, {slots, guard, sblocks});
    if (random.below(2) == 0) logs.prefill(region, sblocks);
    for (int i = 0; i < 500; ++i) {
      const auto sblock = static_cast<std::uint32_t>(random.below(sblocks));
      if (random.below(8) == 0) {
        logs.drop(region, sblock);
      } else {
        write(logs, sblock);
      }
      std::map<std::uint32_t, std::uint32_t> held;
      for (std::uint32_t live = 0; live < sblocks; ++live)
        if (const std::uint32_t slot = logs.slot_of(region, live); slot != RegionLogs::none) CHECK(held.emplace(slot, live).second);
      for (std::uint32_t ahead = 0; ahead <= guard; ++ahead) CHECK_FALSE(held.contains(logs.slot_at(logs.head(region) + ahead)));
    }
  }
}

TEST_CASE("the records behind a checkpoint, as far as they can be read, lead to the same tables") {
  for (std::uint64_t run = 0; run < 100; ++run) {
    RandomStream random(run, "log recovery");
    const auto guard = static_cast<std::uint32_t>(random.below(6));
    const auto sblocks = static_cast<std::uint32_t>(1 + random.below(12));
    const auto slots = static_cast<std::uint32_t>(sblocks + guard + 2 + random.below(4));
    INFO("run " << run << ": " << slots << " slots, guard of " << guard << ", " << sblocks << " S-blocks");
    FakeMemory memory;
    const LogShape shape{slots, guard, sblocks};
    RegionLogs logs(memory, 1, shape);
    logs.prefill(region, sblocks);
    std::vector<std::byte> image(RegionLogs::image_bytes(1, shape));
    std::map<std::uint64_t, std::uint32_t> records;  // position to S-block
    const auto checkpoint = static_cast<int>(random.below(200));
    for (int i = 0; i < 200; ++i) {
      if (i == checkpoint) logs.save(image);
      const std::uint64_t before = logs.head(region);
      write(logs, static_cast<std::uint32_t>(random.below(sblocks)));
      for (std::uint64_t position = before; position < logs.head(region); ++position) {
        // What was written at the position is what its slot's S-block says, unless it has moved on already.
        for (std::uint32_t sblock = 0; sblock < sblocks; ++sblock)
          if (logs.slot_of(region, sblock) == logs.slot_at(position)) records[position] = sblock;
      }
    }
    RegionLogs found(memory, 1, shape);
    found.load(image);
    const std::uint64_t head = logs.head(region);
    for (const auto& [position, sblock] : records) {
      const bool damaged = position + slots <= head + guard;  // the head has overlapped its slot since
      if (position >= found.head(region) && !damaged) found.replay(region, position, sblock);
    }
    CHECK(places(found) == places(logs));
    CHECK(found.head(region) == head);
    CHECK(found.free_slots(region) >= 1);
    write(found, 0);
  }
}

TEST_CASE("a table entry takes two bytes") {
  FakeMemory memory;
  const LogShape shape{180, 52, 115};
  const RegionLogs logs(memory, 10, shape);
  CHECK(RegionLogs::image_bytes(10, shape) == 10 * (16 + 115 * 2));
  CHECK(logs.bytes() == Bytes(10 * (16 + 115 * 2 + 180 * 2)));
}

TEST_CASE("the free slots of all regions are what is behind neither guard nor records") {
  FakeMemory memory;
  RegionLogs logs(memory, 3, {10, 2, 4});
  CHECK(logs.peek_free_slots() == 3 * 8);
  for (std::uint32_t i = 0; i < 3; ++i) logs.append(0, i);
  logs.append(2, 0);
  CHECK(logs.peek_free_slots() == 3 * 8 - 4);
  logs.append(0, 0);  // what lies at the tail is void now
  logs.pass_tail(0);
  CHECK(logs.peek_free_slots() == 3 * 8 - 4);
}
