// fio writes the times of its log, version 3, in microseconds; other programs that write the form have been seen to use nanoseconds.
// Waits of version 2 are for a time since the job's start, but fio's HOWTO says otherwise, and some that write them go by that.
#include <algorithm>

#include "stimuli/readers/decimal.hpp"
#include "stimuli/readers/probe.hpp"

namespace tessera {
namespace {

constexpr double busy = 100;              // requests/s: a log of a device at work is above it
constexpr std::uint64_t enough = 100;     // requests: fewer show no bursts whatever the unit
constexpr double most_fio_rate = 3e6;     // requests/s: above what one drive takes
constexpr std::uint64_t burst_gap = 200;  // units: requests within a microsecond of one another need several processors

struct Times {
  std::uint64_t records = 0;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::uint64_t smallest_gap = ~std::uint64_t{0};
};

/// Of the requests; none where some time is no whole number.
Times times_of(const Sample& sample) {
  Times times;
  Fields f(' ');
  for (std::size_t i = 1; i < sample.lines.size(); ++i) {
    f.split(sample.lines[i]);
    std::uint64_t time = 0;
    if (f.size() < 3 || parse_unsigned(f[0], time) != NumberFault::none) return {};
    if (f[2] != "read" && f[2] != "write" && f[2] != "trim") continue;
    if (times.records++ == 0) times.first = times.last = time;
    if (time < times.last) continue;
    if (time > times.last) times.smallest_gap = std::min(times.smallest_gap, time - times.last);
    times.last = time;
  }
  return times;
}

/// Whether some wait is for an earlier time than the one before it.
bool waits_fall(const Sample& sample) {
  Fields f(' ');
  std::uint64_t last = 0;
  for (const auto line : sample.lines) {
    f.split(line);
    std::uint64_t until = 0;
    if (f.size() < 3 || f[1] != "wait" || parse_unsigned(f[2], until) != NumberFault::none) continue;
    if (until < last) return true;
    last = until;
  }
  return false;
}

}  // namespace

std::vector<Evidence> score_fio(const Sample& sample) {
  const auto f = sample.first(' ');
  if (f.size() != 4 || f[0] != "fio" || f[1] != "version" || f[3] != "iolog") return {};
  if (f[2] == "2" && waits_fall(sample))
    return {{1, "ms", "waits for a time since the job's start, as fio takes them, though some are for one that had passed"},
            {1, "relative", "each wait after the one before it, as fio's HOWTO has them"}};
  if (f[2] != "3") return fits(1);
  const Times times = times_of(sample);
  if (times.records < 2 || times.first == times.last) return fits(1);
  const double rate = static_cast<double>(times.records - 1) / static_cast<double>(times.last - times.first);
  const double as_us = rate * 1e6;
  const double as_ns = rate * 1e9;
  const auto why = [](const char* unit, double taken, const char* other, double not_taken) {
    return std::string("times in ") + unit + " (rate " + rate_text(taken) + "/s; as " + other + " " + rate_text(not_taken) + "/s)";
  };
  std::vector<Evidence> readings{{1, "us", why("us", as_us, "ns", as_ns)}};
  // Slow as microseconds, and no two requests close together: a lazy recording, or nanoseconds. Only the user can tell.
  if (times.records >= enough && as_us < busy && as_ns <= most_fio_rate && times.smallest_gap >= burst_gap)
    readings.push_back({1, "ns", why("ns", as_ns, "us", as_us)});
  return readings;
}

}  // namespace tessera
