// A queue per logical unit: its own share of the tags, and no unit waits for another.
#include "stimuli/player/lun_queues.hpp"

#include <catch2/catch.hpp>
#include <vector>

using namespace tessera;

namespace {

struct Drive final : HostFront {
  void issue(HostRequest& request) override { at_drive.push_back(&request); }
  void abort(HostRequest& request) override { aborted.push_back(&request); }
  void set_receiver(std::function<void(HostRequest&)> to) override { receiver = std::move(to); }
  void power_lost() override { at_drive.clear(); }

  std::vector<HostRequest*> at_drive;
  std::vector<HostRequest*> aborted;
  std::function<void(HostRequest&)> receiver;
};

struct Bench {
  Timeline timeline;
  Drive drive;
  LunQueues queues{drive, timeline, {100, 300}, 4};
  std::vector<HostRequest> requests = std::vector<HostRequest>(12);
  std::vector<HostRequest*> done;

  Bench() {
    queues.set_receiver([this](HostRequest& request) { done.push_back(&request); });
    for (std::uint32_t i = 0; i < requests.size(); ++i) requests[i].tag = 1000 + i;
  }
  HostRequest& issue(std::size_t i, std::uint64_t block) {
    requests[i].blocks = {HostBlock(block), 1};
    queues.issue(requests[i]);
    return requests[i];
  }
};

}  // namespace

TEST_CASE("a unit whose tags are in use holds its own requests up, and not another unit's") {
  Bench bench;
  for (std::size_t i = 0; i < 5; ++i) bench.issue(i, 99);
  CHECK(bench.drive.at_drive.size() == 2);
  const HostRequest& other = bench.issue(5, 100);
  REQUIRE(bench.drive.at_drive.size() == 3);
  CHECK(bench.drive.at_drive.back() == &other);
  CHECK(other.tag >= 2);
  CHECK(other.tag < 4);
  bench.drive.receiver(*bench.drive.at_drive[1]);
  REQUIRE(bench.drive.at_drive.size() == 4);
  CHECK(bench.drive.at_drive.back() == &bench.requests[2]);
  REQUIRE(bench.done.size() == 1);
  CHECK(bench.done[0]->tag == 1001);  // its own again
  MetricSet metrics;
  bench.queues.report(metrics);
  for (const Metric& metric : metrics.all()) {
    if (metric.name == "host.lun.0.requests") CHECK(metric.value == 5);
    if (metric.name == "host.lun.0.waited") CHECK(metric.value == 3);
    if (metric.name == "host.lun.1.waited") CHECK(metric.value == 0);
  }
}

TEST_CASE("no two requests at the drive have one tag") {
  Bench bench;
  for (std::size_t i = 0; i < 12; ++i) bench.issue(i, i % 2 == 0 ? 0 : 200);
  std::vector<bool> used(4);
  for (const HostRequest* request : bench.drive.at_drive) {
    CHECK(!used[request->tag]);
    used[request->tag] = true;
  }
}

TEST_CASE("a request that is given up while it waits ends as aborted, one at the drive is aborted there") {
  Bench bench;
  for (std::size_t i = 0; i < 3; ++i) bench.issue(i, 0);
  bench.queues.abort(bench.requests[0]);
  CHECK(bench.drive.aborted.size() == 1);
  bench.queues.abort(bench.requests[2]);
  CHECK(bench.done.empty());
  while (!bench.timeline.empty()) bench.timeline.step();
  REQUIRE(bench.done.size() == 1);
  CHECK(bench.done[0] == &bench.requests[2]);
  CHECK(bench.done[0]->status == Status::aborted);
}

TEST_CASE("a power cut gives requests their tags back, and frees those of the drive") {
  Bench bench;
  for (std::size_t i = 0; i < 3; ++i) bench.issue(i, 0);
  bench.queues.power_lost();
  bench.drive.power_lost();
  CHECK(bench.requests[0].tag == 1000);
  for (std::size_t i = 0; i < 2; ++i) bench.issue(i, 0);
  CHECK(bench.drive.at_drive.size() == 2);
}
