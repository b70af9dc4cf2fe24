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

TEST_CASE("a first line of words is told to be a header, and a wrong number in it is told as in any line") {
  const Folder folder;
  const std::string plain = "columns:time=1:us,op=2:r=R,w=W,offset=3:512,size=4:512";
  const auto error = [&](const std::string& first) {
    return error_of(folder, [&] { read_all(folder.write("t", first + "\n1,R,0,8\n"), plain); });
  };
  CHECK(error("time,op,offset,size") == "t:1: 'time,op,offset,size' looks like a header: header=1 leaves it out");
  CHECK(error("1,op,0,8") == "t:1: unknown operation 'op'; expected R, W");
  CHECK(error("now,R,0,8").find("header") == std::string::npos);
}

TEST_CASE("a volume from several columns, of which the header may lack some") {
  const Folder folder;
  const std::string spec_of_three = "columns:time=t:us,offset=at:512,size=n:512,op=fixed:r,volume=host+disk+part?:v";
  const auto name_of = [&](const std::string& content) {
    const auto source = open_trace_file(folder.write("t", content), spec_of_three);
    static_cast<void>(read_all(*source));
    return source->volume_name(0);
  };
  CHECK(name_of("t,at,n,host,disk,part\n1,8,8,a,3,1\n") == "va,3,1");
  CHECK(name_of("t,at,n,host,disk\n1,8,8,a,3\n") == "va,3");
  CHECK_THAT(error_of(folder, [&] { name_of("t,at,n,host\n1,8,8,a\n"); }), Catch::Contains("unknown column 'disk'"));
  CHECK(spec_error("time=1:us,offset=3:512,size=4:512,op=5:r=1,volume=disk?") ==
        "--format columns: volume: a name that ends with ? needs another column by name");
}

TEST_CASE("a description of columns that is wrong is refused with its entry") {
  CHECK(spec_error("time=1,offset=3:512,size=4:512,op=5:r=1") ==
        "--format columns: time = '1': expected COLUMN:UNIT with s, ms, us, 100ns, ns or ps (COLUMN:date of the calendar, or none)");
  CHECK(spec_error("time=1:us,offset=0:512,size=4:512,op=5:r=1") ==
        "--format columns: offset = '0:512': expected a column from 1 to 64 (from the right: -1 to -64), or its name in the header");
  CHECK(spec_error("time=1:us,offset=65:512,size=4:512,op=5:r=1") ==
        "--format columns: offset = '65:512': expected a column from 1 to 64 (from the right: -1 to -64), or its name in the header");
  CHECK(
      spec_error("time=1:us,offset=3:KB,size=4:512,op=5:r=1") ==
      "--format columns: offset = '3:KB': expected COLUMN:UNIT with the number of bytes of one, or bytes, KiB or MiB; COLUMN:UNIT:hex; or "
      "fixed:BYTES");
  CHECK(spec_error("time=1:us,offset=3:512,size=4:512,op=5:r=1,separator=blank") ==
        "--format columns: separator = 'blank': expected comma, space, tab, semicolon or one character");
  CHECK(spec_error("time=1:us,offset=3:512,op=5:r=1") == "--format columns: the description of the columns lacks size");
  CHECK(spec_error("time=1:us,offset=3:512,size=4:512,op=5") == "--format columns: the description of the columns lacks r or w");
  CHECK(spec_error("tim=1:us") == "--format columns: unknown entry 'tim'; did you mean 'time'?");
}

TEST_CASE("a wrong TOML description is refused with its line") {
  const Folder folder;
  const auto path = folder.write("t", text);
  const auto error = [&](const std::string& toml) {
    folder.write("t.columns.toml", toml);
    return error_of(folder, [&] { read_all(path, "columns"); });
  };
  CHECK(error("separator = \"space\"\ntime = \"1:min\"\n") ==
        "t.columns.toml:2: time = '1:min': expected COLUMN:UNIT with s, ms, us, 100ns, ns or ps (COLUMN:date of the calendar, or none)");
  CHECK(error("op = 5\nvolumes = 1\n") == "t.columns.toml:2: unknown entry 'volumes'; did you mean 'volume'?");
  CHECK(error("op = 1.5\n") == "t.columns.toml:1: op = '': expected a string or an integer");
  CHECK_THAT(error("op = 5\nop = \n"), Catch::StartsWith("t.columns.toml:2: "));
  std::filesystem::remove(folder.path("t.columns.toml"));
  CHECK(error_of(folder, [&] { read_all(path, "columns"); }) == "t.columns.toml: no such file");
}

