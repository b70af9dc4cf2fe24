// Extents on a shared resource against turns counted one by one.
#include "base/shared_resource.hpp"

#include <rapidcheck.h>

#include <catch2/catch.hpp>

using namespace tessera;
using namespace tessera::literals;

namespace {

constexpr Picoseconds turn = 32_ns;

struct Extent {
  std::size_t party;
  Picoseconds begin;
  std::uint64_t turns;
  Picoseconds pace;
  [[nodiscard]] Picoseconds work() const { return turn * turns; }
};

std::vector<SharedResource::Party> equals(std::size_t parties) { return std::vector<SharedResource::Party>(parties); }

/// When each extent's last turn ends if parties take turns one by one; turn k is there when the source has delivered it.
std::vector<Picoseconds> turn_by_turn(const std::vector<Extent>& extents) {
  std::vector<std::uint64_t> taken(extents.size(), 0);
  std::vector<Picoseconds> ends(extents.size());
  const auto available = [&](std::size_t i) { return extents[i].begin + extents[i].pace * (taken[i] + 1) / extents[i].turns; };
  Picoseconds now;
  for (std::size_t last = 0;;) {
    std::size_t next = extents.size();
    Picoseconds earliest = Picoseconds::max();
    for (std::size_t step = 1; step <= extents.size(); ++step) {
      const std::size_t i = (last + step) % extents.size();
      if (taken[i] == extents[i].turns || std::max(available(i), now) >= earliest) continue;
      earliest = std::max(available(i), now);
      next = i;
    }
    if (next == extents.size()) return ends;
    now = earliest + turn;
    ends[next] = now;
    ++taken[next];
    last = next;
  }
}

}  // namespace

TEST_CASE("an extent alone takes its work, or its pace where that is longer") {
  SharedResource bus(equals(2));
  CHECK(bus.reserve(0, 1_us, 3_us).end == 4_us);
  CHECK(bus.reserve(1, 10_us, 3_us, 3_us + 1_ps).end == 13_us + 1_ps);
  CHECK(bus.reserve(0, 20_us, 3_us, 3_us - 1_ps).end == 23_us);
}

TEST_CASE("extents of one party follow each other") {
  SharedResource bus(equals(2));
  CHECK(bus.reserve(0, 0_us, 3_us).end == 3_us);
  CHECK(bus.reserve(0, 1_us, 3_us).end == 6_us);
}

TEST_CASE("extents whose demands fit run at their pace, side by side") {
  SharedResource bus(equals(3));
  CHECK(bus.reserve(0, 0_us, 50_us, 100_us).end == 100_us);
  const auto second = bus.reserve(1, 0_us, 50_us, 100_us);  // together all of it
  CHECK(second.end == 100_us);
  CHECK(second.behind == 0_ps);
  // A third as large: of three that want more than there is each gets a third, 33.3 us by 100 us, and the others then have ended but
  // for what was taken from them, 16.7 us each: again a third each.
  const auto third = bus.reserve(2, 0_us, 50_us, 100_us);
  CHECK(third.end > 149_us);
  CHECK(third.end <= 150_us + 1_ns);
  CHECK(third.behind > 16_us);
  CHECK(third.behind < 17_us);
}

TEST_CASE("who comes second gets its half, and what it takes is owed to the first") {
  SharedResource bus(equals(2));
  CHECK(bus.reserve(0, 0_us, 100_us).end == 100_us);
  CHECK(bus.reserve(1, 50_us, 25_us).end == 100_us);  // half of 50 us
  CHECK(bus.reserve(0, 100_us, 10_us).end == 100_us + 25_us + 10_us);
}

TEST_CASE("a party makes up behind its extent for what others took, in competition with them") {
  SharedResource bus(equals(2));
  CHECK(bus.reserve(0, 0_us, 100_us).end == 100_us);
  // From 50 us on by halves until the first has its other 50 us, at 150 us; then alone.
  CHECK(bus.reserve(1, 50_us, 100_us).end == 200_us);
}

TEST_CASE("weights divide what there is, and who wants less leaves the rest to the others") {
  SharedResource bus({{3, 0}, {1, 0}, {1, 0}});
  CHECK(bus.reserve(0, 0_us, 100_us).end == 100_us);
  CHECK(bus.reserve(1, 0_us, 25_us).end == 100_us);  // one part of four
  SharedResource other({{3, 0}, {1, 0}, {1, 0}});
  CHECK(other.reserve(0, 0_us, 20_us, 100_us).end == 100_us);  // a fifth, less than its part
  CHECK(other.reserve(1, 0_us, 40_us).end == 50_us - 1_ps);    // the rest; shares are rounded down to 2^-24
}

