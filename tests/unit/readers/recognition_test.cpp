// A format is known by what a file holds; where that does not decide, the user is asked.
#include <catch2/catch.hpp>

#include <sstream>

#include "stimuli/readers/trace_probe.hpp"
#include "unit/readers/trace_files.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

std::string recognised(const std::string& content) {
  const Folder folder;
  const auto path = folder.write("t", content);
  std::string name;
  const auto error = error_of(folder, [&] { name = recognise_format(path); });
  return error.empty() ? name : error;
}

std::string repeated(const std::string& line, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += line;
  return text;
}

}  // namespace

TEST_CASE("each text format by its first lines") {
  CHECK(recognised("128166385365934025,web,0,Write,3160743424,4096,135731\r\n") == "msr");
  CHECK(recognised("Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n") == "msr");
  CHECK(recognised("# made by hand\n0,303567,3584,w,0.000000\n") == "spc");
  CHECK(recognised("version,time,op,size,lbn\n") == "cpcsv");
  CHECK(recognised("100,8,w,4096\n") == "cp4");
  CHECK(recognised("ts,lba,op,size\n") == "cp4");
  CHECK(recognised("R Miss 564347 2 14095.370 13876.270\n") == "hpval");
  CHECK(recognised("fio version 3 iolog\n") == "fio");
  CHECK(recognised("  8,0    3        1     0.000000000   697  Q   R 223490 + 8 [k]\n") == "blkparse");
  CHECK(recognised("0 0 280605840 2 1") == "ascii:ms");
}

TEST_CASE("five columns: sectors by one number that is no multiple of 512, bytes by several sizes in bytes, else refused") {
  const std::string line = "0.000 0 200626176 4096 0\n";
  CHECK(recognised(repeated(line, 8) + "1.000 0 3159347200 36864 1\n") == "bms:ms");
  CHECK(recognised(repeated(line, 8) + "1.000 0 512 8 0\n") == "ascii:ms");
  CHECK(recognised(repeated(line, 8) + "1.000 0 8 512 0\n") == "ascii:ms");
  CHECK(recognised(repeated(line, 8)) ==
        "t: two readings fit: as ascii:ms 8 requests, 16,777,216 B in 0 ns; as bms:ms 8 requests, 32,768 B in 0 ns. Choose one with "
        "--format ascii:ms or --format bms:ms");
}

