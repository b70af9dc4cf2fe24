#include "controller/media_queue.hpp"

#include <catch2/catch.hpp>

#include "base/random.hpp"

using namespace tessera;
using namespace tessera::literals;

namespace {

/// Mechanics of a toy: seek of 1 ms plus 1 us a radius; rotation by sector number; so every price is known.
struct ToyMechanics : Positioning {
  PhysicalTrack head() const override { return at; }
  Picoseconds positioning_time(const PhysicalRun& run, bool, Picoseconds) const override {
    return least_positioning(distance(run.track.radius)) + 1_us * run.first;
  }
  Picoseconds least_positioning(std::uint32_t radii) const override { return radii == 0 ? 0_ps : 1_ms + 1_us * radii; }
  Picoseconds revolution() const override { return 10_ms; }
  std::uint32_t distance(std::uint32_t radius) const { return radius < at.radius ? at.radius - radius : radius - at.radius; }
  PhysicalTrack at{0, 500};
};

std::unique_ptr<MediaChain> chain(std::uint32_t radius, std::uint32_t sector, MediaClass priority = MediaClass::host,
                                  Picoseconds submitted = 0_ps) {
  auto made = std::make_unique<MediaChain>(priority);
  made->read({{0, radius}, sector, 1}, {});
  made->submitted = submitted;
  return made;
}

struct Queue {
  explicit Queue(SchedulingPolicy policy, Picoseconds age = 1_s, std::uint32_t interval = 8, std::uint32_t yields_to = 100,
                 Picoseconds pause = 0_ps)
      : queue({policy, age, interval, pause, 10_s, yields_to}) {}
  void add(std::uint32_t radius, std::uint32_t sector = 0, MediaClass priority = MediaClass::host, Picoseconds submitted = 0_ps) {
    chains.push_back(chain(radius, sector, priority, submitted));
    queue.push(*chains.back());
  }
  /// A chain that lets the others go before.
  void add_yielding(std::uint32_t radius, Picoseconds submitted = 0_ps) {
    chains.push_back(chain(radius, 0, MediaClass::host, submitted));
    queue.push(*chains.back(), true);
  }
  std::uint32_t pop(Picoseconds now = 0_ps) { return queue.pop(mechanics, now).steps().front().run.track.radius; }
  ToyMechanics mechanics;
  MediaQueue queue;
  std::vector<std::unique_ptr<MediaChain>> chains;
};

}  // namespace

TEST_CASE("first come serves in order of arrival") {
  Queue queue(SchedulingPolicy::first_come);
  for (const std::uint32_t radius : {900u, 100u, 500u}) queue.add(radius);
  CHECK(queue.pop() == 900);
  CHECK(queue.pop() == 100);
  CHECK(queue.pop() == 500);
  CHECK(queue.queue.empty());
}

TEST_CASE("C-LOOK sweeps inwards from the head and then starts over at the outermost chain") {
  Queue queue(SchedulingPolicy::c_look);
  for (const std::uint32_t radius : {499u, 700u, 500u, 100u, 600u}) queue.add(radius);
  for (const std::uint32_t expected : {500u, 600u, 700u, 100u, 499u}) {
    CHECK(queue.pop() == expected);
    queue.mechanics.at.radius = expected;
  }
}

TEST_CASE("shortest seek takes the nearest radius on either side") {
  Queue queue(SchedulingPolicy::shortest_seek);
  for (const std::uint32_t radius : {480u, 530u, 519u}) queue.add(radius);
  CHECK(queue.pop() == 519);
  CHECK(queue.pop() == 480);
}

TEST_CASE("shortest positioning prefers a farther chain whose sector comes sooner") {
  Queue queue(SchedulingPolicy::shortest_positioning);
  queue.add(501, 300);  // 1 ms + 1 us + 300 us
  queue.add(600, 0);    // 1 ms + 100 us
  CHECK(queue.pop() == 600);
}

TEST_CASE("pruning by the seek bound never changes the choice of shortest positioning") {
  RandomStream random(3, "media_queue");
  for (int round = 0; round < 300; ++round) {
    Queue queue(SchedulingPolicy::shortest_positioning);
    const auto entries = 1 + random.below(32);
    for (std::uint64_t i = 0; i < entries; ++i)
      queue.add(static_cast<std::uint32_t>(random.below(1000)), static_cast<std::uint32_t>(random.below(2000)));
    Picoseconds least = Picoseconds::max();
    for (const auto& entry : queue.chains)
      least = std::min(least, queue.mechanics.positioning_time(entry->steps().front().run, false, 0_ps));
    const MediaChain& chosen = queue.queue.pop(queue.mechanics, 0_ps);
    REQUIRE(queue.mechanics.positioning_time(chosen.steps().front().run, false, 0_ps) == least);
  }
}

TEST_CASE("a chain is served out of turn at its age limit and not a picosecond sooner") {
  for (const bool aged : {false, true}) {
    Queue queue(SchedulingPolicy::shortest_seek, 100_ms);
    queue.add(900);  // oldest and farthest
    queue.add(501, 0, MediaClass::host, 1_ms);
    CHECK(queue.pop(aged ? 100_ms : 100_ms - 1_ps) == (aged ? 900 : 501));
  }
}

TEST_CASE("of a queue in which all chains are old one in age_interval is served by age and the others by the policy") {
  for (const std::uint32_t interval : {1u, 4u}) {
    Queue queue(SchedulingPolicy::shortest_seek, 100_ms, interval);
    for (std::uint32_t i = 0; i < 12; ++i) queue.add(900 - i);  // the oldest is the farthest
    std::vector<std::uint32_t> served;
    for (std::uint32_t i = 0; i < 10; ++i) served.push_back(queue.pop(1_s));
    if (interval == 1)
      CHECK(served == std::vector<std::uint32_t>{900, 899, 898, 897, 896, 895, 894, 893, 892, 891});
    else
      CHECK(served == std::vector<std::uint32_t>{900, 889, 890, 891, 899, 892, 893, 894, 898, 895});
    CHECK(queue.queue.aged() == (interval == 1 ? 10 : 3));
  }
}

