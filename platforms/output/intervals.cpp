#include "platforms/output/intervals.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/check.hpp"

namespace tessera {

IntervalsLog::IntervalsLog(const std::filesystem::path& path, IntervalLength length, std::vector<GaugeColumn> gauges)
    : file_(path), length_(length), gauges_(std::move(gauges)) {
  TESSERA_CHECK((length.time.value() == 0) != (length.requests == 0), "an interval is a time or a number of requests");
  file_.append(
      "start_s,end_s,requests,reads,writes,requests_per_s,mean_latency_ms,max_latency_ms,mean_outstanding,max_outstanding,"
      "cleanings,cleaning_s");
  for (const GaugeColumn& gauge : gauges_) file_.append("," + gauge.name);
  file_.append("\n");
}

void IntervalsLog::on_complete(const HostRequest& request, Picoseconds now) {
  pass_to(now);
  const Picoseconds latency = now - request.life.arrival;
  ++requests_;
  reads_ += request.op == HostOp::read ? 1 : 0;
  writes_ += request.op == HostOp::write ? 1 : 0;
  latency_sum_ += latency.value();
  max_latency_ = std::max(max_latency_, latency);
  anything_ = true;
  if (length_.requests != 0 && requests_ == length_.requests) write_line(now);
}

void IntervalsLog::queue(std::uint64_t outstanding, Picoseconds now) {
  pass_to(now);
  outstanding_ = outstanding;
  outstanding_max_ = std::max(outstanding_max_, outstanding);
  anything_ = true;
}

void IntervalsLog::cleaning_begins(Picoseconds now) {
  pass_to(now);
  ++cleanings_open_;
  ++cleanings_begun_;
  anything_ = true;
}

void IntervalsLog::cleaning_ends(Picoseconds now) {
  pass_to(now);
  TESSERA_CHECK(cleanings_open_ > 0, "a cleaning ends that did not begin");
  --cleanings_open_;
  anything_ = true;
}

void IntervalsLog::gauge(std::size_t column, std::uint64_t level, Picoseconds now) {
  pass_to(now);
  gauges_[column].level = level;
  anything_ = true;
}

void IntervalsLog::close(Picoseconds now) {
  pass_to(now);
  if (anything_) write_line(std::max(rested_ + now, now_));
  file_.close();
}

/// Brings the account to `now`, and writes the intervals of a fixed time that end on the way.
void IntervalsLog::pass_to(Picoseconds at) {
  const LongTime now = rested_ + at;
  if (length_.time.value() != 0) {
    if (anything_ && now >= start_ + length_.time) {
      advance(start_ + length_.time);
      write_line(start_ + length_.time);
    }
    const std::uint64_t quiet = now > start_ ? (now - start_) / LongTime(length_.time) : 0;
    if (quiet > 0) {
      advance(start_ + LongTime(length_.time) * quiet);
      write_line(now_);
    }
  }
  advance(now);
}

void IntervalsLog::advance(LongTime now) {
  if (now <= now_) return;  // devices and CPU may differ by less than an interrupt's latency
  const LongTime passed = now - now_;
  outstanding_area_ += passed.value() * outstanding_;
  if (cleanings_open_ > 0) cleaning_time_ += passed;
  now_ = now;
}

void IntervalsLog::write_line(LongTime end) {
  const auto seconds = [](LongTime time) { return time.in_picoseconds() / static_cast<double>(ps_per_second); };
  const double span = seconds(end - start_);
  const double mean_ms = requests_ == 0 ? 0 : static_cast<double>(latency_sum_) / static_cast<double>(requests_) * 1e-9;
  char line[400];
  int length = std::snprintf(line, sizeof line, "%.12g,%.12g,%llu,%llu,%llu,", seconds(start_), seconds(end),
                             static_cast<unsigned long long>(requests_), static_cast<unsigned long long>(reads_),
                             static_cast<unsigned long long>(writes_));
  const auto add = [&](bool defined, double value) {
    if (defined) length += std::snprintf(line + length, sizeof line - static_cast<std::size_t>(length), "%.9g", value);
    line[length++] = ',';
  };
  add(span > 0, static_cast<double>(requests_) / span);
  add(requests_ > 0, mean_ms);
  add(requests_ > 0, static_cast<double>(max_latency_.value()) * 1e-9);
  add(span > 0, static_cast<double>(outstanding_area_) / (end == start_ ? 1.0 : (end - start_).in_picoseconds()));
  length += std::snprintf(line + length, sizeof line - static_cast<std::size_t>(length), "%llu,%llu,%.12g",
                          static_cast<unsigned long long>(outstanding_max_), static_cast<unsigned long long>(cleanings_begun_),
                          seconds(cleaning_time_));
  file_.append({line, static_cast<std::size_t>(length)});
  for (const GaugeColumn& gauge : gauges_) file_.append("," + std::to_string(gauge.level));
  file_.append("\n");
  start_ = end;
  requests_ = reads_ = writes_ = cleanings_begun_ = 0;
  latency_sum_ = outstanding_area_ = 0;
  max_latency_ = Picoseconds(0);
  cleaning_time_ = {};
  outstanding_max_ = outstanding_;
  anything_ = outstanding_ > 0 || cleanings_open_ > 0;
}

}  // namespace tessera
