// What Linux's recorders write as text: blkparse, perf and ftrace, biosnoop, fio.
#include <catch2/catch.hpp>

#include "unit/readers/trace_files.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

using All = std::vector<TraceRecord>;
constexpr std::uint64_t ns = 1'000;       // ps
constexpr std::uint64_t us = 1'000 * ns;  // ps
constexpr std::uint64_t ms = 1'000 * us;  // ps
constexpr auto rd = HostOp::read, wr = HostOp::write, fl = HostOp::flush, tr = HostOp::trim;

struct Reading {
  std::string format;
  All records;
  std::vector<std::string> notes;
};

Reading read(const std::string& text, const std::string& format = "") {
  const Folder folder;
  const auto path = folder.write("t", text);
  const auto source = open_trace_file(path, format);
  auto records = read_all(*source);
  return {format.empty() ? recognise_format(path) : format, std::move(records), source->notes()};
}

std::string error(const std::string& text, const std::string& format = "") { return reading_error(text, format); }

bool has_note(const Reading& reading, const std::string& note) {
  return std::find(reading.notes.begin(), reading.notes.end(), note) != reading.notes.end();
}

}  // namespace

TEST_CASE("blkparse: any of the three steps of a request can be read, each once") {
  const std::string text =
      "  8,0    1        1     0.000000100   50  Q   W 80 + 16 [cp]\n"
      "  8,0    1        2     0.000000200   50  G   W 80 + 16 [cp]\n"
      "  8,0    1        3     0.000001100   50  D   W 80 + 8 [cp]\n"
      "  8,0    1        4     0.000001200   50  D   W 88 + 8 [cp]\n"
      "  8,0    0        1     0.000009100    0  C   W 80 + 8 [0]\n";
  CHECK(read(text).records == All{record(0, wr, 40'960, 8'192)});
  CHECK(read(text, "blkparse:queue").records == All{record(0, wr, 40'960, 8'192)});
  CHECK(read(text, "blkparse:issue").records == All{record(0, wr, 40'960, 4'096), record(100 * ns, wr, 45'056, 4'096)});
  const auto completed = read(text, "blkparse:complete");
  CHECK(completed.records == All{record(0, wr, 40'960, 4'096)});
  CHECK(has_note(completed, "requests are the complete events (C): times are those of completion, not of arrival"));
  CHECK(error(text, "blkparse:sent") == "--format blkparse:sent: expected queue, issue or complete after the colon");
}

