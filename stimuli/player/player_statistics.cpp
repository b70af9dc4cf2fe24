#include "stimuli/player/player_statistics.hpp"

#include <string>

namespace tessera {

namespace {
/// Of the kinds of commands after the TRIM.
constexpr std::array<const char*, host_ops - 4> zone_words{"report", "open", "close", "finish", "reset"};
}  // namespace

void PlayerStatistics::completed(const HostRequest& request, Picoseconds now, std::uint64_t warmup) {
  backlog_.completed(rested_ + now);
  if (request.number < warmup) {
    ++warmed_up_;
    return;
  }
  if (served_ + failed_ == 0 || rested_ + request.life.arrival < measured_from_) measured_from_ = rested_ + request.life.arrival;
  last_completion_ = rested_ + now;
  transient_.completed(request.number - warmup, now - request.life.arrival);
  ++by_op_[static_cast<std::size_t>(request.op)];
  if (!ok(request.status)) {
    ++failed_;
    ++by_status_[static_cast<std::size_t>(request.status)];
    return;
  }
  ++served_;
  const Picoseconds latency = now - request.life.arrival;
  const Bytes bytes(request.blocks.count * host_block_bytes);
  all_.record(latency);
  if (request.op == HostOp::read) {
    reads_.record(latency);
    read_phases_.record(request.life, latency);
    bytes_read_ += bytes;
  } else if (request.op == HostOp::write) {
    writes_.record(latency);
    write_phases_.record(request.life, latency);
    bytes_written_ += bytes;
  }
}

void PlayerStatistics::leave_out_so_far() {
  PlayerStatistics later;
  later.backlog_ = backlog_;
  later.rested_ = rested_;
  later.warmed_up_ = warmed_up_ + served_ + failed_;
  *this = later;
}

std::optional<bool> PlayerStatistics::steady() const {
  const auto cut = transient_.cut();
  return cut ? std::optional(cut->steady) : std::nullopt;
}

void PlayerStatistics::report(MetricSet& metrics, std::uint32_t tags) const {
  const auto count = [&](const std::string& name, std::uint64_t value, const std::string& description) {
    metrics.add(name, static_cast<double>(value), "1", description);
  };
  count("host.served", served_, "requests completed with status ok");
  count("host.failed", failed_, "requests completed with another status");
  for (std::size_t i = 1; i < statuses; ++i)
    if (by_status_[i] > 0)
      count("host.failed." + std::string(to_string(static_cast<Status>(i))), by_status_[i], "requests that failed with this status");
  count("host.warmup", warmed_up_, "first requests, left out of all other figures but the backlog");
  static constexpr std::array<const char*, 4> ops{"reads", "writes", "flushes", "trims"};
  for (std::size_t i = 0; i < ops.size(); ++i) count(std::string("host.") + ops[i], by_op_[i], std::string(ops[i]) + " completed");
  for (std::size_t i = ops.size(); i < by_op_.size(); ++i)
    if (by_op_[i] > 0)
      count(std::string("host.zone_commands.") + zone_words[i - ops.size()], by_op_[i], "commands of this kind for zones completed");

  all_.report(metrics, "host.latency", "time from arrival to completion, all served requests");
  reads_.report(metrics, "host.read.latency", "time from arrival to completion, served reads");
  writes_.report(metrics, "host.write.latency", "time from arrival to completion, served writes");
  read_phases_.report(metrics, "host.read", "served reads");
  write_phases_.report(metrics, "host.write", "served writes");

  metrics.add("host.bytes_read", static_cast<double>(bytes_read_.value()), "B", "data that served reads returned");
  metrics.add("host.bytes_written", static_cast<double>(bytes_written_.value()), "B", "data of served writes");
  const LongTime span = served_ + failed_ == 0 ? LongTime() : last_completion_ - measured_from_;
  const auto per_second = [span](std::uint64_t amount) {
    return span == LongTime() ? std::nullopt : std::optional(static_cast<double>(amount) * 1e12 / span.in_picoseconds());
  };
  metrics.add("host.throughput", per_second(served_), "1/s", "served requests a second, from first arrival to last completion");
  metrics.add("host.bandwidth", per_second((bytes_read_ + bytes_written_).value()), "B/s",
              "data read and written a second, over the same time");

  const auto cut = transient_.cut();
  metrics.add("host.steady.from", cut ? std::optional(static_cast<double>(cut->requests)) : std::nullopt, "1",
              "measured requests at the start that are warm-up: MSER-5's cut, or a share of the run that differs from the rest, each by "
              "more than chance");
  metrics.add("host.steady.mean", cut ? std::optional(cut->mean_ms) : std::nullopt, "ms",
              "mean time from arrival to completion of the requests after that warm-up");
  metrics.add(
      "host.steady.reached", cut ? std::optional(cut->steady ? 1.0 : 0.0) : std::nullopt, "1",
      "1: MSER-5's cut lies before the half of the measured requests, and latencies have no trend after the warm-up, or one of less "
      "than 5 % from half to half; 0: figures depend on the length of the run");

  metrics.add("host.backlog.mean", backlog_.mean(), "1", "mean number of arrived, uncompleted requests");
  count("host.backlog.peak", backlog_.peak(), "largest backlog, at the bounds of at least 512 intervals of the run");
  count("host.backlog.final", backlog_.final(), "backlog at the last arrival, to one such interval");
  count("host.backlog.unstable", backlog_.unstable(tags) ? 1 : 0,
        "1: at the last arrival more requests waited than tags, and a tenth of all at least, or the backlog had risen from quarter to "
        "quarter of"
        " the run and doubled from the second to the fourth; the mean latency then measures only the length of the run");
}

}  // namespace tessera
