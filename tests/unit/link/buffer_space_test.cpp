// Places in the host buffer: a command has its own from its admission until its status is at the host.
#include <catch2/catch.hpp>

#include "host/host_interface.hpp"

using namespace tessera;
using namespace tessera::literals;

namespace {

struct Ends final : HostInterface::Downstream, HostInterface::Upstream {
  void arrived(HostRequest&) override {}
  void abort(HostRequest&) override {}
  void completed(HostRequest&) override {}
};

/// A buffer of 16 sectors.
struct Bench {
  Bench() : interface(timeline, config(), 4096, ends, ends) {}
  static HostConfig config() {
    HostConfig made;
    made.buffer = Bytes(16 * 4096);
    return made;
  }
  HostRequest& read(std::uint32_t sectors) {
    HostRequest& request = requests.emplace_back();
    request.op = HostOp::read;
    request.blocks = {HostBlock(0), sectors * 8};
    request.tag = static_cast<std::uint32_t>(requests.size() - 1);
    request.life.begin(timeline.now());
    interface.issue(request);
    timeline.run();
    return request;
  }
  void end(HostRequest& request) {
    interface.complete(request);
    timeline.run();
  }
  double waited_for_gap() const {
    MetricSet metrics;
    interface.report(metrics, 1_s);
    return *metrics.find("host.waited_for_gap")->value;
  }
  Timeline timeline;
  Ends ends;
  HostInterface interface;
  std::deque<HostRequest> requests;
};

}  // namespace

TEST_CASE("buffer space: a place is a command's own, whatever comes and goes meanwhile") {
  Bench bench;
  HostRequest& slow = bench.read(8);
  HostRequest& quick = bench.read(8);
  CHECK(slow.place == 0);
  CHECK(quick.place == 8 * 4096);
  HostRequest& waits = bench.read(4);
  CHECK_FALSE(waits.place);
  bench.end(quick);
  CHECK(waits.place == 8 * 4096);  // around the end lies the slow one
  CHECK(bench.read(4).place == 12 * 4096);
  CHECK_FALSE(bench.read(1).place);
  CHECK(bench.waited_for_gap() == 0);
}

TEST_CASE("buffer space: a command waits for one gap that is large enough, and this is counted") {
  Bench bench;
  HostRequest* held[4];
  for (HostRequest*& request : held) request = &bench.read(4);
  bench.end(*held[0]);
  bench.end(*held[2]);
  HostRequest& waits = bench.read(8);
  CHECK_FALSE(waits.place);
  CHECK(bench.waited_for_gap() == 1);
  bench.end(*held[1]);
  CHECK(waits.place == 0);
}
