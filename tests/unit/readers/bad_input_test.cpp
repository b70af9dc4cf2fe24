// What is wrong in a trace is said with file, line and expectation: the message to the letter.
#include "unit/readers/trace_files.hpp"

#include <catch2/catch.hpp>

using namespace tessera;
using namespace tessera::test;

TEST_CASE("a line with too few fields, as a truncated last line has") {
  CHECK(reading_error("1,web,0,Write,0,512,1\n2,web,0", "msr") ==
        "t:2: expected 6 to 7 comma-separated fields (Timestamp,Hostname,DiskNumber,Type,Offset,Size[,ResponseTime]), found 3");
  CHECK(reading_error("0,1,512\n", "spc") == "t:1: expected at least 5 comma-separated fields (ASU,LBA,Size,Opcode,Timestamp), found 3");
  CHECK(reading_error("1,2,2a,512\n", "cpcsv") == "t:1: expected 5 comma-separated fields (version,time,op,size,lbn), found 4");
  CHECK(reading_error("1,2,r\n", "cp4") == "t:1: expected 4 comma-separated fields (ts,lba,op,size), found 3");
  CHECK(reading_error("0 0 8 8 1\n1 0 8", "ascii") == "t:2: expected 5 blank-separated fields (time device block blocks flags), found 3");
  CHECK(reading_error("0 0 8 8\n", "bms") ==
        "t:1: expected at least 5 blank-separated fields (as the description of the columns says), found 4");
  CHECK(reading_error("R Hit 1 2 3\n", "hpval") ==
        "t:1: expected 6 blank-separated fields (R|W class block blocks service_us think_us), found 5");
  CHECK(reading_error("8,0 1 1 0.0 1 Q\n", "blkparse") ==
        "t:1: expected at least 7 blank-separated fields (device cpu sequence seconds pid action RWBS [sector + sectors] [process]), found "
        "6");
  CHECK(reading_error("fio version 2 iolog\nf read 0\n", "fio") ==
        "t:2: expected 4 blank-separated fields (file action offset length), found 3");
  CHECK(reading_error("fio version 3 iolog\n5 f\n", "fio") ==
        "t:2: expected 3 to 5 blank-separated fields (time file action [offset length]), found 2");
}

TEST_CASE("an unknown operation") {
  CHECK(reading_error("1,h,0,Erase,0,512,1\n", "msr") == "t:1: unknown operation 'Erase'; expected Read or Write");
  CHECK(reading_error("0,1,512,x,0\n", "spc") == "t:1: unknown operation 'x'; expected r or w");
  CHECK(reading_error("1,2,7f,512,0\n", "cpcsv") ==
        "t:1: unknown operation 0x7f; expected a SCSI operation code of a block device: "
        "0x28 (read), 0x2a (write), 0x35 (flush), 0x42 (trim), ...");
  CHECK(reading_error("1,2,q,512\n", "cp4") == "t:1: unknown operation 'q'; expected r or w");
  CHECK(reading_error("0 0 512 512 2\n", "bms") == "t:1: unknown operation '2'; expected 1, 0");
  CHECK(reading_error("R Hit 1 2 3 4\nR Hit 1 2 slow 4\n", "hpval") == "t:2: service_us 'slow' is not a number");
  CHECK(reading_error("R Hit 1 2 3 -4\n", "hpval") == "t:1: think_us '-4' is negative");
  CHECK(reading_error("X Hit 1 2 3 4\n", "hpval") == "t:1: unknown operation 'X'; expected R or W");
  CHECK(reading_error("8,0 1 1 0.0 1 Q XS 0 + 8 [p]\n", "blkparse") == "t:1: unknown operation 'XS'; expected RWBS with R, W, D or F");
  CHECK(reading_error("fio version 3 iolog\n1 f wait 0 0\n", "fio") ==
        "t:2: unknown operation 'wait'; expected add, open, close, read, write, trim, sync, datasync");
  CHECK(reading_error("fio version 2 iolog\nf erase 0 0\n", "fio") ==
        "t:2: unknown operation 'erase'; expected add, open, close, read, write, trim, sync, datasync or wait");
}

