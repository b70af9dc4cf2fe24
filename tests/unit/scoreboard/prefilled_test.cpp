// What a prefilled drive must return, and which prefilled blocks a verification reads.
#include <algorithm>
#include <catch2/catch.hpp>

#include "host.hpp"
#include "stimuli/scoreboard/prefilled_sample.hpp"
#include "stimuli/scoreboard/verification_source.hpp"

using namespace tessera;
using tessera::test::Host;

namespace {

constexpr std::uint64_t stretch = PrefilledBlocks::stretch;

Host prefilled_host(std::uint64_t blocks, DurabilityPromise promise = DurabilityPromise::acknowledged) {
  return Host(promise, ContentMode::tags, {blocks, 1});
}

bool reads(const std::vector<HostRun>& runs, std::uint64_t block) {
  return std::ranges::any_of(runs, [&](const HostRun& run) { return run.first.value() <= block && HostBlock(block) < run.end(); });
}

}  // namespace

TEST_CASE("a prefilled block reads as its own mark and as nothing else") {
  Host host = prefilled_host(8);
  CHECK(host.reads_as(7, prefill_mark | 7));
  CHECK_FALSE(host.reads_as(7, never_written));
  CHECK_FALSE(host.reads_as(7, prefill_mark | 6));
  CHECK_FALSE(host.reads_as(7, destroyed));
  CHECK(host.reads_as(8, never_written));
  CHECK(host.board.messages().front().ends_with("expected prefilled data of block 7, found a block never written"));
}

TEST_CASE("a write of a part of a prefilled sector leaves the marks of its other blocks") {
  Host host = prefilled_host(64);
  const Tag tag = Host::tag(host.written(19, 2), 19);
  CHECK(host.returns(host.read(18, 4), {prefill_mark | 18, tag, tag + 1, prefill_mark | 21}));
  CHECK_FALSE(host.reads_as(18, never_written));
  CHECK_FALSE(host.reads_as(19, prefill_mark | 19));
  const Tag whole = Host::tag(host.written(16, 8), 18);
  CHECK(host.reads_as(18, whole));
  CHECK_FALSE(host.reads_as(18, prefill_mark | 18));
}

TEST_CASE("a TRIM leaves the prefill mark of its own block, and uncovers none") {
  Host host = prefilled_host(64);
  const Tag written = Host::tag(host.written(3), 3);
  host.done(host.trim(3, 2));
  CHECK(host.reads_as(3, written));
  CHECK_FALSE(host.reads_as(3, prefill_mark | 3));
  CHECK(host.reads_as(4, prefill_mark | 4));
  CHECK_FALSE(host.reads_as(4, prefill_mark | 5));
  for (const std::uint64_t block : {3U, 4U}) CHECK(host.reads_as(block, never_written));
}

TEST_CASE("a first write that a cut took leaves the prefill mark or its own data") {
  for (const DurabilityPromise promise : {DurabilityPromise::acknowledged, DurabilityPromise::flushed}) {
    Host host = prefilled_host(64, promise);
    HostRequest& lost = host.write(5);
    const Tag tag = Host::tag(lost, 5);
    host.cut({&lost});
    CHECK(host.reads_as(5, prefill_mark | 5));
    CHECK(host.reads_as(5, tag));
    CHECK_FALSE(host.reads_as(5, never_written));
  }
  Host host = prefilled_host(64, DurabilityPromise::flushed);
  const Tag acknowledged = Host::tag(host.written(5), 5);
  host.cut({});
  CHECK(host.reads_as(5, prefill_mark | 5));
  CHECK(host.reads_as(5, acknowledged));
  CHECK_FALSE(host.reads_as(5, never_written));
}

TEST_CASE("a fault that took prefilled data excuses its blocks, and no others") {
  Host host = prefilled_host(64);
  std::vector<std::byte> sector(8 * sizeof(Tag));
  for (std::uint64_t i = 0; i < 8; ++i) write_block(ContentSpan(sector).subspan(i * sizeof(Tag), sizeof(Tag)), prefill_mark | (16 + i));
  host.board.destroyed(sector);
  CHECK(host.board.destroyed_blocks() == 8);
  CHECK(host.board.exempted({HostBlock(16), 8}));
  CHECK_FALSE(host.board.exempted({HostBlock(24), 8}));
  CHECK_FALSE(host.board.exempted({HostBlock(8), 8}));
}

TEST_CASE("where not all stretches are known, the others read as never written or as their own mark") {
  Host host(DurabilityPromise::acknowledged, ContentMode::tags, {8 * stretch, 3});
  for (const std::uint64_t known : {0U, 3U, 6U, 7U}) CHECK_FALSE(host.reads_as(known * stretch + 5, never_written));
  for (const std::uint64_t unknown : {1U, 2U, 4U, 5U}) {
    CHECK(host.reads_as(unknown * stretch + 5, never_written));
    CHECK(host.reads_as(unknown * stretch + 5, prefill_mark | (unknown * stretch + 5)));
    CHECK_FALSE(host.reads_as(unknown * stretch + 5, prefill_mark | (unknown * stretch + 6)));
  }
}

TEST_CASE("of a small drive every prefilled block is verified, none twice") {
  Host host = prefilled_host(2 * stretch + 8);
  host.written(100, 8);
  host.written(2 * stretch + 4, 12);
  VerificationSource source(host.board, PrefilledSample::choose(host.board.prefilled(), {}, {}));
  std::uint64_t next = 0;
  TraceRecord record;
  while (source.next(record)) {
    CHECK(record.offset.value() == next * host_block_bytes);
    next += record.size.value() / host_block_bytes;
  }
  CHECK(next == 2 * stretch + 16);
}

TEST_CASE("of a large drive the stretches of what was written or moved are verified, and a spread of others") {
  const PrefilledBlocks prefilled{100'000 * stretch + 8, 1};
  const auto chosen = PrefilledSample::choose(prefilled, {{HostBlock(777 * stretch + 3), 1}}, {{HostBlock(50'001 * stretch - 4), 8}});
  CHECK(reads(chosen, 777 * stretch));
  CHECK(reads(chosen, 777 * stretch + stretch - 1));
  CHECK(reads(chosen, 50'000 * stretch));
  CHECK(reads(chosen, 50'001 * stretch));
  CHECK_FALSE(reads(chosen, 778 * stretch));
  CHECK(chosen.size() > PrefilledSample::spread / 2);
  CHECK(chosen.size() < PrefilledSample::spread + 8);

  std::vector<HostRun> everywhere;
  for (std::uint64_t i = 0; i < 50'000; ++i) everywhere.push_back({HostBlock(2 * i * stretch), 8});
  const auto bounded = PrefilledSample::choose(prefilled, everywhere, everywhere);
  CHECK(bounded.size() > PrefilledSample::most_changed + PrefilledSample::most_written / 2);
  CHECK(bounded.size() <= PrefilledSample::most_changed + PrefilledSample::most_written + PrefilledSample::spread + 1);
  CHECK(reads(bounded, 99'998 * stretch));  // the newest change
}
