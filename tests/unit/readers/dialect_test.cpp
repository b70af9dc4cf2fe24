// Published data sets, recognised by their lines and read in their own units.
#include <catch2/catch.hpp>

#include "stimuli/readers/record_spool.hpp"
#include "unit/readers/trace_files.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

struct Reading {
  std::string format;
  std::vector<TraceRecord> records;
};

Reading read(const std::string& text) {
  const Folder folder;
  const auto path = folder.write("t", text);
  return {recognise_format(path), read_all(path, "")};
}

constexpr std::uint64_t us = 1'000'000;   // ps
constexpr std::uint64_t ms = 1'000 * us;  // ps
constexpr std::uint64_t s = 1'000 * ms;   // ps

}  // namespace

TEST_CASE("Alibaba: bytes, microseconds, a volume per device") {
  const auto made = read("7,W,8192,4096,1577808000000100\n9,R,0,16384,1577808000000250\n");
  CHECK(made.format == "alibaba");
  CHECK(made.records == std::vector<TraceRecord>{record(0, HostOp::write, 8192, 4096), record(150 * us, HostOp::read, 0, 16384, 1)});
}

TEST_CASE("Tencent: whole seconds, blocks, 1 = write") {
  const auto made = read("1538323200,16,8,1,5\n1538323201,0,128,0,5\n");
  CHECK(made.format == "tencent");
  CHECK(made.records == std::vector<TraceRecord>{record(0, HostOp::write, 8192, 4096), record(s, HostOp::read, 0, 65536)});
}

TEST_CASE("SYSTOR '17: a blank operation is left out, disorder is sorted on request") {
  const std::string text =
      "Timestamp,Response,IOType,LUN,Offset,Size\n1456000000.500000000,0.001000000,R,3,4096,512\n"
      "1456000000.496000000,0.009000000,W,3,8192,1024\n1456000000.497000000,0.000100000,,3,0,0\n";
  CHECK(read(text).format == "systor");
  const Folder folder;
  const auto path = folder.write("t", text);
  const auto open = [&](const RecordOrder& order) { return open_trace_file(path, TraceReading{"", order, nullptr}); };
  const std::vector<TraceRecord> sorted{record(0, HostOp::write, 8192, 1024), record(4 * ms, HostOp::read, 4096, 512)};
  const auto as_it_is = open({});  // the format is known to be in order of completion
  CHECK(read_all(*as_it_is) == sorted);
  CHECK(as_it_is->notes()[1] == "sorted by arrival within 1000 records, as systor files are not in order; --sort names another window");
  CHECK(read_all(*open({Picoseconds(4 * ms), 0, false})) == sorted);
  CHECK(read_all(*open({Picoseconds(0), 2, false})) == sorted);
  const auto derived = open({Picoseconds(20 * ms), 0, true});  // 496 - 9 = 487 ms; 500 - 1 = 499 ms
  CHECK(read_all(*derived) == std::vector<TraceRecord>{record(0, HostOp::write, 8192, 1024), record(12 * ms, HostOp::read, 4096, 512)});
}

TEST_CASE("Microsoft Production Server: hexadecimal bytes, microseconds, names with commas") {
  const auto made = read(
      "BeginHeader\n DiskRead, TimeStamp, Process Name ( PID), ThreadID, IrpPtr, ByteOffset, IOSize, ElapsedTime, DiskNum\nEndHeader\n"
      " DiskRead, 100, a.exe ( 4), 7, 0xff01, 0x00002000, 0x00001000, 50, 0, 0x1, 40, 3, 0, 0xff, \"X:\\a, b, c.txt\"\n"
      " FileNameRundown, 150, 4\n"
      " DiskWrite, 400, a.exe ( 4), 7, 0xff02, 0x1ffff0000, 0x00010000, 50, 2, 0x1, 40, 3, 0, 0xff, \"X:\\d\"\n");
  CHECK(made.format == "msps");
  CHECK(made.records ==
        std::vector<TraceRecord>{record(0, HostOp::read, 8192, 4096), record(300 * us, HostOp::write, 0x1ffff0000, 65536, 1)});
}

TEST_CASE("FIU: nanoseconds, blocks counted from the right, a blank in a process's name") {
  const std::string hash = " 0123456789abcdef0123456789abcdef\n";
  const auto made = read("1000 20 g zip 16 8 W 6 0" + hash + "5000 21 kjournald 24 8 R 8 1" + hash);
  CHECK(made.format == "fiu");
  CHECK(made.records == std::vector<TraceRecord>{record(0, HostOp::write, 8192, 4096), record(4 * us, HostOp::read, 12288, 4096, 1)});
}

