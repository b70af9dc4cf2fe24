// The free list: its order, and blocks that never come back.
#include <catch2/catch.hpp>

#include <algorithm>
#include <deque>

#include "base/random.hpp"
#include "firmware/flash/block_pool.hpp"
#include "unit/firmware/fake_ports.hpp"

using namespace tessera;

TEST_CASE("free blocks come in the order that was asked for") {
  const auto order = GENERATE(FreeOrder::fifo, FreeOrder::lifo, FreeOrder::lowest);
  BlockPool pool(32, order);
  std::deque<std::uint32_t> reference;
  RandomStream random(1, "block pool");
  std::deque<std::uint32_t> used;
  for (std::uint32_t block = 0; block < 32; ++block) used.push_back(31 - block);
  for (int step = 0; step < 2000; ++step) {
    if (!used.empty() && random.below(2) == 0) {
      const auto at = static_cast<std::ptrdiff_t>(random.below(used.size()));
      pool.put(used[static_cast<std::size_t>(at)]);
      reference.push_back(used[static_cast<std::size_t>(at)]);
      used.erase(used.begin() + at);
    } else if (!reference.empty()) {
      auto expected = reference.begin();
      if (order == FreeOrder::lifo) expected = reference.end() - 1;
      if (order == FreeOrder::lowest) expected = std::min_element(reference.begin(), reference.end());
      const std::uint32_t block = *expected;
      CHECK(pool.take() == block);
      reference.erase(expected);
      used.push_back(block);
    }
    CHECK(pool.free() == reference.size());
  }
}

TEST_CASE("a retired block does not come back to the pool") {
  BlockPool pool(3, FreeOrder::fifo);
  pool.retire(1);
  pool.retire(1);
  for (std::uint32_t block = 0; block < 3; ++block) pool.put(block);
  CHECK(pool.retired_count() == 1);
  CHECK(pool.free() == 2);
  CHECK(pool.take() == 0);
  CHECK(pool.take() == 2);
  CHECK(pool.empty());
}

TEST_CASE("the free blocks of a pool are shown as they come and go") {
  test::FakeCpu cpu;
  Gauge shown(cpu, {"free", "1", "free blocks"}, 0);
  BlockPool pool(3, FreeOrder::fifo, &shown);
  for (std::uint32_t block = 0; block < 3; ++block) pool.put(block);
  CHECK(cpu.gauge("free") == 3);
  static_cast<void>(pool.take());
  CHECK(cpu.gauge("free") == 2);
  pool.clear();
  CHECK(cpu.gauge("free") == 0);
}
