// A format is known by what a file holds; where that does not decide, the user is asked.
#include <catch2/catch.hpp>

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
  CHECK(recognised("0 0 280605840 2 1") == "ascii");
}

TEST_CASE("five columns: sectors by one number that is no multiple of 512, bytes by eight lines without one, else unclear") {
  const std::string line = "0.000 0 200626176 4096 0\n";
  CHECK(recognised(repeated(line, 8)) == "bms");
  CHECK(recognised(repeated(line, 8) + "1 0 512 8 0\n") == "ascii");
  CHECK(recognised(repeated(line, 8) + "1 0 8 512 0\n") == "ascii");
  CHECK(recognised(repeated(line, 7)) ==
        "t: the columns may hold blocks or bytes: name the format, --format ascii (DiskSim, blocks of 512 B) or --format bms (bytes)");
}

TEST_CASE("what fits nothing lists the formats") {
  CHECK(recognised("hello\n") ==
        "t: the content fits no known trace format: name one with --format, of msr, spc, vscsi1, vscsi2, cpcsv, cp4, "
        "hpval, fio, blkparse, ascii, bms, columns");
  CHECK(recognised(std::string(20, '\0')).find("fits no known trace format") != std::string::npos);
}

TEST_CASE("format names and their arguments are checked") {
  const Folder folder;
  const auto path = folder.write("t", "1,h,0,Read,0,512,1\n");
  const auto error = [&](const std::string& format) { return error_of(folder, [&] { read_all(path, format); }); };
  CHECK(error("mrs") ==
        "--format: unknown trace format 'mrs'; did you mean 'msr'? known: msr, spc, vscsi1, vscsi2, cpcsv, cp4, hpval, fio, "
        "blkparse, ascii, bms, columns");
  CHECK(error("msr:us") == "--format msr:us: the format 'msr' takes nothing after its name");
  CHECK(error("hpval:gap") == "--format hpval:gap: expected hpval or hpval:gaps (the last column as gaps between arrivals)");
  CHECK(error("ascii:minutes") == "--format ascii:minutes: expected a time unit: s, ms, us, 100ns, ns or ps");
}

TEST_CASE("every format has a line of description and a name of its own") {
  const auto& formats = trace_formats();
  CHECK(formats.size() == 12);
  for (const auto& format : formats) {
    CHECK_FALSE(format.description.empty());
    CHECK(std::count_if(formats.begin(), formats.end(), [&](const auto& other) { return other.name == format.name; }) == 1);
  }
}

TEST_CASE("DiskSim's unit is a guess that is owned up to, unless named") {
  const Folder folder;
  const auto path = folder.write("t", "0 0 8 8 1\n");
  CHECK(open_trace_file(path, "ascii")->notes().size() == 1);
  CHECK(open_trace_file(path, "")->notes().size() == 1);
  CHECK(open_trace_file(path, "ascii:ms")->notes().empty());
}