TEST_CASE("blkreplay: prose above the records, a read-ahead is a read") {
  const auto made = read(
      "Copyright of nobody\n\nstart ; sector; length ; op ;  replay_delay=0 ; replay_duration=0\n"
      " 0.5 ; 16 ; 8 ; W ; 0.0 ; 0.0\n 0.75 ; 0 ; 1 ; RA ; 0.0 ; 0.0\n 0.75 ; 8 ; 1 ; WFS ; 0.0 ; 0.0\n");
  CHECK(made.format == "blkreplay");
  CHECK(made.records == std::vector<TraceRecord>{record(0, HostOp::write, 8192, 4096), record(250 * ms, HostOp::read, 0, 512),
                                                 record(250 * ms, HostOp::write, 4096, 512, 0, true)});
}

TEST_CASE("a clock that restarts is found") {
  std::string text;
  for (int i = 0; i < 200; ++i) text += std::to_string((i < 50 ? 100'000'000 : 10) + i) + ",h,0,Read,0,512,1\n";
  const Folder folder;
  const auto source = open_trace_file(folder.write("t", text), "msr");
  CHECK(read_all(*source).size() == 200);
  CHECK(source->notes().back() == "the clock seems to restart at " + folder.path("t") +
                                      ":51: 150 records in a row are earlier than one before them; cut the trace there");
}

TEST_CASE("records before the first one in time have their place in a note, and in a last line without its end they are a cut") {
  const std::string begin = "20,h,0,Read,0,512,1\n30,h,0,Read,512,512,1\n";
  const Folder folder;
  const auto path = folder.write("t", begin + "10,h,0,Read,0,512,1\n");
  const auto source = open_trace_file(path, "msr");
  CHECK(read_all(*source).size() == 3);
  CHECK(source->notes().back() == "records before the first one in time: 1, the first of them at " + path + ":3");
  CHECK(reading_error(begin + "3,h,0,Read,0,512,1", "msr") ==
        "t:3: the line has no line feed at its end, and its time lies before that of the first record: the file seems to be cut off here");
  CHECK(reading_error(begin + "25,h,0,Read,0,512,1", "msr").empty());
}

TEST_CASE("the window that a sorted trace names is one that sorts it") {
  const Folder folder;
  const auto path =
      folder.write("t", "0,h,0,Read,0,512,1\n5000000,h,0,Read,0,512,1\n10000000,h,0,Read,0,512,1\n4000000,h,0,Read,0,512,1\n");
  const auto late = open_trace_file(path, TraceReading{"msr", {Picoseconds(0), 1, false}, nullptr});
  CHECK(read_all(*late).size() == 4);
  CHECK_THAT(late->notes().back(), Catch::EndsWith("by at most 100 ms (--sort 600 ms sorts them)"));
  const auto sorted = open_trace_file(path, TraceReading{"msr", {Picoseconds(600 * ms), 0, false}, nullptr});
  CHECK(read_all(*sorted)[1].arrival == Picoseconds(400 * ms));
  CHECK(sorted->notes().size() == 1);
}

TEST_CASE("a record later than the window allows is taken late and counted") {
  const Folder folder;
  const auto path = folder.write("t", "10,h,0,Read,0,512,1\n30,h,0,Read,512,512,1\n40,h,0,Read,1024,512,1\n20,h,0,Read,1536,512,1\n");
  const auto source = open_trace_file(path, TraceReading{"msr", {Picoseconds(0), 1, false}, nullptr});
  CHECK(read_all(*source).back().arrival == Picoseconds(3 * us));
  CHECK(source->notes().size() == 2);
  CHECK(source->notes()[0] == "1 records of the file are out of time order, by at most 1 ms; sorted");
  CHECK(source->notes()[1].find("1 records later than --sort allows for") == 0);
}

TEST_CASE("times of one coarse tick are spread evenly over it, and a note says so") {
  const Folder folder;
  TraceOptions options;
  options.path = folder.write("t", "1538323200,16,8,1,5\n1538323200,0,8,0,5\n1538323201,0,8,0,5\n1538323201,8,8,0,5\n");
  options.spread = Picoseconds(s);
  const auto source = open_trace(options);
  std::vector<std::uint64_t> arrivals;
  for (const auto& r : read_all(*source)) arrivals.push_back(r.arrival.value() / ms);
  CHECK(arrivals == std::vector<std::uint64_t>{0, 500, 1000, 1500});
  CHECK(source->notes().back() ==
        "arrivals at one time are spread evenly over 1000000 us (--spread): their gaps are an assumption, not a measurement");
}

