// What a power cut may leave whose dump failed, and how much of it is counted as lost.
#include <catch2/catch.hpp>

#include <vector>

#include "host.hpp"
#include "stimuli/scoreboard/block_content.hpp"

using namespace tessera;
using tessera::test::Host;

namespace {

struct FailingHost : Host {
  explicit FailingHost(DurabilityPromise promise = DurabilityPromise::acknowledged) : Host(promise) { board.expect_failed_dumps(); }
  void cut_with_failed_dump(std::initializer_list<HostRequest*> at_drive = {}) {
    cut(at_drive);
    board.dump_failed();
  }
};

}  // namespace

TEST_CASE("failed dump: any version from the last flushed one on may be left, or a read error, until it is written again") {
  FailingHost host;
  const Tag v1 = Host::tag(host.written(0), 0);
  const Tag v2 = Host::tag(host.written(0), 0);
  host.done(host.flush());
  const Tag v3 = Host::tag(host.written(0), 0);
  const Tag v4 = Host::tag(host.written(0), 0);
  host.cut_with_failed_dump();
  CHECK_FALSE(host.reads_as(0, v1));
  for (const Tag tag : {v2, v3, v4, destroyed}) CHECK(host.reads_as(0, tag));
  CHECK_FALSE(host.reads_as(0, never_written));
  CHECK(host.board.exempted({HostBlock(7), 1}));
  CHECK_FALSE(host.board.exempted({HostBlock(8), 1}));
  const Tag v5 = Host::tag(host.written(0), 0);
  CHECK(host.reads_as(0, v5));
  CHECK_FALSE(host.reads_as(0, v4));
}

TEST_CASE("failed dump: a sector of which a part may be lost may be a read error until all of it is written again") {
  FailingHost host;
  host.written(0, 16);
  host.done(host.flush());
  host.written(2);
  HostRequest& lost = host.write(10);
  host.cut_with_failed_dump({&lost});
  for (const std::uint64_t sector : {0, 8}) {
    host.written(sector + 2);
    CHECK(host.board.exempted({HostBlock(sector + 7), 1}));
    host.written(sector, 7);
    CHECK(host.board.exempted({HostBlock(sector + 7), 1}));
    host.written(sector + 7);
    CHECK_FALSE(host.board.exempted({HostBlock(sector), 8}));
  }
}

TEST_CASE("failed dump: a dump that is whole takes nothing, and leaves what it saved as little flushed as it was") {
  FailingHost host;
  const Tag v1 = Host::tag(host.written(0), 0);
  host.cut({});
  CHECK_FALSE(host.reads_as(0, never_written));
  host.cut_with_failed_dump();
  CHECK(host.reads_as(0, v1));
  CHECK(host.reads_as(0, never_written));
}

TEST_CASE("failed dump: FLUSH and FUA are durable by other means") {
  FailingHost host;
  host.written(0);
  const Tag flushed = Host::tag(host.written(1), 1);
  host.done(host.flush());
  const Tag fua = Host::tag(host.written(0, 1, true), 0);
  host.cut_with_failed_dump();
  CHECK(host.reads_as(0, fua));
  CHECK(host.reads_as(1, flushed));
  CHECK_FALSE(host.reads_as(0, destroyed));
  CHECK_FALSE(host.reads_as(0, never_written));
  CHECK_FALSE(host.board.exempted({HostBlock(0), 8}));
  const Tag cached = Host::tag(host.written(0), 0);
  host.cut_with_failed_dump();
  for (const Tag tag : {fua, cached, destroyed}) CHECK(host.reads_as(0, tag));
  CHECK(host.board.lost_in_dumps() == 1);
}

TEST_CASE("failed dump: FUA of a write that failed makes nothing durable, and its sector may be a read error") {
  FailingHost host;
  const Tag v1 = Host::tag(host.written(0), 0);
  host.done(host.flush());
  HostRequest& failed = host.write(0, 1, true);
  host.done(failed, Status::read_only);
  host.cut_with_failed_dump();
  for (const Tag tag : {v1, Host::tag(failed, 0), destroyed}) CHECK(host.reads_as(0, tag));
  CHECK(host.board.exempted({HostBlock(7), 1}));
}

TEST_CASE("failed dump: a FLUSH after a whole dump makes durable what that saved, also of writes that the cut took from the drive") {
  FailingHost host;
  host.written(0);
  const Tag v2 = Host::tag(host.written(0), 0);
  HostRequest& lost = host.write(0);
  const Tag v3 = Host::tag(lost, 0);
  host.cut({&lost});
  host.done(host.flush());
  host.cut_with_failed_dump();
  CHECK(host.reads_as(0, v2));
  CHECK(host.reads_as(0, v3));
  CHECK_FALSE(host.reads_as(0, never_written));
  CHECK_FALSE(host.reads_as(0, destroyed));
}

