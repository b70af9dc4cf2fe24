// A scoreboard that loads what another knew goes on checking what was written before.
#include <catch2/catch.hpp>

#include "base/random.hpp"
#include "host.hpp"
#include "support/message.hpp"

using namespace tessera;
using test::Host;

namespace {

void hand_over(const Host& from, Host& to) {
  StateWriter out;
  from.board.save_state(out);
  StateReader in(out.state(), "s");
  to.board.load_state(in, HostBlock(100));
  CHECK(in.left() == 0);
}

}  // namespace

TEST_CASE("what an earlier run wrote is checked by a later one, and what it trimmed or lost is excused there as well") {
  for (const DurabilityPromise promise : {DurabilityPromise::acknowledged, DurabilityPromise::flushed}) {
    Host before(promise);
    const Tag old = Host::tag(before.written(0, 16), 3);
    const Tag newer = Host::tag(before.written(3, 2), 3);
    const Tag trimmed = Host::tag(before.written(20, 4), 20);
    before.done(before.trim(20, 4));
    before.done(before.flush());
    HostRequest& torn = before.write(40);
    before.cut({&torn});
    before.done(before.flush());

    Host after(promise);
    hand_over(before, after);
    CHECK(after.reads_as(3, newer));
    CHECK_FALSE(after.reads_as(3, old));
    CHECK_FALSE(after.reads_as(2, never_written));
    CHECK(after.reads_as(20, trimmed));
    CHECK_FALSE(after.reads_as(20, trimmed + 1));
    CHECK(after.reads_as(21, never_written));
    CHECK(after.reads_as(40, Host::tag(torn, 40)));  // the cut left old or new
    CHECK(after.reads_as(40, never_written));
    CHECK(after.board.written(100) == before.board.written(100));
  }
}

TEST_CASE("versions go on where the earlier run ended") {
  Host before;
  const Tag last = Host::tag(before.written(7), 7);
  Host after;
  hand_over(before, after);
  const Tag next = Host::tag(after.written(7), 7);
  CHECK(version_of(next) == version_of(last) + 1);
  CHECK_FALSE(after.reads_as(7, last));
}

TEST_CASE("a map of versions that was saved and loaded allows the same of every block") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    RandomStream random(seed, "versions");
    VersionMap saved;
    for (int step = 0; step < 40; ++step) {
      const HostBlock first(random.below(60));
      const Tag tag = version_tag(1 + random.below(5), first) | (random.below(4) == 0 ? zeros_mark : 0);
      if (random.below(4) == 0)
        saved.add(first, random.below(5) == 0 ? destroyed : tag);
      else if (random.below(4) == 0)
        saved.trim({first, static_cast<std::uint32_t>(1 + random.below(20))});
      else
        saved.set_run({first, static_cast<std::uint32_t>(1 + random.below(20))}, tag);
    }
    StateWriter out;
    saved.save_state(out);
    VersionMap loaded;
    loaded.set(HostBlock(79), 5);  // of before
    StateReader in(out.state(), "s");
    loaded.load_state(in, HostBlock(80));
    for (std::uint64_t block = 0; block < 82; ++block) REQUIRE(loaded.versions(HostBlock(block)) == saved.versions(HostBlock(block)));
    CHECK(loaded.runs(100) == saved.runs(100));
    for (std::size_t length = 0; length < out.state().size(); length += 3) {
      StateReader cut(std::string_view(out.state()).substr(0, length), "s");
      CHECK(test::message_of([&] { loaded.load_state(cut, HostBlock(80)); }).starts_with("s: the state of the drive is damaged: "));
    }
  }
}

TEST_CASE("a version of a block behind the drive is refused, one of its last block is not") {
  const auto load = [](std::uint64_t block) {
    VersionMap saved;
    saved.set(HostBlock(block), 9);
    StateWriter out;
    saved.save_state(out);
    VersionMap loaded;
    StateReader in(out.state(), "s");
    loaded.load_state(in, HostBlock(40));
    return loaded.newest(HostBlock(block));
  };
  CHECK(load(39) == 9);
  CHECK(test::message_of([&] { load(40); }) == "s: the state of the drive is damaged: a number is out of its range");
}

TEST_CASE("a stretch whose versions would run into the mark of groups with several is refused, one that ends below it is not") {
  const auto load = [](Tag first) {
    StateWriter out;
    for (const std::uint64_t number :
         {std::uint64_t{1}, std::uint64_t{0}, std::uint64_t{2}, first, std::uint64_t{0}, std::uint64_t{0}, std::uint64_t{0}})
      out.number(number);  // one stretch of two groups, from group 0 on; no group with several versions, no block with more or trimmed
    VersionMap loaded;
    StateReader in(out.state(), "s");
    loaded.load_state(in, HostBlock(16));
    return loaded.newest(HostBlock(15));
  };
  constexpr Tag most = (Tag{1} << 63) - 16;
  CHECK(load(most) == most + 15);
  CHECK(test::message_of([&] { load(most + 1); }) == "s: the state of the drive is damaged: a number is out of its range");
}

TEST_CASE("a scoreboard of another promise does not take what another knew") {
  Host before(DurabilityPromise::flushed);
  StateWriter out;
  before.board.save_state(out);
  Host after(DurabilityPromise::acknowledged);
  StateReader in(out.state(), "s");
  CHECK(test::message_of([&] { after.board.load_state(in, HostBlock(100)); }) ==
        "s: the state of the drive is damaged: its promise is another");
}

TEST_CASE("what a dump took that failed before the state was saved, the boot of a later run need not know either") {
  Host before;
  before.board.expect_failed_dumps();
  const Tag older = Host::tag(before.written(0), 0);
  const Tag newest = Host::tag(before.written(0), 0);
  before.done(before.flush());
  before.cut({});
  before.board.dump_failed();
  before.board.lost_records_untold();

  Host after;
  after.board.expect_failed_dumps();
  hand_over(before, after);
  std::vector<std::byte> sector(kept_per_block(ContentMode::tags));
  write_block(sector, newest);
  after.board.destroyed(sector);
  CHECK(after.reads_as(0, older));
  const Tag again = Host::tag(after.written(0), 0);
  CHECK_FALSE(after.reads_as(0, older));
  CHECK(after.reads_as(0, again));
}
