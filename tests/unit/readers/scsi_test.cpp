// Commands of the SCSI layer, as ftrace shows them.
#include <catch2/catch.hpp>

#include "unit/readers/trace_files.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

using All = std::vector<TraceRecord>;
constexpr std::uint64_t ms = 1'000'000'000;
constexpr auto rd = HostOp::read, wr = HostOp::write, fl = HostOp::flush, tr = HostOp::trim;

std::string event(const std::string& time, const std::string& command, const std::string& unit = "0",
                  const std::string& name = "scsi_dispatch_cmd_start") {
  return "   kworker/0:1H-58    [000] .....    " + time + ": " + name + ": host_no=2 channel=0 id=" + unit +
         " lun=0 data_sgl=1 prot_sgl=0 prot_op=SCSI_PROT_NORMAL driver_tag=3 scheduler_tag=5 cmnd=(" + command + ")\n";
}

const std::string every_kind =
    event("10.000", "READ_10 lba=8 txlen=16 protect=0 raw=28 00 00 00 00 08 00 00 10 00") +
    event("10.001", "READ_10 lba=8 txlen=16 protect=0 raw=28 00 00 00 00 08 00 00 10 00", "0", "scsi_dispatch_cmd_done") +
    event("10.002", "WRITE_16 lba=5000000000 txlen=1 protect=0 raw=8a 08 00 00 00 01 2a 05 f2 00 00 00 00 01 00 00", "1") +
    event("10.003", "SYNCHRONIZE_CACHE - raw=35 00 00 00 00 00 00 00 00 00") +
    event("10.004", "WRITE_SAME_16 lba=64 txlen=128 unmap=1 protect=0 raw=93 08 00") +
    event("10.005", "WRITE_SAME lba=64 txlen=128 unmap=0 protect=0 raw=41 00 00") +
    event("10.006", "UNMAP regions=1 raw=42 00 00 00 00 00 00 00 18 00") + event("10.007", "TEST_UNIT_READY - raw=00 00 00 00 00 00");

}  // namespace

TEST_CASE("scsi: reads, writes with FUA, flushes, and what empties sectors, and a command is there once") {
  const Folder folder;
  const auto path = folder.write("t", every_kind);
  CHECK(recognise_format(path) == "ftrace");
  const auto source = open_trace_file(path, "");
  CHECK(read_all(*source) == All{record(0, rd, 4'096, 8'192), record(2 * ms, wr, 5'000'000'000 * 512, 512, 1, true),
                                 record(3 * ms, fl, 0, 0), record(4 * ms, tr, 32'768, 65'536), record(5 * ms, wr, 32'768, 65'536)});
  CHECK(source->volume_name(0) == "2:0:0:0");
  CHECK(source->volume_name(1) == "2:0:1:0");
  const auto notes = source->notes();
  for (const char* note :
       {"requests are the scsi commands (scsi_dispatch_cmd_start), in blocks of 512 B: --format ftrace:scsi,BYTES names others",
        "1 events other than those that are read left out", "2 SCSI commands that move no user data, or name no address, left out"}) {
    CAPTURE(note);
    CHECK(std::ranges::count(notes, note) == 1);
  }
  CHECK(read_all(path, "ftrace:scsi,4096")[0] == record(0, rd, 32'768, 65'536));
}

TEST_CASE("scsi: what is no command is refused with its place, and what was expected") {
  CHECK(reading_error(event("10.000", "READ_10 lba=8 txlen=many"), "ftrace") == "t:1: txlen 'many' is not a number");
  CHECK(reading_error("a-1 [0] 1.0: scsi_dispatch_cmd_start: host_no=1\n", "ftrace:scsi") ==
        "t:1: expected 'host_no=N ... cmnd=(COMMAND lba=N txlen=N ...)' after 'scsi_dispatch_cmd_start:', found 'host_no=1'");
  CHECK(reading_error(every_kind, "ftrace:queue") ==
        "t:8: the trace holds no request: the file has no such events but 7 of scsi_dispatch_cmd_start: choose --format ftrace:scsi");
  CHECK(reading_error(every_kind, "ftrace:scsi,1024") == "--format ftrace:scsi,1024: expected scsi,512 or scsi,4096 (bytes of a block)");
}