TEST_CASE("failed dump: a write that the cut took from the drive may have taken its sector with it") {
  FailingHost host;
  const Tag v1 = Host::tag(host.written(0), 0);
  host.done(host.flush());
  HostRequest& lost = host.write(0);
  host.cut_with_failed_dump({&lost});
  for (const Tag tag : {v1, Host::tag(lost, 0), destroyed}) CHECK(host.reads_as(0, tag));
  CHECK(host.board.lost_in_dumps() == 0);
}

TEST_CASE("failed dump: under the promise `flushed` it adds read errors, no older version") {
  FailingHost host(DurabilityPromise::flushed);
  const Tag v1 = Host::tag(host.written(0), 0);
  const Tag v2 = Host::tag(host.written(0), 0);
  host.done(host.flush());
  const Tag v3 = Host::tag(host.written(0), 0);
  host.cut({});
  CHECK_FALSE(host.reads_as(0, destroyed));
  host.cut_with_failed_dump();
  CHECK_FALSE(host.reads_as(0, v1));
  for (const Tag tag : {v2, v3, destroyed}) CHECK(host.reads_as(0, tag));
}

TEST_CASE("failed dump: a block of another version or with a read error is counted as lost, once, a later version is not") {
  FailingHost host;
  const Tag old = Host::tag(host.written(0, 8), 0);
  host.done(host.flush());
  const Tag now = Host::tag(host.written(0, 6), 0);
  HostRequest& later = host.write(4);
  host.cut_with_failed_dump({&later});
  CHECK(host.reads_as(0, old));      // lost
  CHECK(host.reads_as(1, now + 1));  // there
  host.board.unreadable(host.read(2));
  host.board.unreadable(host.read(2));
  CHECK(host.reads_as(0, old));
  CHECK(host.reads_as(4, Host::tag(later, 4)));
  CHECK(host.reads_as(6, old + 6));  // never at risk
  CHECK(host.board.lost_in_dumps() == 2);
  CHECK(host.board.errors() == 0);
  host.written(5);
  host.board.unreadable(host.read(5));  // in the sector of others: the newer version was not in the dump
  CHECK(host.board.lost_in_dumps() == 2);
  MetricSet metrics;
  host.board.report(metrics);
  CHECK(metrics.find("scoreboard.lost_in_dumps")->value == 2);
}

TEST_CASE("failed dump: a TRIM may be undone, and what it hides is no loss") {
  FailingHost host;
  const Tag old = Host::tag(host.written(0), 0);
  host.done(host.flush());
  host.done(host.trim(0));
  host.cut_with_failed_dump();
  CHECK(host.reads_as(0, old));
  CHECK(host.reads_as(0, never_written));
  CHECK(host.board.lost_in_dumps() == 0);
}

TEST_CASE("failed dump: a TRIM may uncover what was prefilled, and that is no loss") {
  FailingHost host;
  host.done(host.trim(0));
  host.cut_with_failed_dump();
  CHECK(host.reads_as(0, prefill_mark | 0));
  CHECK(host.board.lost_in_dumps() == 0);
}

TEST_CASE("failed dump: zeros of a TRIM are lost as a write is") {
  FailingHost host;
  host.board.expect_zeros_after_trim();
  const Tag old = Host::tag(host.written(0, 8), 0);
  host.done(host.flush());
  const Tag cached = Host::tag(host.written(0, 8), 0);
  host.done(host.trim(0, 7));
  HostRequest& later = host.write(4);
  host.cut_with_failed_dump({&later});
  CHECK(host.reads_as(0, never_written));  // there
  CHECK(host.board.lost_in_dumps() == 0);
  CHECK(host.reads_as(1, old + 1));  // the other four are not
  CHECK(host.reads_as(2, cached + 2));
  host.board.unreadable(host.read(3));
  CHECK(host.board.lost_in_dumps() == 3);
  CHECK(host.reads_as(4, Host::tag(later, 4)));  // later than the zeros
  CHECK(host.board.lost_in_dumps() == 3);
  CHECK(host.reads_as(5, old + 5));
  CHECK(host.reads_as(5, old + 5));
  CHECK(host.board.lost_in_dumps() == 4);
  host.written(6);
  host.board.unreadable(host.read(6));  // written since
  CHECK(host.board.lost_in_dumps() == 4);
  CHECK(host.board.errors() == 0);
}

