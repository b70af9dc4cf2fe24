#include "stimuli/player/phase_times.hpp"

#include <catch2/catch.hpp>

using namespace tessera;
using namespace tessera::literals;

namespace {

void record(PhaseTimes& times, LifePhase phase, Picoseconds latency) {
  RequestLife life{};
  life.begin(1_ms);
  life.account(phase, 1_ms + latency);
  times.record(life, latency);
}

double of(const PhaseTimes::Parts& parts, LifePhase phase) { return parts[static_cast<std::size_t>(phase)]; }

}  // namespace

TEST_CASE("the parts of the mean and of the slowest per cent are told apart") {
  PhaseTimes times;
  for (int i = 0; i < 990; ++i) record(times, LifePhase::rotation, 1_ms);
  for (int i = 0; i < 10; ++i) record(times, LifePhase::host_queue, 101_ms);
  CHECK(of(times.mean(), LifePhase::rotation) == Approx(0.99));
  CHECK(of(times.mean(), LifePhase::host_queue) == Approx(1.01));
  CHECK(of(times.of_slowest(0.01), LifePhase::host_queue) == Approx(101));
  CHECK(of(times.of_slowest(0.01), LifePhase::rotation) == 0);
}

TEST_CASE("of requests with one latency the slowest per cent counts in proportion") {
  PhaseTimes times;
  for (int i = 0; i < 500; ++i) {
    record(times, LifePhase::seek, 8_ms);
    record(times, LifePhase::lock, 8_ms);
  }
  CHECK(of(times.of_slowest(0.01), LifePhase::seek) == Approx(4));
  CHECK(of(times.of_slowest(0.01), LifePhase::lock) == Approx(4));
}

TEST_CASE("of fewer than a hundred requests the slowest per cent is the slowest request, and of none nothing") {
  PhaseTimes times;
  CHECK(of(times.of_slowest(0.01), LifePhase::link) == 0);
  MetricSet nothing;
  times.report(nothing, "host.read", "served reads");
  CHECK(nothing.all().empty());
  record(times, LifePhase::link, 1_ms);
  record(times, LifePhase::flash, 9_ms);
  CHECK(of(times.of_slowest(0.01), LifePhase::flash) == Approx(9));
  CHECK(of(times.of_slowest(0.01), LifePhase::link) == 0);
}

TEST_CASE("sums do not overflow where requests wait for days") {
  PhaseTimes times;
  const Picoseconds day(86'400'000'000'000'000);
  for (int i = 0; i < 1000; ++i) record(times, LifePhase::host_queue, day);
  CHECK(of(times.mean(), LifePhase::host_queue) == Approx(86'400'000));
}

TEST_CASE("a phase in which no request was is not reported, one of fast requests alone is 0 in the slowest") {
  PhaseTimes times;
  record(times, LifePhase::cpu, 1_ms);
  record(times, LifePhase::transfer, 5_ms);
  MetricSet metrics;
  times.report(metrics, "host.write", "served writes");
  CHECK(metrics.all().size() == 4 + 2);  // and one cause, of the mean and of the slowest
  CHECK(*metrics.find("host.write.cause.host")->value == Approx(3));
  CHECK(*metrics.find("host.write.slowest_cause.host")->value == Approx(5));
  CHECK(*metrics.find("host.write.time.cpu")->value == Approx(0.5));
  CHECK(*metrics.find("host.write.time.transfer")->value == Approx(2.5));
  CHECK(*metrics.find("host.write.slowest.cpu")->value == 0);
  CHECK(metrics.find("host.write.slowest.transfer")->description ==
        "part of the mean latency of the slowest 1 % of served writes: transfer");
}

TEST_CASE("the causes of the mean and of the slowest sum to the same latencies as the phases") {
  PhaseTimes times;
  for (int i = 0; i < 99; ++i) record(times, LifePhase::seek, 1_ms);
  RequestLife slow{};
  slow.begin(1_ms);
  slow.account(LifePhase::link, 2_ms);
  slow.account(LifePhase::lock, 101_ms, Cause::cleaning);
  times.record(slow, 100_ms);
  const auto of_cause = [](const PhaseTimes::Causes& found, Cause cause) { return found[static_cast<std::size_t>(cause)]; };
  CHECK(of_cause(times.causes_of_slowest(0.01), Cause::cleaning) == Approx(99));
  CHECK(of_cause(times.causes_of_slowest(0.01), Cause::host) == Approx(1));
  CHECK(of_cause(times.causes_of_slowest(1), Cause::cleaning) == Approx(0.99));
  CHECK(of_cause(times.causes_of_slowest(1), Cause::host) == Approx(1));
}
