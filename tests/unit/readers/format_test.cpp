// Each format by lines made by hand: operation, address, size, time and volume are what the format's definition says.
#include "unit/readers/trace_files.hpp"

#include <catch2/catch.hpp>

using namespace tessera;
using namespace tessera::test;

namespace {

constexpr auto rd = HostOp::read;
constexpr auto wr = HostOp::write;
constexpr auto fl = HostOp::flush;
constexpr auto tr = HostOp::trim;
constexpr std::uint64_t us = 1'000'000;
constexpr std::uint64_t ms = 1'000 * us;
constexpr std::uint64_t s = 1'000 * ms;

using All = std::vector<TraceRecord>;

All read(const std::string& content, const std::string& format) {
  const Folder folder;
  return read_all(folder.write("t", content), format);
}

template <class T>
void put(std::string& bytes, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) bytes.push_back(static_cast<char>(value >> (8 * i) & 0xff));
}

std::string vscsi1(std::uint16_t cmd, std::uint32_t len, std::uint64_t lbn, std::uint64_t ts) {
  std::string bytes;
  put<std::uint32_t>(bytes, 7);
  put(bytes, len);
  put<std::uint32_t>(bytes, 1);
  put(bytes, cmd);
  put<std::uint16_t>(bytes, 0x0100);
  put(bytes, lbn);
  put(bytes, ts);
  return bytes;
}

std::string vscsi2(std::uint16_t cmd, std::uint32_t len, std::uint64_t lbn, std::uint64_t ts) {
  std::string bytes;
  put(bytes, cmd);
  put<std::uint16_t>(bytes, 0x0200);
  put<std::uint32_t>(bytes, 7);
  put(bytes, len);
  put<std::uint32_t>(bytes, 1);
  put(bytes, lbn);
  put(bytes, ts);
  put<std::uint64_t>(bytes, 99);
  return bytes;
}

}  // namespace

TEST_CASE("msr: ticks of 100 ns from the first record, bytes, host and disk as volume") {
  const std::string lines =
      "128166385365934025,web,0,Write,3160743424,4096,135731\n"
      "128166385365934026,web,1,Read,512,1024,1\n"
      "128166385365935025,web,0,read,0,512,1\n";
  const All expected = {record(0, wr, 3160743424, 4096), record(100'000, rd, 512, 1024, 1), record(1000 * 100'000, rd, 0, 512)};
  CHECK(read(lines, "msr") == expected);
  CHECK(read("Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n" + lines, "msr") == expected);
  CHECK(read("5,h,0,Read,0,512\n", "msr") == All{record(0, rd, 0, 512)});  // without response time
}

TEST_CASE("msr: the volume is HOST_DISK") {
  const Folder folder;
  const auto source = open_trace_file(folder.write("t", "1,web,2,Read,0,512,1\n"), "msr");
  read_all(*source);
  CHECK(source->volume_name(0) == "web_2");
}

