// SPC trace file format, revision 1.0.1: ASU,LBA,Size,Opcode,Timestamp[,...]. LBA in blocks of 512 B within the application storage
// unit, size in bytes, opcode r or w, time in seconds. The volume is ASUn. (UMass Financial and WebSearch)
#include "stimuli/readers/formats.hpp"
#include "stimuli/readers/line_trace_reader.hpp"

namespace tessera {
namespace {

class Spc final : public LineTraceReader {
 public:
  explicit Spc(TraceFile file) : LineTraceReader(std::move(file), ',') {}

 private:
  bool parse_fields(RawRecord& raw) override {
    expect_fields(5, Fields::capacity, "ASU,LBA,Size,Opcode,Timestamp");
    static_cast<void>(integer(0, "ASU"));
    raw.offset = bytes_of_blocks(1, "LBA");
    raw.size = integer(2, "Size");
    if (same_word(fields_[3], "w"))
      raw.op = HostOp::write;
    else if (same_word(fields_[3], "r"))
      raw.op = HostOp::read;
    else
      unknown_operation(fields_[3], "r or w");
    raw.time = time(4, "Timestamp", ps_per_second);
    volume_.assign("ASU").append(fields_[0]);
    raw.volume = volume(volume_);
    return true;
  }

  std::string volume_;
};

}  // namespace

std::unique_ptr<TraceSource> read_spc(TraceFile file) { return std::make_unique<Spc>(std::move(file)); }

}  // namespace tessera
