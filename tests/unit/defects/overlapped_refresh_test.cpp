// Tracks that overlap are refreshed with all that their rewrite destroys, and nothing of it is lost, wherever the power is cut.
#include "firmware/layers/layer_factories.hpp"
#include "firmware/refresh/overlap.hpp"
#include "firmware/refresh/track_refresh.hpp"
#include "support/random_histories.hpp"
#include "unit/firmware/test_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::test;

namespace {

using Radii = std::vector<std::uint32_t>;

Region bands(RecordingFormat format, std::uint32_t width, std::uint32_t band, std::uint32_t guard, std::uint64_t count) {
  Region region{.name = "data", .first = 10, .count = count, .format = format};
  region.head_width = width;
  region.band_tracks = band;
  region.guard_tracks = guard;
  return region;
}

struct Kind {
  const char* name;
  std::unique_ptr<LayerFactory> (*make)();
  std::map<std::string, double> parameters;
  bool weak = true;  ///< its hot spot lies next to tracks that the layer does not write with it
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {"imr-rmw", make_imr_rmw_factory, {{"backup_slots", 1}}},
      {"shingled-in-place-1234", make_static_1234_factory, {{"backup_slots", 1}, {"raz_tracks", 14}}},
      {"shingled-in-place-124r3", make_static_124r3_factory, {{"backup_slots", 1}, {"raz_tracks", 14}}, false},
      {"vguard", make_vguard_factory, {{"cache_tracks", 6}}, false}};
  return all;
}

constexpr std::uint32_t limit = 80;

struct WeakDrive : TestDrive {
  explicit WeakDrive(const Kind& kind, std::uint32_t threshold, RefreshCounters counters = RefreshCounters::track)
      : TestDrive(kind.make(), kind.parameters, weak(), refreshing(threshold, counters)) {}

  static BenchConfig weak() {
    BenchConfig config = small_drive();
    config.media.tracks = 61;
    config.media.interference_limit = limit;
    return config;
  }
  static FirmwareConfig refreshing(std::uint32_t threshold, RefreshCounters counters) {
    FirmwareConfig firmware;
    firmware.refresh.threshold = threshold;
    firmware.refresh.counters = counters;
    firmware.refresh.areas_per_track = 4;
    return firmware;
  }
  void fill() {
    for (std::uint64_t sector = 0; sector < user_sectors(); ++sector) write(sector);
  }
  void write(std::uint64_t sector) { REQUIRE(bench().write(sector * blocks_per_sector, blocks_per_sector) == Status::ok); }
  void write_hot(std::uint32_t times) {
    for (std::uint32_t i = 0; i < times; ++i) write(user_sectors() / 2);
  }
};

}  // namespace

TEST_CASE("the order of a rewrite ends where nothing more is destroyed") {
  const Overlap interlaced({Region{.name = "data", .first = 10, .count = 8, .format = RecordingFormat::interlaced}});
  CHECK(interlaced.order(12) == Radii{12, 11, 13});
  CHECK(interlaced.order(10) == Radii{10, 11});
  CHECK(interlaced.order(13) == Radii{13});
  CHECK(interlaced.order(9) == Radii{9});
  CHECK(interlaced.window() == 3);

  const Overlap shingled({bands(RecordingFormat::shingled, 3, 5, 2, 14)});
  CHECK(shingled.order(12) == Radii{12, 13, 14, 15, 16});  // with the guards, which may hold something
  CHECK(shingled.order(15) == Radii{15});
  CHECK(shingled.window() == 3);
  Region falling = bands(RecordingFormat::shingled, 2, 5, 1, 12);
  falling.direction = -1;
  CHECK(Overlap({falling}).order(18) == Radii{18, 17, 16, 15});

  const Overlap wave({bands(RecordingFormat::wave, 3, 4, 3, 22)});
  CHECK(wave.order(11) == Radii{11, 12, 13});
  CHECK(wave.order(20) == Radii{20, 19, 18, 17});
  CHECK(wave.order(15).empty());  // the guard of both

  // The way back, to the beginning of a band.
  CHECK(shingled.before(12) == 11);
  CHECK_FALSE(shingled.before(10));
  CHECK_FALSE(shingled.before(15));  // a guard
  CHECK_FALSE(shingled.before(17));  // the next band's first
  CHECK(shingled.before(18) == 17);
  CHECK(Overlap({falling}).before(17) == 18);
  CHECK_FALSE(Overlap({falling}).before(20));  // the next radius is a guard
  CHECK_FALSE(Overlap({falling}).before(21));  // the guard itself
  CHECK(wave.before(12) == 11);
  CHECK(wave.before(18) == 19);
  CHECK_FALSE(wave.before(20));
  CHECK_FALSE(wave.before(15));
  CHECK_FALSE(interlaced.before(12));
  CHECK_FALSE(shingled.before(9));
}

TEST_CASE("without a refresh a hot spot costs an overlapping layer sectors, with one nothing") {
  for (const Kind& kind : kinds()) {
    INFO(kind.name);
    WeakDrive without(kind, 0);
    without.fill();
    without.write_hot(400);
    CHECK((without.wrong_blocks() != 0) == kind.weak);
    for (const RefreshCounters counters : {RefreshCounters::track, RefreshCounters::area}) {
      WeakDrive with(kind, 24, counters);
      with.fill();
      with.write_hot(400);
      with->run_until_idle(1000_ms);
      CHECK(with.wrong_blocks() == 0);
      CHECK((with.metric("refresh.tracks") > 0 || !kind.weak));
      CHECK(with.metric("refresh.failed") == 0);
    }
  }
}

TEST_CASE("a cut at any instant of a refresh of overlapping tracks loses nothing") {
  for (const Kind& kind : kinds()) {
    INFO(kind.name);
    for (std::uint64_t actions = 0;; ++actions) {
      WeakDrive drive(kind, 16);
      drive.fill();
      drive->run_until_idle(10000_ms);
      drive.write_hot(15);
      drive->submit(HostOp::write, drive.user_sectors() / 2 * blocks_per_sector, blocks_per_sector);
      const bool cut = drive->cut_after_actions(actions);
      INFO("cut after " << actions << " actions");
      REQUIRE(drive->boot_status() == Status::ok);
      REQUIRE(drive.wrong_blocks() == 0);
      if (!cut) {
        CHECK(actions > 8);
        break;
      }
      drive->cut_now();
      REQUIRE(drive->boot_status() == Status::ok);
      drive.write_hot(40);
      drive->run_until_idle(1000_ms);
      REQUIRE(drive.wrong_blocks() == 0);
    }
  }
}

TEST_CASE("requests that meet tracks under rewrite wait for them, and random histories with cuts keep what was acknowledged") {
  for (const Kind& kind : kinds())
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      INFO(kind.name << ", seed " << seed);
      RandomStream random(seed, kind.name);
      WeakDrive drive(kind, 16, seed % 2 == 0 ? RefreshCounters::area : RefreshCounters::track);
      drive.fill();
      random_history(drive, random);
      random_cuts(drive, random);
      CHECK(drive.metric("refresh.failed") == 0);
    }
}
