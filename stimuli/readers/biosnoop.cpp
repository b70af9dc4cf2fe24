// biosnoop (bcc and libbpf-tools), times of completion in seconds, latencies in milliseconds:
//   TIME(s) COMM PID DISK T SECTOR BYTES [QUE(ms)] LAT(ms)
// A request arrives at its time less its latencies. COMM may hold blanks. T is R or W, or RWBS. The volume is DISK.
#include <optional>

#include "stimuli/readers/block_event.hpp"
#include "stimuli/readers/formats.hpp"
#include "stimuli/readers/line_trace_reader.hpp"
#include "stimuli/readers/probe.hpp"

namespace tessera {
namespace {

constexpr std::uint64_t ps_per_ms = 1'000'000'000;
constexpr const char* biosnoop_columns = "TIME(s) COMM PID DISK T SECTOR BYTES [QUE(ms)] LAT(ms)";

bool is_header(const Fields& f) { return f.size() >= 8 && f.size() <= Fields::capacity && f[0].starts_with("TIME") && f[1] == "COMM"; }

/// The biosnoop_columns from the right, which COMM with its blanks does not move; 0 where neither layout fits.
std::size_t latencies_of(const Fields& f) {
  const std::size_t n = f.size();
  if (n > Fields::capacity) return 0;
  const auto fits_at = [&](std::size_t latencies) {
    if (n < 7 + latencies) return false;
    std::uint64_t number = 0;
    TraceTime time = 0;
    const std::size_t bytes = n - latencies - 1;
    return parse_rwbs(f[bytes - 2]).has_value() && parse_unsigned(f[bytes], number) == NumberFault::none &&
           parse_time(f[n - 1], 1, time) == NumberFault::none && f[0].find('.') != std::string_view::npos &&
           parse_unsigned(f[bytes - 4], number) == NumberFault::none && parse_time(f[0], ps_per_second, time) == NumberFault::none;
  };
  if (fits_at(1)) return 1;
  return fits_at(2) ? 2 : 0;
}

class Biosnoop final : public LineTraceReader {
 public:
  explicit Biosnoop(TraceFile file) : LineTraceReader(std::move(file), ' ') {
    note("times are of completion: a request arrives at its time less its latency");
  }

 private:
  bool parse(RawRecord& raw) override {
    if (!after_flush_) return LineTraceReader::parse(raw);
    raw = *after_flush_;
    after_flush_.reset();
    return true;
  }

  bool parse_fields(RawRecord& raw) override {
    if (is_header(fields_)) {
      queued_ = fields_[fields_.size() - 2].starts_with("QUE");
      return false;
    }
    if (fields_[0] == "Tracing") return false;
    if (fields_.size() > Fields::capacity || fields_.size() < 8)
      fail(std::string("expected ") + biosnoop_columns + ", found " + std::to_string(fields_.size()) + " fields");
    const std::size_t latencies = queued_ ? (*queued_ ? 2 : 1) : latencies_of(fields_);
    if (latencies == 0) fail(std::string("expected ") + biosnoop_columns + "; T is R, W or RWBS");
    const std::size_t bytes = fields_.size() - latencies - 1;
    if (bytes < 6) fail(std::string("expected ") + biosnoop_columns + ", found " + std::to_string(fields_.size()) + " fields");
    const auto operation = parse_rwbs(fields_[bytes - 2]);
    if (!operation) unknown_operation(fields_[bytes - 2], "R, W or RWBS");
    raw.size = integer(bytes, "BYTES");
    if (raw.size != 0) raw.offset = bytes_of_blocks(bytes - 1, "SECTOR");
    if (takes_responses())
      fail("--arrival completion-response: biosnoop's arrivals are its times of completion less the latency as they are");
    TraceTime latency = time(fields_.size() - 1, "LAT(ms)", ps_per_ms);
    if (latencies == 2) latency += time(fields_.size() - 2, "QUE(ms)", ps_per_ms);
    // The clock starts with the recorder: a request on its way by then arrived before 0.
    constexpr TraceTime before_start = TraceTime{1'000'000} * ps_per_second;
    if (latency > before_start) fail("LAT(ms) '" + std::string(fields_[fields_.size() - 1]) + "' is above eleven days");
    raw.time = time(0, "TIME(s)", ps_per_second) + before_start - latency;
    if (const char* reason = to_request(*operation, BlockEvent::complete, raw, after_flush_)) {
      leave_out(reason);
      return false;
    }
    raw.volume = volume(fields_[bytes - 3]);
    if (after_flush_) after_flush_->volume = raw.volume;
    return true;
  }

  std::optional<bool> queued_;  ///< as the header says
  std::optional<RawRecord> after_flush_;
};

}  // namespace

std::vector<Evidence> score_biosnoop(const Sample& sample) {
  Fields f(' ');
  for (std::size_t i = 0; i < std::min<std::size_t>(sample.lines.size(), 3); ++i) {
    f.split(sample.lines[i]);
    if (is_header(f)) return fits(1);
  }
  constexpr double numbers_fit = 0.85;
  return fits(numbers_fit, share_of_lines(sample, ' ', [](const Fields& g) { return g.size() >= 8 && latencies_of(g) != 0; }));
}

std::unique_ptr<TraceSource> read_biosnoop(TraceFile file) { return std::make_unique<Biosnoop>(std::move(file)); }

}  // namespace tessera
