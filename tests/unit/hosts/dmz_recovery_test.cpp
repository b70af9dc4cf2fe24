// The dm-zoned-like host, command by command: cuts within reclaim and flushes, and sectors that cannot be read.
#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>

#include "dmz_steps.hpp"

using namespace tessera;
using tessera::test::flush_of;
using tessera::test::Names;
using tessera::test::operator+;
using tessera::test::reach_a_buffered_chunk;
using tessera::test::Steps;

TEST_CASE("dmz: a cut after any action of a reclaim keeps everything that was flushed, and what is written over it reads") {
  const std::uint32_t chunk = GENERATE(2U, 3U);  // one reclaim, or the two of the chunk that is buffered
  bool through = false;
  for (std::uint32_t actions = 0; !through; ++actions) {
    INFO("cut after " << actions << " actions");
    Steps steps;
    reach_a_buffered_chunk(steps);
    steps.write(0, 30, 2);
    static_cast<void>(steps.run(HostOp::flush));
    through = steps.cut_within(actions, [&] { steps.begin_write(chunk, 0, 1); });
    CHECK(steps.holds(1, 0) == 1);
    CHECK(steps.holds(1, 1) == 6);
    CHECK(steps.holds(1, 5) == 5);
    CHECK(steps.holds(0, 9) == 3);
    CHECK(steps.holds(0, 31) == 7);
    CHECK(steps.holds(2, 5) == 4);
    steps.write(1, 1, 4);
    steps.write(3, 8, 4);
    steps.write(0, 12, 4);
    CHECK(steps.holds(1, 1) == 9);
    CHECK(steps.holds(3, 9) == 10);
    CHECK(steps.holds(0, 13) == 11);
    CHECK(steps.holds(0, 31) == 7);
    CHECK(steps.link.refused == 0);
  }
}

TEST_CASE("dmz: after a cut the newest whole set counts, and the other is made the same") {
  Steps steps;
  steps.write(0, 0, 4);
  static_cast<void>(steps.run(HostOp::flush));
  const auto cut_after = [&](std::uint32_t actions) { static_cast<void>(steps.cut_within(actions, [&] { steps.begin(HostOp::flush); })); };
  steps.write(0, 4, 1);
  SECTION("set A, while B is written") {
    cut_after(1);
    CHECK(steps.named.names == Names{"report", "read 1:0+1", "read 0:0+14", "write 1:1+13", "flush", "write 1:0+1", "flush"});
    CHECK(steps.holds(0, 4) == 0);
  }
  SECTION("set B, while A is written") {
    cut_after(5);
    CHECK(steps.named.names == Names{"report", "read 0:0+1", "read 1:0+14", "write 0:1+13", "flush", "write 0:0+1", "flush"});
    CHECK(steps.holds(0, 4) == 2);
  }
  CHECK(steps.holds(0, 3) == 1);
}

TEST_CASE("dmz: sectors that were written at a pointer after the last flush are dead, and written in the buffer") {
  Steps steps;
  reach_a_buffered_chunk(steps);
  static_cast<void>(steps.run(HostOp::flush));
  CHECK(steps.write(1, 6, 3) == Names{"write 4:6+3"});
  static_cast<void>(steps.cut_within(0, [] {}));
  CHECK(steps.holds(1, 7) == 0);
  CHECK(steps.write(1, 6, 1) == Names{"write 3:6+1"});
  CHECK(steps.write(1, 9, 1) == Names{"write 4:9+1"});
}

