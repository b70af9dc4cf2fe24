// The costs of the paper in `expected` timing: half a turn and a seek to get there, then a turn a block, since the blocks of a segment
// lie at one angle.
#include "hwsr_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::test;

namespace {

HwsrSetup expected_setup(std::uint64_t prefilled) {
  HwsrSetup setup;
  setup.bench.ideal_electronics();
  setup.bench.media.timing = MediaTimingMode::expected;
  setup.bench.media.speed = Rpm(6000);
  setup.bench.media.seek_min = Picoseconds(2'000'000'000);
  setup.bench.media.seek_full_stroke = Picoseconds(2'000'000'000);  // every seek takes 2 ms
  setup.bench.media.write_settle = Picoseconds(0);
  setup.layer.caches.crash_safe = false;  // no flash time
  setup.prefilled = prefilled;
  return setup;
}

constexpr Picoseconds turn = 10_ms;
constexpr Picoseconds block = turn / 4;  // 2 of 8 sectors

}  // namespace

TEST_CASE("a rewrite costs a seek, half a turn and a turn for each block read and written") {
  for (std::uint32_t index = 0; index < 4; ++index) {
    HwsrDrive drive(expected_setup(192));
    drive.read(drive.at(20, 0));  // elsewhere
    drive.write(drive.at(0, index), 2);
    drive.bench().steps.clear();
    drive.flush();
    const std::uint64_t read = 3 - index, written = 4 - index;
    // The first of the turns is the transfer of a block only: nothing was at that angle before it.
    CHECK(drive.bench().media_time() == 2_ms + turn / 2 + block + turn * (read + written - 1));
  }
}

TEST_CASE("a read of blocks in a row costs a turn for each block") {
  HwsrSetup setup = expected_setup(192);
  setup.cache_blocks(0);
  HwsrDrive drive(setup);
  drive.read(drive.at(20, 0));
  drive.bench().steps.clear();
  drive.read(drive.at(0, 0), 8);
  CHECK(drive.bench().media_time() == 2_ms + turn / 2 + block + turn * 3);
}

TEST_CASE("a read of several segments costs a turn for each track, not for each block") {
  HwsrSetup setup = expected_setup(192);
  setup.cache_blocks(0);
  setup.bench.media.timing = MediaTimingMode::rotational;
  const auto turns = [&](ReadOrder order) {
    setup.layer.read_order = order;
    HwsrDrive drive(setup);
    drive.read(drive.at(20, 0));
    drive.bench().steps.clear();
    drive.read(drive.at(0, 0), 3 * 8);
    return drive.bench().media_time() / turn;
  };
  CHECK(turns(ReadOrder::track) <= 5);  // and one to get there
  CHECK(turns(ReadOrder::segment) >= 9);
}

TEST_CASE("on the skewed tracks of the linear variant a segment costs little more than its transfers") {
  const auto time = [](WaveVariant variant) {
    HwsrSetup setup;
    setup.layer.layout = variant;
    setup.layer.caches.crash_safe = false;
    setup.bench.media.speed = Rpm(6000);
    setup.bench.media.sectors_per_track = 64;
    setup.bench.media.cylinder_skew = 20;  // 3.1 ms
    setup.bench.media.seek_min = 2_ms;
    setup.bench.media.seek_full_stroke = 4_ms;
    setup.bench.media.write_settle = Picoseconds(0);
    setup.cache_blocks(0);
    HwsrDrive drive(setup);
    drive.bench().steps.clear();
    drive.read(drive.at(0, 0), 8);
    return drive.bench().media_time();
  };
  CHECK(time(WaveVariant::paper_linear) < 20_ms);
  CHECK(time(WaveVariant::physical) > 30_ms);
}