TEST_CASE("blkparse without queue events: issue events are read, and a note says so") {
  const std::string text =
      "  8,16   0        1     0.000000000   276  D  DS 4096 + 64 [kw]\n  8,16   0        2     0.000012000   276  D   W 64 + 128 [kw]\n"
      "  8,16   3        5     0.001000000   275  D  FN [kw]\n  8,16   3        6     0.002000000     0  C   W 64 + 128 [0]\n";
  const auto made = read(text);
  CHECK(made.format == "blkparse");
  CHECK(made.records == All{record(0, tr, 2'097'152, 32'768), record(12 * us, wr, 32'768, 65'536), record(ms, fl, 0, 0)});
  CHECK(has_note(made, "requests are the issue events (D), as there are no queue events (Q): times are those of issue to the drive"));
  CHECK(has_note(made, "1 discards (D) are trims; blkparse's own totals count them as writes"));
  CHECK(error(text, "blkparse:queue") ==
        "t:4: the trace holds no request: the file has no queue events (Q) but 3 issue events (D) and 1 complete events (C): choose "
        "--format blkparse:issue");
}

TEST_CASE("a step alone leaves the format to the content, and is refused where there are no steps") {
  const std::string text = "  8,0 0 1 0.000001000 9 Q   R 8 + 8 [cat]\n  8,0 0 2 0.000002000 9 D   R 8 + 16 [cat]\n";
  CHECK(read(text, ":issue").records == All{record(0, rd, 4'096, 8'192)});
  CHECK(read(text, ":issue").notes.front() == "read as blkparse");
  CHECK(error("1,h,0,Read,0,512,1\n", ":issue") ==
        "t: --event issue: the trace is read as msr, which has no queue, issue or complete events");
}

TEST_CASE("blkparse: a line that ends within its extent is refused, not taken for a request without one") {
  const std::string first = "  8,0 0 1 0.000001000 9 Q   R 8 + 8 [cat]\n";
  CHECK(error(first + "  8,0 0 2 0.000002000 9 Q  WS 16 +") ==
        "t:2: expected 'sector + sectors' after 'WS', found '16 +': the line is not whole");
  CHECK(error(first + "  8,0 0 2 0.000002000 9 Q  WS 16") ==
        "t:2: expected 'sector + sectors' after 'WS', found '16': the line is not whole");
}

TEST_CASE("blkparse: a command that is passed through has no extent and is left out") {
  const auto made =
      read("  8,0 0 1 0.000001000 9 D   R 36 (12 00 00 00 24 00) [smartd]\n  8,0 0 2 0.000002000 9 D   R 8 + 8 [cat]\n", "blkparse:issue");
  CHECK(made.records == All{record(0, rd, 4'096, 4'096)});
  CHECK(has_note(made, "1 requests without an extent (commands that are passed through) left out"));
}

TEST_CASE("blkparse: requests of a mapped device and the one below it are not counted twice") {
  const std::string text =
      "253,1 0 1 0.000000000 7 Q   W 8 + 8 [app]\n  8,0 0 2 0.000001000 7 A   W 2056 + 8 <- (253,1) 8\n"
      "  8,0 0 3 0.000002000 7 Q   W 2056 + 8 [app]\n";
  const std::string refusal =
      "requests of 253,1 are there again on 8,0, the device below it: choose one with --volume 253,1 or --volume 8,0";
  CHECK(error(text) == "t:3: " + refusal);
  const Folder folder;
  TraceOptions options;
  options.path = folder.write("t", text);
  options.volume = "8,0";
  CHECK(read_all(*open_trace(options)) == All{record(0, wr, 2056 * 512, 4'096, 1)});
  options.volume = "253,1";
  CHECK(read_all(*open_trace(options)) == All{record(0, wr, 4'096, 4'096)});
  // A partition above the disk has no requests of its own in a recording of the disk.
  CHECK(read("  8,0 0 1 0.000001000 7 A   W 2056 + 8 <- (8,1) 8\n  8,0 0 2 0.000001000 7 Q   W 2056 + 8 [app]\n").records ==
        All{record(0, wr, 2056 * 512, 4'096)});
}

TEST_CASE("blkparse -f: the layout is named as blkparse took it, and the default one without its plus is recognised") {
  const auto named =
      read("Q 1.000000500 R 64 8 my app\nC 1.000900000 R 64 8\nQ 1.000001500 WS 128 16 x\n", "blkparse:queue,%a %5T.%9t %d %S %n %C\\n");
  CHECK(named.records == All{record(0, rd, 32'768, 4'096), record(us, wr, 65'536, 8'192)});
  const auto by_head = read("D,8,0,0.000001000,W,64,4096\nC,8,0,0.000009000,W,64,4096\n", "blkparse:%a,%M,%m,%T.%t,%d,%S,%N");
  CHECK(by_head.records == All{record(0, wr, 32'768, 4'096)});
  const auto recognised = read("  8,0    0        1     0.000000500   100  Q   R 64 8 app\n");
  CHECK(recognised.format == "blkparse");
  CHECK(recognised.records == All{record(0, rd, 32'768, 4'096)});
  CHECK(error("Q 1.0 R 64 8\n", "blkparse:%a %T.%t %S %n %Y") ==
        "--format blkparse: the layout '%a %T.%t %S %n %Y' has %Y, which is not read; known: %a %c %C %d %D %e %g %m %M %n %N %p %s %S %t "
        "%T %u %U");
  CHECK(error("Q 1.0 R 64 8\n", "blkparse:%a %S %n") == "--format blkparse: the layout '%a %S %n' has no time (%T.%t)");
  CHECK(error("Q 1.5 R 64 8\nwhat is this\n", "blkparse:%a %T.%t %d %S %n") ==
        "t:2: the line has not the layout '%a %T.%t %d %S %n' that --format names");
  CHECK(error("Q 1.5 R 64 8\n", "blkparse:queue,issue") ==
        "--format blkparse:queue,issue: expected EVENT or EVENT,LAYOUT, the layout as blkparse -f takes it (%T.%t %a ...)");
}

TEST_CASE("perf script and trace_pipe: block events, with or without priorities, blanks in names, a flush without an address") {
  const auto perf = read(
      "  my task 77/78 [002]   100.000001: block:block_rq_issue: 8,0 WFS 4096 () 64 + 8 none,0,0 [my task]\n"
      "      ffffffff8134 blk_mq_start_request ([kernel.kallsyms])\n\n"
      "  kworker/0:1H   276 [000]   100.000003: block:block_rq_issue: 8,0 FF 0 () 18446744073709551615 + 0 [kworker/0:1H]\n"
      "  swapper     0 [000]   100.000009: block:block_rq_complete: 8,0 WFS () 64 + 8 [0]\n");
  CHECK(perf.format == "ftrace");
  CHECK(perf.records == All{record(0, wr, 32'768, 4'096, 0, true), record(2 * us, fl, 0, 0)});
  const auto pipe = read(
      "# tracer: nop\n          fio-789     [000] .....  4455.092000: block_bio_queue: 259,0 R 4096 + 16 [fio]\n"
      "          fio-789     [000] .....  4455.092005: block_rq_issue: 259,0 R 8192 () 4096 + 16 [fio]\n"
      "CPU:1 [LOST 12 EVENTS]\n          <idle>-0   [001] d.h1.  4455.093: sched_switch: prev_comm=x\n"
      "          fio-789     [000] .....  4455.094000: block_bio_queue: 259,0 DS 0 + 2048 [fio]\n");
  CHECK(pipe.records == All{record(0, rd, 2'097'152, 8'192), record(2 * ms, tr, 0, 1'048'576)});
  CHECK(has_note(pipe, "12 events lost while recording, as the file says"));
  CHECK(has_note(pipe, "2 events other than those that are read left out"));
}

TEST_CASE("ftrace of the nvme driver: blocks count from 0, a bit of the control word is FUA, admin commands are left out") {
  const std::string text =
      " a-1 [003] ..... 9904.000100: nvme_setup_cmd: nvme0: qid=0, cmdid=9, nsid=0, flags=0x0, meta=0x0, cmd=(nvme_admin_identify cns=1, "
      "ctrlid=0)\n"
      " a-1 [003] ..... 9904.000153: nvme_setup_cmd: nvme0: disk=nvme0n1, qid=4, cmdid=25169, nsid=1, flags=0x0, meta=0x0, "
      "cmd=(nvme_cmd_write slba=80, len=7, ctrl=0x4000, dsmgmt=0, reftag=0)\n"
      " a-1 [003] ..... 9904.000163: nvme_setup_cmd: nvme0: disk=nvme0n1, qid=4, cmdid=25170, nsid=1, flags=0x0, meta=0x0, "
      "cmd=(nvme_cmd_flush cdw10=00)\n"
      " a-1 [003] ..... 9904.000173: nvme_setup_cmd: nvme0: disk=nvme0n1, qid=4, cmdid=25171, nsid=1, flags=0x0, meta=0x0, "
      "cmd=(nvme_cmd_read slba=8, len=0, ctrl=0x0, dsmgmt=7, reftag=0)\n";
  const auto made = read(text);
  CHECK(made.format == "ftrace");
  CHECK(made.records == All{record(0, wr, 40'960, 4'096, 0, true), record(10 * us, fl, 0, 0), record(20 * us, rd, 4'096, 512)});
  CHECK(has_note(made, "1 nvme commands that move no user data, or name no address, left out"));
  CHECK(read(text, "ftrace:nvme,4096").records ==
        All{record(0, wr, 327'680, 32'768, 0, true), record(10 * us, fl, 0, 0), record(20 * us, rd, 32'768, 4'096)});
  CHECK(error(text, "ftrace:issue").find("choose --format ftrace:nvme") != std::string::npos);
  CHECK(error(text, "ftrace:nvme,520") == "--format ftrace:nvme,520: expected nvme,512 or nvme,4096 (bytes of a block)");
}

TEST_CASE("ftrace: a broken event and a line of something else are refused with what was found") {
  CHECK(error(" a-1 [0] ... 1.5: block_rq_issue: 8,0 W 4096 () 8 +\n", "ftrace") ==
        "t:1: expected 'major,minor RWBS ... sector + sectors' after 'block_rq_issue:', found '8,0 W 4096 () 8 +'");
  CHECK(error(" a-1 [0] ... 1.5: block_rq_issue: 8,0 W 512 () 8 + 1 [a]\n1,h,0,Read,0,512,1\n", "ftrace") ==
        "t:2: expected 'TASK [CPU] SECONDS: EVENT: ...', found '1,h,0,Read,0,512,1'; the line looks like msr");
  CHECK(error(" a-1 [0] ... 1.5: block_rq_issue: 8,0 Q 512 () 8 + 1 [a]\n", "ftrace") ==
        "t:1: unknown operation 'Q'; expected RWBS with R, W, D or F");
}

TEST_CASE("biosnoop: arrival is completion less latency, and less the time in the queue where there is that column") {
  const auto plain = read(
      "TIME(s)     COMM           PID    DISK    T SECTOR     BYTES  LAT(ms)\n0.000100    a b c          19     sda     W 64         4096  "
      "    0.50\n"
      "0.000200    d              20     sdb     R 8          8192      0.90\n");
  CHECK(plain.format == "biosnoop");
  CHECK(plain.records == All{record(0, rd, 4'096, 8'192, 1), record(300 * us, wr, 32'768, 4'096)});
  CHECK(read("TIME(s) COMM PID DISK T SECTOR BYTES QUE(ms) LAT(ms)\n1.0 a 1 sda R 0 512 0.250 0.750\n1.001 b c 1 sda R 8 512 0 0.500\n")
            .records == All{record(0, rd, 0, 512), record(1'500 * us, rd, 4'096, 512)});
  CHECK(error("TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms)\n1.0 a 1 sda R 0 512 fast\n") == "t:2: LAT(ms) 'fast' is not a number");
  const Folder folder;
  const auto path = folder.write("b", "TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms)\n1.0 a 1 sda R 0 512 0.1\n");
  CHECK(error_of(folder, [&] {
          read_all(*open_trace_file(path, TraceReading{"biosnoop", {Picoseconds(0), 0, true}, nullptr}));
        }) == "b:2: --arrival completion-response: biosnoop's arrivals are its times of completion less the latency as they are");
  std::string long_header = "TIME(s) COMM";
  for (int i = 0; i < 80; ++i) long_header += " x";  // more than are kept of a line
  CHECK(error(long_header + "\n", "biosnoop") == "t:1: expected TIME(s) COMM PID DISK T SECTOR BYTES [QUE(ms)] LAT(ms), found 82 fields");
  CHECK(error("TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms)\n1.0 a 1 sda\n") ==
        "t:2: expected TIME(s) COMM PID DISK T SECTOR BYTES [QUE(ms)] LAT(ms), found 4 fields");
}

TEST_CASE("fio: all actions, version 3 says its unit, and refuses what may be nanoseconds once there are enough requests") {
  CHECK(read("fio version 2 iolog\nf add\nf open\nf write 0 4096\nf wait 10\nf sync_file_range 0 4096\nf syncfs\nf datasync\nf close\n")
            .records == All{record(0, wr, 0, 4'096), record(10 * ms, fl, 0, 0), record(10 * ms, fl, 0, 0)});
  const auto spaced = [](std::uint64_t first_gap) {
    std::string text = "fio version 3 iolog\n0 f add\n0 f open\n";
    std::uint64_t time = 0;
    for (int i = 0; i < 120; ++i) {
      time += i == 0 ? 0 : i == 1 ? first_gap : 20'833;
      text += std::to_string(time) + " f read " + std::to_string(4'096 * i) + " 4096\n";
    }
    return text;
  };
  const auto message = error(spaced(20'833));
  CHECK(message ==
        "t: two readings fit: as fio:us 120 requests, 491,520 B in 2.48 s (48/s); as fio:ns 120 requests, 491,520 B in 2.48 ms (48,001/s). "
        "Choose one with --format fio:us or --format fio:ns");
  const auto bursts = read(spaced(50));  // two requests 50 ns apart? no: microseconds
  CHECK(bursts.format == "fio:us");
  CHECK(bursts.notes.front() == "read as fio, times in us (rate 48.4/s; as ns 48,407/s)");
}

TEST_CASE("fio: waits of version 2 that fall are refused until it is said how they count") {
  const std::string falling = "fio version 2 iolog\nf write 0 4096\nf wait 5000\nf write 4096 4096\nf wait 4000\nf read 0 4096\n";
  CHECK(error(falling) ==
        "t: two readings fit: as fio:ms 3 requests, 12,288 B in 5 s (0.4/s); as fio:relative 3 requests, 12,288 B in 9 ms (222/s). Choose "
        "one with --format fio:ms or --format fio:relative");
  const auto taken = read(falling, "fio:ms");
  CHECK(taken.records == All{record(0, wr, 0, 4'096), record(5'000 * ms, wr, 4'096, 4'096), record(5'000 * ms, rd, 0, 4'096)});
  CHECK(std::ranges::count(taken.notes, "1 waits for a time that had passed left out: fio counts them from the job's start") == 1);
  CHECK(read(falling, "fio:relative").records.back() == record(9 * ms, rd, 0, 4'096));
}

TEST_CASE("fio's latency log: offsets, sizes and directions, arrivals from latencies on request") {
  const std::string text = "10, 2000000, 1, 4096, 8192, 0\n12, 1000000, 0, 512, 0, 0\n";
  CHECK(read(text, "fiolat").records == All{record(0, wr, 8'192, 4'096), record(2 * ms, rd, 0, 512)});
  const Folder folder;
  const auto source = open_trace_file(folder.write("t", text), TraceReading{"fiolat", {Picoseconds(0), 10, true}, nullptr, false});
  CHECK(read_all(*source) == All{record(0, wr, 8'192, 4'096), record(3 * ms, rd, 0, 512)});
}
