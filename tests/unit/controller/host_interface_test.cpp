#include "host/host_interface.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"

using namespace tessera;
using namespace tessera::literals;

namespace {

struct Ends final : HostInterface::Downstream, HostInterface::Upstream {
  explicit Ends(Timeline& t) : timeline(t) {}
  void arrived(HostRequest& request) override { arrivals.emplace_back(request.number, timeline.now()); }
  void abort(HostRequest& request) override { aborted.push_back(request.number); }
  void completed(HostRequest& request) override { completions.emplace_back(request.number, timeline.now()); }
  Timeline& timeline;
  std::vector<std::pair<std::uint64_t, Picoseconds>> arrivals, completions;
  std::vector<std::uint64_t> aborted;
};

HostRequest request(std::uint64_t number, HostOp op, std::uint32_t blocks, std::uint64_t first = 0) {
  HostRequest made;
  made.op = op;
  made.blocks = {HostBlock(first), blocks};
  made.number = number;
  made.tag = number == 2 ? 1 : 0;
  return made;
}

HostConfig config() {
  HostConfig made;
  made.link_rate = BytesPerSecond(512'000'000);  // 1 us a block
  made.command_overhead = 3_us;
  made.completion_overhead = 2_us;
  made.tags = 2;
  made.buffer = 64_KiB;
  return made;
}

}  // namespace

TEST_CASE("a write's data crosses the link with its command, a read's with its status, one frame at a time") {
  Timeline timeline;
  Ends ends(timeline);
  HostInterface interface(timeline, config(), 4096, ends, ends);
  HostRequest write = request(1, HostOp::write, 8);
  HostRequest read = request(2, HostOp::read, 8);
  interface.issue(write);
  interface.issue(read);
  timeline.run();
  CHECK(ends.arrivals == std::vector<std::pair<std::uint64_t, Picoseconds>>{{1, 11_us}, {2, 14_us}});
  interface.complete(read);
  interface.complete(write);
  timeline.run();
  CHECK(ends.completions == std::vector<std::pair<std::uint64_t, Picoseconds>>{{2, 24_us}, {1, 26_us}});
  CHECK(write.life.parts[static_cast<std::size_t>(LifePhase::link)] == 26_us);
}

TEST_CASE("the drive takes as many commands as it has tags, each under a tag of its own") {
  Timeline timeline;
  Ends ends(timeline);
  HostInterface interface(timeline, config(), 4096, ends, ends);
  HostRequest a = request(1, HostOp::read, 8), b = request(2, HostOp::read, 8), c = request(3, HostOp::read, 8);
  interface.issue(a);
  CHECK_NOTHROW(interface.issue(b));
  c.tag = 1;
  CHECK_THROWS_AS(interface.issue(c), ModelBug);
  c.tag = 2;
  CHECK_THROWS_AS(interface.issue(c), ModelBug);
}

TEST_CASE("a command whose data does not fit the buffer waits until a completion makes room") {
  Timeline timeline;
  Ends ends(timeline);
  HostInterface interface(timeline, config(), 4096, ends, ends);
  HostRequest large = request(1, HostOp::write, 128);      // the whole buffer
  HostRequest small = request(2, HostOp::write, 1, 1000);  // one enclosing sector
  interface.issue(large);
  interface.issue(small);
  timeline.run();
  CHECK(ends.arrivals.size() == 1);
  interface.complete(large);
  timeline.run();
  CHECK(ends.arrivals.size() == 2);
}

TEST_CASE("data on request crosses the link when the drive asks for it, behind what the link already carries") {
  Timeline timeline;
  Ends ends(timeline);
  HostConfig later = config();
  later.write_data = WriteData::on_request;
  HostInterface interface(timeline, later, 512, ends, ends);
  HostRequest write = request(1, HostOp::write, 8), read = request(2, HostOp::read, 4);
  interface.issue(write);
  CHECK(write.data_at_host);
  timeline.run();
  CHECK(ends.arrivals.back().second == 3_us);  // the command alone
  interface.issue(read);                       // holds the link until 6 us
  interface.fetch(write);
  CHECK_FALSE(write.data_at_host);
  CHECK(write.data_first == 7_us);
  CHECK(write.data_last == 14_us);
  CHECK_THROWS_AS(interface.fetch(write), ModelBug);
  CHECK_THROWS_AS(interface.fetch(read), ModelBug);
  timeline.run();
  interface.complete(write);
  timeline.run();
  CHECK(ends.completions.back().second == 16_us);  // behind its data
}

TEST_CASE("a streamed read has crossed the link since it could, and its status comes behind the completion") {
  Timeline timeline;
  Ends ends(timeline);
  HostConfig streams = config();
  streams.stream_reads = true;
  HostInterface interface(timeline, streams, 512, ends, ends);
  HostRequest first = request(1, HostOp::read, 8), second = request(2, HostOp::read, 8);
  interface.issue(first);
  CHECK(first.block_time == 1_us);
  interface.issue(second);
  timeline.run_until(20_us);
  timeline.advance_to(20_us);
  first.stream_from = 15_us;
  interface.complete(first);
  second.stream_from = 16_us;  // but the link carries the first one until 23 us, and its status until 25 us
  interface.complete(second);
  timeline.run();
  CHECK(ends.completions == std::vector<std::pair<std::uint64_t, Picoseconds>>{{1, 25_us}, {2, 35_us}});
  // All of it had crossed long before: the status alone is left.
  HostRequest third = request(3, HostOp::read, 8);
  interface.issue(third);
  timeline.run();
  timeline.advance_to(100_us);
  third.stream_from = 50_us;
  interface.complete(third);
  timeline.run();
  CHECK(ends.completions.back().second == 102_us);
}

TEST_CASE("a report of zones that is given up before the firmware has it does not return the zones of an earlier one") {
  Timeline timeline;
  Ends ends(timeline);
  HostInterface interface(timeline, config(), 4096, ends, ends);
  HostRequest report = request(1, HostOp::zone_report, 1);
  interface.issue(report);
  timeline.run();
  report.zones.resize(3);
  interface.complete(report);
  timeline.run();
  report.aborted = false;
  interface.issue(report);
  interface.abort(report);
  timeline.run();
  REQUIRE(ends.completions.size() == 2);
  CHECK(report.status == Status::aborted);
  CHECK(report.zones.empty());
}
