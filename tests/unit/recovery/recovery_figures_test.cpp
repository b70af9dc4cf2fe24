// What a recovery cost, as the controller counts it at the ports.
#include <catch2/catch.hpp>

#include <algorithm>

#include "firmware/layers/layer_factories.hpp"
#include "unit/firmware/test_drive.hpp"
#include "unit/flash/flash_drive.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

double figure(FirmwareBench& bench, const char* name) { return bench.metric(std::string("recovery.") + name); }

}  // namespace

TEST_CASE("recovery figures: steps and sectors are those that the media did between power-on and the end of boot") {
  TestDrive drive(make_imr_rmw_factory(), {}, small_drive(), {}, 1'000'000);
  REQUIRE(drive->write(16 * 8, 8) == Status::ok);
  CHECK(figure(drive.bench(), "count") == 0);
  drive->steps.clear();
  const Picoseconds cut = drive->now();
  drive->cut_now();
  std::uint64_t reads = 0;
  std::uint64_t sectors = 0;
  for (const auto& step : drive->steps) {
    reads += step.op == MediaOp::read ? 1 : 0;
    sectors += step.op == MediaOp::read ? step.run.count : 0;
  }
  REQUIRE(reads > 0);
  CHECK(figure(drive.bench(), "count") == 1);
  CHECK(figure(drive.bench(), "media_reads") == static_cast<double>(reads));
  CHECK(figure(drive.bench(), "sectors_read") == static_cast<double>(sectors));
  CHECK(figure(drive.bench(), "media_reads") + figure(drive.bench(), "media_writes") == static_cast<double>(drive->steps.size()));
  CHECK(figure(drive.bench(), "time") == Approx(static_cast<double>((drive->now() - cut).value()) * 1e-9));
  const double first = figure(drive.bench(), "media_reads");
  drive->restart_now();
  CHECK(figure(drive.bench(), "count") == 2);
  CHECK(figure(drive.bench(), "restarts") == 1);
  CHECK(figure(drive.bench(), "media_reads_total") == first + figure(drive.bench(), "media_reads"));
}

TEST_CASE("recovery figures: flash operations are told apart by kind, and a recovery that the power ended counts in the sums alone") {
  SkylightDrive drive{SkylightSetup()};
  for (std::uint64_t i = 0; i < 5; ++i) drive.write(i);
  drive.bench().cut_twice(3);
  CHECK(figure(drive.bench(), "count") == 1);
  CHECK(figure(drive.bench(), "interrupted") == 1);
  CHECK(figure(drive.bench(), "time_total") > figure(drive.bench(), "time"));
  drive.bench().flash_commands.clear();
  drive.bench().cut_now();
  const auto done = [&](FlashOp op) { return static_cast<double>(drive.flash(op)); };
  CHECK(figure(drive.bench(), "flash_oob_reads") == done(FlashOp::read_oob));
  CHECK(figure(drive.bench(), "flash_reads") == done(FlashOp::read));
  CHECK(figure(drive.bench(), "flash_programs") == done(FlashOp::program));
  CHECK(figure(drive.bench(), "flash_erases") == done(FlashOp::erase));
  CHECK(done(FlashOp::read_oob) + done(FlashOp::read) > 0);
}