TEST_CASE("after a chain that was served for its age none is for age_pause") {
  Queue queue(SchedulingPolicy::shortest_seek, 100_ms, 1, 100, 50_ms);
  for (std::uint32_t i = 0; i < 5; ++i) queue.add(900 - i);  // the oldest is the farthest
  CHECK(queue.pop(200_ms) == 900);
  CHECK(queue.pop(201_ms) == 896);
  CHECK(queue.pop(250_ms - 1_ps) == 897);
  CHECK(queue.pop(250_ms) == 899);
}

TEST_CASE("at the end of a track what goes on at the beginning of the next comes before what is under the head sooner") {
  const auto served = [](std::uint32_t nearer, std::uint32_t next, bool at_end) {
    Queue queue(SchedulingPolicy::shortest_positioning);
    queue.add(500, nearer);
    queue.chains.back()->clear();
    queue.chains.back()->read({{1, 500}, nearer, 1}, {});  // on another surface
    queue.add(501, next);
    const PhysicalTrack left{0, 500};
    return queue.queue.pop(queue.mechanics, 0_ps, at_end ? &left : nullptr).steps().front().run.track.radius;
  };
  CHECK(served(100, 0, true) == 501);   // 1.001 ms instead of 0.1
  CHECK(served(100, 0, false) == 500);  // the arm is elsewhere
  CHECK(served(100, 1, true) == 500);   // it does not begin there
  Queue same(SchedulingPolicy::shortest_positioning);
  same.add(501);
  same.add(500, 100);  // on the track that has come round
  const PhysicalTrack left{0, 500};
  CHECK(same.queue.pop(same.mechanics, 0_ps, &left).steps().front().run.track.radius == 500);
}

TEST_CASE("a chain that reaches its age limit after a while of picks by the policy waits for no further ones") {
  Queue queue(SchedulingPolicy::shortest_seek, 100_ms);
  queue.add(900);
  for (std::uint32_t i = 0; i < 5; ++i) queue.add(501 + i, 0, MediaClass::host, 1_ms);
  for (std::uint32_t i = 0; i < 3; ++i) CHECK(queue.pop(50_ms) == 501 + i);
  CHECK(queue.pop(100_ms) == 900);
  CHECK(queue.pop(100_ms) == 504);
}

TEST_CASE("background chains wait for host and dependent ones until their own age limit") {
  for (const bool aged : {false, true}) {
    Queue queue(SchedulingPolicy::first_come);
    queue.add(1, 0, MediaClass::background);
    queue.add(2, 0, MediaClass::dependent, 9_s);
    CHECK(queue.pop(aged ? 10_s : 10_s - 1_ps) == (aged ? 1 : 2));
  }
}

TEST_CASE("chains that yield go behind the others of the foreground, in their own order, and before the background") {
  for (const auto policy : {SchedulingPolicy::first_come, SchedulingPolicy::shortest_seek}) {
    Queue queue(policy);
    queue.add(501, 0, MediaClass::background);
    queue.add_yielding(502);
    queue.add_yielding(504);
    queue.add(600);
    CHECK(queue.queue.size() == 4);
    for (const std::uint32_t expected : {600u, 502u, 504u, 501u}) CHECK(queue.pop() == expected);
    CHECK(queue.queue.empty());
  }
}

TEST_CASE("a chain that yields is served for its age like any other, first come or not, one of so many") {
  for (const auto policy : {SchedulingPolicy::first_come, SchedulingPolicy::shortest_seek}) {
    Queue queue(policy, 1_s, 3);
    queue.add_yielding(900, 0_s);
    queue.add_yielding(901, 0_s);
    for (std::uint32_t i = 0; i < 4; ++i) queue.add(500 + i, 0, MediaClass::host, 1_ms);
    CHECK(queue.pop(1_s - 1_ps) == 500);
    CHECK(queue.pop(1_s) == 900);
    CHECK(queue.pop(1_s) == 501);
    CHECK(queue.pop(1_s) == 502);
    CHECK(queue.pop(1_s) == 901);  // and not 503, which is younger
    CHECK(queue.pop(1_s) == 503);
    CHECK(queue.queue.aged() == 2);
  }
}

TEST_CASE("of two that have aged the older goes, whether it yields or not") {
  Queue queue(SchedulingPolicy::first_come, 1_s, 1);
  queue.add(700, 0, MediaClass::host, 1_ms);
  queue.add_yielding(900, 2_ms);
  CHECK(queue.pop(10_s) == 700);
  CHECK(queue.pop(10_s) == 900);
}

TEST_CASE("a chain that yields goes behind so many others in a row, not sooner and not later") {
  Queue queue(SchedulingPolicy::first_come, 1_s, 8, 2);
  for (std::uint32_t i = 0; i < 3; ++i) queue.add_yielding(900 + i);
  for (std::uint32_t i = 0; i < 3; ++i) queue.add(500 + i);
  for (const std::uint32_t expected : {500u, 501u, 900u, 502u}) CHECK(queue.pop() == expected);
  CHECK(queue.pop() == 901);
  queue.add(503);  // the row begins anew behind each that yielded
  queue.add(504);
  for (const std::uint32_t expected : {503u, 504u, 902u}) CHECK(queue.pop() == expected);
}
