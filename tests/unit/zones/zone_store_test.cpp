// The write-back of a zone: what is read and written where, in what order, and what it costs.
#include "zone_drive.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

/// 6000 rpm: a turn of 10 ms, a sector of 2.5 ms; expected timing, no electronics.
FluidSetup timed(std::uint64_t slots) {
  FluidSetup setup;
  setup.zones().buffer = sectors(slots);
  setup.bench.media.speed = Rpm(6000);
  setup.bench.media.timing = MediaTimingMode::expected;
  setup.bench.ideal_electronics();
  return setup;
}

std::uint64_t positionings(const std::vector<FirmwareBench::StepRecord>& steps) {
  return static_cast<std::uint64_t>(std::ranges::count_if(steps, [](const auto& step) { return step.timing.rotation != Picoseconds(); }));
}

}  // namespace

TEST_CASE("an append reads the victims, writes on from the write pointer, and then the record") {
  FluidDrive drive(timed(4));
  drive.write_zoned({{0, 1}, {1, 3}, {0, 5}, {2, 0}});
  drive.bench().steps.clear();
  drive.write_zoned({{3, 7}});
  const auto& steps = drive.bench().steps;
  // Slots 0 and 2; sectors 0 to 5 of the zone on two tracks; the record, twice; slot 0 again.
  REQUIRE(steps.size() == 7);
  CHECK((steps[0].op == MediaOp::read && steps[1].op == MediaOp::read));
  CHECK((steps[2].op == MediaOp::write && steps[2].run == PhysicalRun{{0, 1}, 0, 4}));
  CHECK((steps[3].op == MediaOp::write && steps[3].run == PhysicalRun{{0, 2}, 0, 2}));
  CHECK((steps[4].op == MediaOp::write && drive.bench().steps_in("log").size() == 2));
  CHECK((steps[6].op == MediaOp::write && steps[6].run == PhysicalRun{{0, 0}, 0, 1}));
  CHECK(steps[2].hint == StepHint::whole_track);
  CHECK(drive.metric("log.sectors") == 6);
}

TEST_CASE("a rewrite reads what the zone keeps, collects the victims a seek a run, and writes a spare zone") {
  FluidSetup setup = timed(4);
  setup.prefilled = 48;
  FluidDrive drive(setup);
  drive.write_zoned({{0, 1}, {0, 2}, {1, 0}, {0, 7}});
  drive.bench().steps.clear();
  drive.write_zoned({{2, 0}});
  CHECK(drive.metric("rmw.count") == 1);
  CHECK(drive.metric("pad.sectors") == 0);
  const auto& steps = drive.bench().steps;
  REQUIRE(steps.size() == 9);
  CHECK((steps[0].op == MediaOp::read && steps[0].run == PhysicalRun{{0, 1}, 0, 4}));
  CHECK((steps[1].op == MediaOp::read && steps[1].run == PhysicalRun{{0, 2}, 0, 4}));
  CHECK((steps[2].op == MediaOp::read && steps[2].run == PhysicalRun{{0, 0}, 0, 2}));
  CHECK((steps[3].op == MediaOp::read && steps[3].run == PhysicalRun{{0, 0}, 3, 1}));
  CHECK((steps[4].op == MediaOp::write && steps[5].op == MediaOp::write && steps[4].run.count == 4 && steps[5].run.count == 4));
  CHECK(steps[4].run.track.radius > 18);  // the spare zone is the last one
  // Four whole tracks from any sector on; half a turn each for two runs of slots and for the record; 3 + 2 sectors of 2.5 ms.
  const std::vector<FirmwareBench::StepRecord> merge(steps.begin(), steps.begin() + 8);
  CHECK(positionings(merge) == 3);
  Picoseconds seeks;
  Picoseconds rotation;
  for (const auto& step : merge) {
    seeks += step.timing.seek;
    rotation += step.timing.rotation;
  }
  using namespace tessera::literals;
  CHECK(rotation == 15_ms);
  CHECK(merge.back().timing.end - merge.front().begin == seeks + rotation + 52_ms + 500_us);
  CHECK(drive.metric("rmw.time_total") == Approx(static_cast<double>((seeks + rotation + 52_ms + 500_us).value()) / 1e9));
  CHECK(drive.metric("cleaning.mean") == Approx(drive.metric("rmw.time_total")));
  double parts = drive.metric("merge.time.rest");
  for (const char* const part : {"merge.time.band_read", "merge.time.buffer_read", "merge.time.band_write"}) {
    CHECK(drive.metric(part) > 0);
    parts += drive.metric(part);
  }
  CHECK(parts == Approx(drive.metric("rmw.time_total")));
  drive.check_content();
}

