// What a fault of the description excuses while other requests are at the drive, and for a FLUSH.
#include <catch2/catch.hpp>

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
