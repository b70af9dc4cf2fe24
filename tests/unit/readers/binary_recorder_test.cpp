// Binary recordings: blktrace with its CPUs, and libCacheSim's oracleGeneral.
#include <catch2/catch.hpp>

#include "stimuli/readers/trace_files.hpp"
#include "unit/readers/trace_files.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

using All = std::vector<TraceRecord>;
constexpr std::uint64_t ns = 1'000;  // ps
constexpr auto rd = HostOp::read, wr = HostOp::write, fl = HostOp::flush, tr = HostOp::trim;

// Actions and what they may be marked with (linux/blktrace_api.h).
constexpr std::uint64_t queue = 1 | 16 << 16, issue = 7 | 64 << 16, complete = 8 | 128 << 16, remap = 15 | 16 << 16;
constexpr std::uint64_t read_bit = 1 << 16, write_bit = 2 << 16, flush_bit = 4 << 16, discard_bit = std::uint64_t{1} << 29,
                        fua_bit = std::uint64_t{1} << 31, passed_bit = 1 << 25, notify = 1 << 26, zone_append_bit = std::uint64_t{1} << 32;
constexpr std::uint32_t sda = 8 << 20, dm0 = 253 << 20;

struct Event {
  std::uint64_t time, action, sector = 0;
  std::uint32_t bytes = 0, sequence = 0, device = sda;
  std::string data = {};
};

std::string number(std::uint64_t value, std::size_t bytes, bool big) {
  std::string text;
  for (std::size_t i = 0; i < bytes; ++i) text += static_cast<char>(value >> 8 * (big ? bytes - 1 - i : i));
  return text;
}

std::string encoded(const Event& e, int version = 7, bool big = false) {
  const auto put = [big](std::uint64_t value, std::size_t bytes) { return number(value, bytes, big); };
  std::string text =
      put(0x65617400u | static_cast<unsigned>(version), 4) + put(e.sequence, 4) + put(e.time, 8) + put(e.sector, 8) + put(e.bytes, 4);
  text += version == 7 ? put(e.action, 4) + put(1, 4) : put(1, 4) + put(e.action, 8);
  text += put(e.device, 4) + put(0, 4) + put(0, 2) + put(e.data.size(), 2);
  return text + (version == 8 ? std::string(12, '\0') : "") + e.data;
}

std::string file_of(const std::vector<Event>& events, int version = 7, bool big = false) {
  std::string text;
  for (const auto& event : events) text += encoded(event, version, big);
  return text;
}

bool has_note(const TraceSource& source, const std::string& note) {
  const auto notes = source.notes();
  return std::find(notes.begin(), notes.end(), note) != notes.end();
}

