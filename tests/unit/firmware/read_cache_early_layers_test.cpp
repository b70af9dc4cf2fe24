// What the read cache keeps of the sectors in front of a read on layers whose tracks overlap, and where flash lies in between.
#include <catch2/catch.hpp>

#include <algorithm>

#include "firmware/layers/layer_factories.hpp"
#include "support/random_histories.hpp"
#include "unit/firmware/flash_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::test;

namespace {

constexpr std::uint32_t blocks = 8;  // of 512 B in a sector
constexpr std::uint32_t track = 16;  // sectors
constexpr Picoseconds sector = 625_us;

using MakeFactory = std::unique_ptr<LayerFactory> (*)();
using Parameters = std::map<std::string, double>;

struct InPlace {
  MakeFactory make;
  Parameters parameters{};
};

/// The layers that know what lies in front of a read; those that move tracks do so often.
const InPlace layers[] = {
    {make_cmr_factory},
    {make_imr_rmw_factory},
    {make_imr_flip_factory, {{"update_frequency", 15}, {"log_records", 4}, {"flip_threshold", 1}}},
    {make_imr_cache_factory, {{"update_frequency", 15}, {"log_records", 4}, {"cache_tracks", 2}, {"swap_hysteresis", 1}}},
    {make_imr_dtm_factory, {{"update_frequency", 15}, {"log_records", 4}, {"swap_threshold", 1}}},
    {make_static_1234_factory, {{"backup_slots", 1}, {"raz_tracks", 14}}},
    {make_static_r4123_factory, {{"backup_slots", 1}, {"raz_tracks", 14}}},
    {make_static_124r3_factory, {{"backup_slots", 1}, {"raz_tracks", 14}}},
    {make_static_14r23_factory, {{"backup_slots", 1}, {"raz_tracks", 14}}},
    {make_vguard_factory, {{"cache_tracks", 6}}}};

/// A turn of 10 ms with 16 sectors. With skews, so that layers begin their tracks at unequal angles.
BenchConfig spinning_drive(BenchConfig config = small_drive()) {
  config.media.timing = MediaTimingMode::rotational;
  config.media.tracks = 61;
  config.media.track_skew = 3;
  config.media.cylinder_skew = 5;
  return config;
}

FirmwareConfig cached(std::uint32_t segments = 1) {
  FirmwareConfig firmware;
  firmware.read_cache = {.segments = segments, .segment_sectors = 64, .read_ahead = 0, .zero_latency = true};
  return firmware;
}

}  // namespace

TEST_CASE("read cache: each layer that keeps sectors in place keeps those of the track that passed, where its numbers wrap too") {
  for (const InPlace& layer : layers) {
    INFO(layer.make()->name());
    REQUIRE(layer.make()->keeps_early_sectors());
    TestDrive drive(layer.make(), layer.parameters, spinning_drive(), cached());
    const std::uint64_t sectors = 8 * track;
    for (std::uint64_t at = 0; at < sectors; at += track) REQUIRE(drive->write(at * blocks, track * blocks) == Status::ok);
    RandomStream random(1, layer.make()->name());
    std::uint64_t wrapped = 0;
    for (std::uint64_t held = 0, end = 0, i = 0; i < 300; ++i) {
      const std::uint64_t at = random.below(sectors);
      if (held <= at && at <= end) continue;
      const double before = drive.metric("read_cache.early_sectors");
      REQUIRE(drive->read(at * blocks, blocks) == Status::ok);
      const auto& step = drive->steps.back();
      const auto kept = static_cast<std::uint64_t>(drive.metric("read_cache.early_sectors") - before);
      REQUIRE(kept == std::min<std::uint64_t>(step.timing.rotation / sector, at % track));
      wrapped += kept > step.run.first ? 1 : 0;
      held = at - kept;
      end = at + 1;
      if (kept == 0) continue;
      const double hits = drive.metric("read_cache.hits");
      REQUIRE(drive->read(held * blocks, blocks) == Status::ok);
      REQUIRE(drive.metric("read_cache.hits") == hits + 1);
    }
    CHECK((wrapped != 0) == std::ranges::any_of(drive.plan(), &Region::staggered));
    CHECK(drive->scoreboard().errors() == 0);
  }
}

TEST_CASE("read cache: early sectors are never stale on layers that rewrite and move tracks") {
  for (const InPlace& layer : layers) {
    INFO(layer.make()->name());
    double early = 0;
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      INFO("seed " << seed);
      RandomStream random(seed, "early sectors");
      FirmwareConfig config = cached(3);
      if (random.below(2) == 0) config.write_cache.capacity = 32_KiB;
      BenchConfig bench = spinning_drive();
      if (random.below(2) == 0) bench.controller.scheduling = SchedulingPolicy::shortest_positioning;
      TestDrive drive(layer.make(), layer.parameters, bench, config, random.below(2) == 0 ? 1'000'000'000 : 0);
      RandomTraffic traffic;
      traffic.reads = 12;
      traffic.rounds = 60;
      random_history(drive, random, traffic);
      early += drive.metric("read_cache.early_sectors");
      random_cuts(drive, random, traffic);
    }
    CHECK(early > 50);
  }
}

TEST_CASE("read cache: of what flash in front of the layer has, nothing older passes for it") {
  FirmwareConfig config = with_flash_cache(16);
  config.flash_cache.use = FlashCacheUse::writes;
  config.flash_cache.largest_write = 4_KiB;
  config.flash_cache.evict_after = 10_s;
  config.read_cache = cached().read_cache;
  TestDrive drive(make_cmr_factory(), {}, spinning_drive(drive_with_flash(16)), config);
  REQUIRE(drive->write(0, track * blocks) == Status::ok);
  REQUIRE(drive->write(8 * blocks, blocks) == Status::ok);
  REQUIRE(drive.metric("flash.written") == 1);
  REQUIRE(drive->read(1 * blocks, blocks) == Status::ok);
  const double before = drive.metric("read_cache.early_sectors");
  REQUIRE(drive->read(12 * blocks, blocks) == Status::ok);
  REQUIRE(drive->steps.back().timing.rotation / sector == 9);
  CHECK(drive.metric("read_cache.early_sectors") - before == 3);
  REQUIRE(drive->read(8 * blocks, blocks) == Status::ok);
  CHECK(drive.wrong_blocks() == 0);
}
