// The figures of `describe`, against counting by hand and against a plain reference.
#include "stimuli/readers/block_marks.hpp"
#include "stimuli/readers/trace_summary.hpp"

#include <rapidcheck.h>

#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <sstream>

#include "unit/readers/trace_files.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

constexpr auto rd = HostOp::read;
constexpr auto wr = HostOp::write;

TraceSummary summary_of(std::vector<TraceRecord> records) {
  Records source(std::move(records));
  return describe(source);
}

}  // namespace

TEST_CASE("three kinds of update, on blocks of 4 KiB") {
  // Blocks 0-1, then 1-2 (one of two known), then 1 (known); a read makes nothing known.
  const auto s = summary_of({record(0, rd, 0, 65'536), record(0, wr, 0, 8192), record(0, wr, 4096, 8192), record(0, wr, 4608, 512)});
  CHECK(s.writes == 3);
  CHECK(s.updates_any == 2);
  CHECK(s.updates_all == 1);
  CHECK(s.block_writes == 5);
  CHECK(s.updated_block_writes == 2);
  CHECK(s.touched_blocks == 16);
  CHECK(s.written_blocks == 3);
  CHECK(*s.mean_write_sectors() == Approx(33.0 / 3));
  CHECK(*s.mean_write_sectors_aligned() == Approx(40.0 / 3));
}

TEST_CASE("volumes have address spaces of their own") {
  const auto s = summary_of({record(0, wr, 0, 4096, 0), record(0, wr, 0, 4096, 1), record(0, wr, 4096, 4096, 0)});
  CHECK(s.updates_any == 0);
  CHECK(s.written_blocks == 3);
  CHECK(s.written_zones == 2);
  CHECK(s.successions == 1);
  CHECK(s.sequential == 1);
  REQUIRE(s.volumes.size() == 2);
  CHECK(s.volumes[0].name == "vol_0");
  CHECK(s.volumes[0].requests == 2);
}

TEST_CASE("ranges, gaps and seeks") {
  const std::uint64_t zone = TraceSummary::zone_bytes;
  const auto s = summary_of({record(0, wr, zone - 512, 1024), record(5, rd, zone + 512, 512), record(25, wr, 10 * zone, 512),
                             record(26, HostOp::flush, 0, 0), record(27, HostOp::trim, 0, 4096)});
  CHECK(s.requests == 5);
  CHECK(s.flushes == 1);
  CHECK(s.trims == 1);
  CHECK(s.bytes_trimmed == Bytes(4096));
  CHECK(s.duration == Picoseconds(27));
  CHECK(s.longest_gap == Picoseconds(20));
  CHECK(s.lowest_written == Bytes(zone - 512));
  CHECK(s.highest_written == Bytes(10 * zone + 512));
  CHECK(s.written_zones == 3);
  CHECK(s.sequential == 1);
  CHECK(s.successions == 2);
  CHECK(static_cast<std::uint64_t>(s.seek_bytes) == 9 * zone - 1024);
  CHECK(s.split_sectors == 0);
  CHECK(*s.write_share() == Approx(0.4));
}

TEST_CASE("shares of nothing are undefined") {
  const auto s = summary_of({record(0, rd, 0, 100)});
  CHECK(s.split_sectors == 1);
  CHECK_FALSE(s.update_any_share());
  CHECK_FALSE(s.mean_write_sectors());
  CHECK_FALSE(s.mean_interarrival_ms());
  const auto json = to_json(s);
  CHECK(json.at("update_any_percent").is_null());
  CHECK(json.at("requests").as_uint64() == 1);
  CHECK(json.at("volumes").as_array().size() == 1);
  std::ostringstream out;
  print(s, out);
  CHECK_THAT(out.str(), Catch::Contains("updates, any block                               - % of writes\n"));
}

TEST_CASE("marks of blocks are kept by their number, however far apart and however many") {
  BlockMarks marks;
  constexpr std::uint64_t strides[] = {1, 64, std::uint64_t{1} << 20, (std::uint64_t{1} << 45) - 1};
  for (const auto stride : strides)
    for (std::uint64_t i = 1; i <= 1'000; ++i) marks.at(i * stride).touched = i * stride;
  for (const auto stride : strides)
    for (std::uint64_t i = 1; i <= 1'000; ++i) REQUIRE(marks.at(i * stride).touched == i * stride);
  CHECK(marks.at(0).touched == 0);
}

TEST_CASE("blocks are counted as by a set of blocks") {
  const bool holds = rc::check("against plain sets", [](const std::vector<std::tuple<bool, std::uint32_t, std::uint32_t>>& requests) {
    std::vector<TraceRecord> records;
    std::set<std::uint64_t> touched;
    std::set<std::uint64_t> written;
    std::uint64_t any = 0;
    std::uint64_t all = 0;
    std::uint64_t blocks = 0;
    std::uint64_t updated = 0;
    for (const auto& [write, offset, size] : requests) {
      const std::uint64_t from = offset % 4'000'000;
      const std::uint64_t length = size % 600'000 + 1;
      records.push_back(record(0, write ? wr : rd, from, length));
      std::uint64_t known = 0;
      std::uint64_t count = 0;
      for (auto block = from / 4096; block <= (from + length - 1) / 4096; ++block, ++count) {
        touched.insert(block);
        if (write && !written.insert(block).second) ++known;
      }
      if (!write) continue;
      any += known > 0 ? 1 : 0;
      all += known == count ? 1 : 0;
      blocks += count;
      updated += known;
    }
    if (records.empty()) return;
    const auto s = summary_of(records);
    RC_ASSERT(s.touched_blocks == touched.size());
    RC_ASSERT(s.written_blocks == written.size());
    RC_ASSERT(s.updates_any == any);
    RC_ASSERT(s.updates_all == all);
    RC_ASSERT(s.block_writes == blocks);
    RC_ASSERT(s.updated_block_writes == updated);
  });
  CHECK(holds);
}