TEST_CASE("a merge buffer of a third of the zone makes three rounds") {
  FluidSetup setup = timed(4);
  setup.prefilled = 48;
  setup.zones().merge_buffer = sectors(3);
  FluidDrive drive(setup);
  drive.write_zoned({{0, 1}, {0, 2}, {1, 0}, {0, 7}, {2, 0}});
  std::vector<std::pair<MediaOp, std::uint32_t>> moved;
  for (const auto& step : drive.bench().steps_in("bands")) moved.emplace_back(step.op, step.run.count);
  const std::vector<std::pair<MediaOp, std::uint32_t>> rounds{{MediaOp::read, 3}, {MediaOp::write, 3}, {MediaOp::read, 1},
                                                              {MediaOp::read, 2}, {MediaOp::write, 1}, {MediaOp::write, 2},
                                                              {MediaOp::read, 2}, {MediaOp::write, 2}};
  CHECK(moved == rounds);
  drive.check_content();
}

TEST_CASE("in place a zone is rewritten where it lies, and nothing is logged") {
  FluidSetup setup = timed(4);
  setup.prefilled = 48;
  setup.zones().paper = true;
  FluidDrive drive(setup);
  drive.write_zoned({{0, 1}, {0, 2}, {1, 0}, {0, 7}, {2, 0}});
  const auto steps = drive.bench().steps_in("bands");
  REQUIRE(steps.size() == 4);
  CHECK(steps[0].run == steps[2].run);
  CHECK(steps[1].run == steps[3].run);
  CHECK(drive.metric("log.sectors") == 0);
  drive.check_content();
}

TEST_CASE("a trimmed sector at the end of a zone is not rewritten, and padding reads as never written") {
  FluidDrive drive(timed(2));
  drive.write_zoned({{0, 0}, {0, 6}, {1, 0}});  // zone 0 is appended up to 6, with padding
  CHECK(drive.write_pointer(0) == 7);
  drive.read(drive.at(0, 3));
  drive.trim(drive.at(0, 6));
  drive.write_zoned({{0, 0}, {2, 0}, {3, 0}});
  CHECK(drive.metric("rmw.count") == 1);
  CHECK(drive.write_pointer(0) == 1);
  CHECK(drive.metric("pad.sectors") == 5);
  drive.check_content();
}

TEST_CASE("a zone of which all was trimmed, in whatever pieces, costs one record and is appended to from its first sector on") {
  FluidSetup setup = timed(2);
  setup.prefilled = 48;
  const bool whole = GENERATE(true, false);
  setup.zones().hole_maps = whole ? 0 : 1;
  FluidDrive drive(setup);
  drive.bench().steps.clear();
  if (!whole) drive.trim(drive.at(0, 5), 3);
  CHECK(drive.bench().steps.empty());
  drive.trim(drive.at(0, 0), whole ? 8 : 5);
  CHECK(drive.bench().sectors_in("log", MediaOp::write) == 2);
  CHECK(drive.bench().steps.size() == drive.bench().steps_in("log").size());
  CHECK(drive.write_pointer(0) == 0);
  drive.cut_now();
  CHECK(drive.write_pointer(0) == 0);
  drive.bench().steps.clear();
  drive.write_zoned({{0, 0}, {0, 1}, {1, 0}});
  CHECK(drive.metric("rmw_free.count") == 1);
  CHECK(drive.bench().sectors_in("bands", MediaOp::read) == 0);
  CHECK(drive.bench().sectors_in("bands", MediaOp::write) == 2);
  drive.check_content();
}

