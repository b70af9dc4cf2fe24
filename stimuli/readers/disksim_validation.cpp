// DiskSim's drive-validation traces: R|W class block blocks service_us interarrival_us, separated by blanks; class says what the
// real drive's cache did. A request arrives interarrival_us after the one before it.
#include "stimuli/readers/formats.hpp"
#include "stimuli/readers/line_trace_reader.hpp"

namespace tessera {
namespace {

constexpr std::uint64_t ps_per_microsecond = 1'000'000;

class DiskSimValidation final : public LineTraceReader {
 public:
  explicit DiskSimValidation(TraceFile file) : LineTraceReader(std::move(file), ' ') {}

 private:
  bool parse_fields(RawRecord& raw) override {
    expect_fields(6, 6, "R|W class block blocks service_us interarrival_us");
    if (fields_[0] == "W")
      raw.op = HostOp::write;
    else if (fields_[0] == "R")
      raw.op = HostOp::read;
    else
      unknown_operation(fields_[0], "R or W");
    raw.offset = bytes_of_blocks(2, "block");
    raw.size = bytes_of_blocks(3, "blocks");
    clock_ += time(5, "interarrival_us", ps_per_microsecond);
    raw.time = clock_;
    return true;
  }

  TraceTime clock_ = 0;
};

}  // namespace

std::unique_ptr<TraceSource> read_disksim_validation(TraceFile file) { return std::make_unique<DiskSimValidation>(std::move(file)); }

}  // namespace tessera
