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

TEST_CASE("a write at the drive when the power went leaves old or new in each sector, until it is written again") {
  Host host;
  HostRequest& old = host.written(7, 2);
  HostRequest& lost = host.write(7, 2);
  host.cut({&lost});
  CHECK(host.returns(host.read(7, 2), {Host::tag(old, 7), Host::tag(lost, 8)}));
  CHECK(host.returns(host.read(7, 2), {Host::tag(lost, 7), Host::tag(old, 8)}));
  CHECK_FALSE(host.reads_as(7, never_written));
  CHECK_FALSE(host.reads_as(7, destroyed));
  HostRequest& again = host.written(7);
  CHECK_FALSE(host.reads_as(7, Host::tag(lost, 7)));
  CHECK(host.reads_as(7, Host::tag(again, 7)));
  CHECK(host.reads_as(8, Host::tag(lost, 8)));
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

TEST_CASE("a torn sector that zeros were written to over nothing is one of the TRIMs that the cut took") {
  Host host;
  host.board.expect_zeros_after_trim();
  const std::vector<std::byte> nothing(8 * kept_per_block(ContentMode::tags));
  host.written(16, 4);
  host.done(host.trim(40, 8));
  HostRequest& lost = host.trim(8, 16);
  host.cut({&lost});
  CHECK_FALSE(host.board.exempted({HostBlock(8), 8}));
  host.board.exempt_torn(nothing, nothing);
  CHECK(host.board.exempted({HostBlock(8), 8}));
  CHECK(host.board.exempted({HostBlock(16), 8}));
  for (const std::uint64_t other : {0, 24, 40}) CHECK_FALSE(host.board.exempted({HostBlock(other), 8}));
  host.done(host.trim(8, 16));
  CHECK_FALSE(host.board.exempted({HostBlock(8), 16}));
  host.cut({});
  host.board.exempt_torn(nothing, nothing);  // it took no TRIM
  CHECK_FALSE(host.board.exempted({HostBlock(8), 16}));
}

TEST_CASE("a torn sector is found by its address, however much was trimmed") {
  Host host;
  const Tag other = Host::tag(host.written(16, 8), 16);
  host.done(host.trim(16, 8));
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

TEST_CASE("of a write that a cut took each sector that it covers is old or new as a whole, and each block of a part") {
  Host host;
  const Tag old = Host::tag(host.written(16, 16), 16);
  HostRequest& lost = host.write(16, 12);
  const Tag mine = Host::tag(lost, 16);
  SECTION("alone at the drive") {
    host.cut({&lost});
    CHECK(host.returns(host.read(16, 8), {mine, mine + 1, mine + 2, mine + 3, mine + 4, mine + 5, mine + 6, mine + 7}));
    CHECK(host.returns(host.read(24, 8), {mine + 8, old + 9, mine + 10, old + 11, old + 12, old + 13, old + 14, old + 15}));
    CHECK_FALSE(host.returns(host.read(16, 8), {mine, mine + 1, mine + 2, mine + 3, mine + 4, mine + 5, mine + 6, old + 7}));
    CHECK(
        host.board.messages().back().ends_with("block 23 of sector 2: expected version 1 of block 23 or version 2 of block 23, "
                                               "found the sector half written: block 22 is new"));
    CHECK(host.returns(host.read(23), {old + 7}));
    SECTION("until a part of it is written again") {
      const Tag part = Host::tag(host.written(23), 23);
      CHECK(host.returns(host.read(18, 6), {mine + 2, mine + 3, mine + 4, mine + 5, old + 6, part}));
    }
    SECTION("while a part of it is being written again") {
      HostRequest& later = host.write(23);
      CHECK(host.returns(host.read(22, 2), {mine + 6, Host::tag(later, 23)}));
    }
    SECTION("after another cut, too") {
      host.cut({});
      CHECK_FALSE(host.returns(host.read(18, 2), {old + 2, mine + 3}));
    }
  }
  SECTION("unless another write met it") {
    host.written(23);
    host.cut({&lost});
    CHECK(host.returns(host.read(18, 2), {old + 2, mine + 3}));
  }
}

TEST_CASE("of a write that a cut took over blocks that came apart each block is old or new") {
  Host host;
  const Tag old = Host::tag(host.written(16, 8), 16);
  const Tag part = Host::tag(host.written(20, 4), 20);
  HostRequest& lost = host.write(16, 8);
  const Tag mine = Host::tag(lost, 16);
  host.cut({&lost});
  CHECK(host.returns(host.read(16, 8), {old, old + 1, old + 2, old + 3, part, part + 1, mine + 6, mine + 7}));
}

TEST_CASE("of writes at one time a cut may leave the one whose data a fault took after they had ended") {
  Host host(DurabilityPromise::flushed);
  const bool taken = GENERATE(false, true);
  HostRequest& one = host.write(16, 8, true);
  HostRequest& other = host.write(16, 8, true);
  host.done(one);
  host.done(other);
  if (taken) host.board.destroyed(content(Host::tag(one, 16)));
  host.cut({});
  CHECK(host.reads_as(16, Host::tag(one, 16)));
  CHECK(host.reads_as(16, Host::tag(other, 16)));
  HostRequest& read = host.read(16, 8);
  host.done(read, Status::media_error);
  CHECK(host.board.excused(read) == taken);
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
  SECTION("a write that ended while another of the same blocks is still at the drive, whose end leaves either") {
    HostRequest& longer = host.write(16, 8);
    HostRequest& shorter = host.written(16, 8);
    host.board.destroyed(content(Host::tag(shorter, 16)));
    host.done(longer);
    CHECK(host.board.exempted({HostBlock(16), 8}));
    CHECK(host.reads_as(16, Host::tag(shorter, 16)));
    CHECK_FALSE(host.reads_as(16, Host::tag(now, 16)));
  }
  SECTION("a write that a power cut ends after its data was destroyed") {
    HostRequest& later = host.write(16, 8);
    host.board.destroyed(content(Host::tag(later, 16)));
    host.cut({&later});
    CHECK(host.board.exempted({HostBlock(16), 8}));
  }
  SECTION("an older version, which a TRIM does not bring back") {
    host.board.destroyed(content(old));
    host.done(host.trim(16, 8));
    CHECK_FALSE(host.board.exempted({HostBlock(16), 8}));
  }
  SECTION("the current version, although it is trimmed") {
    host.done(host.trim(16, 8));
    host.board.destroyed(content(Host::tag(now, 16)));
    CHECK(host.board.exempted({HostBlock(16), 8}));
    CHECK_FALSE(host.reads_as(16, old));
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

TEST_CASE("a cut of a zone that is cut at its end takes nothing in front of what it leaves") {
  const bool leaves_the_later = GENERATE(false, true);
  Host host(DurabilityPromise::flushed);
  host.board.expect_zones(16);
  host.board.expect_zones_cut_at_their_ends();
  const Tag one = Host::tag(host.written(16, 2), 16);
  const Tag two = Host::tag(host.written(18, 2), 18);
  host.board.power_cut();
  CHECK(host.reads_as(16, leaves_the_later ? never_written : one));
  CHECK(host.reads_as(18, leaves_the_later ? two : never_written) == !leaves_the_later);
}
