// Random histories of reads, writes, flushes and trims, several at a time, with pauses and power cuts, on drives of all shapes: what was
// acknowledged is what is read (the bench's scoreboard is the plain map).
#include "base/random.hpp"
#include "firmware/layers/imr_cache.hpp"
#include "firmware/layers/imr_dtm.hpp"
#include "firmware/layers/imr_flip.hpp"
#include "imr_drive.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

/// Layer parameters and a drive to go with them.
struct Shape {
  Parameters parameters;
  BenchConfig config = small_drive();
  std::uint64_t prefilled = 0;
};

/// Numbers of one history.
class Dice {
 public:
  Dice(std::uint64_t run, std::string_view name) : random_(run, name) {}
  std::uint32_t operator()(std::uint64_t low, std::uint64_t high) {
    return static_cast<std::uint32_t>(low + random_.below(high - low + 1));
  }

 private:
  RandomStream random_;
};

Shape random_shape(Dice& pick) {
  Shape shape;
  shape.config.media.surfaces = pick(1, 2);
  shape.config.media.tracks = pick(40, 61);
  shape.config.media.sectors_per_track = pick(5, 12);
  shape.config.media.timing = pick(0, 1) == 0 ? MediaTimingMode::expected : MediaTimingMode::rotational;
  shape.config.controller.scheduling = pick(0, 1) == 0 ? SchedulingPolicy::first_come : SchedulingPolicy::shortest_positioning;
  // In front of the reserved tracks, wherever these lie: the backup region of read-modify-writes wants whole tracks.
  for (std::uint32_t i = pick(0, 6); i > 0; --i)
    shape.config.media.slipped_defects.push_back(
        {double(pick(0, shape.config.media.surfaces - 1)), double(pick(0, 10)), double(pick(1, 2))});
  const std::uint32_t filling = pick(0, 2);
  shape.prefilled = filling == 0 ? 0 : filling == 1 ? 1'000'000'000 : pick(1, 400);
  shape.parameters = {{"update_frequency", double(pick(3, 40))},
                      {"log_records", double(pick(1, 5))},
                      {"top_ratio", pick(0, 1) == 0 ? 1.0 : 0.8},
                      {"layout_n", double(pick(0, 1) == 0 ? 1 : pick(2, 9))},
                      {"order", double(pick(0, 1))},
                      {"backup_place", double(pick(0, 1))},
                      {"skip_unwritten", double(pick(0, 1))},
                      {"ack_early", double(pick(0, 1))}};
  return shape;
}

class HistoryDrive : public TestDrive {
 public:
  HistoryDrive(std::unique_ptr<LayerFactory> factory, const Shape& shape, Dice& dice)
      : TestDrive(std::move(factory), shape.parameters, shape.config, {}, shape.prefilled), pick(dice) {}

  /// A request to one of a few hot places, or to anywhere.
  void submit_random() {
    const std::uint64_t user = firmware().user_sectors() * 8;
    const std::uint64_t track = std::uint64_t{8} * 10;
    const std::uint64_t first = pick(0, 3) != 0 ? (pick(0, 4) * 2 * track + pick(0, 60)) % user : pick(0, user - 1);
    const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(user - first, pick(0, 5) == 0 ? pick(1, 200) : pick(1, 24)));
    const std::uint32_t kind = pick(0, 19);
    const HostOp op = kind == 0 ? HostOp::trim : kind == 1 ? HostOp::flush : kind < 5 ? HostOp::read : HostOp::write;
    if (op == HostOp::flush) {
      bench().submit(op, 0, 0);
    } else {
      bench().submit(op, first, count, kind == 19);
    }
  }
  void pause() { bench().run_for(Picoseconds(std::uint64_t{pick(1, 400)} * 1'000'000'000)); }

 private:
  Dice& pick;
};

using MakeFactory = std::unique_ptr<LayerFactory> (*)();
using AddParameters = void (*)(Shape&, Dice&);

/// Gives how many moves there were since the last cut.
double history(MakeFactory make, AddParameters add, std::uint64_t run, bool cuts) {
  INFO("run " << run);
  Dice dice(run, cuts ? "cuts" : "histories");
  Shape shape = random_shape(dice);
  add(shape, dice);
  HistoryDrive drive(make(), shape, dice);
  for (int round = 0; round < 60; ++round) {
    for (std::uint32_t depth = dice(1, 6); depth > 0; --depth) drive.submit_random();
    if (cuts && dice(0, 9) == 0) {
      drive->cut_after_actions(dice(0, 300));
      if (dice(0, 2) == 0) drive->cut_twice(dice(0, 200));
      REQUIRE(drive->boot_status() == Status::ok);
      REQUIRE(drive.wrong_blocks() == 0);
      continue;
    }
    if (dice(0, 2) == 0) drive.pause();  // requests and moves beside each other
    drive->run_until_all_done();
    if (dice(0, 1) == 0) drive.pause();
  }
  REQUIRE(drive.wrong_blocks() == 0);
  return drive.metric("cleaning.count");
}

/// Many histories, in which many tracks are moved.
void histories(MakeFactory make, AddParameters add, bool cuts) {
  double moves = 0;
  for (std::uint64_t run = 0; run < 300; ++run) moves += history(make, add, run, cuts);
  CHECK(moves > (cuts ? 300 : 1000));
}

void flip_parameters(Shape& shape, Dice& pick) {
  shape.parameters["flip_threshold"] = pick(0, 3);
  shape.parameters["max_flips"] = pick(1, 5);
}

void cache_parameters(Shape& shape, Dice& pick) {
  shape.config.media.tracks += 20;  // for the cache
  shape.parameters["cache_tracks"] = pick(1, 6);
  shape.parameters["cache_location"] = pick(0, 1);
  shape.parameters["cache_groups"] = pick(1, 4);
  shape.parameters["swap_hysteresis"] = pick(0, 3);
  shape.parameters["evict_clean_free"] = pick(0, 1);
  shape.parameters["paper"] = pick(0, 1);
}

void dtm_parameters(Shape& shape, Dice& pick) {
  shape.parameters["zone_tracks"] = pick(4, 30);
  shape.parameters["swap_threshold"] = pick(0, 3);
  shape.parameters["max_flips"] = pick(1, 6);
  shape.parameters["paper"] = pick(0, 1);
}

}  // namespace

TEST_CASE("random requests to imr-flip return what was written") { histories(make_imr_flip_factory, flip_parameters, false); }

TEST_CASE("power cuts at random instants of imr-flip lose nothing") { histories(make_imr_flip_factory, flip_parameters, true); }

TEST_CASE("random requests to imr-cache return what was written") { histories(make_imr_cache_factory, cache_parameters, false); }

TEST_CASE("power cuts at random instants of imr-cache lose nothing") { histories(make_imr_cache_factory, cache_parameters, true); }

TEST_CASE("random requests to imr-dtm return what was written") { histories(make_imr_dtm_factory, dtm_parameters, false); }

TEST_CASE("power cuts at random instants of imr-dtm lose nothing") { histories(make_imr_dtm_factory, dtm_parameters, true); }