TEST_CASE("dmz: a sector that cannot be read when its zone is reclaimed cannot be read until it is written, power cuts or not") {
  const bool cut = GENERATE(false, true);
  Steps steps;
  steps.write(0, 0, 4);
  steps.write(1, 0, 1);
  steps.link.unreadable.insert(2 * Steps::drive.zone_sectors + 2);
  const Names again(5, "read 2:2+1");
  CHECK(steps.write(2, 0, 1) == Names{"read 2:0+4", "read 2:0+1", "read 2:1+1", "read 2:2+1", "read 2:3+1", "write 4:0+1", "write 4:1+1"} +
                                    again + Names{"write 4:2+1", "write 4:3+1"} + flush_of({"1+1", "4+3"}) + Names{"write 2:0+1"});
  if (cut) static_cast<void>(steps.cut_within(0, [] {}));
  CHECK(steps.holds(0, 1) == 1);
  CHECK(steps.holds(0, 3) == 1);
  static_cast<void>(steps.run(HostOp::read, 0, 2, 1));
  CHECK(steps.request.status == Status::media_error);
  static_cast<void>(steps.run(HostOp::read, 0, 0, 4));
  CHECK(steps.request.status == Status::media_error);
  static_cast<void>(steps.run_blocks(HostOp::write, 2 * 8 + 1, 2));  // a part of it, whose rest is lost
  CHECK(steps.request.status == Status::media_error);
  steps.write(0, 2, 1);
  CHECK(steps.holds(0, 2) == 5);
}

TEST_CASE("dmz: what the first read of a sector does not bring, the next one does: nothing is lost") {
  Steps steps;
  const auto fail_once = [&steps] {
    for (std::uint64_t sector = 0; sector < Steps::drive.zones * Steps::drive.zone_sectors; ++sector) steps.link.unread_once.insert(sector);
  };
  steps.write(0, 2, 1);
  steps.write(1, 0, 1);
  fail_once();
  const Names names = steps.write(2, 0, 1);  // reclaims chunk 0
  CHECK(std::ranges::count(names, "read 2:2+1") == 2);
  fail_once();
  static_cast<void>(steps.run_blocks(HostOp::write, 2 * 8 + 1, 2));
  CHECK(steps.request.status == Status::ok);
  fail_once();
  static_cast<void>(steps.cut_within(0, [] {}));
  steps.link.unread_once.clear();
  static_cast<void>(steps.run(HostOp::read, 0, 2, 1));
  CHECK(steps.request.status == Status::ok);
}

TEST_CASE("dmz: a sector of the newest set that cannot be read comes from the other one, where that is as new, and is written again") {
  const std::uint32_t sector = GENERATE(0U, 1U, 6U);  // superblock, map, the bitmap of zone 4
  Steps steps;
  reach_a_buffered_chunk(steps);
  static_cast<void>(steps.run(HostOp::flush));
  steps.link.unreadable.insert(sector);
  static_cast<void>(steps.cut_within(0, [] {}));
  const std::string run = std::to_string(sector) + "+1";
  CHECK(std::ranges::count(steps.named.names, "read 1:" + run) == (sector == 0 ? 2 : 1));
  const auto mended = std::ranges::find(steps.named.names, "write 0:" + run);
  CHECK(mended < std::ranges::find(steps.named.names, "write 1:1+13"));
  CHECK(steps.link.unreadable.empty());
  CHECK(steps.holds(1, 1) == 6);
  CHECK(steps.holds(0, 9) == 3);
}

TEST_CASE("dmz: the host does not boot where neither set can be read, or the other was being written") {
  const bool both = GENERATE(true, false);
  Steps steps;
  reach_a_buffered_chunk(steps);
  static_cast<void>(steps.run(HostOp::flush));
  steps.write(0, 20, 1);
  for (const std::uint64_t set : {0, 1})
    if (set == 0 || both) steps.link.unreadable.insert(set * Steps::drive.zone_sectors + 2);
  if (!both) {
    steps.begin(HostOp::flush);
    for (int answers = 0; answers < 1; ++answers) steps.timeline.step();
  }
  steps.link.cut();
  steps.host.power_lost();
  std::optional<Status> booted;
  steps.host.recover([&booted](Status status) { booted = status; });
  while (!booted) steps.timeline.step();
  CHECK(booted == Status::media_error);
}
