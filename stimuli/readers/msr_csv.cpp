// MSR Cambridge: Timestamp,Hostname,DiskNumber,Type,Offset,Size[,ResponseTime]. Timestamp in Windows ticks of 100 ns from the
// year 1601, offset and size in bytes; a header line may come first. The volume is HOST_DISK. (SNIA IOTTA 388)
#include "stimuli/readers/formats.hpp"
#include "stimuli/readers/line_trace_reader.hpp"

namespace tessera {
namespace {

constexpr std::uint64_t ps_per_tick = 100'000;

class MsrCsv final : public LineTraceReader {
 public:
  explicit MsrCsv(TraceFile file) : LineTraceReader(std::move(file), ',') {}

 private:
  bool parse_fields(RawRecord& raw) override {
    expect_fields(6, 7, "Timestamp,Hostname,DiskNumber,Type,Offset,Size[,ResponseTime]");
    if (line_number() == 1 && same_word(fields_[0], "timestamp")) return false;
    raw.time = time(0, "Timestamp", ps_per_tick);
    if (same_word(fields_[3], "write"))
      raw.op = HostOp::write;
    else if (same_word(fields_[3], "read"))
      raw.op = HostOp::read;
    else
      unknown_operation(fields_[3], "Read or Write");
    raw.offset = integer(4, "Offset");
    raw.size = integer(5, "Size");
    if (fields_.size() == 7 && takes_responses()) raw.response = time(6, "ResponseTime", ps_per_tick);
    volume_.assign(fields_[1]).append("_").append(fields_[2]);
    raw.volume = volume(volume_);
    return true;
  }

  std::string volume_;
};

}  // namespace

std::unique_ptr<TraceSource> read_msr_csv(TraceFile file) { return std::make_unique<MsrCsv>(std::move(file)); }

}  // namespace tessera
