#include "media/track_interference.hpp"

#include <catch2/catch.hpp>

#include "base/state_stream.hpp"
#include "small_drive.hpp"

using namespace tessera;
using test::perform;
using test::read_step;
using test::tagged;
using test::write_step;

namespace {

MediaConfig weak_drive(std::uint32_t limit) {
  MediaConfig config = test::small_drive();
  config.interference_limit = limit;
  return config;
}

constexpr SectorShape tags{4096, ContentMode::tags};

Status read_back(MediaDevice& device, PhysicalRun run, Picoseconds& now) {
  DataBuffer data(DramAddress(0), run.count, tags);
  return perform(device, read_step(run, data.all()), now);
}

}  // namespace

TEST_CASE("so many writes of a track spoil what lies next to it at their angle, on both sides and nowhere else") {
  MediaDevice device(weak_drive(5), {test::region(RecordingFormat::conventional, 0, 50)}, ContentMode::tags, 1);
  Picoseconds now;
  DataBuffer data = tagged(100, 1000);
  for (std::uint32_t surface = 0; surface < 2; ++surface)
    for (const std::uint32_t radius : {8U, 9U, 12U, 11U})
      REQUIRE(ok(perform(device, write_step({{surface, radius}, 0, 100}, data.all()), now)));
  const MediaStep hot = write_step({{0, 10}, 40, 2}, data.part(0, 2));
  for (int i = 0; i < 4; ++i) REQUIRE(ok(perform(device, hot, now)));
  CHECK(ok(read_back(device, {{0, 9}, 0, 100}, now)));
  CHECK(device.statistics().spoilt_sectors == 0);
  REQUIRE(ok(perform(device, hot, now)));
  for (const std::uint32_t radius : {9U, 11U}) {
    CHECK(ok(read_back(device, {{0, radius}, 0, 40}, now)));
    CHECK(read_back(device, {{0, radius}, 40, 1}, now) == Status::media_error);
    CHECK(read_back(device, {{0, radius}, 41, 1}, now) == Status::media_error);
    CHECK(ok(read_back(device, {{0, radius}, 42, 58}, now)));
    CHECK(ok(read_back(device, {{1, radius}, 0, 100}, now)));
  }
  for (const std::uint32_t radius : {8U, 12U}) CHECK(ok(read_back(device, {{0, radius}, 0, 100}, now)));
  CHECK(device.statistics().spoilt_sectors == 4);
}

TEST_CASE("a spoilt sector counts as unread from its read until it is written again") {
  MediaDevice device(weak_drive(5), {test::region(RecordingFormat::conventional, 0, 50)}, ContentMode::tags, 1);
  Picoseconds now;
  DataBuffer data = tagged(100, 1000);
  REQUIRE(ok(perform(device, write_step({{0, 9}, 0, 100}, data.all()), now)));
  for (int i = 0; i < 5; ++i) REQUIRE(ok(perform(device, write_step({{0, 10}, 40, 2}, data.part(0, 2)), now)));
  CHECK(device.unread().empty());
  REQUIRE(read_back(device, {{0, 9}, 30, 20}, now) == Status::media_error);
  const std::uint64_t track = device.geometry().linear({0, 9});
  CHECK(device.unread() == std::set<TrackSector>{{track, 40}, {track, 41}});
  REQUIRE(ok(perform(device, write_step({{0, 9}, 41, 1}, data.part(0, 1)), now)));
  CHECK(device.unread() == std::set<TrackSector>{{track, 40}});
}

TEST_CASE("writes of both neighbours count together, and a sector that is written itself is as new") {
  MediaDevice device(weak_drive(6), {test::region(RecordingFormat::conventional, 0, 50)}, ContentMode::tags, 1);
  Picoseconds now;
  DataBuffer data = tagged(1, 1000);
  const PhysicalRun victim{{0, 10}, 7, 1};
  REQUIRE(ok(perform(device, write_step(victim, data.all()), now)));
  const auto disturb = [&](std::uint32_t radius, int times) {
    for (int i = 0; i < times; ++i) REQUIRE(ok(perform(device, write_step({{0, radius}, 7, 1}, data.all()), now)));
  };
  disturb(9, 3);
  disturb(11, 2);
  CHECK(ok(read_back(device, victim, now)));
  REQUIRE(ok(perform(device, write_step(victim, data.all()), now)));
  disturb(11, 5);
  CHECK(ok(read_back(device, victim, now)));
  disturb(9, 1);
  CHECK(read_back(device, victim, now) == Status::media_error);
}

TEST_CASE("a write that a power cut ends weakens what it passed, and tracks of another region are out of reach") {
  MediaDevice device(weak_drive(1),
                     {test::region(RecordingFormat::conventional, 0, 10), test::region(RecordingFormat::conventional, 10, 40)},
                     ContentMode::tags, 1);
  Picoseconds now;
  DataBuffer data = tagged(100, 1000);
  for (const std::uint32_t radius : {8U, 10U}) REQUIRE(ok(perform(device, write_step({{0, radius}, 0, 100}, data.all()), now)));
  const MediaStep step = write_step({{0, 9}, 0, 90}, data.part(0, 90));
  const MediaTiming timing = device.start(step, now);
  device.cut(timing.end - Picoseconds(5'050'000'000));  // in sector 39 of 100 us each
  now = timing.end;
  device.restore(now);
  CHECK(read_back(device, {{0, 8}, 39, 1}, now) == Status::media_error);
  CHECK(ok(read_back(device, {{0, 8}, 40, 60}, now)));
  CHECK(ok(read_back(device, {{0, 10}, 0, 100}, now)));
}

TEST_CASE("a saved state knows how much every sector has taken") {
  TrackInterference saved(10, 100);
  const auto nothing = [](std::uint32_t) { FAIL("spoilt too early"); };
  for (int i = 0; i < 9; ++i) saved.beside(3, 5, 2, nothing);
  saved.written(3, 6, 1);
  StateWriter out;
  saved.save_state(out);
  TrackInterference loaded(10, 100);
  StateReader in(out.state(), "s");
  loaded.load_state(in, 50);
  CHECK(in.left() == 0);
  CHECK(loaded.writes_beside(3, 5) == 9);
  CHECK(loaded.writes_beside(3, 6) == 0);
}