TEST_CASE("negative, overflowing and malformed fields") {
  CHECK(reading_error("1,h,0,Read,-4096,512,1\n", "msr") == "t:1: Offset '-4096' is negative");
  CHECK(reading_error("-1,h,0,Read,0,512,1\n", "msr") == "t:1: Timestamp '-1' is negative");
  CHECK(reading_error("1,h,0,Read,0,99999999999999999999,1\n", "msr") == "t:1: Size '99999999999999999999' does not fit 64 bits");
  CHECK(reading_error("1,h,0,Read,12x,512,1\n", "msr") == "t:1: Offset '12x' is not a number");
  CHECK(reading_error("1,h,0,Read,,512,1\n", "msr") == "t:1: Offset '' is not a number");
  CHECK(reading_error("0,36028797018963968,512,r,0\n", "spc") == "t:1: LBA '36028797018963968' does not fit 64 bits once in bytes");
  CHECK(reading_error("0,18014398509481984,512,r,0\n", "spc") ==
        "t:1: the request ends past 2^63 bytes (offset 9223372036854775808): no drive reaches that far (wrong unit or column?)");
  CHECK(reading_error("0,18014398509481983,512,r,0\n", "spc").empty());  // ends at 2^63
  CHECK(reading_error("0,1,512,r,1.2.3\n", "spc") == "t:1: Timestamp '1.2.3' is not a number");
  CHECK(reading_error("0,1,512,r,-0.5\n", "spc") == "t:1: Timestamp '-0.5' is negative");
}

TEST_CASE("sizes: zero, and the largest that a request can have") {
  CHECK(reading_error("1,h,0,Read,0,512,1\n2,h,0,Write,0,0,1\n", "msr") == "t:2: the size is 0; expected at least one sector of 512 bytes");
  CHECK(reading_error("1,h,0,Read,0,1099511627776,1\n", "msr").empty());
  CHECK(reading_error("1,h,0,Read,0,1099511627777,1\n", "msr") ==
        "t:1: the size is 1099511627777 bytes; a request has at most 1099511627776");
}

TEST_CASE("times: the simulated range of 2^64 ps, both sides") {
  CHECK(reading_error("0,1,512,r,0\n0,1,512,r,18446744.073709551615\n", "spc").empty());
  CHECK(reading_error("0,1,512,r,0\n0,1,512,r,18446744.073709551616\n", "spc") ==
        "t:2: the request arrives more than 213 days after the first one: simulated time does not reach that far (wrong time unit?)");
}

TEST_CASE("a trace without a request") {
  CHECK(reading_error("", "") == "t: the trace holds no request: the file is empty");
  CHECK(reading_error("", "msr") == "t: the trace holds no request");
  CHECK(reading_error("Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n", "") == "t: the trace holds no request");
  CHECK(reading_error("", "vscsi1") == "t: the trace holds no request");
}

TEST_CASE("a binary trace that is cut inside a record, or of another version") {
  std::string record(32, '\0');
  record[4] = 0;
  record[5] = 2;      // 512 bytes
  record[12] = 0x28;  // READ(10)
  record[15] = 1;     // version 1
  CHECK(reading_error(record + record.substr(0, 7), "vscsi1") ==
        "t:record 2: the trace is cut off: expected a record of 32 bytes, found 7");
  CHECK(reading_error(record, "vscsi1").empty());
  auto other = record;
  other[15] = 3;
  CHECK(reading_error(record + other, "vscsi1") == "t:record 2: expected version 1 in the record's ver field, found 3");
  other = record;
  other[12] = 0x7f;
  CHECK(reading_error(other, "vscsi1") ==
        "t:record 1: unknown operation 0x7f; expected a SCSI operation code of a block device: "
        "0x28 (read), 0x2a (write), 0x35 (flush), 0x42 (trim), ...");
}

