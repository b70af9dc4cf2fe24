// Range locks: who waits for whom, in which order, and what a power cut leaves.
#include <rapidcheck.h>
#include <catch2/catch.hpp>

#include <optional>
#include <random>
#include <string>

#include "firmware/locks/range_locks.hpp"
#include "unit/firmware/fake_ports.hpp"

using namespace tessera;
using tessera::test::FakeCpu;

namespace {

SectorRange sectors(std::uint64_t first, std::uint64_t end) { return {LogicalSector(first), LogicalSector(end)}; }

/// Holds `range` from when it is granted until release() is called.
struct Holder {
  std::optional<DeviceWait> parked;
  bool granted = false;
  struct Park {
    Holder& holder;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> task) { holder.parked.emplace().task = task; }
    void await_resume() const noexcept {}
  };
  void release(FakeCpu& cpu) {
    cpu.make_ready(*parked);
    cpu.run();
    granted = false;
  }
};

template <class Range>
Task<void> hold(RangeLocks<Range>& locks, Range range, LockMode mode, Holder& holder, std::string* order, char name) {
  typename RangeLocks<Range>::Lock lock(locks, range, mode);
  co_await lock;
  holder.granted = true;
  if (order != nullptr) order->push_back(name);
  Holder::Park park{holder};
  co_await park;
}

}  // namespace

TEST_CASE("ranges that touch do not overlap, ranges that share a sector do") {
  CHECK_FALSE(sectors(0, 8).overlaps(sectors(8, 9)));
  CHECK(sectors(0, 8).overlaps(sectors(7, 9)));
  CHECK(sectors(3, 4).overlaps(sectors(0, 8)));
}

TEST_CASE("angular boxes of tracks of unequal length compare at sector boundaries exactly") {
  const auto box = [](std::uint32_t radius, std::uint32_t first, std::uint32_t count, std::uint32_t on_track) {
    return AngularBox::of({{0, radius}, first, count}, on_track);
  };
  // Sector 9 of 10 begins where sector 900 of 1000 does.
  CHECK_FALSE(box(4, 890, 10, 1000).overlaps(box(4, 9, 1, 10)));
  CHECK(box(4, 890, 11, 1000).overlaps(box(4, 9, 1, 10)));
  CHECK(box(4, 999, 1, 1000).overlaps(box(4, 9, 1, 10)));
  CHECK_FALSE(box(4, 0, 10, 1000).overlaps(box(5, 0, 10, 1000)));
  AngularBox reach = box(4, 0, 10, 1000);
  reach.enclose(box(5, 0, 10, 1000));
  CHECK(reach.overlaps(box(5, 9, 1, 1000)));
  CHECK_FALSE(reach.overlaps(AngularBox::of({{1, 5}, 9, 1}, 1000)));
}

TEST_CASE("angular boxes that wrap overlap where they share a sector") {
  constexpr std::uint32_t sectors = 12;
  const auto box = [](std::uint32_t first, std::uint32_t count) { return AngularBox::of({{0, 4}, first, count}, sectors); };
  for (std::uint32_t a = 0; a < sectors; ++a)
    for (std::uint32_t a_count = 1; a_count <= sectors; ++a_count)
      for (std::uint32_t b = 0; b < sectors; ++b)
        for (std::uint32_t b_count = 1; b_count <= sectors; ++b_count) {
          bool shared = false;
          for (std::uint32_t i = 0; i < a_count; ++i) shared = shared || ((a + i) % sectors + sectors - b) % sectors < b_count;
          REQUIRE(box(a, a_count).overlaps(box(b, b_count)) == shared);
          REQUIRE(share_sectors({{0, 4}, a, a_count}, {{0, 4}, b, b_count}, sectors) == shared);
        }
}

TEST_CASE("a box around another wraps where that does") {
  AngularBox reach = AngularBox::of({{0, 4}, 9, 3}, 10);  // sectors 9, 0 and 1
  reach.enclose(AngularBox::of({{0, 5}, 8, 3}, 9));       // 8, 0 and 1 of nine
  CHECK(reach.overlaps(AngularBox::of({{0, 5}, 1, 1}, 9)));
  CHECK_FALSE(reach.overlaps(AngularBox::of({{0, 5}, 2, 6}, 9)));
  CHECK(reach.overlaps(AngularBox::of({{0, 4}, 9, 1}, 10)));
  CHECK_FALSE(reach.overlaps(AngularBox::of({{0, 3}, 9, 1}, 10)));
}