TEST_CASE("what was trimmed behind the last sector that a zone holds is given up in the log, then overwritten") {
  FluidSetup setup = timed(2);
  setup.prefilled = 48;
  FluidDrive drive(setup);
  drive.trim(drive.at(0, 4), 4);
  drive.write_zoned({{0, 5}, {1, 0}});
  drive.bench().steps.clear();
  drive.write_zoned({{2, 0}});
  const std::vector<FirmwareBench::StepRecord> logged = drive.bench().steps_in("log");
  const std::vector<FirmwareBench::StepRecord> bands = drive.bench().steps_in("bands");
  REQUIRE((logged.size() == 4 && bands.size() == 1));
  CHECK(logged[0].begin < bands[0].begin);
  CHECK((bands[0].op == MediaOp::write && bands[0].run.first == 0 && bands[0].run.count == 2));  // padding at 4, and sector 5
  CHECK(drive.write_pointer(0) == 6);
  CHECK(drive.metric("rmw.count") == 0);
  drive.check_content();
}

TEST_CASE("zones that are rewritten in place keep their write pointers over a TRIM, as no log knows of it") {
  FluidSetup setup = timed(1);
  setup.prefilled = 48;
  setup.zones().paper = true;
  FluidDrive drive(setup);
  drive.trim(drive.at(0, 0), 8);
  CHECK(drive.write_pointer(0) == 8);
  drive.write_zoned({{0, 2}, {1, 0}});
  CHECK(drive.metric("rmw.count") == 1);
  drive.check_content();
}

TEST_CASE("sequence numbers go on above the watermarks although no slot shows them") {
  // A cut while the newest write is under way: its number was taken, and a write-back may have used it as watermark.
  FluidDrive drive(timed(1));
  drive.write_zoned({{0, 0}, {1, 0}, {0, 0}});
  drive.cut_now();
  drive.write_zoned({{0, 0}});
  drive.cut_now();
  CHECK(drive.slot(0, 0) == 0);
  drive.check_content();
}

TEST_CASE("victims in more runs than one chain of the disk takes are collected all the same") {
  FluidSetup setup;
  setup.zones().zone = sectors(64);
  setup.zones().zones = 3;
  setup.zones().buffer = sectors(40);
  setup.bench.media.tracks = 200;
  FluidDrive drive(setup);
  for (std::uint32_t i = 0; i < 20; ++i) drive.write_zoned({{0, 2 * i}, {1, 2 * i}});
  CHECK(drive.metric("cleaning.count") == 0);
  drive.write(drive.at(2, 0));
  CHECK(drive.metric("cleaning.count") > 0);
  drive.check_content();
}

TEST_CASE("a zone is dirty while the buffer holds a sector of it") {
  FluidDrive drive{FluidSetup{}};
  drive.write_zoned({{0, 0}, {1, 0}, {1, 1}});
  CHECK(drive.layer().owners().dirty_zones() == 2);
  drive.trim(drive.at(1, 0), 2);
  CHECK(drive.layer().owners().dirty_zones() == 2);
}

TEST_CASE("the gauge of what is written in the zones begins with what they hold") {
  const auto written = [](const FluidSetup& setup) {
    FluidDrive drive(setup);
    return drive.bench().metric("gauge.zones.written_sectors.last");
  };
  FluidSetup setup = timed(4);
  CHECK(written(setup) == 0);
  setup.prefilled = 11;
  CHECK(written(setup) == 11);
}
