// Texts that no format fits: a description is proposed where the columns leave nothing open, and none where they do. What check says
// agrees.
#include <catch2/catch.hpp>

#include <sstream>

#include "stimuli/readers/trace_probe.hpp"
#include "unit/readers/trace_files.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

using All = std::vector<TraceRecord>;
constexpr std::uint64_t ms = 1'000'000'000;
constexpr auto rd = HostOp::read, wr = HostOp::write, fl = HostOp::flush;

struct Probed {
  std::string told;
  std::string refused;  ///< by who reads the file without being told how
  std::string toml;
  All records;  ///< by the description that was proposed
};

Probed probe(const std::string& content) {
  const Folder folder;
  const auto path = folder.write("t", content);
  Probed probed;
  std::ostringstream out;
  print_probe(path, out);
  probed.told = out.str();
  probed.refused = error_of(folder, [&] { read_all(path, ""); });
  const auto begin = probed.told.find("separator = ");
  if (begin == std::string::npos) return probed;
  probed.toml = probed.told.substr(begin, probed.told.find("\nas it stands") - begin);
  folder.write("t.columns.toml", probed.toml);
  probed.records = read_all(path, "");
  return probed;
}

void check_open(const Probed& probed, const std::string& open) {
  CAPTURE(probed.told, probed.refused, open);
  CHECK(probed.toml.empty());
  CHECK_THAT(probed.told, Catch::Contains("no description of its columns is proposed, as they leave open\n") && Catch::Contains(open));
  CHECK_THAT(probed.refused, Catch::Contains("fits no known trace format") && Catch::Contains("columns, which leave open"));
}

}  // namespace

TEST_CASE("a mask of flags says no operation, and nothing is proposed") {
  std::string text;
  for (const auto* row : {"2178240\t8\t4096\t1\t10.000008\t10.004", "4568936\t16\t8192\t4\t10.003669\t10.008",
                          "2226368\t16\t8192\t0\t10.006621\t10.010", "4138864\t8\t4096\t5\t10.014069\t10.018"})
    text += std::string(row) + "\n";
  check_open(probe(text), "which requests are reads and which are writes: column 4 may say so, with 0, 1, 4, 5\n");
}

TEST_CASE("0 and 1 are operations by the column's name alone") {
  const auto rows = [](const std::string& name) { return "time,lba,blocks," + name + "\n0.5,1000,8,1\n0.6,2000,16,0\n0.75,90000,8,1\n"; };
  check_open(probe(rows("kind")), "which requests are reads and which are writes");
  CHECK(probe(rows("is_write")).records ==
        All{record(0, wr, 512'000, 4'096), record(100 * ms, rd, 1'024'000, 8'192), record(250 * ms, wr, 46'080'000, 4'096)});
  CHECK(probe(rows("is_read")).records[0].op == rd);
}

