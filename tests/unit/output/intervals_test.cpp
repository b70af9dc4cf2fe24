#include "platforms/output/intervals.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "scratch.hpp"

using namespace tessera;
using namespace tessera::literals;

namespace {

const std::string header =
    "start_s,end_s,requests,reads,writes,requests_per_s,mean_latency_ms,max_latency_ms,mean_outstanding,max_outstanding,cleanings,"
    "cleaning_s\n";

HostRequest request(HostOp op, Picoseconds arrival) {
  HostRequest made;
  made.op = op;
  made.life.begin(arrival);
  return made;
}

}  // namespace

TEST_CASE("an interval of a fixed time counts the requests that complete in it") {
  const test::Scratch scratch;
  IntervalsLog log(scratch / "i.csv", {1_s, 0});
  log.queue(1, 0_ps);
  log.on_complete(request(HostOp::read, 0_ps), 500_ms);
  log.queue(0, 500_ms);
  log.on_complete(request(HostOp::write, 900_ms), 999_ms);
  log.on_complete(request(HostOp::write, 999_ms), 1000_ms);  // on the bound: the next interval
  log.close(1500_ms);
  CHECK(test::contents(scratch / "i.csv") == header + "0,1,2,1,1,2,299.5,500,0.5,1,0,0\n1,1.5,1,0,1,2,1,1,0,0,0,0\n");
}

TEST_CASE("intervals in which nothing happened share one line") {
  const test::Scratch scratch;
  IntervalsLog log(scratch / "i.csv", {1_s, 0});
  log.on_complete(request(HostOp::read, 0_ps), 500_ms);
  log.on_complete(request(HostOp::read, 36'000_s), 36'000'250_ms);
  log.close(36'001_s);
  CHECK(test::contents(scratch / "i.csv") ==
        header + "0,1,1,1,0,1,500,500,0,0,0,0\n1,36000,0,0,0,0,,,0,0,0,0\n36000,36001,1,1,0,1,250,250,0,0,0,0\n");
}

TEST_CASE("an interval of a number of requests ends with the last of them") {
  const test::Scratch scratch;
  IntervalsLog log(scratch / "i.csv", {Picoseconds(0), 2});
  for (std::uint64_t ms : {10, 20, 40}) log.on_complete(request(HostOp::write, Picoseconds(0)), ms * 1_ms);
  log.close(50_ms);
  CHECK(test::contents(scratch / "i.csv") == header + "0,0.02,2,0,2,100,15,20,0,0,0,0\n0.02,0.05,1,0,1,33.3333333,40,40,0,0,0,0\n");
}

TEST_CASE("the time of cleanings that overlap counts once, and is split at the interval's bound") {
  const test::Scratch scratch;
  IntervalsLog log(scratch / "i.csv", {1_s, 0});
  log.cleaning_begins(200_ms);
  log.cleaning_begins(300_ms);
  log.cleaning_ends(400_ms);
  log.cleaning_ends(1250_ms);
  log.close(1250_ms);
  CHECK(test::contents(scratch / "i.csv") == header + "0,1,0,0,0,0,,,0,0,2,0.8\n1,1.25,0,0,0,0,,,0,0,0,0.25\n");
}

TEST_CASE("a level that lasts over several intervals counts in each") {
  const test::Scratch scratch;
  IntervalsLog log(scratch / "i.csv", {1_s, 0});
  log.queue(4, 500_ms);
  log.queue(0, 2500_ms);
  log.close(2500_ms);
  CHECK(test::contents(scratch / "i.csv") == header + "0,1,0,0,0,0,,,2,4,0,0\n1,2,0,0,0,0,,,4,4,0,0\n2,2.5,0,0,0,0,,,4,4,0,0\n");
}

TEST_CASE("an interval has one kind of length") {
  const test::Scratch scratch;
  CHECK_THROWS_AS(IntervalsLog(scratch / "i.csv", {1_s, 5}), ModelBug);
  CHECK_THROWS_AS(IntervalsLog(scratch / "i.csv", {}), ModelBug);
}

TEST_CASE("a gauge has a column with its level at the end of the interval") {
  const test::Scratch scratch;
  IntervalsLog log(scratch / "i.csv", {1_s, 0}, {{"flash.free_blocks", 9}, {"cache.dirty_sectors", 0}});
  log.gauge(0, 8, 999_ms);
  log.gauge(1, 5, 1000_ms);  // on the bound: the next interval
  log.close(1500_ms);
  const std::string columns = header.substr(0, header.size() - 1) + ",flash.free_blocks,cache.dirty_sectors\n";
  CHECK(test::contents(scratch / "i.csv") == columns + "0,1,0,0,0,0,,,0,0,0,0,8,0\n1,1.5,0,0,0,0,,,0,0,0,0,8,5\n");
}