TEST_CASE("text: CRLF, blank lines, comments, blanks around fields and a missing last newline change nothing") {
  const All expected = {record(0, wr, 0, 512), record(100'000, rd, 512, 512)};
  CHECK(read("1,h,0,Write,0,512,9\r\n2,h,0,Read,512,512,9\r\n", "msr") == expected);
  CHECK(read("# comment\n\n 1, h,0, Write ,0,512,9\n% more\n2,h,0,Read,512,512,9", "msr") == expected);
}

TEST_CASE("spc: blocks of 512 B, bytes and decimal seconds to the picosecond, ASU as volume") {
  CHECK(read("0,303567,3584,w,0.000000\n2,55590,3072,R,0.026214123456\n0,1,512,r,1.5,extra,fields\n", "spc") ==
        All{record(0, wr, 303567 * 512, 3584), record(26'214'123'456, rd, 55590 * 512, 3072, 1), record(3 * s / 2, rd, 512, 512)});
}

TEST_CASE("vscsi: both binary layouts, microseconds, SCSI codes, commands without data are left out and counted") {
  const auto content = [](auto encode) {
    return encode(0x2a, 512, 42932745, 1000) + encode(0x12, 36, 0, 1001) + encode(0x88, 4096, 8, 1003) + encode(0x35, 0, 0, 1004) +
           encode(0x42, 4096, 16, 1005) + encode(0x42, 0, 0, 1006);
  };
  const All expected = {record(0, wr, 42932745ULL * 512, 512), record(3 * us, rd, 4096, 4096), record(4 * us, fl, 0, 0),
                        record(5 * us, tr, 8192, 4096)};
  CHECK(read(content(vscsi1), "vscsi1") == expected);
  CHECK(read(content(vscsi2), "vscsi2") == expected);

  const Folder folder;
  const auto source = open_trace_file(folder.write("t", content(vscsi1)), "");
  read_all(*source);
  CHECK(source->notes() == std::vector<std::string>{"read as vscsi1 (rate 600,000/s)", "1 SCSI commands that move no user data left out",
                                                    "1 UNMAP commands without an extent left out"});
}

TEST_CASE("cloudphysics text, both forms") {
  CHECK(read("version,time,op,size,lbn\n1,5633898,2a,512,42932745\n1,5633899,28,1024,2\n1,5633899,35,0,0\n", "cpcsv") ==
        All{record(0, wr, 42932745ULL * 512, 512), record(s, rd, 1024, 1024), record(s, fl, 0, 0)});
  CHECK(read("ts,lba,op,size\n100,8,w,4096\n250,16,r,512\n", "cp4") == All{record(0, wr, 4096, 4096), record(150 * us, rd, 8192, 512)});
}

TEST_CASE("ascii: DiskSim's columns in milliseconds, or in the unit that is named, bit 0 of flags is a read") {
  const std::string lines = "0.5 0 280605840 2 1\n1.75 1 8 1 0\n1.75 0 8 1 3\n";
  const auto at = [](std::uint64_t unit) {
    return All{record(0, rd, 280605840ULL * 512, 1024), record(unit * 5 / 4, wr, 4096, 512, 1), record(unit * 5 / 4, rd, 4096, 512)};
  };
  CHECK(read(lines, "ascii") == at(ms));
  CHECK(read(lines, "ascii:us") == at(us));
  CHECK(read(lines, "ascii:s") == at(s));
}

TEST_CASE("bms: offset and size in bytes, op 1 is a read") {
  CHECK(read("0.000 0 200626176 4096 0\n22.810 3 512 512 1\n", "bms") ==
        All{record(0, wr, 200626176, 4096), record(22'810 * us, rd, 512, 512, 1)});
}

TEST_CASE("hpval: the last column is the time from the completion of its line to the next arrival") {
  // Arrivals: 0, then 14095.370 + 13876.270 = 27971.640 us, then 1.0 + 18746.770 us later. Nothing arrives behind the last line.
  const char* lines = "R Miss  564347     2     14095.370     13876.270\nW Doub  10 1 1.0 18746.770\nR Hit 11 1 1.0 0.5\n";
  auto expected = All{record(0, rd, 564347 * 512, 1024), record(27'971'640'000, wr, 5120, 512), record(46'719'410'000, rd, 5632, 512)};
  expected[0].think = Picoseconds(0);
  expected[1].think = Picoseconds(13'876'270'000);
  expected[2].think = Picoseconds(18'746'770'000);
  CHECK(read(lines, "hpval") == expected);
  // As papers have it: each line's own, in front of it.
  CHECK(read(lines, "hpval:gaps") ==
        All{record(0, rd, 564347 * 512, 1024), record(18'746'770'000, wr, 5120, 512), record(18'747'270'000, rd, 5632, 512)});
}

TEST_CASE("only a format with think times says that it tells them, through everything that a run puts on top") {
  const Folder folder;
  TraceOptions options;
  options.path = folder.write("t", "R Hit 0 1 1.0 2.0\nR Hit 9 2 1.0 2.0\n");
  options.time_scale = {3, 1};
  options.fold = true;
  options.adapt = SectorAdaptation::none;
  const auto told = open_trace(options, Bytes(5120), Bytes(512));  // the second request goes over the end, by one block
  CHECK(told->tells_think_times());
  TraceRecord first, second, rest;
  REQUIRE((told->next(first) && told->next(second) && told->next(rest)));
  CHECK(second.arrival == Picoseconds(9'000'000));
  CHECK(second.think == Picoseconds(6'000'000));
  CHECK(rest.offset == Bytes(0));
  CHECK(rest.think == Picoseconds(0));
  options.format = "hpval:gaps";
  CHECK_FALSE(open_trace(options, Bytes(5120), Bytes(512))->tells_think_times());
}

TEST_CASE("blkparse: queue events only, flush before and FUA after the operation, the summary is no trace") {
  const Folder folder;
  const auto source = open_trace_file(folder.write("t",
                                                   "  8,0    3        1     0.000000000   697  Q   R 223490 + 8 [kjournald]\n"
                                                   "  8,0    3        2     0.000001829   697  G   R 223490 + 8 [kjournald]\n"
                                                   "  8,0    3        0     0.000002000     0  m   N cfq697S / alloced\n"
                                                   "  8,0    3        3     0.000003000   697  Q FWFS 16 + 8 [jbd2/sda1 8]\n"
                                                   "  8,0    3        4     0.000004000   697  Q  WS 24 + 1 [a]\n"
                                                   "  8,0    3        5     0.000005000   697  Q  DS 64 + 16 [fstrim]\n"
                                                   "  8,0    3        6     0.000006000   697  Q FWS [b]\n"
                                                   "  8,0    3        7     0.000006000   697  Q   N [c]\n"
                                                   "  8,0    3        8     0.000007000   697  C   R 223490 + 8 [0]\n"
                                                   "CPU0 (8,0):\n"
                                                   " Reads Queued:           1,        4KiB\n"),
                                      "");
  CHECK(read_all(*source) == All{record(0, rd, 223490ULL * 512, 4096), record(3 * us, fl, 0, 0), record(3 * us, wr, 8192, 4096, 0, true),
                                 record(4 * us, wr, 24 * 512, 512), record(5 * us, tr, 64 * 512, 8192), record(6 * us, fl, 0, 0)});
  CHECK(source->volume_name(0) == "8,0");
  CHECK(source->notes() == std::vector<std::string>{"read as blkparse (rate 833,333/s)",
                                                    "3 blkparse events other than queue events (Q) left out",
                                                    "1 discards (D) are trims; blkparse's own totals count them as writes",
                                                    "1 requests that move no data left out"});
}

TEST_CASE("fio: a wait of version 2 is for milliseconds since the job's start, version 3 has microseconds of its own") {
  // As fio 3.33 replays it: the second read begins 150 ms after the job, and the wait for 120 ms is over by then.
  const std::string version2 =
      "fio version 2 iolog\n/dev/sda add\n/dev/sda open\n/dev/sda write 0 4096\n/dev/sda wait 100 0\n/dev/sda read 4096 512\n"
      "/dev/sda wait 150\n/dev/sda sync 0 0\n/dev/sdb datasync\n/dev/sda trim 0 4096\n/dev/sda close\n";
  const auto at = [](std::uint64_t first, std::uint64_t second) {
    return All{record(0, wr, 0, 4096), record(first, rd, 4096, 512), record(second, fl, 0, 0), record(second, fl, 0, 0, 1),
               record(second, tr, 0, 4096)};
  };
  CHECK(read(version2, "") == at(100 * ms, 150 * ms));
  CHECK(read(version2, "fio:us") == at(100 * us, 150 * us));
  CHECK(read(version2, "fio:relative") == at(100 * us, 250 * us));
  const std::string version3 = "fio version 3 iolog\n1 f add\n2 f open\n10 f write 0 4096\n12 f read 512 512\n12 f close\n";
  CHECK(read(version3, "") == All{record(0, wr, 0, 4096), record(2 * us, rd, 512, 512)});
  CHECK(read(version3, "fio:ms") == All{record(0, wr, 0, 4096), record(2 * ms, rd, 512, 512)});
}

TEST_CASE("records out of time order arrive with the latest before them, and a note counts them") {
  const Folder folder;
  const auto source = open_trace_file(folder.write("t",
                                                   "100,h,0,Read,0,512,1\n130,h,0,Read,0,512,1\n90,h,0,Read,0,512,1\n"
                                                   "120,h,0,Read,0,512,1\n131,h,0,Read,0,512,1\n"),
                                      "msr");
  std::vector<std::uint64_t> ticks;
  for (const auto& r : read_all(*source)) ticks.push_back(r.arrival.value() / 100'000);
  CHECK(ticks == std::vector<std::uint64_t>{0, 30, 30, 30, 31});
  CHECK(source->notes() ==
        std::vector<std::string>{
            "2 records out of time order, taken at the time of the latest record before them; by at most 1 ms (--sort 1 ms sorts them)",
            "records before the first one in time: 1, the first of them at " + folder.path("t") + ":3"});
}
