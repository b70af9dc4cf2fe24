// Spare tracks: behind everything that layers get, and nothing of theirs changes.
#include <catch2/catch.hpp>

#include "small_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using test::perform;
using test::read_step;
using test::tagged;
using test::write_step;

TEST_CASE("overlap does not reach from the last region into the spare tracks, nor back") {
  const RecordingFormat format = GENERATE(RecordingFormat::shingled, RecordingFormat::interlaced);
  const std::uint32_t count = format == RecordingFormat::shingled ? 50 : 49;  // the last radius an interlaced bottom
  MediaConfig config = test::small_drive();
  config.tracks = count;
  Region region = test::region(format, 0, count);
  region.head_width = 3;
  MediaDevice device(config, {region}, ContentMode::tags, 1);
  DataBuffer data = tagged(100, 1000);
  Picoseconds now;
  for (const std::uint32_t radius : {count, count + 1}) REQUIRE(ok(perform(device, write_step({{0, radius}, 0, 100}, data.all()), now)));
  for (const std::uint32_t radius : {count - 2, count - 1})
    REQUIRE(ok(perform(device, write_step({{0, radius}, 0, 100}, data.all()), now)));
  for (const std::uint32_t radius : {count, count + 1}) REQUIRE(ok(perform(device, read_step({{0, radius}, 0, 100}), now)));
  REQUIRE(ok(perform(device, write_step({{0, count}, 0, 100}, data.all()), now)));
  CHECK(ok(perform(device, read_step({{0, count - 1}, 0, 100}), now)));
  CHECK(device.geometry().regions().back().name == "spares");
  CHECK(perform(device, read_step({{0, count + 2}, 0, 1}), now) == Status::rule_violation);
}

TEST_CASE("seeks, angles and capacity are the same with spare tracks and without") {
  MediaConfig with = test::small_drive();
  with.seek_curve.clear();
  with.track_skew = 7;
  with.cylinder_skew = 11;
  MediaConfig without = with;
  without.spare_tracks = 0;
  const MediaDevice a(with, {}, ContentMode::none, 1);
  const MediaDevice b(without, {}, ContentMode::none, 1);
  CHECK(geometry_of(with).physical_sectors() == geometry_of(without).physical_sectors());
  CHECK(a.geometry().radii() == b.geometry().radii());
  for (std::uint32_t d = 0; d < 50; ++d) REQUIRE(a.seek_curve().time(d) == b.seek_curve().time(d));
  CHECK(a.seek_curve().time(51) > a.seek_curve().time(49));
  for (std::uint32_t radius = 0; radius < 50; ++radius)
    REQUIRE(a.geometry().shape_of({1, radius}).start == b.geometry().shape_of({1, radius}).start);
  CHECK(a.geometry().sectors_on({1, 51}) == 100);
  CHECK_FALSE(b.geometry().contains({0, 50}));
}
