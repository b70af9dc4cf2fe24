// blkparse text in its default layout (blktrace):
//   major,minor cpu sequence seconds pid action RWBS [sector + sectors] [process]
// The queue events (action Q) are the requests as the file system issued them; the others (merge, dispatch, completion, messages)
// are steps of the same requests and are left out. RWBS as the kernel writes it: an F before the operation is a flush that comes
// first, one after it is FUA. A summary at the end is not part of the trace. The volume is major,minor.
#include <optional>

#include "stimuli/readers/formats.hpp"
#include "stimuli/readers/line_trace_reader.hpp"

namespace tessera {
namespace {

class Blkparse final : public LineTraceReader {
 public:
  explicit Blkparse(TraceFile file) : LineTraceReader(std::move(file), ' ') {}

 private:
  bool parse(RawRecord& raw) override {
    if (!after_flush_) return LineTraceReader::parse(raw);
    raw = *after_flush_;
    after_flush_.reset();
    return true;
  }

  bool parse_fields(RawRecord& raw) override {
    if (fields_[0].starts_with("CPU") || fields_[0] == "Total") {
      end();
      return false;
    }
    expect_fields(7, line_fields, "device cpu sequence seconds pid action RWBS [sector + sectors] [process]");
    if (fields_[5] != "Q") {
      leave_out("blkparse events other than Q (queued) left out");
      return false;
    }
    raw.time = time(3, "seconds", ps_per_second);
    raw.volume = volume(fields_[0]);
    const bool has_extent = fields_.size() > 9 && fields_[8] == "+";
    if (has_extent) {
      raw.offset = bytes_of_blocks(7, "sector");
      raw.size = bytes_of_blocks(9, "sectors");
    }
    return parse_rwbs(fields_[6], raw);
  }

  bool parse_rwbs(std::string_view rwbs, RawRecord& raw) {
    std::string_view rest = rwbs;
    const bool flush_first = rest.starts_with('F');
    if (flush_first) rest.remove_prefix(1);
    if (flush_first && raw.size == 0) {
      raw.op = HostOp::flush;
      return true;
    }
    if (rest.starts_with('N')) {
      leave_out("queued requests that move no data left out");
      return false;
    }
    if (rest.starts_with('R'))
      raw.op = HostOp::read;
    else if (rest.starts_with('W'))
      raw.op = HostOp::write;
    else if (rest.starts_with('D'))
      raw.op = HostOp::trim;
    else
      unknown_operation(rwbs, "RWBS with R, W, D or F");
    raw.force_unit_access = rest.find('F') != std::string_view::npos;
    if (flush_first) {
      after_flush_ = raw;
      raw.op = HostOp::flush;
      raw.force_unit_access = false;
    }
    return true;
  }

  static constexpr std::size_t line_fields = 1000;  ///< the process may have blanks in its name, a message any number

  std::optional<RawRecord> after_flush_;
};

}  // namespace

std::unique_ptr<TraceSource> read_blkparse(TraceFile file) { return std::make_unique<Blkparse>(std::move(file)); }

}  // namespace tessera