const std::vector<Event> of_every_kind = {
    {90, notify, 0, 0, 0, 0, "kworker/0:1H\0\0\0"},
    {100, queue | write_bit | flush_bit | fua_bit, 64, 4'096, 1},
    {200, issue | write_bit, 64, 4'096, 2},
    {300, queue | read_bit, 8, 512, 3},
    {400, queue | write_bit | discard_bit, 0, 1'048'576, 4},
    {500, queue | flush_bit | write_bit, ~std::uint64_t{0}, 0, 5},
    {600, queue | read_bit | passed_bit, 0, 36, 6, sda, "inquiry"},
    {700, complete | write_bit, 64, 4'096, 7},
};
const All requests = {record(0, fl, 0, 0), record(0, wr, 32'768, 4'096, 0, true), record(200 * ns, rd, 4'096, 512),
                      record(300 * ns, tr, 0, 1'048'576), record(400 * ns, fl, 0, 0)};

std::string access(std::uint32_t time, std::uint64_t object, std::uint32_t size, std::int64_t next) {
  return number(time, 4, false) + number(object, 8, false) + number(size, 4, false) + number(static_cast<std::uint64_t>(next), 8, false);
}

}  // namespace

TEST_CASE("blktrace: both byte orders, versions 7 and 8, are recognised and give the same requests") {
  for (const int version : {7, 8}) {
    for (const bool big : {false, true}) {
      CAPTURE(version, big);
      const Folder folder;
      const auto path = folder.write("t", file_of(of_every_kind, version, big));
      CHECK(recognise_format(path) == "blktrace");
      const auto source = open_trace_file(path, "");
      CHECK(read_all(*source) == requests);
      CHECK(source->volume_name(0) == "8,0");
      CHECK(has_note(*source, "1 notes of processes and messages left out"));
      CHECK(has_note(*source, "1 discards (D) are trims; blkparse's own totals count them as writes"));
      CHECK(has_note(*source, "1 requests without an extent (commands that are passed through) left out"));
    }
  }
}

TEST_CASE("oracleGeneral: a file that is cut is refused at its record, a text of whole records is none") {
  const auto whole = access(1, 10, 4'096, 2) + access(1, 20, 512, -1) + access(3, 10, 4'096, -1) + access(4, 30, 512, -1);
  CHECK(reading_error(whole, "").empty());
  CHECK(reading_error(whole.substr(0, whole.size() - 5), "") ==
        "t:record 4: the trace is cut off: expected a record of 24 bytes, found 19");
  CHECK_THAT(reading_error(std::string(96, '1') + "\n", ""), Catch::Contains("fits no known trace format"));
}

TEST_CASE("blktrace: another version is recognised and refused by its number, a text that begins alike is not") {
  auto text = file_of(of_every_kind);
  text[0] = 6;
  CHECK(reading_error(text, "") == "t:record 1 (byte 0): blktrace version 6 is not read; expected 7 or 8");
  CHECK_THAT(reading_error("eats all of it\n", ""), Catch::Contains("fits no known trace format"));
}

TEST_CASE("blktrace: the step that is read can be chosen, one that the file has not is refused") {
  const Folder folder;
  const auto path = folder.write("t", file_of(of_every_kind));
  CHECK(read_all(path, "blktrace:issue") == All{record(0, wr, 32'768, 4'096)});
  CHECK(read_all(path, "blktrace:complete") == All{record(0, wr, 32'768, 4'096)});
  CHECK(reading_error(file_of({{1, issue | write_bit, 8, 512, 1}}), "blktrace:queue") ==
        "t:record 1: the trace holds no request: the file has no queue events (Q) but 1 issue events (D): choose --format blktrace:issue");
}

TEST_CASE("blktrace: one file opens those of all CPUs, merged by time, lost events and missing files are said") {
  const Folder folder;
  const auto first = folder.write("r.blktrace.0", file_of({{100, queue | write_bit, 8, 512, 1}, {400, queue | write_bit, 24, 512, 5}}));
  folder.write("r.blktrace.1", file_of({{200, queue | read_bit, 16, 512, 1}}));
  folder.write("r.blktrace.3", file_of({{300, queue | read_bit, 32, 512, 1}, {50, notify, 0, 0, 0, 0, "x"}}));
  folder.write("other.blktrace.2", file_of({{250, queue | read_bit, 40, 512, 1}}));
  const All merged{record(0, wr, 4'096, 512), record(100 * ns, rd, 8'192, 512), record(200 * ns, rd, 16'384, 512),
                   record(300 * ns, wr, 12'288, 512)};
  for (const std::string name : {"r.blktrace.0", "r.blktrace.3"}) {
    const auto source = open_trace_file(folder.path(name), "");
    CHECK(read_all(*source) == merged);
    CHECK(has_note(*source, "3 files, one a CPU, merged by time"));
    CHECK(has_note(*source, "no r.blktrace.2: what its CPU recorded is not in the trace"));
    CHECK(has_note(*source, "3 events lost while recording (gaps in the sequence numbers)"));
  }
  CHECK(files_of_trace(first, "").content == std::vector<std::string>{first, folder.path("r.blktrace.1"), folder.path("r.blktrace.3")});
}

TEST_CASE("blktrace: a mapped device and the one below it, by the remaps") {
  const std::string places = number(dm0, 4, true) + number(sda, 4, true) + number(8, 8, true);
  const auto text = file_of(
      {{1, queue | write_bit, 8, 512, 1, dm0}, {2, remap | write_bit, 72, 512, 2, sda, places}, {3, queue | write_bit, 72, 512, 3}});
  CHECK(reading_error(text, "") ==
        "t:record 3: requests of 253,0 are there again on 8,0, the device below it: choose one with --volume 253,0 or --volume 8,0");
}

TEST_CASE("blktrace: zone commands of version 8 are left out") {
  const Folder folder;
  const auto source = open_trace_file(
      folder.write("t", file_of({{1, queue | write_bit | zone_append_bit, 8, 512, 1}, {2, queue | write_bit, 16, 512, 2}}, 8)), "");
  CHECK(read_all(*source) == All{record(0, wr, 8'192, 512)});
  CHECK(has_note(*source, "1 zone commands (append, reset, open, close, finish) left out"));
}

TEST_CASE("blktrace: zone commands of version 8 are requests where the drive has zones") {
  const auto bit = [](unsigned n) { return std::uint64_t{1} << (32 + n); };  // append, reset, reset all, finish, open, close
  const Folder folder;
  const auto path = folder.write("t", file_of({{1, queue | write_bit | bit(1), 128, 0, 1},
                                               {2, queue | write_bit | bit(0), 128, 4'096, 2},
                                               {3, queue | write_bit | bit(0), 128, 512, 3},
                                               {4, queue | write_bit | bit(3), 128, 0, 4},
                                               {5, queue | write_bit | bit(4), 256, 0, 5},
                                               {6, queue | write_bit | bit(5), 256, 0, 6},
                                               {7, queue | write_bit | bit(2), 0, 0, 7},
                                               {8, queue | write_bit | bit(0), 128, 512, 8},
                                               {9, complete | write_bit | bit(0), 136, 4'096, 9},
                                               {10, complete | write_bit | bit(0), 136, 4'096, 10}},
                                              8));
  TraceOptions options;
  options.path = path;
  options.zones = Bytes(65'536);
  auto all_zones = record(6 * ns, HostOp::zone_reset, 0, 0);
  all_zones.all_zones = true;
  CHECK(read_all(*open_trace(options)) == All{record(0, HostOp::zone_reset, 65'536, 0), record(1 * ns, wr, 65'536, 4'096),
                                              record(2 * ns, wr, 69'632, 512), record(3 * ns, HostOp::zone_finish, 65'536, 0),
                                              record(4 * ns, HostOp::zone_open, 131'072, 0), record(5 * ns, HostOp::zone_close, 131'072, 0),
                                              all_zones, record(7 * ns, wr, 65'536, 512)});
  options.format = "blktrace:complete";
  const auto completed = open_trace(options);
  CHECK(read_all(*completed) == All{record(0, wr, 69'632, 4'096)});
  CHECK(has_note(*completed, "1 zone appends that the recorder shows a second time left out"));
  options.format = "";
  options.zones = Bytes(0);
  const auto without_size = open_trace(options);
  CHECK(read_all(*without_size).size() == 5);
  CHECK(has_note(*without_size, "3 zone appends left out: only a drive's zones say where they went"));
  options.zones = Bytes(65'536);
  options.order.sort_all = true;
  CHECK(read_all(*open_trace(options)).size() == 8);
}

TEST_CASE("blktrace: damage is refused at its record and byte, data that is cut after the last record is said") {
  const auto one = encoded({1, queue | write_bit, 8, 512, 1});
  CHECK(reading_error(one + one.substr(0, 20), "") ==
        "t:record 2 (byte 48): the trace is cut off: expected a record of 48 bytes, found 20");
  CHECK(reading_error(one + std::string(48, 'x'), "") ==
        "t:record 2 (byte 48): expected the magic 0x65617407 of a record of blktrace, found 0x78787878");
  auto older = one;
  older[0] = 6;
  CHECK(reading_error(one + older, "") == "t:record 2 (byte 48): blktrace version 6 is not read; expected 7 or 8");
  const Folder folder;
  const auto note = encoded({2, notify, 0, 0, 0, 0, "sixteen bytes xx"});
  const auto source = open_trace_file(folder.write("t", one + note.substr(0, 50)), "");
  CHECK(read_all(*source).size() == 1);
  CHECK(has_note(*source, folder.path("t") + " ends within the data after its last record; the record itself is whole"));
}

TEST_CASE("libCacheSim's oracleGeneral: recognised by its successors, blocks or bytes, all reads, and it says so") {
  const Folder folder;
  const auto blocks = folder.write("a", access(5, 8, 4'096, 2) + access(5, 17, 512, -1) + access(7, 8, 4'096, 3) + access(8, 8, 4'096, -1));
  CHECK(recognise_format(blocks) == "oracle:blocks");
  const auto source = open_trace_file(blocks, "");
  constexpr std::uint64_t s = 1'000'000'000'000;  // ps
  CHECK(read_all(*source) ==
        All{record(0, rd, 4'096, 4'096), record(0, rd, 17 * 512, 512), record(2 * s, rd, 4'096, 4'096), record(3 * s, rd, 4'096, 4'096)});
  CHECK(
      has_note(*source,
               "the file holds no operations and objects instead of addresses: all requests are reads, at the object's number times 512 B; "
               "times in whole seconds"));
  const auto bytes = folder.write("b", access(5, 8'192, 4'096, 1) + access(5, 8'192, 512, -1));
  CHECK(recognise_format(bytes) == "oracle:bytes");
  CHECK(read_all(bytes, "").front() == record(0, rd, 8'192, 4'096));
  CHECK(reading_error(access(5, 8, 4'096, -1) + "half", "oracle") ==
        "t:record 2: the trace is cut off: expected a record of 24 bytes, found 4");
  CHECK_THAT(reading_error(access(5, ~std::uint64_t{0}, 512, -1), "oracle"),
             Catch::Contains("objects whose numbers are hashes have no address"));
  CHECK(reading_error("", "oracle:sectors") ==
        "--format oracle:sectors: expected oracle:blocks (objects as blocks of 512 B) or oracle:bytes");
}

TEST_CASE("libCacheSim's text: objects are blocks, or bytes where all are multiples of 512") {
  const Folder folder;
  const auto blocks = folder.write("a", "clock_time,obj_id,obj_size,next_access_vtime\n1,8,4096,3\n2,17,512,-1\n");
  CHECK(recognise_format(blocks) == "libcachesim");
  CHECK(read_all(blocks, "").back() == record(1'000'000'000'000, rd, 17 * 512, 512));
  const auto bytes = folder.write("b", "clock_time,obj_id,obj_size,next_access_vtime\n1,8192,4096,3\n2,512,512,-1\n");
  CHECK(recognise_format(bytes) == "libcachesim-bytes");
  CHECK(read_all(bytes, "").back() == record(1'000'000'000'000, rd, 512, 512));
}
