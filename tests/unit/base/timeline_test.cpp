#include "base/timeline.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "base/random.hpp"

using namespace tessera;
using namespace tessera::literals;

namespace {

struct Recorder final : TimelineListener {
  explicit Recorder(Timeline& of) : timeline(of) {}
  void on_time(std::uint64_t argument) override { seen.emplace_back(timeline.now(), argument); }
  Timeline& timeline;
  std::vector<std::pair<Picoseconds, std::uint64_t>> seen;
};

}  // namespace

TEST_CASE("entries run in order of time, and in order of posting at one time") {
  Timeline timeline;
  Recorder recorder(timeline);
  RandomStream random(7, "timeline");
  for (std::uint64_t i = 0; i < 1000; ++i) timeline.post(Picoseconds(random.below(50)), recorder, i);
  timeline.run();
  REQUIRE(recorder.seen.size() == 1000);
  for (std::size_t i = 1; i < recorder.seen.size(); ++i) REQUIRE(recorder.seen[i - 1] < recorder.seen[i]);
}

TEST_CASE("run_until includes its limit and leaves what lies beyond") {
  Timeline timeline;
  Recorder recorder(timeline);
  timeline.post(10_ns, recorder, 1);
  timeline.post(11_ns, recorder, 2);
  timeline.run_until(10_ns);
  CHECK(recorder.seen.size() == 1);
  CHECK(timeline.next() == 11_ns);
}

TEST_CASE("withdraw removes one listener's entries and keeps the order of the others") {
  Timeline timeline;
  Recorder kept(timeline);
  Recorder dropped(timeline);
  for (std::uint64_t i = 0; i < 100; ++i) timeline.post(Picoseconds(100 - i), i % 2 == 0 ? kept : dropped, i);
  timeline.withdraw(dropped);
  timeline.run();
  CHECK(dropped.seen.empty());
  REQUIRE(kept.seen.size() == 50);
  CHECK(kept.seen.front() == std::pair(2_ps, std::uint64_t{98}));
  CHECK(kept.seen.back() == std::pair(100_ps, std::uint64_t{0}));
}

TEST_CASE("posting into the past is a model bug") {
  Timeline timeline;
  Recorder recorder(timeline);
  timeline.advance_to(5_ns);
  CHECK_NOTHROW(timeline.post(5_ns, recorder));
  CHECK_THROWS_AS(timeline.post(4_ns, recorder), ModelBug);
}

TEST_CASE("advance_to refuses to skip a due entry") {
  Timeline timeline;
  Recorder recorder(timeline);
  timeline.post(5_ns, recorder);
  CHECK_THROWS_AS(timeline.advance_to(6_ns), ModelBug);
  CHECK_NOTHROW(timeline.advance_to(5_ns));
}