TEST_CASE("readers share, writers exclude, and a waiting writer goes before later readers") {
  FakeCpu cpu;
  SectorLocks locks(cpu);
  Holder reader_a, reader_b, writer, late_reader, elsewhere;
  std::string order;
  cpu.spawn(hold(locks, sectors(0, 10), LockMode::shared, reader_a, &order, 'a'));
  cpu.spawn(hold(locks, sectors(5, 15), LockMode::shared, reader_b, &order, 'b'));
  cpu.spawn(hold(locks, sectors(8, 9), LockMode::exclusive, writer, &order, 'w'));
  cpu.spawn(hold(locks, sectors(8, 20), LockMode::shared, late_reader, &order, 'l'));
  cpu.spawn(hold(locks, sectors(20, 30), LockMode::exclusive, elsewhere, &order, 'e'));
  CHECK(order == "abe");
  reader_a.release(cpu);
  CHECK_FALSE(writer.granted);
  reader_b.release(cpu);
  CHECK(writer.granted);
  CHECK_FALSE(late_reader.granted);
  writer.release(cpu);
  CHECK(late_reader.granted);
  CHECK(order == "abewl");
  late_reader.release(cpu);
  elsewhere.release(cpu);
  CHECK(locks.empty());
}

TEST_CASE("a granted lock that is handed on stays held and unlocks once") {
  FakeCpu cpu;
  SectorLocks locks(cpu);
  Holder next;
  {
    auto first = locks.exclusive(sectors(0, 4));
    REQUIRE(first.granted());
    auto second = std::move(first);
    cpu.spawn(hold(locks, sectors(0, 1), LockMode::exclusive, next, static_cast<std::string*>(nullptr), 'n'));
    first.unlock();
    cpu.run();
    CHECK_FALSE(next.granted);
    second.unlock();
    cpu.run();
    CHECK(next.granted);
  }
  next.release(cpu);
  CHECK(locks.empty());
}

TEST_CASE("tasks that end while holding and waiting leave no lock behind") {
  FakeCpu cpu;
  SectorLocks locks(cpu);
  Holder holders[4];
  for (Holder& holder : holders)
    cpu.spawn(hold(locks, sectors(0, 4), LockMode::exclusive, holder, static_cast<std::string*>(nullptr), 'x'));
  CHECK(holders[0].granted);
  cpu.power_off();
  CHECK(locks.empty());
}

TEST_CASE("of a deep queue's commands, at places of their own, hardly any has to look for the others") {
  PlacesOf<CommandRange>::type places;
  std::mt19937_64 dice(1);
  std::uint64_t met = 0;
  for (int i = 0; i < 256; ++i) {
    const LogicalSector first(dice() % (std::uint64_t{1} << 30));
    met += places.add(CommandRange{{first, first + 8}}) ? 1 : 0;
  }
  CHECK(met <= 256 / 16);
}

TEST_CASE("any mix of locks keeps exclusion and first-come order among overlapping ones") {
  CHECK(rc::check([](const std::vector<std::tuple<std::uint8_t, std::uint8_t, bool>>& asked) {
    const std::uint64_t unit = *rc::gen::element(1, 24, 200);  // few sectors, some and very many
    FakeCpu cpu;
    SectorLocks locks(cpu);
    std::deque<Holder> holders;
    std::vector<std::pair<SectorRange, LockMode>> wants;
    for (const auto& [first, length, exclusive] : asked) {
      const SectorRange range = sectors(first % 32 * unit, (first % 32 + length % 8 + 1) * unit);
      const LockMode mode = exclusive ? LockMode::exclusive : LockMode::shared;
      wants.emplace_back(range, mode);
      cpu.spawn(hold(locks, range, mode, holders.emplace_back(), static_cast<std::string*>(nullptr), 'x'));
    }
    const auto conflict = [&](std::size_t a, std::size_t b) {
      return (wants[a].second == LockMode::exclusive || wants[b].second == LockMode::exclusive) && wants[a].first.overlaps(wants[b].first);
    };
    std::vector<bool> ended(wants.size());
    for (std::size_t round = 0; round < wants.size(); ++round) {
      for (std::size_t i = 0; i < wants.size(); ++i) {
        if (ended[i]) continue;
        bool blocked = false;
        for (std::size_t earlier = 0; earlier < i; ++earlier) blocked = blocked || (!ended[earlier] && conflict(earlier, i));
        RC_ASSERT(holders[i].granted == !blocked);
      }
      const auto holder = std::find_if(holders.rbegin(), holders.rend(), [](const Holder& h) { return h.granted; });
      RC_ASSERT(holder != holders.rend());
      ended[static_cast<std::size_t>(std::distance(holder, holders.rend()) - 1)] = true;
      holder->release(cpu);
    }
    RC_ASSERT(locks.empty());
  }));
}
