// The instants at which a trial cuts the power.
#include "platforms/torture/instants.hpp"

#include <catch2/catch.hpp>

using namespace tessera;
using namespace tessera::literals;

namespace {

/// Something else that happens on the drive's timeline.
struct Device final : TimelineListener {
  explicit Device(Timeline& of) : timeline(of) {}
  void on_time(std::uint64_t again) override {
    happened.push_back(timeline.now());
    if (again > 0) timeline.post(timeline.now(), *this, again - 1);
  }
  Timeline& timeline;
  std::vector<Picoseconds> happened;
};

struct Schedule {
  explicit Schedule(std::uint64_t seed = 1)
      : instants(timeline, seed, [this](const Instant& instant) {
          reached.emplace_back(instant.kind, timeline.now());
          happened_before.push_back(device.happened.size());
        }) {}
  Timeline timeline;
  Device device{timeline};
  std::vector<std::pair<Instant::Kind, Picoseconds>> reached;
  std::vector<std::size_t> happened_before;  // by instant: what the device had done by then
  Instants instants;
};

PersistentOperation write_of(Picoseconds begin, Picoseconds end, std::uint32_t sectors) {
  return {.kind = PersistentOperation::Kind::media_write, .begin = begin, .end = end, .run = {{0, 0}, 0, sectors}};
}

}  // namespace

TEST_CASE("instants: an operation is cut as it begins, inside and as it ends") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Schedule schedule(seed);
    schedule.instants.enumerate(write_of(1000_ps, 9000_ps, 8));
    schedule.timeline.run();
    REQUIRE(schedule.reached.size() == 3);
    CHECK(schedule.reached[0] == std::pair(Instant::Kind::before, 1000_ps));
    CHECK(schedule.reached[1].first == Instant::Kind::inside);
    CHECK(schedule.reached[1].second > 1000_ps);
    CHECK(schedule.reached[1].second < 9000_ps);
    CHECK(schedule.reached[2] == std::pair(Instant::Kind::after, 9000_ps));
  }
}

TEST_CASE("instants: inside a write they fall on the borders of sectors and right behind them, and between them too") {
  std::size_t on_a_border = 0;
  std::size_t behind_a_border = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Schedule schedule(seed);
    schedule.instants.enumerate(write_of(0_ps, 80'000_ps, 8));
    schedule.timeline.run();
    on_a_border += schedule.reached[1].second.value() % 10'000 == 0;
    behind_a_border += schedule.reached[1].second.value() % 10'000 == 1;
  }
  CHECK(on_a_border > 20);
  CHECK(behind_a_border > 20);
  CHECK(on_a_border + behind_a_border < 160);
}

TEST_CASE("instants: an operation of a picosecond has no inside") {
  Schedule schedule;
  schedule.instants.enumerate(write_of(5_ps, 6_ps, 1));
  schedule.timeline.run();
  CHECK(schedule.reached == std::vector{std::pair(Instant::Kind::before, 5_ps), std::pair(Instant::Kind::after, 6_ps)});
}

TEST_CASE("instants: one comes after everything else that happens at its time") {
  Schedule schedule;
  schedule.instants.enumerate(write_of(1000_ps, 1001_ps, 1));
  schedule.timeline.post(1000_ps, schedule.device, 2);  // posts itself again, and once more
  schedule.timeline.run();
  CHECK(schedule.happened_before == std::vector<std::size_t>{3, 3});
}

TEST_CASE("instants: two at one time are one, and a time that is over can come again for the next operation") {
  Schedule schedule;
  schedule.instants.enumerate(write_of(1000_ps, 1001_ps, 1));
  schedule.instants.enumerate(write_of(1001_ps, 1002_ps, 1));  // begins as the other ends
  schedule.timeline.run();
  CHECK(schedule.reached.size() == 3);
  schedule.instants.enumerate(write_of(2000_ps, 2001_ps, 1));
  schedule.timeline.run();
  CHECK(schedule.reached.size() == 5);
}

TEST_CASE("instants: those that are forgotten do not come, and what is drawn lies within its bounds") {
  Schedule schedule;
  schedule.instants.enumerate(write_of(1000_ps, 5000_ps, 1));
  schedule.instants.forget();
  schedule.timeline.run();
  CHECK(schedule.reached.empty());
  for (int i = 0; i < 100; ++i) schedule.instants.draw(50_ps);
  schedule.timeline.run();
  CHECK(schedule.reached.size() > 30);
  CHECK(schedule.reached.front().second >= 1_ps);
  CHECK(schedule.reached.back().second <= 51_ps);
  for (int i = 0; i < 100; ++i) schedule.instants.draw_after(1_ms);
  schedule.reached.clear();
  schedule.timeline.run();
  CHECK(schedule.reached.front().second >= 1_ms);
  CHECK(schedule.reached.back().second < 1_ms + 1_s + 100_ms);
  CHECK(schedule.reached.back().second > 10_ms);
}