namespace {

std::vector<TraceRecord> read_as(const std::string& content, const std::string& entries) {
  const Folder folder;
  return read_all(folder.write("t", content), "columns:" + entries);
}

std::string error_as(const std::string& content, const std::string& entries) { return reading_error(content, "columns:" + entries); }

const std::string by_name = "time=When:us,offset=LBA:512,size=bytes:bytes,op=IO Type:r=Read,w=Write";
const std::string by_regex =
    R"(time=t:us,offset=at:512,size=n:KiB,op=op:r=read,w=write,volume=dev,regex=\[(?<t>\d+)\] (?<op>\w+),(?<at>\w+)\+(?P<n>\d+)(?: on (?<dev>.*))?)";

}  // namespace

TEST_CASE("columns named as the header names them, whatever their order, in a comment as well") {
  const std::vector<TraceRecord> both{record(0, HostOp::read, 4096, 512), record(5'000'000, HostOp::write, 0, 1024)};
  CHECK(read_as("some words\nbytes,IO Type,LBA,When\n512,Read,8,10\n1024,Write,0,15\n", by_name) == both);
  CHECK(read_as("#\n# When,LBA,bytes,IO Type\n10,8,512,Read\n15,0,1024,Write\n", by_name) == both);
  CHECK(read_as("bytes,IO Type,LBA,When\nnot,a,record,yet\n512,Read,8,10\n1024,Write,0,15\n", by_name + ",header=2") == both);
  CHECK(error_as("bytes,IO type,LBA,When\n512,Read,8,10\n", by_name) ==
        "t:2: no header among the first 1000 lines: unknown column 'IO Type'; did you mean 'IO type'? known: bytes, IO type, LBA, When");
}

TEST_CASE("quoted fields may hold separators, and their numbers may have their thousands apart") {
  CHECK(read_as("\"a, b\",10,\"1,024\",\"Read\",4096\n c ,\"1,010\",2048,Read , \"4,096\"\n",
                "time=2:us,offset=3:bytes,size=5:bytes,op=4:r=Read,quotes=yes") ==
        std::vector<TraceRecord>{record(0, HostOp::read, 1024, 4096), record(1'000'000'000, HostOp::read, 2048, 4096)});
}

TEST_CASE("hexadecimal numbers by their 0x or by name, units by name, lines of one kind passed over, comments of one's own") {
  CHECK(read_as("; note\n1 0x10 2 R\nmark 0 0 x\n2 ff 1 R\n",
                "time=1:s,offset=2:512:hex,size=3:KiB,op=4:r=R,except=1:mark,separator=space,comment=;") ==
        std::vector<TraceRecord>{record(0, HostOp::read, 0x10 * 512, 2048), record(1'000'000'000'000, HostOp::read, 0xff * 512, 1024)});
  CHECK(read_as("1,0x10,512,R\n", "time=1:s,offset=2:512,size=3:bytes,op=4:r=R") ==
        std::vector<TraceRecord>{record(0, HostOp::read, 8192, 512)});
  CHECK(error_as("1,10,512,R\n", "time=1:s,offset=2:512,size=3:bytes,op=4:r=R,quotes=maybe") ==
        "--format columns: quotes = 'maybe': expected yes or no");
}

TEST_CASE("groups of a regular expression are columns") {
  const std::string text = "[10] read,8+4 on sda\n[12] write,0x10+1\n";
  CHECK(read_as(text, by_regex) ==
        std::vector<TraceRecord>{record(0, HostOp::read, 4096, 4096), record(2'000'000, HostOp::write, 8192, 1024, 1)});
  CHECK(error_as(text + "what is this\n", by_regex) ==
        "t:3: the line does not match the regular expression (unmatched = skip leaves such lines out)");
  CHECK(read_as(text + "what is this\n", "unmatched=skip," + by_regex).size() == 2);
  CHECK(read_as("title\n" + text, "header=auto," + by_regex).size() == 2);
  CHECK(error_as("[10] read," + std::string(1100, '8') + "+4\n", by_regex) ==
        "t:1: the line has 1112 bytes; a regular expression is tried on 1024 at most");
}

TEST_CASE("a regular expression that is none, or lacks what is asked of it, is refused") {
  CHECK_THAT(error_as("x\n", "time=1:us,offset=2:512,size=3:512,op=fixed:r,regex=(a"),
             Catch::StartsWith(
                 "--format columns: regex = '(a': expected a regular expression (ECMAScript, and (?<name>...) for groups with names): "));
  CHECK(error_as("x\n", "time=when:us,offset=2:512,size=3:512,op=fixed:r,regex=(?<then>.)(.)(.)") ==
        "--format columns: regex: unknown group 'when'; did you mean 'then'? known: then");
  CHECK(error_as("x\n", "time=1:us,offset=2:512,size=3:512,op=fixed:r,regex=(.)(?:.)(.)") ==
        "--format columns: regex = '(.)(?:.)(.)': expected a group for every column: it has 2, and column 3 is asked for");
}
