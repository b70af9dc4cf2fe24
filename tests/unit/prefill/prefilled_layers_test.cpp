// A prefilled drive has contents: sparse writes, which leave most of them alone, find out who forgets a neighbour.
#include <catch2/catch.hpp>

#include "base/random.hpp"
#include "prefilled_drive.hpp"

using namespace tessera;
using test::PrefilledDrive;

namespace {

/// Few blocks, anywhere in the drive, half of them not whole sectors, with a TRIM now and then.
void write_sparsely(PrefilledDrive& drive, RandomStream& random, std::uint32_t requests) {
  for (std::uint32_t i = 0; i < requests; ++i) {
    const auto count = static_cast<std::uint32_t>(random.below(2) == 0 ? 1 + random.below(24) : 8 * (1 + random.below(20)));
    const std::uint64_t first = random.below(drive.user_blocks() - count) / (count % 8 == 0 ? 8 : 1) * (count % 8 == 0 ? 8 : 1);
    drive->submit(random.below(12) == 0 ? HostOp::trim : HostOp::write, first, count);
  }
}

/// Those that take writes anywhere.
std::vector<std::string> layers() {
  std::vector<std::string> names;
  for (const auto& layer : all_layers())
    if (layer->zone_size() == Bytes(0)) names.push_back(layer->name());
  return names;
}

}  // namespace

TEST_CASE("every layer returns what a prefilled drive holds: sparse writes, cuts, everything read back") {
  for (const std::string& layer : layers())
    for (const std::uint32_t percent : {50U, 100U}) {
      CAPTURE(layer, percent);
      RandomStream random(percent, "test." + layer);
      PrefilledDrive drive(layer, percent);
      CHECK(drive.wrong_blocks() == 0);
      for (int round = 0; round < 4; ++round) {
        write_sparsely(drive, random, 24);
        if (round % 2 == 0) drive->run_until_all_done();
        drive->cut_after_actions(random.below(200));
        CHECK(drive.wrong_blocks() == 0);
      }
      write_sparsely(drive, random, 60);
      drive->run_until_all_done();
      drive->run_until_idle(Picoseconds(20 * ps_per_second));
      CHECK(drive.wrong_blocks() == 0);
      CHECK(drive->scoreboard().checked() >= 5 * drive.prefilled_blocks());
    }
}

TEST_CASE("a layer's first write to a prefilled drive keeps what lies beside it") {
  for (const std::string& layer : layers()) {
    CAPTURE(layer);
    PrefilledDrive drive(layer, 100);
    for (const std::uint64_t sector : {0U, 17U, 40U, 777U, 1600U}) {
      REQUIRE(drive->write(sector * 8, 8) == Status::ok);
      CHECK(drive.wrong_blocks() == 0);
    }
  }
}

TEST_CASE("a write in front of the end of the prefilled space keeps what lies behind it") {
  for (const std::string& layer : layers())
    for (const std::uint32_t percent : {33U, 47U, 49U}) {
      CAPTURE(layer, percent);
      PrefilledDrive drive(layer, percent);
      const std::uint64_t end = drive.prefilled_blocks();
      for (std::uint64_t back = 64 * 8; back > 8; back -= 3 * 8) REQUIRE(drive->write(end - back, 4) == Status::ok);
      REQUIRE(drive->write(end - 96 * 8, 32 * 8 + 1) == Status::ok);
      drive->run_until_idle(Picoseconds(20 * ps_per_second));
      CHECK(drive.wrong_blocks() == 0);
    }
}

TEST_CASE("a drive that is prefilled where a zone is offline is refused, since nothing can be read there") {
  CHECK_NOTHROW(PrefilledDrive("zoned", 50, {"layers.zoned.offline_zones=1"}));
  CHECK_THROWS_WITH(PrefilledDrive("zoned", 100, {"layers.zoned.offline_zones=1"}),
                    Catch::Contains("in a zone that is offline from the start"));
}
