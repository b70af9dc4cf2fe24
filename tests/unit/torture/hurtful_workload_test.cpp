#include "platforms/torture/hurtful_workload.hpp"

#include <catch2/catch.hpp>

#include <array>

using namespace tessera;

namespace {

constexpr HurtfulWorkload::Drive drive{32'768, 8, 16, 4088};

}  // namespace

TEST_CASE("the workload that is drawn to hurt stays on the drive and has all that hurts") {
  HurtfulWorkload workload(7, drive);
  TraceRecord record;
  std::array<int, 4> kinds{};
  int forced = 0, unaligned = 0, large = 0, over_a_track = 0, pauses = 0;
  Picoseconds last;
  for (int i = 0; i < 5000; ++i) {
    REQUIRE(workload.next(record));
    ++kinds[static_cast<std::size_t>(record.op)];
    REQUIRE(record.arrival >= last);
    pauses += record.arrival > last ? 1 : 0;
    last = record.arrival;
    if (record.op == HostOp::flush) continue;
    REQUIRE(record.size > Bytes(0));
    REQUIRE(record.end() <= Bytes(drive.blocks * 512));
    forced += record.force_unit_access ? 1 : 0;
    unaligned += record.offset.value() % 4096 != 0 ? 1 : 0;
    large += record.size > Bytes(1 << 20) ? 1 : 0;
    const std::uint64_t track = 16 * 4096;
    over_a_track += record.offset.value() / track != (record.end().value() - 1) / track ? 1 : 0;
  }
  for (const int kind : kinds) CHECK(kind > 50);
  CHECK(forced > 100);
  CHECK(unaligned > 1000);
  CHECK(large > 50);
  CHECK(over_a_track > 1000);
  CHECK(pauses > 20);
}

TEST_CASE("one seed draws one workload") {
  HurtfulWorkload one(1, drive), same(1, drive), other(2, drive);
  TraceRecord a, b, c;
  bool differs = false;
  for (int i = 0; i < 100; ++i) {
    REQUIRE(one.next(a));
    REQUIRE(same.next(b));
    REQUIRE(other.next(c));
    REQUIRE(a == b);
    differs = differs || !(a == c);
  }
  CHECK(differs);
}
