// Short traces of the kinds that people have, beside the source tree: the counts, bytes and spans that their page states.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>

#include "stimuli/readers/open_trace.hpp"
#include "stimuli/readers/trace_format.hpp"
#include "stimuli/readers/trace_summary.hpp"

using namespace tessera;

namespace {

struct Given {
  const char* file;
  const char* format;  ///< as recognised
  std::uint64_t reads, writes, bytes_read, bytes_written;
  std::uint64_t span_ns;
  std::size_t volumes;
  std::uint64_t flushes = 0;
  std::uint64_t trims = 0;
  std::uint64_t bytes_trimmed = 0;
};

const Given table[] = {
    {"alibaba.csv", "alibaba", 2, 4, 8'192, 106'496, 580'000, 5},
    {"tencent.csv", "tencent", 4, 2, (128 + 16 + 8 + 128) * 512, (128 + 1024) * 512, 1'000'000'000, 2},
    {"systor-unsorted.csv", "systor", 5, 0, 358'400, 0, 9'669'000, 1},
    {"msps.csv", "msps", 2, 1, 8'192, 65'536, 1'500'000, 2},
    {"fiu.txt", "fiu", 1, 2, 4'096, 8'192, 100'100'000, 2},
    {"blkreplay.load", "blkreplay", 2, 1, 8'192, 32'768, 200'000'000, 1},
    {"mqsim-512KB-first.trace", "ascii:ns", 0, 10, 0, 5'242'880, 63'000, 1},
    {"mqsim-ns.trace", "ascii:ns", 0, 6, 0, 57'344, 576'000, 5},
    {"ssdsim5.ascii", "ascii:ns", 1, 2, 3'072, 4'608, 2'200'000, 1},
    {"iotta8_nohead.csv", "iotta8", 2, 1, 8'192, 4'096, 1'500'000'000, 1},
    {"bom.csv", "msr", 0, 2, 0, 2'560, 21'500, 1},
    // Three of its six requests with an extent are discards (DS): 163,840 of the 176,128 B.
    {"blkparse-only-D.txt", "blkparse", 0, 3, 0, 12'288, 15'136'396, 1, 1, 3, 163'840},
    {"fwfs.txt", "blkparse", 2, 3, 8'192, 12'288, 600'000, 1, 2, 1, 524'288},
    {"binary.blktrace.0", "blktrace", 0, 3, 0, 24'576, 5'121'256'040, 1, 0, 2, 98'304},
    {"biosnoop.txt", "biosnoop", 1, 2, 8'192, 8'192, 2'004'426'000, 2},
    {"perf.txt", "ftrace", 0, 2, 0, 2'097'152, 3'000'000, 1, 1, 0},
    {"fiov2.log", "fio", 2, 0, 2'048, 0, 2'000'000'000, 1},
};

}  // namespace

TEST_CASE("every kind of trace gives the figures that are stated with it") {
  const std::filesystem::path folder(TESSERA_GIVEN_TRACES);
  if (!std::filesystem::exists(folder)) {
    WARN("no folder " << folder << ": its short traces are not checked");
    return;
  }
  for (const auto& row : table) {
    CAPTURE(row.file);
    TraceOptions options;
    options.path = (folder / row.file).string();
    CHECK(recognise_format(options.path) == row.format);
    const auto s = describe(*open_trace(options));
    CHECK(s.reads == row.reads);
    CHECK(s.writes == row.writes);
    CHECK(s.bytes_read == Bytes(row.bytes_read));
    CHECK(s.bytes_written == Bytes(row.bytes_written));
    CHECK(s.duration == Picoseconds(row.span_ns * 1'000));
    CHECK(s.volumes.size() == row.volumes);
    CHECK(s.flushes == row.flushes);
    CHECK(s.trims == row.trims);
    CHECK(s.bytes_trimmed == Bytes(row.bytes_trimmed));
  }
}

TEST_CASE("a log of fio whose waits fall gives the span that is stated with it once they are said to be relative") {
  TraceOptions options;
  options.path = (std::filesystem::path(TESSERA_GIVEN_TRACES) / "iolog2.txt").string();
  if (!std::filesystem::exists(options.path)) {
    WARN("no file " << options.path << ": it is not checked");
    return;
  }
  CHECK_THROWS_WITH(recognise_format(options.path), Catch::EndsWith("Choose one with --format fio:ms or --format fio:relative"));
  options.format = "fio:relative";
  const auto s = describe(*open_trace(options));
  CHECK(s.trims == 1);
  CHECK(s.duration == Picoseconds(9'000'000'000));
}

TEST_CASE("a write that a mapped device and the one below it have both is read from one of them") {
  const std::filesystem::path file = std::filesystem::path(TESSERA_GIVEN_TRACES) / "dm.txt";
  if (!std::filesystem::exists(file)) {
    WARN("no file " << file << ": it is not checked");
    return;
  }
  TraceOptions options;
  options.path = file.string();
  CHECK_THROWS_WITH(describe(*open_trace(options)), Catch::EndsWith("choose one with --volume 253,0 or --volume 8,0"));
  for (const auto* device : {"253,0", "8,0"}) {
    options.volume = device;
    const auto s = describe(*open_trace(options));
    CHECK(s.writes == 1);
    CHECK(s.bytes_written == Bytes(4'096));
  }
}
