#include "stimuli/readers/trial.hpp"

#include <numeric>

#include "base/error.hpp"
#include "stimuli/readers/trace_reader.hpp"

namespace tessera {
namespace {

std::string grouped(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (auto at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string duration_text(Picoseconds time) {
  const auto ps = static_cast<double>(time.value());
  if (ps >= 1e12) return rate_text(ps / 1e12) + " s";
  if (ps >= 1e9) return rate_text(ps / 1e9) + " ms";
  if (ps >= 1e6) return rate_text(ps / 1e6) + " us";
  return rate_text(ps / 1e3) + " ns";
}

}  // namespace

double Trial::rate() const {
  return span.value() == 0 || records < 2 ? 0 : static_cast<double>(records - 1) / (static_cast<double>(span.value()) / 1e12);
}

std::string Trial::text() const {
  std::string all = grouped(records) + (records == 1 ? " request, " : " requests, ") + grouped(bytes) + " B in " + duration_text(span);
  return rate() > 0 ? all + " (" + rate_text(rate()) + "/s)" : all;
}

Trial try_reading(const std::string& path, const Sample& sample, const OpenReading& open) {
  Trial trial;
  try {
    const auto source = open({path, memory_stream(std::string(sample.whole_lines()))});
    // In order, so that the span is that of the times and not of what disorder leaves of it.
    if (auto* reader = dynamic_cast<TraceReader*>(source.get())) reader->arrange({Picoseconds(0), Trial::most_records, false});
    std::uint32_t last_volume = 0;
    std::uint64_t step = 0;
    for (TraceRecord record; trial.records < Trial::most_records && source->next(record);) {
      ++trial.records;
      trial.bytes += record.op == HostOp::read || record.op == HostOp::write ? record.size.value() : 0;
      trial.shared_times = trial.shared_times || (trial.records > 1 && record.arrival == trial.span);
      trial.span = record.arrival;
      step = std::gcd(step, record.arrival.value());
      last_volume = std::max(last_volume, record.volume);
    }
    trial.volumes = trial.records == 0 ? 0 : last_volume + 1;
    trial.step = Picoseconds(step);
  } catch (const InputError& error) {
    trial.error = error.what();
  }
  return trial;
}

}  // namespace tessera
