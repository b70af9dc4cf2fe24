// Five numbers a line, time device offset size operation, are written by DiskSim (ms, blocks of 512 B), MQSim and SSDsim (ns, blocks) and
// the replayers around FEMU (ms, bytes). What the numbers would mean as each tells most of them apart.
#include <algorithm>
#include <numeric>

#include "stimuli/readers/decimal.hpp"
#include "stimuli/readers/probe.hpp"

namespace tessera {
namespace {

constexpr std::uint64_t sector = 512;
constexpr double most_rate = 3e6;   // requests/s: above what one drive takes
constexpr double least_rate = 0.2;  // requests/s of a trace in ms; below it bursts must show
constexpr double least_bursty_rate = 1e-3;
constexpr double least_ns_rate = 1;    // requests/s: nobody counts nanoseconds over hours of idleness
constexpr double most_us_rate = 50e3;  // requests/s of a trace in us: faster recorders write ns
constexpr double least_us_rate = 1;
constexpr std::uint64_t fine_step = 100;  // units: times that are all multiples of it come from a finer clock than their unit
constexpr double close_gap = 100;         // units of time
constexpr double bursty_share = 0.05;     // of the gaps: a disk with little to do still gets its requests in bursts

struct Numbers {
  std::uint64_t records = 0;
  bool decimals = false;             ///< a time has a fraction
  bool multiples = true;             ///< every offset and size is a multiple of 512
  double span = 0;                   ///< of the times, in their own unit
  std::uint64_t close = 0;           ///< gaps of at most `close_gap`
  std::uint64_t step = 0;            ///< greatest common divisor of the gaps, in units; 0 where all records have one time
  std::vector<std::uint64_t> sizes;  ///< sorted

  [[nodiscard]] bool one_size() const { return sizes.front() == sizes.back(); }
  [[nodiscard]] std::uint64_t median_size() const { return sizes[sizes.size() / 2]; }
  /// At `units` of time to the second; 0 where all records have one time.
  [[nodiscard]] double rate(double units) const { return span == 0 ? 0 : static_cast<double>(records - 1) / span * units; }
};

/// The numbers of the head; no records where some line is not of this layout (a cut last one is the reader's to refuse).
Numbers numbers_of(const Sample& sample) {
  constexpr std::uint64_t micro = 1'000'000;  // parse_time's units to one of the file's
  Numbers all;
  Fields f(' ');
  TraceTime low = ~TraceTime{0};
  TraceTime high = 0;
  TraceTime last = 0;
  for (const auto line : sample.lines) {
    f.split(line);
    TraceTime time = 0;
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    std::uint64_t op = 0;
    if (f.size() != 5 || parse_time(f[0], micro, time) != NumberFault::none || parse_unsigned(f[2], offset) != NumberFault::none ||
        parse_unsigned(f[3], size) != NumberFault::none || parse_unsigned(f[4], op) != NumberFault::none) {
      if (all.records == 0) return {};
      break;  // the reader names the line
    }
    all.decimals = all.decimals || f[0].find('.') != std::string_view::npos;
    all.multiples = all.multiples && offset % sector == 0 && size % sector == 0;
    all.sizes.push_back(size);
    if (all.records > 0 && (time > last ? time - last : last - time) <= TraceTime{micro} * static_cast<std::uint64_t>(close_gap))
      ++all.close;
    const TraceTime gap = (time > last ? time - last : last - time) / micro;
    if (all.records > 0) all.step = std::gcd(all.step, static_cast<std::uint64_t>(gap));
    last = time;
    low = std::min(low, time);
    high = std::max(high, time);
    ++all.records;
  }
  if (all.records == 0) return {};
  std::ranges::sort(all.sizes);
  all.span = static_cast<double>(high - low) / static_cast<double>(micro);
  return all;
}

bool milliseconds(const Numbers& n) {
  const double rate = n.rate(1e3);
  if (n.span == 0) return true;
  if (n.decimals) return rate <= most_rate;
  if (rate > most_rate || rate < least_bursty_rate) return false;
  return rate >= least_rate || static_cast<double>(n.close) >= bursty_share * static_cast<double>(n.records - 1);
}

bool nanoseconds(const Numbers& n) { return n.span > 0 && !n.decimals && n.rate(1e9) <= most_rate && n.rate(1e9) >= least_ns_rate; }

/// Whole microseconds, which the steps of the clock must show: who counts ns often has a clock of 100 ns or 1 us.
bool microseconds(const Numbers& n) {
  const double rate = n.rate(1e6);
  return n.span > 0 && !n.decimals && n.step < fine_step && rate <= most_us_rate && rate >= least_us_rate;
}

/// Requests of whole sectors, most of them of 4 KiB or more: below that nobody addresses a drive in bytes all along.
bool in_bytes(const Numbers& n) { return n.multiples && n.median_size() >= 4096; }

/// As blocks, sizes and offsets that are all multiples of 256 KiB are believed of few records, or where all have one size (a large
/// sequential workload).
bool in_blocks(const Numbers& n) {
  constexpr std::uint64_t few = 8;
  return !n.multiples || n.median_size() < 4096 || n.records < few || n.one_size();
}

struct TimeUnit {
  const char* name;
  double per_second;
  bool (*fits)(const Numbers&);
};

constexpr TimeUnit time_units[] = {{"ms", 1e3, milliseconds}, {"us", 1e6, microseconds}, {"ns", 1e9, nanoseconds}};

/// "times in ns (rate 48,000/s; as ms 0.048/s), blocks of 512 B"
std::string reading_text(const Numbers& n, const TimeUnit& unit, const char* what) {
  const std::string text = std::string("times in ") + unit.name;
  if (n.span == 0) return text + " (all at one time), " + what;
  const TimeUnit& other = time_units[std::string_view(unit.name) == "ms" ? 2 : 0];
  return text + " (rate " + rate_text(n.rate(unit.per_second)) + "/s; as " + other.name + " " + rate_text(n.rate(other.per_second)) +
         "/s), " + what;
}

std::vector<Evidence> readings(const Sample& sample, bool (*fits_unit)(const Numbers&), const char* what) {
  const Numbers n = numbers_of(sample);
  if (n.records == 0) return {};
  constexpr double fit = 0.8;
  constexpr double misfit = 0.3;  // taken where nothing fits better, for the reader names what is wrong
  const double unit_score = fits_unit(n) ? 1 : 0.3;
  std::vector<Evidence> all;
  for (const auto& unit : time_units)
    if (unit.fits(n)) all.push_back({fit * unit_score, unit.name, reading_text(n, unit, what)});
  if (all.empty()) all.push_back({misfit * unit_score, "ms", reading_text(n, time_units[0], what)});
  return all;
}

}  // namespace

std::vector<Evidence> score_ascii(const Sample& sample) { return readings(sample, in_blocks, "blocks of 512 B"); }

std::vector<Evidence> score_bms(const Sample& sample) { return readings(sample, in_bytes, "offsets and sizes in bytes"); }

}  // namespace tessera