TEST_CASE("failed dump: zeros that were flushed are there") {
  FailingHost host;
  host.board.expect_zeros_after_trim();
  const Tag old = Host::tag(host.written(0), 0);
  host.done(host.trim(0));
  host.done(host.flush());
  host.cut_with_failed_dump();
  CHECK(host.reads_as(0, never_written));
  CHECK_FALSE(host.reads_as(0, old));
  CHECK(host.board.lost_in_dumps() == 0);
}

TEST_CASE("failed dump: where lost records are untold, a block whose zeros a fault took may be as before them") {
  FailingHost host;
  host.board.expect_zeros_after_trim();
  const Tag v1 = Host::tag(host.written(0, 8), 0);
  host.done(host.trim(0, 8));
  host.done(host.flush());
  host.cut({});
  host.board.in_doubt({HostBlock(0), 8});
  CHECK_FALSE(host.reads_as(0, v1));
  host.board.lost_records_untold();
  CHECK(host.reads_as(0, v1));
  CHECK(host.board.lost_in_dumps() == 1);
  CHECK_FALSE(host.reads_as(0, v1 + 1));
}

TEST_CASE("failed dump: one on a scoreboard that expects none is a model bug") {
  Host host;
  host.cut({});
  CHECK_THROWS(host.board.dump_failed());
}

TEST_CASE("failed dump: where lost records are untold, a block whose newest version a fault took may be older, and no other") {
  FailingHost host;
  const Tag v1 = Host::tag(host.written(0), 0);
  const Tag v2 = Host::tag(host.written(0), 0);
  const Tag other1 = Host::tag(host.written(8), 8);
  const Tag other2 = Host::tag(host.written(8), 8);
  host.done(host.flush());
  std::vector<std::byte> sector(kept_per_block(ContentMode::tags));
  write_block(sector, v2);
  host.board.destroyed(sector);
  CHECK_FALSE(host.reads_as(0, v1));
  host.cut({});
  host.board.lost_records_untold();
  CHECK(host.reads_as(0, v1));
  CHECK_FALSE(host.reads_as(0, v1 + 1));  // of another address
  CHECK(host.reads_as(0, destroyed));
  CHECK_FALSE(host.reads_as(8, other1));
  CHECK(host.reads_as(8, other2));
  const Tag v3 = Host::tag(host.written(0), 0);
  CHECK(host.reads_as(0, v3));
  CHECK_FALSE(host.reads_as(0, v1));
}

TEST_CASE("failed dump: what it allowed of a durable block holds after a later cut with a whole dump, too") {
  FailingHost host(DurabilityPromise::flushed);
  const Tag v1 = Host::tag(host.written(0, 8), 0);
  host.done(host.flush());
  const HostRequest& fua = host.written(0, 8, true);
  SECTION("an older version, where a fault took the record") {
    host.cut({});
    host.board.dump_failed();
    host.board.destroyed(fua.content);
    host.board.lost_records_untold();
    CHECK(host.reads_as(0, v1));
    SECTION("at the next cut") {}
    SECTION("after a FLUSH, where something newer is in the cache") {
      host.done(host.flush());
      host.written(0, 8);
    }
    host.cut({});
    CHECK(host.reads_as(0, v1));
    CHECK(host.reads_as(0, destroyed));
  }
  SECTION("a read error, where something newer was in the cache") {
    const Tag newer = Host::tag(host.written(0), 0);
    host.cut_with_failed_dump();
    host.cut({});
    CHECK(host.reads_as(0, destroyed));
    CHECK(host.reads_as(0, newer));
    CHECK_FALSE(host.reads_as(0, v1));
  }
  CHECK(host.reads_as(0, Host::tag(fua, 0)));
  static_cast<void>(host.written(0, 8));
  CHECK_FALSE(host.board.exempted({HostBlock(0), 8}));
}

TEST_CASE("failed dump: a torn sector may answer with an error after the next cut, too, until it is written again") {
  FailingHost host(DurabilityPromise::flushed);
  const HostRequest& fua = host.written(0, 8, true);
  HostRequest& torn = host.write(0, 8);
  host.cut({&torn});
  host.board.exempt_torn(fua.content, torn.content);
  host.cut({});
  CHECK(host.board.exempted({HostBlock(0), 8}));
}

TEST_CASE("failed dump: an older version that untold records allow stays allowed when the block is flushed") {
  FailingHost host;
  const Tag v1 = Host::tag(host.written(0, 8), 0);
  const HostRequest& newest = host.written(0, 8);
  host.cut({});
  host.board.destroyed(newest.content);
  host.board.lost_records_untold();
  CHECK(host.reads_as(0, v1));
  host.done(host.flush());
  host.written(0, 8);
  CHECK_FALSE(host.reads_as(0, v1));
  host.cut_with_failed_dump();
  CHECK(host.reads_as(0, v1));
}
