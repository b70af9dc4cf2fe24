// What a power cut may leave, by promise.
#include <catch2/catch.hpp>

#include "host.hpp"
#include "stimuli/scoreboard/block_content.hpp"
#include "stimuli/scoreboard/verification_source.hpp"

using namespace tessera;
using tessera::test::Host;

namespace {

/// What a sector holds after a write whose tag there is `first`; its blocks from `blocks` on were never written.
std::vector<std::byte> content(Tag first, std::uint32_t blocks = 8) {
  std::vector<std::byte> sector(8 * kept_per_block(ContentMode::tags));
  for (std::uint32_t i = 0; i < blocks; ++i) write_block(ContentSpan(sector).subspan(i * 8, 8), first + i);
  return sector;
}

}  // namespace

TEST_CASE("promise `acknowledged`: a cut takes nothing that was acknowledged") {
  Host host;
  const Tag old = Host::tag(host.written(0), 0);
  const Tag now = Host::tag(host.written(0), 0);
  host.cut({});
  CHECK(host.reads_as(0, now));
  CHECK_FALSE(host.reads_as(0, old));
}

TEST_CASE("a write at the drive when the power went leaves old or new in each block, until it is written again") {
  Host host;
  HostRequest& old = host.written(0, 2);
  HostRequest& lost = host.write(0, 2);
  host.cut({&lost});
  CHECK(host.returns(host.read(0, 2), {Host::tag(old, 0), Host::tag(lost, 1)}));
  CHECK(host.returns(host.read(0, 2), {Host::tag(lost, 0), Host::tag(old, 1)}));
  CHECK_FALSE(host.reads_as(0, never_written));
  CHECK_FALSE(host.reads_as(0, destroyed));
  HostRequest& again = host.written(0);
  CHECK_FALSE(host.reads_as(0, Host::tag(lost, 0)));
  CHECK(host.reads_as(0, Host::tag(again, 0)));
  CHECK(host.reads_as(1, Host::tag(lost, 1)));
}

TEST_CASE("the write of a lost request gets new tags when it is sent again") {
  Host host;
  HostRequest& request = host.write(0);
  const Tag first = Host::tag(request, 0);
  host.cut({&request});
  host.board.issued(request);
  host.done(request);
  CHECK(Host::tag(request, 0) != first);
  CHECK(host.reads_as(0, Host::tag(request, 0)));
  CHECK_FALSE(host.reads_as(0, first));
}

TEST_CASE("a block that the cut may make unreadable is exempt until it is written again") {
  Host host;
  const Tag old = Host::tag(host.written(0, 9), 0);
  HostRequest& lost = host.write(0);
  host.cut({&lost});
  host.board.destroyed(content(old));
  CHECK(host.reads_as(7, destroyed));
  CHECK(host.reads_as(7, old + 7));
  CHECK_FALSE(host.reads_as(8, destroyed));
  CHECK(host.board.exempted({HostBlock(7), 4}));
  CHECK_FALSE(host.board.exempted({HostBlock(8), 4}));
  host.written(0, 8);
  CHECK_FALSE(host.board.exempted({HostBlock(0), 8}));
  CHECK_FALSE(host.reads_as(7, destroyed));
}

TEST_CASE("a torn sector is exempt where it was overwritten in place, and only there") {
  Host host;
  const Tag old = Host::tag(host.written(16, 8), 16);
  const Tag other = Host::tag(host.written(40, 8), 40);
  HostRequest& lost = host.write(16, 8);
  const Tag fresh = Host::tag(lost, 16);
  host.cut({&lost});

  SECTION("in place") {
    host.board.exempt_torn(content(old), content(fresh));
    CHECK(host.board.exempted({HostBlock(16), 8}));
    CHECK(host.reads_as(23, destroyed));
    CHECK_FALSE(host.reads_as(24, destroyed));
  }
  SECTION("a sector that held another address: the original is elsewhere") {
    host.board.exempt_torn(content(other), content(fresh));
    CHECK_FALSE(host.board.exempted({HostBlock(0), 64}));
  }
  SECTION("a copy onto a sector that an overlapping write had destroyed") {
    host.board.exempt_torn(std::vector<std::byte>(64, std::byte{0xff}), content(old));
    CHECK_FALSE(host.board.exempted({HostBlock(0), 64}));
  }
  SECTION("a log or another sector that holds no host data") {
    host.board.exempt_torn({}, {});
    host.board.exempt_torn(content(0, 0), content(0, 0));
    CHECK_FALSE(host.board.exempted({HostBlock(0), 64}));
  }
}

