// HP Labs' SRT traces: binary, and the text that its tools print.
#include <catch2/catch.hpp>

#include "unit/readers/trace_files.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

using All = std::vector<TraceRecord>;
constexpr std::uint64_t us = 1'000'000;  // ps
constexpr std::uint32_t request = 1, text_note = 3, suspect = 4;
constexpr std::uint32_t disk_2 = 0x1f026200, disk_3 = 0x1f026300;
const std::string header = "tracedate    = \"Sat Apr 18 00:00:00 1992\";\nmachine = \"cello\";\n\f";

std::string words(std::initializer_list<std::uint32_t> values) {
  std::string text;
  for (const auto value : values)
    for (const int shift : {24, 16, 8, 0}) text += static_cast<char>(value >> shift);
  return text;
}

struct Request {
  std::uint32_t s, us, bytes, sector, device = disk_2, flags = 0, type = request;
};

std::string encoded(const Request& r, std::uint32_t version) {
  std::string body = words({r.s, r.us, 10, 2'000, r.bytes, r.sector, r.device, 1, 7, r.flags, 0});
  if (version >= 4) body += words({2});
  if (r.type == suspect) body += words({0});
  return words({static_cast<std::uint32_t>(body.size()) + 8, version << 16 | r.type}) + body;
}

std::string file_of(const std::vector<Request>& requests, std::uint32_t version, const std::string& above = header) {
  std::string text = above;
  for (const auto& each : requests) text += encoded(each, version);
  return text;
}

const std::vector<Request> some = {
    {0, 500'000, 8'192, 100}, {0, 400'000, 4'096, 200, disk_2, 1}, {0, 450'000, 512, 8, disk_3, 1, suspect}, {2, 0, 1'024, 300, disk_3}};
const All requests = {record(0, HostOp::read, 200 * 512, 4'096), record(100'000 * us, HostOp::write, 100 * 512, 8'192),
                      record(1'600'000 * us, HostOp::write, 300 * 512, 1'024, 1)};

}  // namespace

TEST_CASE("binary SRT: versions 1 to 4, with the text above the records and without, sorted, suspect records left out") {
  const Folder folder;
  for (const std::uint32_t version : {1, 2, 3, 4}) {
    for (const auto& above : {header, std::string()}) {
      CAPTURE(version, above);
      const auto path = folder.write("t", file_of(some, version, above));
      CHECK(recognise_format(path) == "srt-binary");
      const auto source = open_trace_file(path, "");
      auto found = read_all(*source);
      for (auto& each : found) each.volume = each.offset == Bytes(300 * 512) ? 1 : 0;  // numbered as the file has them
      CHECK(found == requests);
      CHECK(source->volume_name(0) == "31,2,6,2");
      CHECK(source->volume_name(1) == "31,2,6,3");
      const auto notes = source->notes();
      CHECK(std::ranges::count(notes, "1 requests that their recorder marked as suspect left out") == 1);
    }
  }
}

TEST_CASE("binary SRT: sectors of 1,024 bytes on request, records of other kinds passed over") {
  const std::string note = words({20, 3 << 16 | text_note, 0, 0, 0x61626364});
  const Folder folder;
  const auto path = folder.write("t", header + note + encoded({0, 0, 1'024, 3}, 3));
  CHECK(read_all(path, "") == All{record(0, HostOp::write, 3 * 512, 1'024)});
  CHECK(read_all(path, "srt-binary:1024") == All{record(0, HostOp::write, 3 * 1'024, 1'024)});
  CHECK(error_of(folder, [&] { read_all(path, "srt-binary:4096"); }) ==
        "--format srt-binary:4096: expected srt-binary:512 or srt-binary:1024 (bytes of a sector)");
}

TEST_CASE("binary SRT: another version, a record that is cut or has another size are refused with their place") {
  CHECK(reading_error(file_of(some, 6), "") ==
        "t:record 1 (byte 63): SRT version 6 is not read, as its layout is not published; expected 1 to 4: convert it with srt2ds and "
        "ds2txt --csv of DataSeries, and read that as srt");
  const auto whole = file_of(some, 4);
  CHECK(reading_error(whole.substr(0, whole.size() - 7), "") ==
        "t:record 4 (byte 235): the trace is cut off: expected a record of 56 bytes, found 49");
  CHECK(reading_error(whole.substr(0, whole.size() - 50), "") ==
        "t:record 4 (byte 235): the trace is cut off: expected a record of 16 bytes, found 6");
  CHECK(reading_error(header + words({52, 4 << 16 | request, 0, 0}) + std::string(36, '\0'), "srt-binary") ==
        "t:record 1 (byte 63): expected a request of 56 bytes (version 4), found a size of 52");
  CHECK(reading_error(header + encoded({0, 1'000'000, 512, 0}, 1), "srt-binary") ==
        "t:record 1 (byte 63): the microseconds 1000000 are above 999999");
  CHECK(reading_error("no trace at all\n", "srt-binary") ==
        "t: expected the text of an SRT trace and a form feed at its end, within the first 64 KiB");
}

TEST_CASE("SRT as text: columns by their names, whatever stands above them, a volume per disk") {
  const Folder folder;
  const auto read = [&](const std::string& text) {
    const auto path = folder.write("t", text);
    CHECK(recognise_format(path) == "srt");
    const auto source = open_trace_file(path, "");
    auto records = read_all(*source);
    return std::pair(std::move(records), source->volume_name(1));
  };
  const All expected{record(0, HostOp::read, 4096, 1024, 1), record(400 * us, HostOp::write, 1024, 8192, 0)};
  CHECK(read("<ExtentType name=\"I/O\">\n  <field/>\n</ExtentType>\n"
             "# enter_driver,leave_driver,bytes,device_major,device_minor,disk_offset,is_read,flag_async\n"
             "10.000500,0.1,8192,31,2,1024,false,true\n10.000100,0.1,1024,31,3,4096,true,true\n") ==
        std::pair(expected, std::string("31,3")));
  CHECK(read("enter_driver,bytes,disk_offset,device_major,device_minor,device_controller,device_disk,device_partition,is_read\n"
             "10.000500,8192,1024,31,2,6,0,0,false\n10.000100,1024,4096,31,2,6,1,0,true\n") ==
        std::pair(expected, std::string("31,2,6,1")));
}
