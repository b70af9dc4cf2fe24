// Data that crosses the host link while a device works for it.
#include "base/data_flow.hpp"

#include <rapidcheck.h>
#include <catch2/catch.hpp>

#include <vector>

using namespace tessera;
using namespace tessera::literals;

TEST_CASE("write flow: sectors are complete one after another, the first and the last when they were told to be") {
  const WriteFlow flow{1_ms, 4_ms};
  CHECK(flow.complete(0, 4) == 1_ms);
  CHECK(flow.complete(1, 4) == 2_ms);
  CHECK(flow.complete(3, 4) == 4_ms);
  CHECK(flow.complete(0, 1) == 4_ms);
  // Thirds of a picosecond: never earlier than the link.
  CHECK(WriteFlow{0_ps, 10_ps}.complete(1, 4) == 4_ps);
  CHECK(WriteFlow{}.complete(7, 9) == 0_ps);
}

TEST_CASE("read flow: without a link that may begin early, or without word of every sector, the completion counts") {
  ReadFlow flow;
  flow.arrived(0, 4, 1_ms, 2_ms);
  CHECK(flow.begin(4, 9_ms) == 9_ms);
  flow.open(1_ms);
  flow.arrived(0, 3, 1_ms, 2_ms);
  CHECK(flow.begin(4, 9_ms) == 9_ms);
  flow.arrived(3, 1, 5_ms, 5_ms);
  CHECK(flow.begin(4, 9_ms) == 2_ms);  // the last sector is there at 5 ms, behind three on the link
  CHECK(flow.begin(4, 1_ms) == 1_ms);
  CHECK(flow.begin(3, 9_ms) == 9_ms);
  flow.open(1_ms);
  CHECK(flow.begin(4, 9_ms) == 9_ms);
}

TEST_CASE("read flow: the link waits for the sectors up to the mark, in whatever order they come") {
  const auto begin = [](std::uint32_t mark) {
    ReadFlow flow;
    flow.open(9_ms, mark);
    flow.arrived(2, 2, 1_ms, 2_ms);
    flow.arrived(0, 2, 4_ms, 5_ms);
    return flow.begin(4, 30_ms);
  };
  CHECK(begin(0) == 4_ms);
  CHECK(begin(1) == 4_ms);
  CHECK(begin(2) == 5_ms);
  CHECK(begin(4) == 5_ms);
  ReadFlow late;
  late.open(9_ms, 3);
  late.arrived(0, 4, 1_ms, 4_ms);
  CHECK(late.begin(4, 30_ms) == 3_ms);
}

TEST_CASE("read flow: the link begins as early as it may and never runs out of data") {
  const bool holds = rc::check("against every sector", [](const std::vector<std::uint8_t>& counts, std::uint16_t step) {
    const Picoseconds sector(step + std::uint64_t{1});
    ReadFlow flow;
    flow.open(sector);
    Picoseconds now = 1000_ps;
    std::vector<Picoseconds> there;
    for (const std::uint8_t pieces : counts) {
      const std::uint32_t count = pieces % 7 + 1U;
      const Picoseconds each(pieces * std::uint64_t{3} + 1);
      now += Picoseconds(pieces * std::uint64_t{100});  // a head switch
      const auto index = static_cast<std::uint32_t>(there.size());
      for (std::uint32_t i = 0; i < count; ++i) there.push_back(now + each * (i + std::uint64_t{1}));
      flow.arrived(index, count, now + each, there.back());
      now = there.back();
    }
    if (there.empty()) return;
    const Picoseconds begin = flow.begin(static_cast<std::uint32_t>(there.size()), now);
    bool tight = begin == now;
    for (std::size_t i = 0; i < there.size(); ++i) {
      RC_ASSERT(begin == now || begin + sector * i >= there[i]);
      tight = tight || begin + sector * i == there[i];
    }
    RC_ASSERT(tight);
  });
  CHECK(holds);
}