TEST_CASE("a torn sector is found by its address, however much was trimmed") {
  Host host;
  const Tag other = Host::tag(host.written(16, 8), 16);
  host.done(host.trim(16, 8));  // it may read as anything older than this
  const Tag old = Host::tag(host.written(40, 8), 40);
  host.done(host.trim(40, 8));
  HostRequest& lost = host.write(40, 8);
  host.cut({&lost});
  host.board.exempt_torn(content(old), content(Host::tag(lost, 40)));
  CHECK(host.board.exempted({HostBlock(40), 8}));
  CHECK_FALSE(host.board.exempted({HostBlock(0), 40}));
  CHECK(host.reads_as(16, other));
  CHECK_FALSE(host.reads_as(16, destroyed));
}

TEST_CASE("a torn sector that is trimmed may stay unreadable until it is written again") {
  Host host;
  const Tag old = Host::tag(host.written(40, 8), 40);
  HostRequest& lost = host.write(40, 8);
  host.cut({&lost});
  host.board.exempt_torn(content(old), content(Host::tag(lost, 40)));
  host.done(host.trim(32, 24));
  CHECK(host.board.exempted({HostBlock(40), 8}));
  CHECK_FALSE(host.board.exempted({HostBlock(32), 8}));
  CHECK_FALSE(host.board.exempted({HostBlock(48), 8}));
  host.written(40, 8);
  CHECK_FALSE(host.board.exempted({HostBlock(40), 8}));
}

TEST_CASE("what a fault destroyed may not be readable, but reads as nothing else") {
  Host host;
  const Tag old = Host::tag(host.written(16, 8), 16);
  HostRequest& now = host.written(16, 8);
  SECTION("an old copy excuses nothing") {
    host.board.destroyed(content(old));
    CHECK_FALSE(host.board.exempted({HostBlock(16), 8}));
  }
  SECTION("the current version: until it is written again") {
    host.board.destroyed(content(Host::tag(now, 16)));
    CHECK(host.board.destroyed_blocks() == 8);
    CHECK(host.board.exempted({HostBlock(23), 1}));
    CHECK_FALSE(host.board.exempted({HostBlock(24), 8}));
    CHECK_FALSE(host.reads_as(16, old));
    host.written(16, 8);
    CHECK_FALSE(host.board.exempted({HostBlock(16), 8}));
  }
  SECTION("a write that is still at the drive") {
    HostRequest& later = host.write(16, 8);
    host.board.destroyed(content(Host::tag(later, 16)));
    CHECK_FALSE(host.board.exempted({HostBlock(16), 8}));
    host.done(later);
    CHECK(host.board.exempted({HostBlock(16), 8}));
    CHECK_FALSE(host.reads_as(16, Host::tag(now, 16)));
  }
  SECTION("a write that a power cut ends after its data was destroyed") {
    HostRequest& later = host.write(16, 8);
    host.board.destroyed(content(Host::tag(later, 16)));
    host.cut({&later});
    CHECK(host.board.exempted({HostBlock(16), 8}));
  }
  SECTION("an older version, once it is trimmed") {
    host.board.destroyed(content(old));
    CHECK_FALSE(host.board.exempted({HostBlock(16), 8}));
    host.done(host.trim(16, 8));
    CHECK(host.board.exempted({HostBlock(16), 8}));
  }
  SECTION("a sector that held nothing excuses reads of what was never written") {
    host.board.destroyed(content(never_written, 0));
    CHECK(host.board.exempted({HostBlock(64), 8}));
    CHECK_FALSE(host.board.exempted({HostBlock(16), 8}));
  }
}

TEST_CASE("a verification reads exempt blocks apart, and a read that fails elsewhere is an error") {
  Host host;
  HostRequest& request = host.written(0, 24);
  host.board.destroyed(content(Host::tag(request, 8)));
  VerificationSource source(host.board);
  REQUIRE(source.requests() == 3);
  TraceRecord record;
  for (const std::uint64_t first : {0, 8, 16}) {
    REQUIRE(source.next(record));
    CHECK(record.offset == Bytes(first * 512));
    CHECK(record.size == Bytes(4096));
  }
  host.board.unreadable(host.read(8, 8));
  CHECK(host.board.errors() == 0);
  host.board.unreadable(host.read(16, 8));
  CHECK(host.board.errors() == 1);
}

TEST_CASE("promise `flushed`: after a cut any version from the last flushed one on, before it only the newest") {
  Host host(DurabilityPromise::flushed);
  const Tag v1 = Host::tag(host.written(0), 0);
  const Tag v2 = Host::tag(host.written(0), 0);
  host.done(host.flush());
  const Tag v3 = Host::tag(host.written(0), 0);
  const Tag v4 = Host::tag(host.written(0), 0);
  CHECK_FALSE(host.reads_as(0, v3));
  host.cut({});
  CHECK_FALSE(host.reads_as(0, v1));
  CHECK(host.reads_as(0, v2));
  CHECK(host.reads_as(0, v3));
  CHECK(host.reads_as(0, v4));
  CHECK_FALSE(host.reads_as(0, never_written));
}

