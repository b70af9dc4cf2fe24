#include "controller/ready_queue.hpp"

#include <catch2/catch.hpp>

#include <set>

#include "base/random.hpp"

using namespace tessera;

TEST_CASE("a queue of ready entries keeps them in order, whatever comes and from wherever they are taken") {
  using Entry = std::pair<std::uint64_t, int>;
  ReadyQueue<Entry> queue;
  std::set<Entry> expected;
  RandomStream random(7, "ready");
  std::uint64_t time = 0;
  int order = 0;
  for (int step = 0; step < 20'000; ++step) {
    time += random.below(3);
    const bool late = random.below(5) == 0;
    const Entry entry{late ? time - std::min<std::uint64_t>(time, random.below(50)) : time, order++};
    queue.push(entry);
    expected.insert(entry);
    while (!expected.empty() && random.below(step % 2'000 < 1'000 ? 3 : 2) != 0) {
      const std::uint64_t place = random.below(10) == 0 ? random.below(expected.size()) : 0;
      const auto taken = std::next(expected.begin(), static_cast<std::ptrdiff_t>(place));
      REQUIRE(queue.front() == *expected.begin());
      REQUIRE(queue.entries().size() == expected.size());
      REQUIRE(queue.take(place) == *taken);
      expected.erase(taken);
    }
    REQUIRE(queue.empty() == expected.empty());
  }
  queue.clear();
  CHECK(queue.empty());
}
