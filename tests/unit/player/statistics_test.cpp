#include <catch2/catch.hpp>

#include "stub_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using tessera::test::Bench;
using tessera::test::ListSource;

namespace {

MetricSet report(const Player& player) {
  MetricSet metrics;
  player.report(metrics);
  return metrics;
}

}  // namespace

TEST_CASE("the report counts reads and writes, their bytes and their latencies") {
  ListSource source({{0_ms, HostOp::read, false, 0, 0_B, 4096_B},
                     {1_ms, HostOp::write, false, 0, 0_B, 8192_B},
                     {2_ms, HostOp::flush, false, 0, 0_B, 0_B},
                     {3_ms, HostOp::trim, false, 0, 0_B, 512_B}});
  Bench bench(source, {ReplayPolicy::parse("timed"), 32, 0}, 10_ms);
  bench.run();
  const MetricSet m = report(bench.player);
  CHECK(m.find("host.requests")->value == 4.0);
  CHECK(m.find("host.served")->value == 4.0);
  CHECK(m.find("host.failed")->value == 0.0);
  CHECK(m.find("host.reads")->value == 1.0);
  CHECK(m.find("host.trims")->value == 1.0);
  CHECK(m.find("host.bytes_read")->value == 4096.0);
  CHECK(m.find("host.bytes_written")->value == 8192.0);
  CHECK(*m.find("host.latency.max")->value == Approx(37));
  CHECK(*m.find("host.read.latency.mean")->value == Approx(10));
  CHECK(*m.find("host.write.latency.mean")->value == Approx(19));
  CHECK(*m.find("host.latency.mean")->value == Approx((10 + 19 + 28 + 37) / 4.0));
  CHECK(*m.find("host.throughput")->value == Approx(100));
  CHECK(*m.find("host.bandwidth")->value == Approx(12288 / 0.040));
}

TEST_CASE("percentiles that the user names are reported beside those that always are, once") {
  std::vector<TraceRecord> records;
  for (int i = 0; i < 1000; ++i) records.push_back({Picoseconds(0), HostOp::read, false, 0, 0_B, 4096_B});
  ListSource source(std::move(records));
  PlayerConfig config{ReplayPolicy::parse("timed"), 32, 0};
  config.percentiles = {{"0.5", 0.005}, {"99", 0.99}, {"99.95", 0.9995}};
  Bench bench(source, config, 1_ms);
  bench.run();
  const MetricSet m = report(bench.player);
  CHECK(*m.find("host.latency.p0_5")->value == Approx(5).epsilon(0.004));
  CHECK(*m.find("host.latency.p99")->value == Approx(990).epsilon(0.004));
  CHECK(*m.find("host.latency.p99_95")->value == Approx(1000));
  CHECK(m.find("host.read.latency.p99_95")->description == "percentile 99.95 of the time from arrival to completion, served reads");
  CHECK_FALSE(m.find("host.write.latency.p99_95")->value);
}

TEST_CASE("the first N requests stay out of the figures, the next does not") {
  auto source = ListSource::at_ms({0, 0, 0});
  Bench bench(source, {ReplayPolicy::parse("closed:1"), 32, 2}, 10_ms);
  bench.run();
  const MetricSet m = report(bench.player);
  CHECK(m.find("host.requests")->value == 1.0);
  CHECK(m.find("host.served")->value == 1.0);
  CHECK(m.find("host.warmup")->value == 2.0);
  CHECK(m.find("host.bytes_read")->value == 4096.0);
  CHECK(bench.player.statistics().latency().count() == 1);
  CHECK(*m.find("host.throughput")->value == Approx(100));
}

TEST_CASE("a failed request is counted by its status and has no latency") {
  auto source = ListSource::at_ms({0, 0});
  Bench bench(source, {ReplayPolicy::parse("timed"), 32, 0}, 10_ms);
  bench.drive.status = Status::damaged;
  bench.run();
  const MetricSet m = report(bench.player);
  CHECK(m.find("host.served")->value == 0.0);
  CHECK(m.find("host.failed")->value == 2.0);
  CHECK(m.find(std::string("host.failed.") + to_string(Status::damaged))->value == 2.0);
  CHECK_FALSE(m.find("host.latency.mean")->value.has_value());
  CHECK(m.find("host.bytes_read")->value == 0.0);
}

TEST_CASE("failures of every status are counted, each by its own name and in no other figure") {
  CHECK(std::string(to_string(static_cast<Status>(statuses))) == "?");  // behind the last
  for (std::size_t i = 1; i < statuses; ++i) {
    const std::string name = to_string(static_cast<Status>(i));
    CAPTURE(name);
    auto source = ListSource::at_ms({0, 0, 0});
    Bench bench(source, {ReplayPolicy::parse("timed"), 32, 0}, 10_ms);
    bench.drive.status = static_cast<Status>(i);
    bench.run();
    const MetricSet m = report(bench.player);
    REQUIRE(m.find("host.failed." + name) != nullptr);
    CHECK(m.find("host.failed." + name)->value == 3.0);
    CHECK(m.find("host.failed")->value == 3.0);
    CHECK(m.find("host.reads")->value == 3.0);
  }
}

TEST_CASE("figures of nothing are undefined, not 0") {
  ListSource source({});
  Bench bench(source, {ReplayPolicy::parse("timed"), 32, 0}, 10_ms);
  bench.run();
  const MetricSet m = report(bench.player);
  for (const char* name : {"host.latency.mean", "host.throughput", "host.bandwidth", "host.backlog.mean", "host.time_dilation"})
    CHECK_FALSE(m.find(name)->value.has_value());
}