TEST_CASE("promise `flushed`: a fault may destroy what a cut falls back to while something newer is in the cache") {
  Host host(DurabilityPromise::flushed);
  const HostRequest& older = host.written(0, 8);
  host.done(host.flush());
  HostRequest& newer = host.written(0, 8);
  host.board.destroyed(older.content);
  CHECK_FALSE(host.board.exempted({HostBlock(0), 8}));
  SECTION("and the cut takes that") {
    host.cut({});
    CHECK(host.board.exempted({HostBlock(0), 8}));
    CHECK(host.reads_as(0, Host::tag(newer, 0)));
    static_cast<void>(host.written(0, 8));
    CHECK_FALSE(host.board.exempted({HostBlock(0), 8}));
  }
  SECTION("not where that was flushed") {
    host.done(host.flush());
    host.cut({});
    CHECK_FALSE(host.board.exempted({HostBlock(0), 8}));
  }
}

TEST_CASE("promise `flushed`: a write acknowledged after the FLUSH was issued is not covered by it") {
  Host host(DurabilityPromise::flushed);
  const Tag v1 = Host::tag(host.written(0), 0);
  HostRequest& flush = host.flush();
  const Tag v2 = Host::tag(host.written(0), 0);
  host.done(flush);
  host.cut({});
  CHECK(host.reads_as(0, v1));
  CHECK(host.reads_as(0, v2));
  CHECK_FALSE(host.reads_as(0, never_written));
}

TEST_CASE("promise `flushed`: a FLUSH that was lost or failed makes nothing durable") {
  Host host(DurabilityPromise::flushed);
  host.written(0);
  host.done(host.flush(), Status::media_error);
  HostRequest& flush = host.flush();
  host.cut({&flush});
  CHECK(host.reads_as(0, never_written));
}

TEST_CASE("promise `flushed`: FUA is durable by itself, and only that write") {
  Host host(DurabilityPromise::flushed);
  host.written(0);
  const Tag v1 = Host::tag(host.written(0, 1, true), 0);
  host.written(1);
  host.cut({});
  CHECK(host.reads_as(0, v1));
  CHECK_FALSE(host.reads_as(0, never_written));
  CHECK(host.reads_as(1, never_written));
}

TEST_CASE("promise `flushed`: what replaced a TRIM next to a FUA write may be lost, and then the TRIM is the newest") {
  Host host(DurabilityPromise::flushed);
  HostRequest& fua = host.write(0, 1, true);
  host.done(host.trim(0));
  HostRequest& newer = host.write(0);
  const auto either = [&](bool trimmed) {
    host.done(fua);
    CHECK_FALSE(host.reads_as(0, never_written));
    host.cut({});
    CHECK(host.reads_as(0, Host::tag(fua, 0)));
    CHECK(host.reads_as(0, Host::tag(newer, 0)));
    CHECK(host.reads_as(0, never_written) == trimmed);
  };
  SECTION("of a write that is in the cache") {
    host.done(newer);
    either(true);
  }
  SECTION("not of one that is flushed before the other ends") {
    host.done(newer);
    host.done(host.flush());
    either(false);
  }
  SECTION("nor of one that a later FLUSH covers, which was issued before the other ended") {
    host.done(newer);
    HostRequest& flush = host.flush();
    host.done(fua);
    host.done(flush);
    host.cut({});
    CHECK_FALSE(host.reads_as(0, never_written));
  }
}

TEST_CASE("promise `flushed`: what a cut left open stays open in the next cut, beside what came since") {
  Host host(DurabilityPromise::flushed);
  const Tag v1 = Host::tag(host.written(0), 0);
  host.cut({});
  const Tag v2 = Host::tag(host.written(0), 0);
  CHECK_FALSE(host.reads_as(0, v1));
  host.cut({});
  CHECK(host.reads_as(0, never_written));
  CHECK(host.reads_as(0, v1));
  CHECK(host.reads_as(0, v2));
  host.written(0);
  host.done(host.flush());
  host.cut({});
  CHECK_FALSE(host.reads_as(0, v2));
}

TEST_CASE("promise `flushed`: of two writes that met, a FLUSH makes either durable") {
  Host host(DurabilityPromise::flushed);
  HostRequest& a = host.write(0);
  HostRequest& b = host.write(0);
  host.done(a);
  host.done(b);
  host.done(host.flush());
  host.cut({});
  CHECK(host.reads_as(0, Host::tag(a, 0)));
  CHECK(host.reads_as(0, Host::tag(b, 0)));
  CHECK_FALSE(host.reads_as(0, never_written));
}

TEST_CASE("a cut with requests that nobody reported lost is a model bug") {
  Host host;
  host.write(0);
  CHECK_THROWS(host.board.power_cut());
}
