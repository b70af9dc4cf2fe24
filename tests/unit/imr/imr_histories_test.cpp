// Random histories of reads, writes, flushes and trims, several at a time, with pauses and power cuts, on drives of all shapes: what was
// acknowledged is what is read (the bench's scoreboard is the plain map).
#include <set>
#include <utility>

#include "firmware/layers/layer_factories.hpp"
#include "imr_drive.hpp"
#include "support/random_histories.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

/// Layer parameters and a drive to go with them.
struct Shape {
  Parameters parameters;
  BenchConfig config = small_drive();
  std::uint64_t prefilled = 0;
};

Shape random_shape(RandomStream& random) {
  Shape shape;
  shape.config.media.surfaces = pick(random, 1, 2);
  shape.config.media.tracks = pick(random, 40, 61);
  shape.config.media.sectors_per_track = pick(random, 5, 12);
  shape.config.media.timing = pick(random, 0, 1) == 0 ? MediaTimingMode::expected : MediaTimingMode::rotational;
  shape.config.controller.scheduling = pick(random, 0, 1) == 0 ? SchedulingPolicy::first_come : SchedulingPolicy::shortest_positioning;
  // On user tracks and on reserved ones.
  std::set<std::pair<std::uint32_t, std::uint32_t>> defects;
  for (std::uint32_t i = pick(random, 0, 20); i > 0; --i)
    defects.emplace(pick(random, 0, shape.config.media.surfaces - 1), pick(random, 0, shape.config.media.tracks - 1));
  for (const auto& [surface, radius] : defects) shape.config.media.slipped_defects.push_back({double(surface), double(radius), 1.0});
  const std::uint32_t filling = pick(random, 0, 2);
  shape.prefilled = filling == 0 ? 0 : filling == 1 ? 1'000'000'000 : pick(random, 1, 400);
  shape.parameters = {{"update_frequency", double(pick(random, 3, 40))},
                      {"log_records", double(pick(random, 1, 5))},
                      {"top_ratio", pick(random, 0, 1) == 0 ? 1.0 : 0.8},
                      {"layout_n", double(pick(random, 0, 1) == 0 ? 1 : pick(random, 2, 9))},
                      {"order", double(pick(random, 0, 1))},
                      {"backup_place", double(pick(random, 0, 1))},
                      {"backup_slots", double(pick(random, 1, 4))},
                      {"skip_unwritten", double(pick(random, 0, 1))},
                      {"ack_early", double(pick(random, 0, 1))},
                      {"heat", double(pick(random, 0, 1))}};
  add_skew(shape.config.media, random);
  return shape;
}

/// A request to one of a few hot places, or to anywhere.
void submit_hot(TestDrive& drive, RandomStream& random, std::uint32_t reads) {
  const std::uint64_t user = drive.user_sectors() * blocks_per_sector;
  const std::uint64_t track = 10 * blocks_per_sector;
  const bool hot = pick(random, 0, 3) != 0;
  const std::uint64_t first = hot ? (pick(random, 0, 4) * 2 * track + pick(random, 0, 60)) % user : random.below(user);
  const std::uint64_t longest = std::min<std::uint64_t>(user - first, random.below(6) == 0 ? 200 : 24);
  submit_random_at(drive.bench(), random, first, pick(random, 1, longest), reads);
}

void pause(TestDrive& drive, RandomStream& random) { drive->run_for(1_ms * pick(random, 1, 400)); }

using MakeFactory = std::unique_ptr<LayerFactory> (*)();
using AddParameters = void (*)(Shape&, RandomStream&);

/// Gives how many read-modify-writes there were since the last cut, or, with layers that move tracks, moves.
double history(MakeFactory make, AddParameters add, std::uint64_t run, bool cuts, const char* counted = "cleaning.count",
               const FirmwareConfig& firmware = {}, std::uint32_t reads = 3) {
  INFO("run " << run);
  RandomStream random(run, cuts ? "cuts" : "histories");
  Shape shape = random_shape(random);
  add(shape, random);
  TestDrive drive(make(), shape.parameters, shape.config, firmware, shape.prefilled);
  for (int round = 0; round < 60; ++round) {
    for (std::uint32_t depth = pick(random, 1, 6); depth > 0; --depth) submit_hot(drive, random, reads);
    if (cuts && pick(random, 0, 9) == 0) {
      drive->cut_after_actions(pick(random, 0, 300));
      if (pick(random, 0, 2) == 0) drive->cut_twice(pick(random, 0, 200));
      REQUIRE(drive->boot_status() == Status::ok);
      drive.check_content();
      continue;
    }
    if (pick(random, 0, 2) == 0) pause(drive, random);  // requests and moves beside each other
    drive->run_until_all_done();
    if (pick(random, 0, 1) == 0) pause(drive, random);
  }
  drive.check_content();
  return drive.metric(counted);
}

