// fio I/O logs (fio HOWTO, "Trace file format"), offsets and lengths in bytes:
//   version 2: file action [offset length], with `file wait T` between: T after the wait before it
//   version 3: time file action [offset length]
// Times in microseconds, as fio writes them, unless another unit is named. add, open and close are no requests; sync, syncfs and
// datasync are flushes, and sync_file_range, which flushes no drive, is left out. The volume is the file's name.
#include "stimuli/readers/formats.hpp"
#include "stimuli/readers/line_trace_reader.hpp"

namespace tessera {
namespace {

class FioIolog final : public LineTraceReader {
 public:
  FioIolog(TraceFile file, std::uint64_t ps_per_unit) : LineTraceReader(std::move(file), ' '), ps_per_unit_(ps_per_unit) {}

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
      clock_ += time(offset, "wait", ps_per_unit_);
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
    if (version_ == 2) note("version 2 of fio's log holds no times but its waits");
  }

  const std::uint64_t ps_per_unit_;
  int version_ = 0;
  TraceTime clock_ = 0;
};

}  // namespace

std::unique_ptr<TraceSource> read_fio_iolog(TraceFile file, std::uint64_t ps_per_unit) {
  return std::make_unique<FioIolog>(std::move(file), ps_per_unit);
}

}  // namespace tessera
