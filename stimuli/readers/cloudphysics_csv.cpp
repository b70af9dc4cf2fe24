// CloudPhysics virtual disks as text (Waldspurger et al., FAST 2015), in the two forms that are about:
//   version,time,op,size,lbn   libCacheSim: time in whole seconds, op the SCSI operation code in hexadecimal, header line
//   ts,lba,op,size             time in microseconds, op r or w
// Sizes in bytes, addresses in blocks of 512 B. Neither names a volume.
#include "stimuli/readers/formats.hpp"
#include "stimuli/readers/line_trace_reader.hpp"
#include "stimuli/readers/scsi_operation.hpp"

namespace tessera {
namespace {

class ScsiCsv final : public LineTraceReader {
 public:
  explicit ScsiCsv(TraceFile file) : LineTraceReader(std::move(file), ',') {}

 private:
  bool parse_fields(RawRecord& raw) override {
    expect_fields(5, 5, "version,time,op,size,lbn");
    if (line_number() == 1 && same_word(fields_[0], "version")) return false;
    std::uint64_t opcode = 0;
    check(parse_hexadecimal(fields_[2], opcode), "op", fields_[2]);
    if (scsi_moves_no_data(opcode)) {
      leave_out(scsi_left_out);
      return false;
    }
    const auto op = scsi_host_op(opcode);
    if (!op) fail(unknown_scsi_operation(opcode));
    raw.op = *op;
    raw.time = time(1, "time", ps_per_second);
    raw.size = integer(3, "size");
    raw.offset = bytes_of_blocks(4, "lbn");
    if (raw.op == HostOp::trim && raw.size == 0) {
      leave_out(scsi_unmap_left_out);
      return false;
    }
    return true;
  }
};

class ShortCsv final : public LineTraceReader {
 public:
  explicit ShortCsv(TraceFile file) : LineTraceReader(std::move(file), ',') {}

 private:
  bool parse_fields(RawRecord& raw) override {
    expect_fields(4, 4, "ts,lba,op,size");
    if (line_number() == 1 && same_word(fields_[0], "ts")) return false;
    raw.time = time(0, "ts", 1'000'000);
    raw.offset = bytes_of_blocks(1, "lba");
    if (same_word(fields_[2], "w") || same_word(fields_[2], "write"))
      raw.op = HostOp::write;
    else if (same_word(fields_[2], "r") || same_word(fields_[2], "read"))
      raw.op = HostOp::read;
    else
      unknown_operation(fields_[2], "r or w");
    raw.size = integer(3, "size");
    return true;
  }
};

}  // namespace

std::unique_ptr<TraceSource> read_cloudphysics_scsi_csv(TraceFile file) { return std::make_unique<ScsiCsv>(std::move(file)); }

std::unique_ptr<TraceSource> read_cloudphysics_csv(TraceFile file) { return std::make_unique<ShortCsv>(std::move(file)); }

}  // namespace tessera
