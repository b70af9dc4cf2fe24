// What a fault of the description excuses while other requests are at the drive, and for a FLUSH.
#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "stimuli/scoreboard/scoreboard.hpp"

using namespace tessera;

namespace {

HostRequest write_of(std::uint64_t first, std::uint32_t count) {
  HostRequest request;
  request.op = HostOp::write;
  request.blocks = {HostBlock(first), count};
  return request;
}

}  // namespace

TEST_CASE("exempted: a write may fail whose sector a fault took from another write that is still at the drive") {
  Scoreboard scoreboard(ContentMode::tags, DurabilityPromise::acknowledged);
  HostRequest large = write_of(0, 32);
  HostRequest small = write_of(16, 4);
  scoreboard.issued(large);
  scoreboard.issued(small);
  scoreboard.destroyed(
      ConstContentSpan(large.content).subspan(16 * kept_per_block(ContentMode::tags), 8 * kept_per_block(ContentMode::tags)));
  small.status = Status::media_error;
  scoreboard.completed(small);
  CHECK_FALSE(scoreboard.exempted(small.blocks));
  CHECK(scoreboard.excused(small));
  CHECK_FALSE(scoreboard.excused(write_of(0, 8)));
}

TEST_CASE("exempted: a read may fail that met a destroyed sector, even where a write has replaced it before the answer") {
  Scoreboard scoreboard(ContentMode::tags, DurabilityPromise::acknowledged);
  HostRequest first = write_of(8, 8);
  scoreboard.issued(first);
  scoreboard.completed(first);
  scoreboard.destroyed(first.content);
  HostRequest read;
  read.op = HostOp::read;
  read.number = 7;
  read.blocks = {HostBlock(8), 8};
  scoreboard.issued(read);
  HostRequest again = write_of(8, 8);
  again.number = 8;
  scoreboard.issued(again);
  scoreboard.completed(again);
  read.status = Status::media_error;
  scoreboard.completed(read);
  CHECK_FALSE(scoreboard.exempted(read.blocks));
  CHECK(scoreboard.excused(read));
  CHECK_FALSE(scoreboard.excused(again));
}

TEST_CASE("exempted: a read may fail that meets a sector destroyed after a write has replaced what it held") {
  for (const bool blank : {false, true}) {
    Scoreboard scoreboard(ContentMode::tags, DurabilityPromise::acknowledged);
    std::vector<std::byte> held(8 * kept_per_block(ContentMode::tags));
    if (!blank) {
      HostRequest first = write_of(8, 8);
      scoreboard.issued(first);
      scoreboard.completed(first);
      held = first.content;
    }
    HostRequest read;
    read.op = HostOp::read;
    read.number = 7;
    read.blocks = {HostBlock(8), 8};
    scoreboard.issued(read);
    HostRequest again = write_of(8, 8);
    again.number = 8;
    scoreboard.issued(again);
    scoreboard.completed(again);
    HostRequest late = read;
    late.number = 9;
    scoreboard.issued(late);
    scoreboard.destroyed(held);
    for (HostRequest* const failed : {&read, &late}) {
      failed->status = Status::media_error;
      scoreboard.completed(*failed);
      CHECK(scoreboard.excused(*failed) == (failed == &read));
    }
  }
}

TEST_CASE("exempted: a write of a part of a sector may fail that met the rest destroyed, even where another write has replaced it since") {
  for (const bool destroyed : {true, false}) {
    Scoreboard scoreboard(ContentMode::tags, DurabilityPromise::acknowledged);
    HostRequest first = write_of(8, 8);
    scoreboard.issued(first);
    scoreboard.completed(first);
    if (destroyed) scoreboard.destroyed(first.content);
    HostRequest part = write_of(0, 11);
    part.number = 7;
    scoreboard.issued(part);
    HostRequest again = write_of(8, 8);
    again.number = 8;
    scoreboard.issued(again);
    scoreboard.completed(again);
    part.status = Status::media_error;
    scoreboard.completed(part);
    CHECK(scoreboard.excused(part) == destroyed);
  }
}

TEST_CASE("exempted: of two writes at one time either may be the newer, and what a fault took of the one that ended first may be missing") {
  for (const bool at_one_time : {true, false}) {
    Scoreboard scoreboard(ContentMode::tags, DurabilityPromise::acknowledged);
    HostRequest longer = write_of(8, 8);
    HostRequest shorter = write_of(8, 8);
    if (at_one_time) scoreboard.issued(longer);
    scoreboard.issued(shorter);
    scoreboard.completed(shorter);
    scoreboard.destroyed(shorter.content);
    if (!at_one_time) scoreboard.issued(longer);
    scoreboard.completed(longer);
    CHECK(scoreboard.exempted({HostBlock(8), 8}) == at_one_time);
  }
}