TEST_CASE("large aligned sequential requests in nanoseconds are neither bytes nor milliseconds") {
  std::string text;
  for (int i = 0; i < 16; ++i) text += std::to_string(7'000'000 + 6'000 * i) + " 0 " + std::to_string(2048 + 1024 * i) + " 1024 0\n";
  CHECK(recognised(text) == "ascii:ns");
  const Folder folder;
  const auto source = open_trace_file(folder.write("t", text), "");
  const auto records = read_all(*source);
  CHECK(records.back() == record(90'000'000, HostOp::write, 17'408 * 512, 524'288));
  CHECK(source->notes() == std::vector<std::string>{"read as ascii, times in ns (rate 166,667/s; as ms 0.167/s), blocks of 512 B"});
}

TEST_CASE("times that may be milliseconds or nanoseconds are refused with both readings in numbers") {
  CHECK(recognised("0 0 8 16 0\n1000 0 2048 8 1\n4000 0 8 1 0\n") ==
        "t: two readings fit: as ascii:ms 3 requests, 12,800 B in 4 s (0.5/s); as ascii:ns 3 requests, 12,800 B in 4 us (500,000/s). "
        "Choose one with --format ascii:ms or --format ascii:ns");
}

TEST_CASE("a letter in the fourth column makes no SPC trace") {
  CHECK(recognised("0,2048,8,W,1048576,1000000,10,1\n0,4096,8,R,2097152,1500000,10,1\n") == "iotta8");
  CHECK(recognised("0,303567,3584,w,0.000000\n1,55590,3072,w,0.026214\n") == "spc");
  // Neither whole sectors nor times with a fraction: sizes may be blocks, and times anything.
  CHECK_THAT(recognised("5,4096,8,R,1000001\n6,8192,8,W,1000002\n6,9000,8,W,1526054\n"), Catch::Contains("fits no known trace format"));
}

TEST_CASE("a byte-order mark is no part of the first number") {
  CHECK(recognised("\xef\xbb\xbf"
                   "128166385295514663,hm,0,Write,9056014336,2048,2833\n") == "msr");
  const Folder folder;
  CHECK(read_all(folder.write("t",
                              "\xef\xbb\xbf"
                              "10,h,0,Write,4096,512,1\n"),
                 "")
            .size() == 1);
}

TEST_CASE("what fits nothing lists the formats") {
  CHECK(recognised("hello\n") ==
        "t: the content fits no known trace format; its first line is 'hello': name one with --format, of msr, spc, vscsi1, vscsi2, cpcsv, "
        "cp4, "
        "hpval, fio, blktrace, blkparse, ftrace, biosnoop, baleen, oracle, srt-binary, ascii, bms, mqsim, ssdsim, alibaba, tencent, "
        "systor, msps, fiu, "
        "blkreplay, iotta8, hfplayer, thesios, etw, srt, fiolat, libcachesim, libcachesim-bytes, columns");
  CHECK(recognised(std::string(20, '\0')).find("fits no known trace format") != std::string::npos);
}

TEST_CASE("format names and their arguments are checked") {
  const Folder folder;
  const auto path = folder.write("t", "1,h,0,Read,0,512,1\n");
  const auto error = [&](const std::string& format) { return error_of(folder, [&] { read_all(path, format); }); };
  CHECK(error("mrs") == "--format: unknown trace format 'mrs'; did you mean 'msr'? (tessera-sim list formats names all)");
  CHECK(error("msr:us") == "--format msr:us: the format 'msr' takes nothing after its name");
  CHECK(error("hpval:gap") == "--format hpval:gap: expected hpval or hpval:gaps (the last column as gaps between arrivals)");
  CHECK(error("ascii:minutes") == "--format ascii:minutes: expected a time unit: s, ms, us, 100ns, ns or ps");
}

TEST_CASE("every format has a line of description and a name of its own") {
  const auto& formats = trace_formats();
  CHECK(formats.size() == 34);
  for (const auto& format : formats) {
    CHECK_FALSE(format.description.empty());
    CHECK(std::count_if(formats.begin(), formats.end(), [&](const auto& other) { return other.name == format.name; }) == 1);
  }
}

TEST_CASE("a format without its unit owns up to a guess, and what was recognised to its evidence") {
  const Folder folder;
  const auto path = folder.write("t", "0 0 8 8 1\n");
  CHECK(open_trace_file(path, "ascii")->notes().size() == 1);
  CHECK(open_trace_file(path, "")->notes() == std::vector<std::string>{"read as ascii, times in ms (all at one time), blocks of 512 B"});
  CHECK(open_trace_file(path, "ascii:ms")->notes().empty());
}

TEST_CASE("microseconds are offered where the clock's steps and the rate allow for them, and nowhere else") {
  std::string fine = "0 0 8 16 0\n";
  std::string coarse = fine;
  for (int i = 1; i < 20; ++i) {
    fine += std::to_string(5'003 * i + i % 7) + " 0 " + std::to_string(8 * i) + " 16 1\n";
    coarse += std::to_string(50'000 * i) + " 0 " + std::to_string(8 * i) + " 16 1\n";
  }
  CHECK(recognised(fine) ==
        "t: two readings fit: as ascii:us 20 requests, 163,840 B in 95.1 ms (200/s); as ascii:ns 20 requests, 163,840 B in 95.1 us "
        "(199,870/s). Choose one with --format ascii:us or --format ascii:ns");
  CHECK(recognised(coarse) == "ascii:ns");
}

namespace {

std::string probed(const std::string& content) {
  const Folder folder;
  const auto path = folder.write("t", content);
  std::ostringstream out;
  print_probe(path, out);
  std::string text = out.str();
  const std::string prefix = folder.path("");
  for (auto at = text.find(prefix); at != std::string::npos; at = text.find(prefix)) text.erase(at, prefix.size());
  return text;
}

}  // namespace

TEST_CASE("the probe shows what was taken and why, and the other readings with their figures") {
  CHECK(probed("10,h,0,Write,4096,512,1\n30,h,0,Read,4096,512,1\n") ==
        "t: read as msr (rate 500,000/s)\n* --format msr  (fits to 0.95)\n      2 requests, 1,024 B in 2 us (500,000/s)\n");
  CHECK_THAT(probed("0 0 8 16 0\n1000 0 2048 8 1\n4000 0 8 1 0\n"), Catch::StartsWith("t: two readings fit: as ascii:ms 3 requests") &&
                                                                        Catch::Contains("\n? --format ascii:ns  (fits to 0.80)\n"));
}

TEST_CASE("a proposed description takes no number of the line for a time, and kilobytes by their name") {
  const std::string told =
      probed("id;when;kind;start;kb\n1;0.250;rd;0x1000;4\n2;0.500;wr;0x8000;64\n3;0.875;rd;0x2000;8\n4;0.875;rd;0xa000;4\n");
  CHECK_THAT(told, Catch::Contains("time = \"2:s\"  # named 'when'; "));
  CHECK_THAT(told, Catch::Contains("offset = \"4:bytes:hex\"  # named 'start'; all are multiples of 512\n"));
  CHECK_THAT(told, Catch::Contains("size = \"5:KiB\"  # named 'kb'; by its name\n"));
  CHECK_THAT(told, Catch::Contains("as it stands it reads 4 requests, 81,920 B in 625 ms "));
  CHECK_THAT(probed("t1;a;b;c\n0.5;r;4096;8\n0.6;w;8192;24\n"), Catch::Contains("# named 'b'; blocks, as the sizes are\n"));
}

TEST_CASE("what fits nothing gets a description of its columns, which reads it") {
  const std::string text = "Kind;When (us);Start;Length;Disk\nread;1000100;16;8;sda\nwrite;1003200;2000008;16;sdb\nread;1010000;24;8;sda\n";
  const std::string told = probed(text);
  CHECK_THAT(told, Catch::StartsWith("t: the content fits no known trace format\n"));
  const auto begin = told.find("separator = ");
  REQUIRE(begin != std::string::npos);
  const Folder folder;
  const auto path = folder.write("t", text);
  folder.write("t.columns.toml", told.substr(begin, told.find("\nas it stands") - begin));
  const auto records = read_all(path, "");
  REQUIRE(records.size() == 3);
  CHECK(records[1].op == HostOp::write);
  CHECK(records[1].offset == Bytes(2'000'008 * 512));
  CHECK(records[1].size == Bytes(8'192));
  CHECK(records[1].volume == 1);
  CHECK_THAT(told, Catch::Contains("as it stands it reads 3 requests, 16,384 B in "));
}
