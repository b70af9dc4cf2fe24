#include "stimuli/scoreboard/scoreboard.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "host.hpp"
#include "stimuli/scoreboard/verification_source.hpp"

using namespace tessera;
using tessera::test::Host;

TEST_CASE("each block of each write has a tag of its own, and reads must return it at its place") {
  Host host;
  HostRequest& a = host.written(100, 3);
  HostRequest& b = host.written(200, 2);
  CHECK(Host::tag(a, 101) == Host::tag(a, 100) + 1);
  CHECK(block_of(Host::tag(a, 102)) == HostBlock(102));
  CHECK(version_of(Host::tag(b, 200)) == version_of(Host::tag(a, 102)) + 1);
  CHECK(host.returns(host.read(99, 5), {never_written, Host::tag(a, 100), Host::tag(a, 101), Host::tag(a, 102), never_written}));
  CHECK(host.board.checked() == 5);
  CHECK_FALSE(host.returns(host.read(100, 2), {Host::tag(a, 101), Host::tag(a, 100)}));  // swapped
  CHECK(host.board.errors() == 2);
}

TEST_CASE("wrong, stale, missing and invented versions are errors") {
  Host host;
  const Tag old = Host::tag(host.written(5), 5);
  const Tag now = Host::tag(host.written(5), 5);
  CHECK(host.reads_as(5, now));
  CHECK_FALSE(host.reads_as(5, old));
  CHECK_FALSE(host.reads_as(5, never_written));
  CHECK_FALSE(host.reads_as(5, destroyed));
  CHECK_FALSE(host.reads_as(5, now + 1));
  CHECK_FALSE(host.reads_as(6, now));
  CHECK(host.board.errors() == 5);
}

TEST_CASE("a block that the drive left out of a read is an error, even where nothing was written") {
  Host host;
  HostRequest& read = host.read(0, 2);
  host.done(read);
  CHECK(host.board.errors() == 2);
}

TEST_CASE("never written: zero or the block's own prefill mark") {
  Host host;
  CHECK(host.reads_as(7, never_written));
  CHECK(host.reads_as(7, prefill_mark | 7));
  CHECK_FALSE(host.reads_as(7, prefill_mark | 8));
  host.written(7);
  CHECK_FALSE(host.reads_as(7, prefill_mark | 7));
}

TEST_CASE("a read may return a write that was at the drive with it, or the version before, but nothing older") {
  Host host;
  const Tag first = Host::tag(host.written(1), 1);
  const Tag second = Host::tag(host.written(1), 1);
  HostRequest& write = host.write(1);
  const Tag third = Host::tag(write, 1);
  HostRequest& r1 = host.read(1);
  HostRequest& r2 = host.read(1);
  HostRequest& r3 = host.read(1);
  CHECK(host.returns(r1, {third}));  // before its acknowledgement
  host.done(write);
  CHECK(host.returns(r2, {second}));  // issued before the acknowledgement
  CHECK_FALSE(host.returns(r3, {first}));
  CHECK(host.reads_as(1, third));
  CHECK_FALSE(host.reads_as(1, second));
}

TEST_CASE("a write that began and ended during a read may be seen, as may one between the two") {
  Host host;
  const Tag old = Host::tag(host.written(1), 1);
  HostRequest& r1 = host.read(1);
  HostRequest& r2 = host.read(1);
  HostRequest& r3 = host.read(1);
  const Tag one = Host::tag(host.written(1), 1);
  const Tag two = Host::tag(host.written(1), 1);
  CHECK(host.returns(r1, {old}));
  CHECK(host.returns(r2, {one}));
  CHECK(host.returns(r3, {two}));
  CHECK_FALSE(host.reads_as(1, one));
}

TEST_CASE("writes at the drive together have no order: either may remain, until a later write") {
  Host host;
  HostRequest& a = host.write(0, 4);
  HostRequest& b = host.write(2, 4);
  host.done(b);
  host.done(a);
  CHECK(host.reads_as(1, Host::tag(a, 1)));
  CHECK(host.reads_as(2, Host::tag(a, 2)));
  CHECK(host.reads_as(3, Host::tag(b, 3)));
  CHECK(host.reads_as(5, Host::tag(b, 5)));
  CHECK_FALSE(host.reads_as(4, Host::tag(a, 3)));
  HostRequest& c = host.written(2);
  CHECK_FALSE(host.reads_as(2, Host::tag(a, 2)));
  CHECK_FALSE(host.reads_as(2, Host::tag(b, 2)));
  CHECK(host.reads_as(2, Host::tag(c, 2)));
  CHECK(host.reads_as(3, Host::tag(b, 3)));
}

