// DiskSim's drive-validation traces: R|W class block blocks service_us think_us, separated by blanks; class says what the real drive's
// cache did. The drive was measured with one request at a time: service_us is what this one took, think_us how long the host waited
// after its completion before it sent the next. DiskSim reads it so, though papers have taken the last column for gaps between arrivals.
#include "stimuli/readers/formats.hpp"
#include "stimuli/readers/line_trace_reader.hpp"

namespace tessera {
namespace {

constexpr std::uint64_t ps_per_microsecond = 1'000'000;

class DiskSimValidation final : public LineTraceReader {
 public:
  DiskSimValidation(TraceFile file, ValidationTimes times) : LineTraceReader(std::move(file), ' '), times_(times) {}
  [[nodiscard]] bool tells_think_times() const override { return times_ == ValidationTimes::think; }

 private:
  bool parse_fields(RawRecord& raw) override {
    expect_fields(6, 6, "R|W class block blocks service_us think_us");
    if (fields_[0] == "W")
      raw.op = HostOp::write;
    else if (fields_[0] == "R")
      raw.op = HostOp::read;
    else
      unknown_operation(fields_[0], "R or W");
    raw.offset = bytes_of_blocks(2, "block");
    raw.size = bytes_of_blocks(3, "blocks");
    const TraceTime service = time(4, "service_us", ps_per_microsecond);
    const TraceTime last = time(5, "think_us", ps_per_microsecond);
    if (times_ == ValidationTimes::gaps) {
      raw.time = next_ += last;
      return true;
    }
    raw.time = next_;
    raw.think = think_;
    next_ += service + last;
    think_ = last;
    return true;
  }

  const ValidationTimes times_;
  TraceTime next_ = 0;   ///< arrival of the record to come
  TraceTime think_ = 0;  ///< before it
};

}  // namespace

std::unique_ptr<TraceSource> read_disksim_validation(TraceFile file, ValidationTimes times) {
  return std::make_unique<DiskSimValidation>(std::move(file), times);
}

}  // namespace tessera