TEST_CASE("whole seconds are said, where all requests are in one and where the format is named as well") {
  const Folder folder;
  const auto path = folder.write("t", "1538323200,16,8,1,5\n1538323200,0,8,0,5\n");
  CHECK(open_trace_file(path, "")->notes()[0] ==
        "read as tencent; times in steps of 1 s, several requests each (--spread \"1 s\" spreads them evenly)");
  CHECK(open_trace_file(path, "tencent")->notes()[0] ==
        "times in whole seconds: the requests of a second arrive together (--spread \"1 s\" spreads them evenly)");
}

TEST_CASE("without a response there is no arrival to derive") {
  const Folder folder;
  const auto path = folder.write("t", "1,h,0,Read,0,512\n");
  CHECK(error_of(folder, [&] {
          read_all(*open_trace_file(path, TraceReading{"msr", {Picoseconds(0), 0, true}, nullptr}));
        }) == "t:1: --arrival completion-response: the record has no response time");
}

TEST_CASE("Baleen: blocks get places of 8 MiB as they appear, gets are reads and puts are writes") {
  const std::string head =
      "# blocks of made-up users\n# block_id io_offset io_size op_time op_name user_namespace user_name rs_shard_id op_count host_name\n";
  const std::string rows = "7000 0 4096 100.5 4 1 2 3 1 9\n3 8192 512 100.6 2 1 2 3 1 9\n7000 4096 4096 101.5 1 1 2 3 1 9\n";
  const std::vector<TraceRecord> all{record(0, HostOp::write, 0, 4096), record(100 * ms, HostOp::read, (8 << 20) + 8192, 512),
                                     record(s, HostOp::read, 4096, 4096)};
  const std::string names = head.substr(head.rfind("block_id"));  // as a line of its own
  for (const auto& text : {head + rows, names + rows, rows}) {
    const auto made = read(text);
    CHECK(made.format == "baleen");
    CHECK(made.records == all);
  }
  CHECK(reading_error(head + "1 8388600 4096 1.5 1 1 1 1\n", "") ==
        "t:3: io_offset 8388600 and io_size 4096 end past 8 MiB, the largest block");
  CHECK(reading_error(head + "1 0 4096 1.5 9 1 1 1\n", "") == "t:3: unknown operation '9'; expected 1, 2 or 5 (get), 3, 4 or 6 (put)");
}

TEST_CASE("hfplayer: microseconds, blocks, phases other than 0 left out") {
  const auto made = read(
      "#DUMP_OFFSET.I,ELAPSED_USECS.D,ELAPSED_TICKS.I,CMD.S,INFLIGHT_IOS.I,TS.I,SEQID.I,LUN_SSID.I,OP.I,PHASE.I,LBA.I,NBLKS.I,LATENCY_"
      "TICKS.I,"
      "HOST_ID.I,HOST_LUN.I,LATENCY_USECS.D\n"
      "10,100,5,WR,1,5,1,3,0,0,16,8,9,1,1,250\n20,130,6,RD,1,6,2,4,0,0,0,1,9,1,1,90\n30,350,7,WR,0,7,1,3,0,1,16,8,9,1,1,250\n");
  CHECK(made.format == "hfplayer");
  CHECK(made.records == std::vector<TraceRecord>{record(0, HostOp::write, 8192, 4096), record(30 * us, HostOp::read, 0, 512, 1)});
}

TEST_CASE("hfplayer: the time of day in front of the elapsed one moves no column") {
  const auto made = read(
      "#DUMP_OFFSET.I,ABS_SECS.D,ELAPSED_USECS.D,ELAPSED_TICKS.I,CMD.S,INFLIGHT_IOS.I,TS.I,SEQID.I,LUN_SSID.I,OP.I,PHASE.I,LBA.I,NBLKS.I,"
      "LATENCY_TICKS.I,HOST_ID.I,HOST_LUN.I,LATENCY_USECS.D\n"
      "10,0,100.5,5,WR,1,5,1,3,0,0,16,8,9,1,1,250\n20,0,130.5,6,RD,1,6,2,4,0,0,0,1,9,1,1,90\n");
  CHECK(made.format == "hfplayer");
  CHECK(made.records == std::vector<TraceRecord>{record(0, HostOp::write, 8192, 4096), record(30 * us, HostOp::read, 0, 512, 1)});
}

