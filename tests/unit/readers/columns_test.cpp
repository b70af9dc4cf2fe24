// Columns told by the user, on one line or in a TOML file.
#include <catch2/catch.hpp>

#include "unit/readers/trace_files.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

const std::string spec = "columns:time=1:us,offset=3:512,size=4:512,op=5:r=1,w=0,volume=2:dev,separator=space,header=1";
const std::string text = "time dev lbn n op\n10 0 8 2 1\n12.5 1 16 1 0\n";
const std::vector<TraceRecord> expected = {record(0, HostOp::read, 4096, 1024), record(2'500'000, HostOp::write, 8192, 512, 1)};

std::string spec_error(const std::string& entries) {
  const Folder folder;
  const auto path = folder.write("t", text);
  return error_of(folder, [&] { read_all(path, "columns:" + entries); });
}

}  // namespace

TEST_CASE("columns on the command line") {
  const Folder folder;
  CHECK(read_all(folder.write("t", text), spec) == expected);
  CHECK(read_all(folder.write("u", "W;a;1;4096\nFLUSH;b;2;0\nread;c;2;8192\nrd;c;2;8192\nT;c;3;1"),
                 "columns:time=3:ns,offset=4:bytes,size=4:bytes,op=1:r=read|rd,w=W,f=FLUSH,t=T,separator=semicolon") ==
        std::vector<TraceRecord>{record(0, HostOp::write, 4096, 4096), record(1'000, HostOp::flush, 0, 0),
                                 record(1'000, HostOp::read, 8192, 8192), record(1'000, HostOp::read, 8192, 8192),
                                 record(2'000, HostOp::trim, 1, 1)});
}

TEST_CASE("columns in a TOML file beside the trace, found without being named") {
  const Folder folder;
  const auto path = folder.write("t", text);
  const std::string toml =
      "separator = \"space\"\nheader = 1\ntime = \"1:us\"\noffset = \"3:512\"\nsize = \"4:512\"\n"
      "op = 5\nr = \"1\"\nw = \"0\"\nvolume = \"2:dev\"\n";
  folder.write("t.columns.toml", toml);
  CHECK(recognise_format(path) == "columns");
  CHECK(read_all(path, "") == expected);
  CHECK(read_all(path, "columns") == expected);
  CHECK(read_all(path, "columns:" + folder.write("elsewhere.toml", toml)) == expected);
}

TEST_CASE("a description of columns that is wrong is refused with its entry") {
  CHECK(spec_error("time=1,offset=3:512,size=4:512,op=5:r=1") ==
        "--format columns: time = '1': expected COLUMN:UNIT with s, ms, us, 100ns, ns or ps");
  CHECK(spec_error("time=1:us,offset=0:512,size=4:512,op=5:r=1") == "--format columns: offset = '0:512': expected a column from 1 to 32");
  CHECK(spec_error("time=1:us,offset=33:512,size=4:512,op=5:r=1") == "--format columns: offset = '33:512': expected a column from 1 to 32");
  CHECK(spec_error("time=1:us,offset=3:KiB,size=4:512,op=5:r=1") ==
        "--format columns: offset = '3:KiB': expected COLUMN:UNIT with the number of bytes of one, or 'bytes'");
  CHECK(spec_error("time=1:us,offset=3:512,size=4:512,op=5:r=1,separator=blank") ==
        "--format columns: separator = 'blank': expected comma, space, tab, semicolon or one character");
  CHECK(spec_error("time=1:us,offset=3:512,op=5:r=1") == "--format columns: the description of the columns lacks size");
  CHECK(spec_error("time=1:us,offset=3:512,size=4:512,op=5") == "--format columns: the description of the columns lacks r or w");
  CHECK(spec_error("tim=1:us") ==
        "--format columns: unknown entry 'tim'; did you mean 'time'? known: time, offset, size, op, r, w, u, f, t, "
        "volume, separator, header");
}

TEST_CASE("a wrong TOML description is refused with its line") {
  const Folder folder;
  const auto path = folder.write("t", text);
  const auto error = [&](const std::string& toml) {
    folder.write("t.columns.toml", toml);
    return error_of(folder, [&] { read_all(path, "columns"); });
  };
  CHECK(error("separator = \"space\"\ntime = \"1:min\"\n") ==
        "t.columns.toml:2: time = '1:min': expected COLUMN:UNIT with s, ms, us, 100ns, ns or ps");
  CHECK(error("op = 5\nvolumes = 1\n") ==
        "t.columns.toml:2: unknown entry 'volumes'; did you mean 'volume'? known: time, offset, size, op, "
        "r, w, u, f, t, volume, separator, header");
  CHECK(error("op = 1.5\n") == "t.columns.toml:1: op = '': expected a string or an integer");
  CHECK_THAT(error("op = 5\nop = \n"), Catch::StartsWith("t.columns.toml:2: "));
  std::filesystem::remove(folder.path("t.columns.toml"));
  CHECK(error_of(folder, [&] { read_all(path, "columns"); }) == "t.columns.toml: no such file");
}
