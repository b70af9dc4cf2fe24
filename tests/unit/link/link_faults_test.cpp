// Frames whose check fails, and links that are down: what they cost in link time.
#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "host/host_interface.hpp"

using namespace tessera;
using namespace tessera::literals;

namespace {

struct Ends final : HostInterface::Downstream, HostInterface::Upstream {
  explicit Ends(Timeline& t) : timeline(t) {}
  void arrived(HostRequest&) override { arrived_at = timeline.now(); }
  void abort(HostRequest&) override {}
  void completed(HostRequest&) override { completed_at = timeline.now(); }
  Timeline& timeline;
  Picoseconds arrived_at, completed_at;
};

/// 1 us a block, 3 us a command, 2 us a status.
HostConfig config() {
  HostConfig made;
  made.link_rate = BytesPerSecond(512'000'000);
  made.command_overhead = 3_us;
  made.completion_overhead = 2_us;
  return made;
}

/// When a write of eight blocks arrives in the drive that is idle and when its status is at the host; the drive takes no time.
struct Journey {
  explicit Journey(const HostConfig& of, Picoseconds start = Picoseconds(0)) : ends(timeline), interface(timeline, of, 4096, ends, ends) {
    timeline.advance_to(start);
    request.op = HostOp::write;
    request.blocks = {HostBlock(0), 8};
    request.life.begin(start);
    interface.issue(request);
    timeline.run();
    interface.complete(request);
    timeline.run();
  }
  double metric(const char* name) const {
    MetricSet metrics;
    interface.report(metrics, 1_s);
    return *metrics.find(name)->value;
  }
  Timeline timeline;
  Ends ends;
  HostInterface interface;
  HostRequest request;
};

}  // namespace

TEST_CASE("link faults: a frame whose check fails is sent again whole, in either direction") {
  HostConfig faulty = config();
  faulty.crc_errors = {{1, 2}, {2, 1}};  // the command with its data twice, the status once
  const Journey journey(faulty);
  CHECK(journey.ends.arrived_at == 33_us);
  CHECK(journey.ends.completed_at == 37_us);
  CHECK(journey.metric("link.crc_errors") == 3);
  CHECK(journey.metric("link.repeated") == Approx(0.024));  // ms
  CHECK(journey.request.life.parts[static_cast<std::size_t>(LifePhase::link)] == 37_us);
}

TEST_CASE("link faults: by rate, the same seed gives the same frames") {
  HostConfig faulty = config();
  faulty.crc_errors_per_million = 500'000;
  const auto errors = [&](std::uint64_t seed) {
    LinkFaults faults(faulty, seed);
    Picoseconds at;
    for (int frame = 0; frame < 10'000; ++frame) at = faults.carry(at, 1_us);
    MetricSet metrics;
    faults.report(metrics);
    CHECK(at == Picoseconds(10'000'000'000 + static_cast<std::uint64_t>(*metrics.find("link.crc_errors")->value) * 1'000'000));
    return *metrics.find("link.crc_errors")->value;
  };
  CHECK(errors(1) == errors(1));
  CHECK(errors(1) != errors(2));
  CHECK(errors(1) == Approx(10'000).epsilon(0.05));  // each frame fails once on average
}

TEST_CASE("link faults: a frame under which the link goes down is sent anew when it is up, on both sides of the bound") {
  HostConfig faulty = config();
  faulty.link_outages = {{1, 5}};  // from 1 ms, for 5 ms
  CHECK(Journey(faulty, 1_ms - 11_us).ends.arrived_at == 1_ms);
  const Journey late(faulty, 1_ms - 11_us + 1_ps);
  CHECK(late.ends.arrived_at == 6_ms + 11_us);
  CHECK(late.ends.completed_at == 6_ms + 13_us);
  CHECK(Journey(faulty, 6_ms).ends.arrived_at == 6_ms + 11_us);
  CHECK(late.metric("link.down") == Approx(5));
}

TEST_CASE("link faults: outages that overlap and frames before the first are refused") {
  HostConfig faulty = config();
  faulty.link_outages = {{1, 5}, {5, 1}};
  CHECK_THROWS_AS(LinkFaults(faulty, 1), InputError);
  faulty.link_outages = {{1, 5}, {6, 1}};
  CHECK_NOTHROW(LinkFaults(faulty, 1));
  faulty.crc_errors = {{0, 1}};
  CHECK_THROWS_AS(LinkFaults(faulty, 1), InputError);
}

TEST_CASE("link faults: a link without faults reports none and takes no time for them") {
  const Journey journey(config());
  CHECK(journey.ends.completed_at == 13_us);
  MetricSet metrics;
  journey.interface.report(metrics, 1_s);
  CHECK(metrics.find("link.crc_errors") == nullptr);
}