TEST_CASE("of writes at the drive together the one that a read has shown after both remains, unless a cut brings back the other") {
  Host host;
  HostRequest& a = host.write(0, 2);
  HostRequest& b = host.write(0, 2);
  HostRequest& early = host.read(0);
  host.done(a);
  host.done(b);
  CHECK(host.returns(early, {Host::tag(b, 0)}));  // it met both
  CHECK(host.reads_as(0, Host::tag(a, 0)));
  CHECK_FALSE(host.reads_as(0, Host::tag(b, 0)));
  CHECK(host.reads_as(1, Host::tag(b, 1)));  // each block for itself
  CHECK_FALSE(host.reads_as(1, Host::tag(a, 1)));

  HostRequest& c = host.write(4);
  HostRequest& d = host.write(4);
  host.done(c);
  host.done(d);
  host.board.power_cut();
  CHECK(host.reads_as(4, Host::tag(c, 4)));
  CHECK(host.reads_as(4, Host::tag(d, 4)));
}

TEST_CASE("a slow write does not bring back what went over while it was at the drive") {
  Host host;
  HostRequest& slow = host.write(0);
  const Tag one = Host::tag(host.written(0), 0);
  host.written(0);
  host.done(slow);
  CHECK_FALSE(host.reads_as(0, one));  // the second was issued after its acknowledgement
  CHECK(host.reads_as(0, Host::tag(slow, 0)));
}

TEST_CASE("a write that failed may be there or not, until the next one") {
  Host host;
  const Tag old = Host::tag(host.written(0, 2), 0);
  HostRequest& failed = host.write(0);
  host.done(failed, Status::media_error);
  CHECK(host.reads_as(0, old));
  CHECK(host.reads_as(0, Host::tag(failed, 0)));
  CHECK(host.reads_as(1, old + 1));
  HostRequest& next = host.written(0);
  CHECK_FALSE(host.reads_as(0, Host::tag(failed, 0)));
  CHECK(host.reads_as(0, Host::tag(next, 0)));
}

TEST_CASE("a read that failed is not checked") {
  Host host;
  host.done(host.read(0), Status::media_error);
  CHECK(host.board.checked() == 0);
  CHECK(host.board.errors() == 0);
}

TEST_CASE("a trimmed block reads as never written or as it did before, never as anything older") {
  Host host;
  const Tag one = Host::tag(host.written(0, 8), 0);
  const Tag two = Host::tag(host.written(0, 8), 0);
  host.done(host.trim(0, 4));
  const Tag later = Host::tag(host.written(100), 100);
  CHECK(host.reads_as(3, never_written));
  CHECK(host.reads_as(3, two + 3));
  CHECK_FALSE(host.reads_as(3, one + 3));
  CHECK(host.board.messages().back().ends_with("expected version 2 of block 3 or nothing, as it was trimmed, found version 1 of block 3"));
  CHECK_FALSE(host.reads_as(3, two + 2));
  CHECK_FALSE(host.reads_as(3, later));
  CHECK_FALSE(host.reads_as(3, destroyed));
  CHECK_FALSE(host.reads_as(4, never_written));
  const Tag again = Host::tag(host.written(3), 3);
  CHECK_FALSE(host.reads_as(3, never_written));
  CHECK_FALSE(host.reads_as(3, two + 3));
  CHECK(host.reads_as(3, again));
}

TEST_CASE("where a drive promises zeros a trimmed block reads as never written alone, until it is written again") {
  Host host;
  host.board.expect_zeros_after_trim();
  const Tag one = Host::tag(host.written(0, 8), 0);
  HostRequest& trim = host.trim(2, 4);
  CHECK(host.reads_as(3, never_written));  // it may have come first
  CHECK(host.reads_as(3, one + 3));
  host.done(trim);
  CHECK(host.reads_as(3, never_written));
  CHECK(host.reads_as(6, one + 6));
  CHECK(host.board.errors() == 0);
  CHECK_FALSE(host.reads_as(3, one + 3));
  CHECK_FALSE(host.reads_as(6, never_written));
  const Tag again = Host::tag(host.written(3), 3);
  CHECK(host.reads_as(3, again));
  CHECK_FALSE(host.reads_as(3, never_written));
}

TEST_CASE("zeros of a TRIM are as durable as a write") {
  const auto trimmed = [](DurabilityPromise promise, bool flushed) {
    Host host(promise);
    host.board.expect_zeros_after_trim();
    const Tag one = Host::tag(host.written(0, 1, true), 0);
    host.done(host.trim(0));
    if (flushed) host.done(host.flush());
    host.board.power_cut();
    CHECK(host.reads_as(0, never_written));
    return host.reads_as(0, one);
  };
  CHECK_FALSE(trimmed(DurabilityPromise::acknowledged, false));
  CHECK(trimmed(DurabilityPromise::flushed, false));
  CHECK_FALSE(trimmed(DurabilityPromise::flushed, true));
}