/// Many histories, in which many tracks are moved.
void histories(MakeFactory make, AddParameters add, bool cuts) {
  double moves = 0;
  for (std::uint64_t run = 0; run < 300; ++run) moves += history(make, add, run, cuts);
  CHECK(moves > (cuts ? 300 : 1000));
}

/// With a read cache that keeps the sectors in front of a read: as many reads as writes.
void histories_with_early_sectors(MakeFactory make, AddParameters add) {
  FirmwareConfig firmware;
  firmware.read_cache = {.segments = 3, .segment_sectors = 48, .read_ahead = 4, .zero_latency = true};
  double kept = 0;
  for (std::uint64_t run = 0; run < 200; ++run) kept += history(make, add, run, false, "read_cache.early_sectors", firmware, 16);
  CHECK(kept > 1000);
}

void histories_in_place(AddParameters add, bool cuts) {
  double writes = 0;
  for (std::uint64_t run = 0; run < 100; ++run) writes += history(make_imr_rmw_factory, add, run, cuts, "rmw.count");
  CHECK(writes > (cuts ? 300 : 1000));
}

void in_place_parameters(Shape& shape, RandomStream& random) {
  for (const char* const of_moves : {"update_frequency", "log_records", "heat"}) shape.parameters.erase(of_moves);
  shape.parameters["paper"] = pick(random, 0, 3) == 0 ? 1 : 0;
}

void flip_parameters(Shape& shape, RandomStream& random) {
  shape.parameters["flip_threshold"] = pick(random, 0, 3);
  shape.parameters["max_flips"] = pick(random, 1, 5);
}

void cache_parameters(Shape& shape, RandomStream& random) {
  shape.config.media.tracks += 20;  // for the cache
  shape.parameters["cache_tracks"] = pick(random, 1, 6);
  shape.parameters["cache_location"] = pick(random, 0, 1);
  shape.parameters["cache_groups"] = pick(random, 1, 4);
  shape.parameters["swap_hysteresis"] = pick(random, 0, 3);
  shape.parameters["evict_clean_free"] = pick(random, 0, 1);
  shape.parameters["paper"] = pick(random, 0, 1);
}

void dtm_parameters(Shape& shape, RandomStream& random) {
  shape.parameters["zone_tracks"] = pick(random, 4, 30);
  shape.parameters["swap_threshold"] = pick(random, 0, 3);
  shape.parameters["max_flips"] = pick(random, 1, 6);
  shape.parameters["paper"] = pick(random, 0, 1);
}

}  // namespace

TEST_CASE("random requests to imr-rmw return what was written") { histories_in_place(in_place_parameters, false); }

TEST_CASE("power cuts at random instants of imr-rmw lose nothing") { histories_in_place(in_place_parameters, true); }

TEST_CASE("random requests to imr-flip return what was written") { histories(make_imr_flip_factory, flip_parameters, false); }

TEST_CASE("power cuts at random instants of imr-flip lose nothing") { histories(make_imr_flip_factory, flip_parameters, true); }

TEST_CASE("random requests to imr-cache return what was written") { histories(make_imr_cache_factory, cache_parameters, false); }

TEST_CASE("power cuts at random instants of imr-cache lose nothing") { histories(make_imr_cache_factory, cache_parameters, true); }

TEST_CASE("random requests to imr-dtm return what was written") { histories(make_imr_dtm_factory, dtm_parameters, false); }

TEST_CASE("power cuts at random instants of imr-dtm lose nothing") { histories(make_imr_dtm_factory, dtm_parameters, true); }

TEST_CASE("what a read cache keeps in front of a read is never stale where tracks move") {
  histories_with_early_sectors(make_imr_flip_factory, flip_parameters);
  histories_with_early_sectors(make_imr_cache_factory, cache_parameters);
  histories_with_early_sectors(make_imr_dtm_factory, dtm_parameters);
}
