// The dm-zoned-like host, command by command: where writes go, the three cases of reclaim, and flushes of metadata.
#include <catch2/catch.hpp>

#include "dmz_steps.hpp"

using namespace tessera;
using tessera::test::flush_of;
using tessera::test::Names;
using tessera::test::operator+;
using tessera::test::reach_a_buffered_chunk;
using tessera::test::Steps;

TEST_CASE("dmz: a chunk begins in a random zone, and a flush writes what changed to both sets, one after the other") {
  Steps steps;
  CHECK(steps.write(0, 8, 4) == Names{"write 2:8+4"});
  CHECK(steps.write(0, 2, 1) == Names{"write 2:2+1"});
  CHECK(steps.run(HostOp::read, 0, 0, 16) == Names{"read 2:2+1", "read 2:8+4"});
  CHECK(steps.run(HostOp::flush) == flush_of({"1+1", "4+1"}));
  CHECK(steps.run(HostOp::flush) == Names{"flush"});
  CHECK(steps.write(1, 0, 1) == Names{"write 3:0+1"});
  CHECK(steps.run(HostOp::flush) == flush_of({"1+1", "5+1"}));
}

TEST_CASE("dmz: a write across chunks is one command in each") {
  Steps steps;
  CHECK(steps.write(0, 62, 4) == Names{"write 2:62+2", "write 3:0+2"});
}

TEST_CASE("dmz: a part of a sector is read first where the sector is valid") {
  Steps steps;
  steps.write(0, 3, 1);
  CHECK(steps.run_blocks(HostOp::write, 3 * 8 + 7, 2) == Names{"read 2:3+1", "write 2:3+2"});
  CHECK(steps.holds_block(3 * 8 + 6) == 1);
  CHECK(steps.holds_block(3 * 8 + 7) == 2);
  CHECK(steps.holds_block(3 * 8 + 8) == 2);
  CHECK(steps.holds_block(3 * 8 + 9) == 0);
}

TEST_CASE(
    "dmz: the random zone used the longest time ago moves to a sequential zone, gaps filled, before it is written for another chunk") {
  Steps steps;
  steps.write(0, 1, 2);
  steps.write(0, 6, 3);
  steps.write(1, 0, 4);
  CHECK(steps.write(2, 5, 1) == Names{"read 2:1+2", "read 2:6+3", "write 4:0+1", "write 4:1+2", "write 4:3+3", "write 4:6+3"} +
                                    flush_of({"1+1", "4+3"}) + Names{"write 2:5+1"});
  CHECK(steps.host.tables().chunk(0).data == 4);
  CHECK(steps.holds(0, 0) == 0);
  CHECK(steps.holds(0, 2) == 1);
  CHECK(steps.holds(0, 6) == 2);
}

TEST_CASE("dmz: a write at the write pointer goes there, any other to the buffer, and reads take each sector from where it is newest") {
  Steps steps;
  reach_a_buffered_chunk(steps);
  CHECK(steps.write(1, 6, 1) == Names{"write 4:6+1"});
  CHECK(steps.write(1, 8, 1) == Names{"write 3:8+1"});
  CHECK(steps.run(HostOp::read, 1, 0, 10) == Names{"read 4:0+1", "read 3:1+1", "read 4:2+5", "read 3:8+1"});
  CHECK(steps.write(1, 7, 2) == Names{"write 4:7+2"});
  CHECK(steps.run(HostOp::read, 1, 7, 2) == Names{"read 4:7+2"});
}

TEST_CASE("dmz: reclaim appends what a buffer holds beyond the write pointer, gaps filled") {
  Steps steps;
  reach_a_buffered_chunk(steps);
  CHECK(steps.write(0, 30, 2) ==
        Names{"read 2:5+1", "write 6:0+5", "write 6:5+1"} + flush_of({"1+1", "4+3", "8+1"}) + Names{"write 2:30+2"});
  static_cast<void>(steps.run(HostOp::read, 1, 0, 2));  // so that chunk 0 is the one used the longest time ago
  CHECK(steps.write(3, 0, 1) ==
        Names{"read 2:30+2", "write 5:11+16", "write 5:27+3", "write 5:30+2"} + flush_of({"1+1", "4+1", "7+1"}) + Names{"write 2:0+1"});
  CHECK(steps.host.tables().chunk(0).buffer == no_zone);
  CHECK(steps.holds(0, 31) == 7);
  CHECK(steps.holds(0, 20) == 0);
  CHECK(steps.holds(0, 9) == 3);
}

TEST_CASE("dmz: reclaim merges a data zone into its buffer, and resets it after the flush, then that one moves") {
  Steps steps;
  reach_a_buffered_chunk(steps);
  steps.write(0, 30, 2);
  CHECK(steps.write(3, 0, 1) == Names{"read 4:0+1", "read 4:2+4", "write 3:0+1", "write 3:2+4"} + flush_of({"1+1", "4+3"}) +
                                    Names{"read 3:0+6", "reset 4", "write 7:0+6"} + flush_of({"1+1", "5+1", "9+1"}) + Names{"write 3:0+1"});
  CHECK(steps.host.tables().chunk(1).data == 7);
  CHECK(steps.host.tables().free_sequential() == 5);
  CHECK(steps.holds(1, 0) == 1);
  CHECK(steps.holds(1, 1) == 6);
  CHECK(steps.holds(1, 5) == 5);
}

TEST_CASE("dmz: a zone without valid sectors is free, but for others only after a flush") {
  Steps steps;
  steps.write(0, 0, 4);
  steps.write(1, 0, 1);
  CHECK(steps.run(HostOp::trim, 0, 0, 4).empty());
  CHECK(steps.host.tables().chunk(0).data == no_zone);
  CHECK(steps.holds(0, 1) == 0);
  CHECK(steps.write(2, 0, 1) == flush_of({"1+1", "4+2"}) + Names{"write 2:0+1"});
}

TEST_CASE("dmz: a data zone whose last valid sector is written again gives way to its buffer") {
  Steps steps;
  reach_a_buffered_chunk(steps);
  steps.write(1, 0, 6);
  CHECK(steps.host.tables().chunk(1).data == 3);
  CHECK(steps.host.tables().chunk(1).buffer == no_zone);
  CHECK(steps.run(HostOp::flush) == flush_of({"1+1", "5+2"}) + Names{"reset 4"});
}