TEST_CASE("a number of a device is no size") {
  check_open(probe("0.5,R,1000,3\n0.6,W,2000,5\n0.7,R,90000,3\n"),
             "how long a request is: column 4 may be a size in blocks, or a number of something else");
  check_open(probe("0.5,R,1000,3,8\n0.6,W,2000,5,16\n0.7,R,90000,3,8\n"), "how long a request is: columns 5 and 4 may be sizes");
  CHECK(probe("time,op,lba,dev,size\n0.5,R,1000,3,8\n0.6,W,2000,5,16\n0.7,R,90000,3,8\n").records[1] ==
        record(100 * ms, wr, 1'024'000, 8'192, 1));
}

TEST_CASE("lines that say the same again, of completion, are left out") {
  const auto probed = probe(
      "31001 D write 1539895296 65536 0.004876247 0 False\n31001 C write 1539895296 65536 0.012327253 0.007451006 False\n"
      "31001 D read 3609264128 8192 0.017652356 0 False\n31001 D read 3869335552 4096 0.019084454 0 False\n"
      "31001 C read 3869335552 4096 0.020393873 0.001309418 False\n31001 C read 3609264128 8192 0.025456750 0.007804394 False\n");
  CHECK_THAT(probed.toml, Catch::Contains("only = \"2:D\"  # lines with C say the same again\n"));
  CHECK(probed.records == All{record(0, wr, 1'539'895'296, 65'536), record(12'776'109'000, rd, 3'609'264'128, 8'192),
                              record(14'208'207'000, rd, 3'869'335'552, 4'096)});
}

TEST_CASE("names may stand in a comment, with their types, and come again with each file that was put behind another") {
  const std::string rows = "10,WR,16,8\n20,RD,9000,16\n";
  const All expected{record(0, wr, 8'192, 4'096), record(10'000'000, rd, 4'608'000, 8'192)};
  CHECK(probe("#ELAPSED_USECS.D,CMD.S,LBA.I,NBLKS.I\n" + rows).records.size() == 2);
  const std::string header = "ELAPSED_USECS.D,CMD.S,LBA.I,NBLKS.I\n";
  const auto twice = probe(header + rows + header + "30,RD,8,8\n");
  REQUIRE(twice.records.size() == 3);
  CHECK(std::vector(twice.records.begin(), twice.records.begin() + 2).back().offset == expected[1].offset);
  const Folder folder;
  const auto source = open_trace_file(folder.write("t", header + rows + header + "30,RD,8,8\n"),
                                      "columns:time=ELAPSED_USECS.D:us,op=CMD.S:r=RD,w=WR,offset=LBA.I:512,size=NBLKS.I:512");
  CHECK(read_all(*source) == All{expected[0], expected[1], record(20'000'000, rd, 4'096, 4'096)});
  CHECK(source->notes() == std::vector<std::string>{"1 headers that come again left out"});
}

TEST_CASE("times of the calendar, whole or parted from their date") {
  const All expected{record(0, rd, 512'000, 4'096), record(1'500 * ms, wr, 46'080'000, 8'192)};
  CHECK(probe("2011-04-05T23:59:59.000Z,R,1000,8\n2011-04-06T00:00:00.500Z,W,90000,16\n").records == expected);
  const auto parted = probe("2011-04-05 23:59:59.000 R 1000 8\n2011-04-06 00:00:00.500 W 90000 16\n");
  CHECK_THAT(parted.toml, Catch::Contains("time = \"1+2:date\"  # of the calendar\n"));
  CHECK(parted.records == expected);
  CHECK(reading_error("2011-04-31 00:00:00,R,8,8\n", "columns:time=1:date,op=2:r=R,w=W,offset=3:512,size=4:512") ==
        "t:1: time '2011-04-31 00:00:00' is no date with a time of day; expected 2011-04-05 12:34:56.789, or the time alone");
}

TEST_CASE("a trace without times is described without, and a note says what that means") {
  const auto probed = probe("R 90000 8\nW 1000 16\nR 8000 8\n");
  CHECK_THAT(probed.toml, Catch::Contains("time = \"none\""));
  CHECK(probed.records == All{record(0, rd, 46'080'000, 4'096), record(0, wr, 512'000, 8'192), record(0, rd, 4'096'000, 4'096)});
  const Folder folder;
  const auto source =
      open_trace_file(folder.write("t", "R 8 8\n"), "columns:time=none,op=1:r=R,w=W,offset=2:512,size=3:512,separator=space");
  read_all(*source);
  CHECK(source->notes() ==
        std::vector<std::string>{"the file has no times: all requests arrive together (--replay closed:N goes without)"});
}

TEST_CASE("flush and FUA as columns") {
  const std::string rows = "time,op,lba,blocks,flush,fua\n0.5,W,1000,8,0,1\n0.6,W,2000,16,1,0\n0.7,R,90000,8,0,1\n0.8,W,0,0,1,0\n";
  const All expected{record(0, wr, 512'000, 4'096, 0, true), record(100 * ms, fl, 0, 0), record(100 * ms, wr, 1'024'000, 8'192),
                     record(200 * ms, rd, 46'080'000, 4'096), record(300 * ms, fl, 0, 0)};
  const Folder folder;
  CHECK(read_all(folder.write("t", rows), "columns:time=time:s,op=op:r=R,w=W,offset=lba:512,size=blocks:512,flush=flush:1,fua=fua:1") ==
        expected);
  const auto probed = probe("time,op,lba,blocks,flush,fua\n0.5,W,1000,8,0,1\n0.6,W,2000,16,1,0\n0.7,R,90000,8,0,1\n");
  CHECK(probed.records == All(expected.begin(), expected.begin() + 4));
}
