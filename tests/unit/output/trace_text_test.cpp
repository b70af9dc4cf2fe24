// What is written for other programs reads back as the same requests, as far as the form can hold them.
#include "platforms/output/trace_text.hpp"

#include <catch2/catch.hpp>

#include "unit/output/scratch.hpp"
#include "unit/readers/trace_files.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

using All = std::vector<TraceRecord>;
constexpr std::uint64_t us = 1'000'000;  // ps
constexpr auto rd = HostOp::read, wr = HostOp::write, fl = HostOp::flush, tr = HostOp::trim;

const All every_kind = {record(0, wr, 4'096, 8'192),
                        record(3 * us, rd, 512, 1'024, 1),
                        record(3 * us, fl, 0, 0),
                        record(10 * us, tr, 1 << 20, 65'536),
                        record(250 * us, wr, std::uint64_t{5} << 40, 4'096, 1, true),
                        record(86'400'000'000 * us, rd, 0, 512)};

All without_fua(All records) {
  for (auto& record : records) record.force_unit_access = false;
  return records;
}

struct Result {
  WrittenTrace written;
  All read;
  std::string format, text;
};

Result write_and_read(const All& records, TraceText form) {
  const Scratch scratch;
  Records source(records);
  Result result;
  const auto file = scratch / "t";
  result.written = write_trace_text(source, file, form);
  result.text = contents(file);
  result.format = recognise_format(file);
  result.read = read_all(file, "");
  return result;
}

}  // namespace

TEST_CASE("fio's log, version 3, reads back but for forced unit access, and a note counts that") {
  const auto result = write_and_read(every_kind, TraceText::fio_3);
  CHECK(result.read == without_fua(every_kind));
  CHECK(result.written.records == 6);
  CHECK(result.written.notes == std::vector<std::string>{"1 writes without their forced unit access, which fio's log has no word for"});
  // From 1 on: fio takes no gap after a time of 0.
  CHECK_THAT(result.text, Catch::StartsWith("fio version 3 iolog\n1 vol_0 add\n1 vol_0 open\n1 vol_0 write 4096 8192\n4 vol_1 add\n"));
}

TEST_CASE("fio's log, version 2, waits for milliseconds since the job's start") {
  const auto result =
      write_and_read({record(0, wr, 0, 512), record(1'500 * us, rd, 0, 512), record(7'000 * us, rd, 512, 512)}, TraceText::fio_2);
  CHECK(result.text ==
        "fio version 2 iolog\nvol_0 add\nvol_0 open\nvol_0 write 0 512\nvol_0 wait 1 0\nvol_0 read 0 512\nvol_0 wait 7 0\n"
        "vol_0 read 512 512\nvol_0 close\n");  // fio takes two fields or four, never three
  CHECK(result.read == All{record(0, wr, 0, 512), record(1'000 * us, rd, 0, 512), record(7'000 * us, rd, 512, 512)});
  CHECK(result.written.notes == std::vector<std::string>{"1 arrivals cut to whole milliseconds"});
}

TEST_CASE("blkparse's text reads back whole") {
  const auto result = write_and_read(every_kind, TraceText::blkparse);
  CHECK(result.format == "blkparse");
  CHECK(result.read == every_kind);
  CHECK(result.written.notes.empty());
}

TEST_CASE("an MSR trace holds the reads and writes") {
  const auto result = write_and_read(every_kind, TraceText::msr);
  CHECK(result.format == "msr");
  CHECK(result.read == without_fua({every_kind[0], every_kind[1], every_kind[4], every_kind[5]}));
  CHECK(result.written.records == 4);
  CHECK(result.written.notes == std::vector<std::string>{"2 flushes and trims left out, which MSR traces have not",
                                                         "1 writes without their forced unit access, which MSR traces have no word for"});
  CHECK_THAT(result.text, Catch::StartsWith("128166372000000000,vol,0,Write,4096,8192,0\n128166372000000030,vol,1,Read,512,1024,0\n"));
}

TEST_CASE("columns lose nothing, not even a picosecond") {
  auto records = every_kind;
  records[1] = record(2'999'999, rd, 513, 1, 1);
  const auto result = write_and_read(records, TraceText::columns);
  CHECK(result.format == "columns");
  CHECK(result.read == records);
  CHECK(result.written.notes.empty());
}

TEST_CASE("times finer than the form's unit are cut, and a note counts them") {
  const auto result = write_and_read({record(0, wr, 0, 512), record(1'999'999, wr, 0, 512), record(5 * us, wr, 0, 512)}, TraceText::fio_3);
  CHECK(result.read == All{record(0, wr, 0, 512), record(us, wr, 0, 512), record(5 * us, wr, 0, 512)});
  CHECK(result.written.notes == std::vector<std::string>{"1 arrivals cut to whole microseconds"});
}

TEST_CASE("what a form cannot hold at all is refused") {
  const Scratch scratch;
  Records bytes({record(0, wr, 100, 512)});
  CHECK_THROWS_WITH(write_trace_text(bytes, scratch / "b", TraceText::blkparse),
                    "t:1: the request is not of whole sectors of 512 B, which is all that blkparse's text can say");
  Records flushes({record(0, fl, 0, 0)});
  CHECK_THROWS_WITH(write_trace_text(flushes, scratch / "f", TraceText::msr), "t:1: the form holds none of the trace's requests");
  CHECK_FALSE(std::filesystem::exists(scratch / "f"));
  Records large({record(0, tr, 0, std::uint64_t{1} << 32)});
  CHECK_THROWS_WITH(write_trace_text(large, scratch / "l", TraceText::fio_3), "t:1: the request has 4 GiB or more, which fio cannot read");
}