TEST_CASE("of zeros and a write that were at the drive at one time the one that a read has shown after both remains") {
  const bool zeros = GENERATE(false, true);
  const bool trim_first = GENERATE(false, true);
  Host host;
  host.board.expect_zeros_after_trim();
  const Tag before = Host::tag(host.written(0), 0);
  HostRequest& trim = host.trim(0);
  HostRequest& write = host.write(0);
  HostRequest& early = host.read(0);
  host.done(trim_first ? trim : write);
  host.done(trim_first ? write : trim);
  const Tag remains = zeros ? never_written : Host::tag(write, 0);
  const Tag over = zeros ? Host::tag(write, 0) : never_written;
  CHECK(host.returns(early, {over}));  // it met both
  CHECK(host.reads_as(0, remains));
  CHECK_FALSE(host.reads_as(0, over));
  CHECK_FALSE(host.reads_as(0, before));
  CHECK(host.reads_as(0, remains));
}

TEST_CASE("zeros that a power cut took say nothing of a sector that an earlier cut left old or new as a whole") {
  Host host;
  host.board.expect_zeros_after_trim();
  host.written(0, 8);
  HostRequest& first = host.write(0, 8);
  host.cut({&first});
  HostRequest& trim = host.trim(0, 4);
  host.cut({&trim});
  const Tag tag = Host::tag(first, 0);
  CHECK(host.returns(host.read(0, 8), {never_written, never_written, never_written, never_written, tag + 4, tag + 5, tag + 6, tag + 7}));
}

TEST_CASE("a write over zeros that a power cut took left each sector old or new, as a whole where one TRIM had emptied it") {
  const auto half_written = [](bool whole) {
    Host host;
    host.board.expect_zeros_after_trim();
    host.written(0, 8);
    host.done(host.trim(0, whole ? 8 : 4));
    if (!whole) host.done(host.trim(4, 4));
    HostRequest& write = host.write(0, 8);
    host.cut({&write});
    const Tag tag = Host::tag(write, 0);
    return host.returns(host.read(0, 8),
                        {tag, tag + 1, never_written, never_written, never_written, never_written, never_written, tag + 7});
  };
  CHECK_FALSE(half_written(true));
  CHECK(half_written(false));
}

TEST_CASE("a second TRIM allows no more than the first") {
  Host host;
  const Tag one = Host::tag(host.written(0), 0);
  const Tag two = Host::tag(host.written(0), 0);
  host.done(host.trim(0));
  host.done(host.trim(0));
  CHECK(host.reads_as(0, two));
  CHECK_FALSE(host.reads_as(0, one));
}

TEST_CASE("of a TRIM and writes that were at the drive at one time the writes may remain, and what was before them may not") {
  Host host;
  const Tag before = Host::tag(host.written(0), 0);
  HostRequest& late = host.write(0);
  HostRequest& trim = host.trim(0);
  CHECK(host.reads_as(0, never_written));  // it may have come first
  const Tag early = Host::tag(host.written(0), 0);
  host.done(trim);
  const auto check = [&](bool late_ended) {
    CHECK(host.reads_as(0, early));
    CHECK(host.reads_as(0, Host::tag(late, 0)));
    CHECK(host.reads_as(0, never_written));
    CHECK_FALSE(host.reads_as(0, before));
    CHECK(host.board.errors() == (late_ended ? 2 : 1));
  };
  check(false);
  host.done(late);
  check(true);
}

TEST_CASE("a TRIM replaces no write: one that ended before it may still come after another that is at the drive") {
  Host host;
  HostRequest& slow = host.write(0);
  const Tag fast = Host::tag(host.written(0), 0);
  host.done(host.trim(0));
  host.done(slow);
  CHECK(host.reads_as(0, fast));  // the slow one came first
  CHECK(host.reads_as(0, Host::tag(slow, 0)));
  CHECK(host.reads_as(0, never_written));
}

TEST_CASE("a TRIM that a power cut took leaves what was there, or nothing") {
  for (const DurabilityPromise promise : {DurabilityPromise::acknowledged, DurabilityPromise::flushed}) {
    Host host(promise);
    const Tag one = Host::tag(host.written(0), 0);
    const Tag two = Host::tag(host.written(0), 0);
    host.done(host.flush());
    HostRequest& trim = host.trim(0);
    host.cut({&trim});
    CHECK(host.reads_as(0, two));
    CHECK(host.reads_as(0, never_written));
    CHECK_FALSE(host.reads_as(0, one));
  }
}