TEST_CASE("files that cannot be read, lines that are no text") {
  const Folder folder;
  CHECK(error_of(folder, [&] { read_all(folder.path("missing"), ""); }) == "missing: no such file");
  std::filesystem::create_directory(folder.path("folder"));
  CHECK(error_of(folder, [&] { read_all(folder.path("folder"), ""); }) == "folder: is a folder; expected a file");
  CHECK(reading_error(std::string(65'537, 'x') + "\n", "msr") == "t:1: the line is longer than 65536 bytes: not a text trace");
}

TEST_CASE("fio's first line must say its version") {
  CHECK(reading_error("fio version 4 iolog\n", "") == "t:1: expected the line 'fio version 2 iolog' or 'fio version 3 iolog'");
}

namespace {

/// A file that is not what it is read as, or not all of it: what is said has the place, what was expected, and what the file seems to hold.
struct Wrong {
  const char* what;
  std::string content;
  const char* format;  ///< "": by content
  const char* message;
};

std::string lines(const std::string& line, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += line;
  return text;
}

const std::string msr_line = "128166372003061629,web,0,Read,4096,512,10\n";
const std::string spc_line = "0,303567,3584,w,0.000000\n";

const Wrong wrong_files[] = {
    {"garbage", "\x01\x02garbage\x03\n", "msr",
     "t:1: expected 6 to 7 comma-separated fields (Timestamp,Hostname,DiskNumber,Type,Offset,Size[,ResponseTime]), found 1; the line holds "
     "bytes that are no text"},
    {"garbage behind records", msr_line + "\x01\x02,,,,,\n", "",
     "t:2: Timestamp '\x01\x02' is not a number; the line holds bytes that are no text"},
    {"a record of another format in the middle", lines(msr_line, 3) + spc_line + lines(msr_line, 3), "",
     "t:4: expected 6 to 7 comma-separated fields (Timestamp,Hostname,DiskNumber,Type,Offset,Size[,ResponseTime]), found 5; the line looks "
     "like spc"},
    {"another format than the one that is named", lines(msr_line, 3), "spc", "t:1: LBA 'web' is not a number; the line looks like msr"},
    {"half a record", msr_line + "128166372003061630,web,0,Re", "",
     "t:2: expected 6 to 7 comma-separated fields (Timestamp,Hostname,DiskNumber,Type,Offset,Size[,ResponseTime]), found 4"},
    {"an offset beyond 2^63", "1,h,0,Read,9223372036854775808,512,1\n", "msr",
     "t:1: the request ends past 2^63 bytes (offset 9223372036854775808): no drive reaches that far (wrong unit or column?)"},
    {"a time before the origin", msr_line + "-5,web,0,Read,4096,512,10\n", "", "t:2: Timestamp '-5' is negative"},
    {"an event that the file has none of", "  8,0 0 1 0.000000000 7 D W 8 + 8 [a]\n", "blkparse:complete",
     "t:1: the trace holds no request: the file has no complete events (C) but 1 issue events (D): choose --format blkparse:issue"},
    {"a binary file", std::string("\x00\x01\x02\x03 not a trace", 16), "",
     "t: the content fits no known trace format; it seems to be binary: name one with --format, of "},
    {"text of columns that nobody knows", "op;when;offset;size\nread;1.0;10;512\nwrite;2.0;20;1024\n", "",
     "t: the content fits no known trace format; it looks like columns that nobody has named: 'tessera trace probe t' proposes their "
     "description: name one with --format, of "},
    {"comments alone", "# nothing\n# here\n", "",
     "t: the content fits no known trace format; it holds nothing but blank lines and comments: name one with --format, of "},
    {"HP's SRT, binary", std::string("# tracedate Sun May 18\0\1\2", 26), "",
     "t: the content fits no known trace format; it looks like HP's SRT in binary, of a later version than 4: convert it with srt2ds and "
     "ds2txt --csv of DataSeries, and read that as srt: name one with --format, of "},
    {"HP's DataSeries", std::string("DSv1\0\1\2", 7), "",
     "t: the content fits no known trace format; it is a file of DataSeries: convert it with its ds2txt --csv: name one with --format, "
     "of "},
};

}  // namespace

TEST_CASE("what is wrong is said with its place, what was expected and what the file seems to hold") {
  for (const auto& wrong : wrong_files) {
    CAPTURE(wrong.what);
    CHECK_THAT(reading_error(wrong.content, wrong.format), Catch::StartsWith(wrong.message));
  }
}
