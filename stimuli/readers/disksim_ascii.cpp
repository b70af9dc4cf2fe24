// DiskSim's default trace format: time device block blocks flags, separated by blanks; block and blocks of 512 B, bit 0 of flags
// set for a read, the higher bits of no effect here. Times are milliseconds in DiskSim; SSDsim and MQSim write the same columns in
// nanoseconds and some conversions in microseconds, so the unit can be named. The volume is devN.
#include "stimuli/readers/formats.hpp"
#include "stimuli/readers/line_trace_reader.hpp"

namespace tessera {
namespace {

class DiskSimAscii final : public LineTraceReader {
 public:
  DiskSimAscii(TraceFile file, std::uint64_t ps_per_unit, bool time_unit_stated)
      : LineTraceReader(std::move(file), ' '), ps_per_unit_(ps_per_unit) {
    if (!time_unit_stated) note("times taken as milliseconds, DiskSim's unit; --format ascii:us or ascii:ns names another");
  }

 private:
  bool parse_fields(RawRecord& raw) override {
    expect_fields(5, 5, "time device block blocks flags");
    raw.time = time(0, "time", ps_per_unit_);
    static_cast<void>(integer(1, "device"));
    raw.offset = bytes_of_blocks(2, "block");
    raw.size = bytes_of_blocks(3, "blocks");
    raw.op = (integer(4, "flags") & 1) != 0 ? HostOp::read : HostOp::write;
    volume_.assign("dev").append(fields_[1]);
    raw.volume = volume(volume_);
    return true;
  }

  const std::uint64_t ps_per_unit_;
  std::string volume_;
};

}  // namespace

std::unique_ptr<TraceSource> read_disksim_ascii(TraceFile file, std::uint64_t ps_per_unit, bool time_unit_stated) {
  return std::make_unique<DiskSimAscii>(std::move(file), ps_per_unit, time_unit_stated);
}

}  // namespace tessera