TEST_CASE("exempted: a FLUSH may fail while acknowledged data is destroyed and not written since, and not before or after") {
  Scoreboard scoreboard(ContentMode::tags, DurabilityPromise::acknowledged);
  HostRequest first = write_of(8, 8);
  scoreboard.issued(first);
  scoreboard.completed(first);
  CHECK_FALSE(scoreboard.some_exempted());
  scoreboard.destroyed(first.content);
  CHECK(scoreboard.some_exempted());
  HostRequest again = write_of(8, 8);
  scoreboard.issued(again);
  scoreboard.completed(again);
  CHECK_FALSE(scoreboard.some_exempted());
}

TEST_CASE(
    "exempted: a FLUSH may fail where a part of a sector was written of which nobody wrote the rest, and a fault took a blank sector") {
  for (const std::uint32_t blocks : {3U, 8U}) {
    Scoreboard scoreboard(ContentMode::tags, DurabilityPromise::acknowledged);
    HostRequest part = write_of(8, blocks);
    scoreboard.issued(part);
    scoreboard.completed(part);
    CHECK_FALSE(scoreboard.some_exempted());
    const std::vector<std::byte> blank(8 * kept_per_block(ContentMode::tags));
    scoreboard.destroyed(blank);
    CHECK(scoreboard.some_exempted() == (blocks == 3));
  }
}

TEST_CASE(
    "exempted: a FLUSH may fail where a write that failed may have left the rest of a sector blank, and a fault took a blank sector") {
  for (const bool failed : {true, false}) {
    Scoreboard scoreboard(ContentMode::tags, DurabilityPromise::acknowledged);
    const std::vector<std::byte> blank(8 * kept_per_block(ContentMode::tags));
    scoreboard.destroyed(blank);
    HostRequest whole = write_of(8, 8);
    scoreboard.issued(whole);
    if (failed) whole.status = Status::media_error;
    scoreboard.completed(whole);
    CHECK_FALSE(scoreboard.some_exempted());
    HostRequest part = write_of(12, 4);
    scoreboard.issued(part);
    scoreboard.completed(part);
    CHECK(scoreboard.some_exempted() == failed);
  }
}

namespace {

/// As a buffer of the drive holds a sector of which a write brings the last block alone.
std::vector<std::byte> last_block_of(const HostRequest& write) {
  const std::size_t kept = kept_per_block(ContentMode::tags);
  std::vector<std::byte> sector(8 * kept);
  std::ranges::copy(ConstContentSpan(write.content).first(kept), sector.end() - static_cast<std::ptrdiff_t>(kept));
  return sector;
}

void complete(Scoreboard& scoreboard, HostRequest& write) {
  scoreboard.issued(write);
  scoreboard.completed(write);
}

}  // namespace

TEST_CASE("exempted: a write of a part of a sector leaves unreadable what a fault took of its blocks that nobody wrote") {
  Scoreboard scoreboard(ContentMode::tags, DurabilityPromise::acknowledged);
  HostRequest first = write_of(15, 1);
  complete(scoreboard, first);
  scoreboard.destroyed(last_block_of(first));
  HostRequest again = write_of(15, 1);
  complete(scoreboard, again);
  CHECK(scoreboard.exempted(again.blocks));
  CHECK_FALSE(scoreboard.exempted({HostBlock(16), 8}));
  HostRequest rest = write_of(8, 7);
  complete(scoreboard, rest);
  CHECK_FALSE(scoreboard.exempted(again.blocks));
}

TEST_CASE("exempted: a part of a sector that is lost on its way takes the sector's other blocks with it, until they are written again") {
  Scoreboard scoreboard(ContentMode::tags, DurabilityPromise::acknowledged);
  HostRequest older = write_of(0, 24);
  complete(scoreboard, older);
  HostRequest part = write_of(15, 1);
  scoreboard.issued(part);
  scoreboard.destroyed(last_block_of(part));
  scoreboard.completed(part);
  HostRequest again = write_of(15, 1);
  complete(scoreboard, again);
  CHECK(scoreboard.exempted({HostBlock(8), 7}));
  CHECK_FALSE(scoreboard.exempted({HostBlock(0), 8}));
  CHECK_FALSE(scoreboard.exempted({HostBlock(16), 8}));
  HostRequest rest = write_of(8, 7);
  complete(scoreboard, rest);
  CHECK_FALSE(scoreboard.exempted({HostBlock(8), 8}));
}

TEST_CASE("exempted: a copy that no read can return any more excuses no other block of its sector") {
  Scoreboard scoreboard(ContentMode::tags, DurabilityPromise::acknowledged);
  HostRequest part = write_of(15, 1);
  complete(scoreboard, part);
  HostRequest newer = write_of(8, 8);
  complete(scoreboard, newer);
  scoreboard.destroyed(last_block_of(part));
  CHECK_FALSE(scoreboard.exempted(newer.blocks));
}