TEST_CASE("thesios: columns by names, files as volumes, what no disk moves left out, headers again and again") {
  const std::string header =
      "filename,file_offset,application,c_time,io_zone,redundancy_type,op_type,service_class,from_flash_cache,cache_hit,"
      "request_io_size_bytes,disk_io_size_bytes,response_io_size_bytes,start_time,disk_time,simulated_disk_start_time,simulated_latency\n";
  const std::string rows =
      "6b0d,8192,a1,1705304600,WARM,REPLICATED,READ,OTHER,0,0,4096,8192,4096,1705305600.000000,0.008,1705305600.001,0.012\n"
      "d23f,0,a2,1705304600,WARM,REPLICATED,READ,OTHER,0,1,1048576,0,1048576,1705305600.001000,0.000,1705305600.002,0.012\n"
      "d23f,4096,a2,1705304600,COLD,REPLICATED,WRITE,OTHER,0,-1,512,512,0,1705305600.002000,0.008,1705305600.003,0.012\n";
  const auto made = read(header + rows + header + rows.substr(0, rows.find('\n') + 1));
  CHECK(made.format == "thesios");
  CHECK(made.records.size() == 3);
  CHECK(std::ranges::count(made.records, record(0, HostOp::read, 8'192, 8'192)) == 2);  // the first row comes again
  CHECK(made.records.back() == record(2'000 * us, HostOp::write, 4'096, 512, 1));
}

TEST_CASE("tracerpt: DiskIo rows among others, ticks of 100 ns, flushes") {
  const std::string filler = ",0,2,0,0,10,0,0,4,8,1,0,0,,,";
  const auto made = read("Event Name, Type, Event ID, Version\n   EventTrace,     Header" + filler +
                         "130000000000000000,0,0,1,2\n       DiskIo,       Write" + filler +
                         "130000000000000100,  0,  0,  1, 0x00060043, 0x00001000, 0, 0x00002000, 0xFF\n       DiskIo, FlushBuffers" +
                         filler + "130000000000000200,  0,  0,  1, 0x00060043, 17, 0xFF, 3, 4\n       DiskIo, Read" + filler +
                         "130000000000000300,  0,  0,  0, 0x00060043, 512, 0, 4096, 0xFF\n");
  CHECK(made.format == "etw");
  CHECK(made.records == std::vector<TraceRecord>{record(0, HostOp::write, 8192, 4096), record(10 * us, HostOp::flush, 0, 0),
                                                 record(20 * us, HostOp::read, 4096, 512, 1)});
}

TEST_CASE("a whole file is sorted, whatever its length, by runs in a temporary file") {
  RecordSpool spool(3);
  const std::uint64_t times[] = {50, 10, 30, 20, 20, 40, 5, 5};
  for (std::size_t i = 0; i < std::size(times); ++i) {
    RawRecord raw;
    raw.time = times[i];
    raw.size = 512 * (i + 1);
    spool.add(raw, {i + 1, 2});
  }
  spool.finish();
  std::vector<std::string> order;
  RawRecord raw;
  for (RecordPlace from; spool.next(raw, from);) {
    CHECK(from.file == 2);
    order.push_back(std::to_string(static_cast<std::uint64_t>(raw.time)) + " from " + std::to_string(from.number));
  }
  CHECK(order ==
        std::vector<std::string>{"5 from 7", "5 from 8", "10 from 2", "20 from 4", "20 from 5", "30 from 3", "40 from 6", "50 from 1"});
  CHECK(raw.size == 512);

  const Folder folder;
  const auto path = folder.write("t", "10,h,0,Read,0,512,1\n30,h,0,Read,512,512,1\n5,g,0,Write,1024,512,1\n");
  const auto source = open_trace_file(path, TraceReading{"msr", {Picoseconds(0), 0, false, true}, nullptr});
  TraceRecord one;
  REQUIRE(source->next(one));
  CHECK(one == record(0, HostOp::write, 1024, 512, 1));
  CHECK(source->position() == path + ":3");
  CHECK(read_all(*source).size() == 2);
  CHECK(source->notes() == std::vector<std::string>{"1 records of the file are out of time order, by at most 1 ms; sorted"});
}
