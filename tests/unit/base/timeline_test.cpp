#include "base/timeline.hpp"

#include <catch2/catch.hpp>

#include <set>

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

/// Posts, looks and withdraws at random, and knows what is to come.
struct Actor final : TimelineListener {
  explicit Actor(Timeline& of) : timeline(of), idler(of) {}
  void on_time(std::uint64_t argument) override {
    REQUIRE(*expected.begin() == std::pair(timeline.now(), argument));
    expected.erase(expected.begin());
    if (random.below(4) == 0) look();
    if (random.below(4) == 0) go_on();
    for (std::uint64_t more = random.below(3); more > 0; --more) post();
    if (random.below(8) == 0) {
      timeline.post(timeline.now(), idler);
      timeline.withdraw(idler);
    }
    if (random.below(4) == 0) go_on();
    if (random.below(4) == 0) look();
  }
  void go_on() {
    const Picoseconds before = timeline.now();
    const Picoseconds when = before + Picoseconds(random.below(20));
    const Picoseconds unobserved = random.below(4) == 0 ? before + Picoseconds(random.below(20)) : Picoseconds::max();
    timeline.unobserved_until(unobserved);
    const bool first = when < unobserved && (expected.empty() || when < expected.begin()->first);
    REQUIRE(timeline.go_on(when) == first);
    REQUIRE(timeline.now() == (first ? when : before));
  }
  void post() {
    const Picoseconds when = timeline.now() + Picoseconds(random.below(20));
    timeline.post(when, *this, posted);
    expected.emplace(when, posted++);
  }
  void look() {
    REQUIRE(timeline.empty() == expected.empty());
    if (!expected.empty()) REQUIRE(timeline.next() == expected.begin()->first);
  }
  Timeline& timeline;
  Recorder idler;
  RandomStream random{3, "actor"};
  std::set<std::pair<Picoseconds, std::uint64_t>> expected;  // time and order
  std::uint64_t posted = 0;
};

}  // namespace

TEST_CASE("what an action posts, asks for, goes on to and withdraws does not meet its own entry") {
  Timeline timeline;
  Actor actor(timeline);
  for (int i = 0; i < 50; ++i) actor.post();
  while (!timeline.empty() && actor.posted < 20'000) timeline.step();
  actor.look();
  CHECK(actor.posted >= 50);
}

TEST_CASE("an action that throws is over") {
  struct Thrower final : TimelineListener {
    void on_time(std::uint64_t) override { throw InputError("thrown"); }
  } thrower;
  Timeline timeline;
  Recorder recorder(timeline);
  timeline.post(1_ns, thrower);
  timeline.post(2_ns, recorder, 2);
  CHECK_THROWS_AS(timeline.step(), InputError);
  CHECK(timeline.next() == 2_ns);
  timeline.run();
  CHECK(timeline.empty());
  CHECK(recorder.seen.size() == 1);
}

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
