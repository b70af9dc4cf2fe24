// A drive under a test bench: it runs until what it is asked for, and stands still there.
#include <catch2/catch.hpp>
#include <stdexcept>

#include "base/error.hpp"
#include "platforms/kernel/live_drive_module.hpp"

namespace tessera {
namespace {

using namespace literals;

LiveSetup bare(const std::string& layer) {
  LiveSetup setup;
  setup.program = TESSERA_PROGRAM;
  setup.drive = "bare";
  setup.layer = layer;
  return setup;
}

LiveDrive::Order order(HostOp op, std::uint64_t block, std::uint32_t blocks) {
  LiveDrive::Order made;
  made.op = op;
  made.blocks = {HostBlock(block), blocks};
  return made;
}

TEST_CASE("live: an instant comes after everything else that happens at it, a condition at once") {
  LiveDrive drive(bare("cmr"));
  drive.boot();
  int calls = 0;
  const Picoseconds then = drive.now() + 5_ms;
  drive.call_at(then, [&] { drive.call_at(then, [&] { ++calls; }); });
  CHECK(drive.run_until({then}) == 0);
  CHECK(calls == 1);
  CHECK(drive.now() == then);
  const SharedRequest request = drive.submit(order(HostOp::read, 1'000'000, 8));
  CHECK(drive.run_until({then + 10'000_s, SignalCondition::parse("media.state == seek")}) == 1);
  CHECK_FALSE(request->over());
  const Picoseconds seeks = drive.now();
  CHECK(drive.run_until({SignalCondition::parse("media.state == seek")}) == 0);
  CHECK(drive.now() == seeks);
  CHECK(drive.run_until({request}) == 0);
  CHECK(request->ended == drive.now());
  CHECK_THROWS_AS(drive.run_until({then}), InputError);
}

TEST_CASE("live: an instant that did not come first is forgotten") {
  LiveDrive drive(bare("cmr"));
  drive.boot();
  const SharedRequest request = drive.submit(order(HostOp::read, 0, 8));
  CHECK(drive.run_until({drive.now() + 10'000_s, request}) == 1);
  const Picoseconds ended = drive.now();
  CHECK(drive.run_until({LiveDrive::Idle{}}) == 0);
  CHECK(drive.now() < ended + 1_s);
  CHECK_FALSE(drive.run_until({SignalCondition::parse("media.state == seek")}).has_value());
}

TEST_CASE("live: requests beyond the tags wait in order, and what a function submits comes after them") {
  LiveSetup setup = bare("cmr");
  setup.set = {"host.tags=2"};
  LiveDrive drive(setup);
  drive.boot();
  std::vector<std::uint64_t> ended;
  for (std::uint64_t i = 0; i < 4; ++i) {
    LiveDrive::Order made = order(HostOp::read, i * 8, 8);
    made.on_end = [&, i](const SharedRequest& request) {
      ended.push_back(request->host.number);
      if (i == 0) static_cast<void>(drive.submit(order(HostOp::read, 800, 8)));
    };
    static_cast<void>(drive.submit(std::move(made)));
  }
  CHECK(drive.outstanding() == 4);
  CHECK(drive.run_until({LiveDrive::Idle{}}) == 0);
  CHECK(ended.size() == 4);
  CHECK(drive.outstanding() == 0);
  const MetricSet metrics = drive.metrics();
  CHECK(metrics.find("host.served")->value == 5.0);
}

TEST_CASE("live: a power cut loses what is under way, and a boot that it ends does not come ready") {
  LiveDrive drive(bare("imr-rmw"));
  drive.boot();
  std::vector<SharedRequest> told;
  LiveDrive::Order made = order(HostOp::write, 0, 8);
  made.on_end = [&](const SharedRequest& request) { told.push_back(request); };
  const SharedRequest lost = drive.submit(std::move(made));
  CHECK(drive.run_until({drive.now() + 20_us}) == 0);
  const Picoseconds cut = drive.now();
  drive.cut_power();
  CHECK(told == std::vector{lost});
  CHECK(lost->state == LiveRequest::State::lost);
  CHECK(lost->ended == cut);
  CHECK_FALSE(drive.has_power());
  CHECK_THROWS_AS(drive.metrics(), InputError);
  CHECK(drive.run_until({LiveDrive::Idle{}}) == 0);
  const SharedRequest waiting = drive.submit(order(HostOp::read, 0, 8));
  CHECK_FALSE(drive.run_until({LiveDrive::Idle{}}).has_value());
  drive.power_on();
  CHECK(drive.run_until({drive.now() + 1_us}) == 0);
  CHECK_THROWS_AS(drive.metrics(), InputError);
  drive.cut_power();
  CHECK(drive.run_until({drive.now() + 10_s, LiveDrive::Ready{}}) == 0);
  CHECK_FALSE(drive.ready());
  CHECK(waiting->state == LiveRequest::State::waiting);
  drive.power_on();
  CHECK(drive.run_until({LiveDrive::Ready{}}) == 0);
  CHECK(drive.run_until({waiting}) == 0);
  CHECK(ok(waiting->host.status));
}

TEST_CASE("live: a drive whose format a power cut ended is formatted again, and prefilled") {
  LiveSetup setup = bare("imr-rmw");
  setup.prefill = 50;
  LiveDrive drive(setup);
  drive.cut_power();
  drive.power_on();
  CHECK(drive.run_until({LiveDrive::Ready{}}) == 0);
  const SharedRequest request = drive.submit(order(HostOp::write, 0, 8));
  CHECK(drive.run_until({request}) == 0);
  CHECK(ok(request->host.status));
}

TEST_CASE("live: what a function throws leaves run_until, and the drive goes on") {
  LiveDrive drive(bare("cmr"));
  drive.boot();
  const Picoseconds then = drive.now() + 1_ms;
  drive.call_at(then, [] { throw std::domain_error("mine"); });
  CHECK_THROWS_AS(drive.run_until({then + 1_s}), std::domain_error);
  CHECK(drive.now() == then);
  CHECK(drive.run_until({then + 1_s}) == 0);
  drive.call_at(drive.now() + 1_ms, [&] { drive.stop(); });
  CHECK_FALSE(drive.run_until({drive.now() + 1_s}).has_value());
  CHECK(drive.now() == then + 1_s + 1_ms);
}

TEST_CASE("live: a second drive is refused, and the first goes on") {
  LiveDrive drive(bare("cmr"));
  drive.boot();
  CHECK_THROWS_WITH(LiveDrive(bare("cmr")), Catch::Matchers::StartsWith("this process has elaborated a drive already"));
  CHECK(drive.run_until({drive.now() + 1_ms}) == 0);
}

TEST_CASE("live: a recorded signal shows what it was when the record began, and each change once") {
  LiveDrive drive(bare("mu-rmw"));
  drive.boot();
  SignalWatch& signals = drive.signals();
  const std::uint32_t gauge = signals.watch("flash.free_blocks");
  const auto before = signals.value(gauge);
  REQUIRE(before);
  signals.record({"flash.free_blocks"});
  const Picoseconds begun = drive.now();
  for (std::uint64_t i = 0; i < 2000; ++i) static_cast<void>(drive.submit(order(HostOp::write, i * 4096, 8)));
  CHECK(drive.run_until({LiveDrive::Idle{}}) == 0);
  const SignalHistory history = signals.history(gauge, Picoseconds(0), drive.now());
  REQUIRE(history.values.size() > 2);
  CHECK(history.times.front() == begun.value());
  CHECK(history.values.front() == *before);
  CHECK(history.values.back() == *signals.value(gauge));
  for (std::size_t i = 1; i < history.values.size(); ++i) {
    CHECK(history.times[i] > history.times[i - 1]);
    CHECK(history.values[i] != history.values[i - 1]);
  }
  const std::uint64_t third = history.times[2];
  const SignalHistory window = signals.history(gauge, Picoseconds(third + 1), Picoseconds(third + 1));
  CHECK(window.times == std::vector{third + 1});
  CHECK(window.values == std::vector{history.values[2]});
}

}  // namespace
}  // namespace tessera