TEST_CASE("a lower priority waits while a higher one wants all, and gives way at once") {
  SharedResource bus({{1, 1}, {1, 2}});
  CHECK(bus.reserve(1, 0_us, 10_us).end == 10_us);
  CHECK(bus.reserve(0, 5_us, 10_us).end == 20_us);
  CHECK(bus.reserve(1, 12_us, 4_us).end == 16_us);
  CHECK(bus.reserve(0, 20_us, 1_us).end == 25_us);
}

TEST_CASE("an extent that fell behind catches up when the other has ended") {
  SharedResource bus(equals(2));
  CHECK(bus.reserve(0, 10_us, 10_us).end == 20_us);  // all of it for 10 us
  // Of 80 us in 100 us it misses (0.8 - 0.5) * 10 us = 3 us until 20 us and another 10 us at half until the first has made up for its 5 us:
  // 6 us behind at 30 us, and at full speed it gains 0.2 us a microsecond.
  const auto grant = bus.reserve(1, 0_us, 80_us, 100_us);
  CHECK(grant.end == 100_us);
  CHECK(grant.behind > 5'990_ns);
  CHECK(grant.behind < 6'010_ns);
}

TEST_CASE("a short access waits for the end of the turn under way, and the extent makes up for it") {
  SharedResource bus(equals(2));
  CHECK(bus.slip_in(5_ns, 8_ns, turn) == 5_ns);
  CHECK(bus.reserve(0, 0_us, turn * 10).end == turn * 10);
  CHECK(bus.slip_in(turn * 3, 8_ns, turn) == turn * 3);
  CHECK(bus.slip_in(turn * 3 + 1_ps, 8_ns, turn) == turn * 4);
  CHECK(bus.slip_in(turn * 10 + 16_ns, 8_ns, turn) == turn * 10 + 16_ns);  // it has ended
  CHECK(bus.reserve(0, 0_us, turn).end == turn * 11 + 16_ns);
}

TEST_CASE("between extents that leave room a short access waits for half a turn of the share that is taken") {
  SharedResource bus(equals(2));
  CHECK(bus.reserve(0, 0_us, 1_us, 4_us).end == 4_us);
  CHECK(bus.slip_in(1_us, 8_ns, turn) == 1_us + 4_ns);
  CHECK(bus.reserve(0, 4_us, 1_us).end == 5_us);  // nothing was taken from it
}

TEST_CASE("a source that is faster than the resource takes all of its work from who goes behind it") {
  SharedResource bus({{1, 0}, {1, 1}});  // the second goes before the first
  CHECK(bus.reserve(0, 0_us, 10_us).end == 10_us);
  CHECK(bus.reserve(1, 0_us, 4_us, 1_us).end == 4_us);
  CHECK(bus.free(0) == 14_us);
}

TEST_CASE("a power cut forgets what was under way") {
  SharedResource bus(equals(2));
  bus.reserve(0, 0_us, 1_s);
  bus.clear();
  CHECK(bus.reserve(0, 1_us, 1_us).end == 2_us);
  CHECK(bus.reserve(1, 1_us, 1_us).end == 3_us);
}

// The bounds that the header states.
TEST_CASE("the closed form agrees with turns one by one within its bounds") {
  const bool holds = rc::check([] {
    const auto parties = *rc::gen::inRange<std::size_t>(2, 7);
    std::vector<Extent> extents;
    Picoseconds begin;
    for (std::size_t party = 0; party < parties; ++party) {
      begin += Picoseconds(*rc::gen::inRange<std::uint64_t>(0, 4'000'000));
      const auto turns = *rc::gen::inRange<std::uint64_t>(1, 200);
      const auto quarters =
          *rc::gen::inRange<std::uint64_t>(0, 20);  // below 4: from a source that is faster than the resource; 0: as fast as it may
      extents.push_back({party, begin, turns, turn * turns * quarters / 4});
    }
    SharedResource bus(equals(parties));
    std::vector<Picoseconds> ends;
    Picoseconds all;
    for (const Extent& extent : extents) {
      ends.push_back(bus.reserve(extent.party, extent.begin, extent.work(), extent.pace).end);
      all += extent.work();
    }
    const std::vector<Picoseconds> exact = turn_by_turn(extents);
    Picoseconds later;  // work
    for (std::size_t i = parties; i-- > 0;) {
      const Picoseconds others = parties == 2 ? Picoseconds(0) : (all - extents[i].work()) / 4;
      RC_ASSERT(ends[i] <= exact[i] + turn * (parties + 1) + others);
      RC_ASSERT(exact[i] <= ends[i] + turn * (parties + 1) + others + later * parties);
      later += extents[i].work();
    }
  });
  CHECK(holds);
}

TEST_CASE("streams that want all of the resource together take the sum of their work, within a quarter") {
  const bool holds = rc::check([] {
    const auto parties = *rc::gen::inRange<std::size_t>(2, 5);
    SharedResource bus(equals(parties));
    std::vector<std::uint64_t> turns;
    for (std::size_t party = 0; party < parties; ++party) turns.push_back(*rc::gen::inRange<std::uint64_t>(1, 50));
    std::vector<std::uint64_t> left(parties, *rc::gen::inRange<std::uint64_t>(1, 20));
    std::vector<Picoseconds> ends(parties);
    std::uint64_t all = 0;
    for (;;) {
      std::size_t next = parties;
      for (std::size_t party = 0; party < parties; ++party)
        if (left[party] > 0 && (next == parties || ends[party] < ends[next])) next = party;
      if (next == parties) break;
      --left[next];
      ends[next] = bus.reserve(next, ends[next], turn * turns[next]).end;
      all += turns[next];
    }
    // A last extent of no work of each begins when all that was taken from it is moved.
    for (std::size_t party = 0; party < parties; ++party) ends[party] = bus.reserve(party, {}, {}).end;
    const Picoseconds last = *std::ranges::max_element(ends);
    RC_ASSERT(last >= turn * all * 3 / 4);
    RC_ASSERT(last <= turn * all * 5 / 4);
  });
  CHECK(holds);
}

// As of commands of a queue, which begin in their order.
TEST_CASE("however long it goes on, parties are ahead of the resource by no more than half of what they can have under way") {
  const bool holds = rc::check([] {
    const auto parties = *rc::gen::inRange<std::size_t>(2, 33);
    const Picoseconds largest(*rc::gen::element<std::uint64_t>(10'000, 10'000'000));
    SharedResource bus(equals(parties));
    std::vector<Picoseconds> free(parties);  // when the party's command has ended, and a next one may begin
    std::vector<std::pair<Picoseconds, Picoseconds>> moved;
    Picoseconds begin;
    const auto extents = *rc::gen::inRange(2, 600);
    for (int i = 0; i < extents; ++i) {
      const std::size_t party = static_cast<std::size_t>(std::ranges::min_element(free) - free.begin());
      begin = std::max(begin, free[party]) + Picoseconds(*rc::gen::element<std::uint64_t>(0, 0, 100'000, 2'000'000));
      const Picoseconds work(*rc::gen::inRange<std::uint64_t>(1, largest.value()));
      const Picoseconds pace(*rc::gen::element<std::uint64_t>(0, 0, 5'000'000, 20'000'000));
      free[party] = bus.reserve(party, begin, work, pace).end;
      moved.emplace_back(begin, work);
    }
    for (const auto& [since, ignored] : moved) {
      Picoseconds all;
      for (const auto& [other, work] : moved)
        if (other >= since) all += work;
      RC_ASSERT(bus.last_end() + largest * parties / 2 >= since + all);
    }
  });
  CHECK(holds);
}

TEST_CASE("so it is where a party reserves for times to come, and others begin before that") {
  const bool holds = rc::check([] {
    const Picoseconds work(*rc::gen::inRange<std::uint64_t>(100'000, 2'000'000));
    const Picoseconds ahead = work * *rc::gen::inRange<std::uint64_t>(0, 6);
    constexpr std::size_t parties = 4;
    SharedResource bus(equals(parties + 1));
    std::array<Picoseconds, parties> free{};
    Picoseconds sum;
    for (int i = 0; i < 400; ++i) {
      const std::size_t party = static_cast<std::size_t>(std::ranges::min_element(free) - free.begin());
      const Picoseconds begin = free[party];
      free[party] = bus.reserve(party, begin, work).end;
      bus.reserve(parties, begin + ahead, work / 20);
      sum += work + work / 20;
    }
    RC_ASSERT(bus.last_end() + work * parties / 2 + ahead >= sum);
  });
  CHECK(holds);
}

TEST_CASE("no extent ends before its work and its pace are over, however unevenly the resource is shared") {
  const bool holds = rc::check([] {
    const auto parties = *rc::gen::inRange<std::size_t>(2, 6);
    std::vector<SharedResource::Party> ranks(parties);
    for (SharedResource::Party& rank : ranks) rank.weight = *rc::gen::inRange<std::uint32_t>(1, 8);
    SharedResource bus(ranks);
    Picoseconds begin;
    const auto extents = *rc::gen::inRange(2, 40);
    for (int i = 0; i < extents; ++i) {
      begin += Picoseconds(*rc::gen::inRange<std::uint64_t>(0, 2'000'000));
      const Picoseconds work(*rc::gen::inRange<std::uint64_t>(1, 10'000'000));
      const Picoseconds pace(*rc::gen::inRange<std::uint64_t>(0, 20'000'000));
      const auto party = *rc::gen::inRange<std::size_t>(0, parties);
      const Picoseconds free = std::max(begin, bus.free(party));
      const SharedResource::Grant grant = bus.reserve(party, begin, work, pace);
      RC_ASSERT(grant.end >= free + work);
      RC_ASSERT(grant.end >= begin + pace);
    }
  });
  CHECK(holds);
}
