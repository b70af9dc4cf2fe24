// fio I/O logs (fio HOWTO, "Trace file format"), offsets and lengths in bytes:
//   version 2: file action [offset length], with `file wait T` between: what follows comes no earlier than T after the job's start
//   version 3: time file action [offset length]
// Times in milliseconds (version 2) and microseconds (3), as fio takes them, unless another unit is named; fio:relative has waits of
// microseconds after one another, as fio's HOWTO describes what no fio does. add, open and close are no requests; sync, syncfs and datasync
// are flushes, and sync_file_range, which flushes no drive, is left out. The volume is the file's name.
#include <algorithm>

#include "stimuli/readers/formats.hpp"
#include "stimuli/readers/line_trace_reader.hpp"

namespace tessera {
namespace {

class FioIolog final : public LineTraceReader {
 public:
  FioIolog(TraceFile file, const FioTimes& times) : LineTraceReader(std::move(file), ' '), times_(times) {}

 private:
  bool parse_fields(RawRecord& raw) override {
    if (version_ == 0) {
      read_version();
      return false;
    }
    const bool timed = version_ == 3;
    const std::size_t file = timed ? 1 : 0;
    const std::size_t action = file + 1;
    const std::size_t offset = file + 2;
    const std::size_t length = file + 3;
    expect_fields(action + 1, length + 1, timed ? "time file action [offset length]" : "file action [offset length]");
    if (timed) clock_ = time(0, "time", ps_per_unit_);

    const auto word = fields_[action];
    if (word == "add" || word == "open" || word == "close") return false;
    if (word == "sync_file_range") {
      leave_out("sync_file_range left out: it flushes no drive");
      return false;
    }
    if (word == "wait" && !timed) {
      expect_fields(offset + 1, length + 1, "file wait time");
      const TraceTime until = time(offset, "wait", ps_per_unit_) + (times_.relative ? clock_ : 0);
      if (until < clock_) leave_out("waits for a time that had passed left out: fio counts them from the job's start");
      clock_ = std::max(clock_, until);
      return false;
    }
    raw.time = clock_;
    raw.volume = volume(fields_[file]);
    if (word == "sync" || word == "datasync" || word == "syncfs") {
      raw.op = HostOp::flush;
      return true;
    }
    if (word == "read")
      raw.op = HostOp::read;
    else if (word == "write")
      raw.op = HostOp::write;
    else if (word == "trim")
      raw.op = HostOp::trim;
    else
      unknown_operation(word, std::string("add, open, close, read, write, trim, sync, datasync") + (timed ? "" : " or wait"));
    expect_fields(length + 1, length + 1, timed ? "time file action offset length" : "file action offset length");
    raw.offset = integer(offset, "offset");
    raw.size = integer(length, "length");
    return true;
  }

  void read_version() {
    const bool header = fields_.size() == 4 && fields_[0] == "fio" && fields_[1] == "version" && fields_[3] == "iolog";
    if (header && fields_[2] == "2")
      version_ = 2;
    else if (header && fields_[2] == "3")
      version_ = 3;
    else
      fail("expected the line 'fio version 2 iolog' or 'fio version 3 iolog'");
    ps_per_unit_ = times_.ps_per_unit.value_or(ps_per_unit(version_ == 2 && !times_.relative ? "ms" : "us"));
    if (version_ == 2) note("version 2 of fio's log holds no times but its waits");
    if (version_ == 2 && !times_.ps_per_unit && !times_.relative)
      note("waits are for milliseconds since the job's start, as fio takes them");
  }

  const FioTimes times_;
  std::uint64_t ps_per_unit_ = 0;
  int version_ = 0;
  TraceTime clock_ = 0;
};

}  // namespace

std::unique_ptr<TraceSource> read_fio_iolog(TraceFile file, const FioTimes& times) {
  return std::make_unique<FioIolog>(std::move(file), times);
}

}  // namespace tessera