TEST_CASE("promise `flushed`: what a cut may leave of a trimmed block begins with what was durable") {
  Host host(DurabilityPromise::flushed);
  const Tag older = Host::tag(host.written(0), 0);
  const Tag durable = Host::tag(host.written(0), 0);
  host.done(host.flush());
  const Tag cached = Host::tag(host.written(0), 0);
  host.done(host.trim(0));
  CHECK_FALSE(host.reads_as(0, durable));
  SECTION("a FLUSH makes the last version durable") {
    host.done(host.flush());
    host.cut({});
    CHECK_FALSE(host.reads_as(0, durable));
  }
  SECTION("without one the durable version may be back") {
    host.cut({});
    CHECK(host.reads_as(0, durable));
  }
  CHECK(host.reads_as(0, cached));
  CHECK(host.reads_as(0, never_written));
  CHECK_FALSE(host.reads_as(0, older));
}

TEST_CASE("the first ten errors are told in full, the rest is counted") {
  Host host;
  host.written(40);
  for (int i = 0; i < 12; ++i) host.reads_as(40, never_written);
  CHECK(host.board.errors() == 12);
  REQUIRE(host.board.messages().size() == 10);
  CHECK(host.board.messages()[0] == "request 1, block 40 of sector 5: expected version 1 of block 40, found a block never written");
  MetricSet metrics;
  host.board.report(metrics);
  CHECK(metrics.find("scoreboard.checked")->value == 12.0);
  CHECK(metrics.find("scoreboard.errors")->value == 12.0);
}

TEST_CASE("bytes: a block torn between two versions is found") {
  Host host(DurabilityPromise::acknowledged, ContentMode::bytes);
  HostRequest& a = host.written(0);
  HostRequest& b = host.written(0);
  HostRequest& good = host.read(0);
  good.content = b.content;
  host.done(good);
  CHECK(host.board.errors() == 0);
  HostRequest& torn = host.read(0);
  torn.content = b.content;
  std::copy(a.content.begin() + 256, a.content.end(), torn.content.begin() + 256);
  host.done(torn);
  CHECK(host.board.errors() == 1);
  CHECK_THAT(host.board.messages()[0], Catch::EndsWith("found bytes that no write made"));
}

TEST_CASE("a verification sweep reads all that was ever written, in runs of at most 1 MiB") {
  Host host;
  host.written(8, 8);
  host.written(3, 5);
  host.written(4000, 2049);
  HostRequest& unacknowledged = host.write(20);
  VerificationSource sweep(host.board);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> runs;
  TraceRecord record;
  while (sweep.next(record)) {
    CHECK(record.op == HostOp::read);
    runs.emplace_back(record.offset.value() / 512, record.size.value() / 512);
  }
  CHECK(runs == std::vector<std::pair<std::uint64_t, std::uint64_t>>{{3, 13}, {4000, 2048}, {6048, 1}});
  host.cut({&unacknowledged});
  CHECK(VerificationSource(host.board).requests() == 4);
  Host fresh;
  VerificationSource nothing(fresh.board);
  CHECK_FALSE(nothing.next(record));
}

TEST_CASE("content of another size than asked for, or an unknown request, is a model bug") {
  Host host;
  HostRequest& read = host.read(0, 2);
  read.content.resize(8);
  CHECK_THROWS_AS(host.done(read), ModelBug);
  HostRequest stranger;
  CHECK_THROWS_AS(host.board.completed(stranger), ModelBug);
  CHECK_THROWS_AS(Scoreboard(ContentMode::none, DurabilityPromise::acknowledged), ModelBug);
}

TEST_CASE("after the reset of its zone a block reads as never written or as anything older of its own") {
  Host host;
  host.board.expect_zones(16);
  const Tag one = Host::tag(host.written(16, 16), 16);
  const Tag two = Host::tag(host.written(16, 16), 16);
  host.done(host.issue(HostOp::zone_reset, 16, 0));
  for (const Tag allowed : {never_written, one + 3, two + 3}) CHECK(host.reads_as(19, allowed));
  for (const Tag wrong : {one + 2, two + 4, destroyed}) CHECK_FALSE(host.reads_as(19, wrong));
  const Tag three = Host::tag(host.written(16, 8), 16);
  CHECK_FALSE(host.reads_as(19, two + 3));
  CHECK(host.reads_as(19, three + 3));
  CHECK_FALSE(host.reads_as(24, three + 3));
}
