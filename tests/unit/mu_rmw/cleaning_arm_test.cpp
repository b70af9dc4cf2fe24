// Merges that keep to an arm: which band goes, where to, and two at once.
#include <algorithm>
#include <set>

#include "mu_rmw_drive.hpp"
#include "support/cut_everywhere.hpp"

using namespace tessera;
using namespace tessera::test;
using namespace tessera::literals;
using Blocks = std::vector<std::uint64_t>;

namespace {

/// Bands 0 and 2 are on arm 0, 1 and 3 on arm 1, a spare one on each. Four blocks of two pages.
MuRmwSetup two_arms(CleaningArm where) {
  MuRmwSetup setup;
  setup.cleaning = where;
  setup.layer.bands = 4;
  setup.layer.spare_bands = 2;
  setup.bench.media.surfaces = 2;
  setup.bench.media.actuators = 2;
  setup.bench.nand->blocks = 4;
  setup.bench.ideal_electronics();
  return setup;
}

/// A block for each band.
void fill(MuRmwDrive& drive) {
  for (const std::uint64_t sector : {0, 1, 8, 9, 16, 17, 24, 25}) drive.write(sector);
  drive.bench().steps.clear();
  drive.bench().flash_commands.clear();
}

void submit_write(MuRmwDrive& drive, std::uint64_t sector) { drive.bench().submit(HostOp::write, sector * 8, 8); }

/// The surfaces on which bands were read or written.
std::set<std::uint32_t> surfaces(MuRmwDrive& drive, MediaOp op) {
  std::set<std::uint32_t> found;
  for (const auto& step : drive.bench().steps_in("bands"))
    if (step.op == op) found.insert(step.run.track.surface);
  return found;
}

/// Blocks that a write erases while the host reads `busy`, a sector of no cached band, four times.
Blocks erased_beside(CleaningArm where, std::uint64_t busy, const std::vector<std::uint64_t>& before) {
  MuRmwDrive drive(two_arms(where));
  for (const std::uint64_t sector : before) drive.write(sector);
  drive.bench().flash_commands.clear();
  for (int i = 0; i < 4; ++i) drive.bench().submit(HostOp::read, (busy + static_cast<std::uint64_t>(i)) * 8, 8);
  submit_write(drive, 31);
  drive.bench().run_until_all_done();
  drive.check_content();
  CHECK(drive.metric("rmw.count") == 1);
  return drive.flash(FlashOp::erase);
}

}  // namespace

TEST_CASE("mu-rmw: of victims that win as much that of the arm which serves the host less goes") {
  const std::vector<std::uint64_t> alike{0, 1, 8, 9, 16, 17, 24, 25};
  CHECK(erased_beside(CleaningArm::any, 20, alike) == Blocks{0});
  CHECK(erased_beside(CleaningArm::idle, 20, alike) == Blocks{1});  // arm 0 reads
  CHECK(erased_beside(CleaningArm::idle, 28, alike) == Blocks{0});  // arm 1 reads
}

TEST_CASE("mu-rmw: a read that is over makes no arm busy") {
  MuRmwDrive drive(two_arms(CleaningArm::idle));
  fill(drive);
  for (std::uint64_t i = 0; i < 4; ++i) drive.read(20 + i);  // arm 0
  drive.write(31);
  CHECK(drive.flash(FlashOp::erase) == Blocks{0});
}

TEST_CASE("mu-rmw: a victim of the idle arm that wins less than three quarters of the best stays") {
  const std::vector<std::uint64_t> longer{0, 1, 2, 3, 8, 9, 24, 25};  // band 0 has two blocks, 1 and 3 one each
  CHECK(erased_beside(CleaningArm::idle, 20, longer) == Blocks{0, 1});
}

TEST_CASE("mu-rmw: a merge whose arm is chosen reads and writes on that arm alone") {
  MuRmwDrive drive(two_arms(CleaningArm::idle));
  fill(drive);
  drive.write(2);
  REQUIRE(drive.metric("rmw.count") == 1);
  CHECK(surfaces(drive, MediaOp::read) == std::set<std::uint32_t>{0});
  CHECK(surfaces(drive, MediaOp::write) == std::set<std::uint32_t>{0});
  drive.cut_now();
  drive.check_content();
}

TEST_CASE("mu-rmw: two writes that find no block merge a band on each arm in the time of one, or one after the other") {
  const auto time_of = [](CleaningArm where) {
    MuRmwDrive drive(two_arms(where));
    fill(drive);
    const Picoseconds begin = drive.bench().now();
    for (const std::uint64_t sector : {2, 10}) submit_write(drive, sector);
    drive.bench().run_until_all_done();
    CHECK(drive.metric("rmw.count") == 2);
    const auto steps = drive.bench().steps_in("bands");
    CHECK(steps.size() == 8);  // two tracks a band, read and written
    const auto on_surface = [](const auto& step) { return step.run.track.surface == 0; };
    if (where == CleaningArm::each) CHECK(drive.flash(FlashOp::erase) == Blocks{0, 1});
    if (where == CleaningArm::each) CHECK(std::ranges::count_if(steps, on_surface) == 4);
    const Picoseconds took = drive.bench().now() - begin;
    drive.check_content();
    return took;
  };
  const double ratio = static_cast<double>(time_of(CleaningArm::any).value()) / static_cast<double>(time_of(CleaningArm::each).value());
  CHECK(ratio > 1.5);
  CHECK(ratio < 2.1);
}

TEST_CASE("mu-rmw: a merger without a victim waits for the other one's block") {
  MuRmwDrive drive(two_arms(CleaningArm::each));
  for (const std::uint64_t sector : {0, 1, 2, 3, 16, 17, 18, 19}) drive.write(sector);  // of arm 0 all
  for (const std::uint64_t sector : {4, 20, 8, 24}) submit_write(drive, sector);
  drive.bench().run_until_all_done();
  drive.check_content();
  drive.cut_now();
  drive.check_content();
}

TEST_CASE("mu-rmw: cuts throughout two merges at once lose nothing") {
  const MuRmwSetup setup = two_arms(CleaningArm::each);
  const auto begin = [](MuRmwDrive& drive) {
    fill(drive);
    for (const std::uint64_t sector : {2, 10}) submit_write(drive, sector);
  };
  const auto go_on = [](MuRmwDrive& drive) {
    for (const std::uint64_t sector : {18, 26, 0, 8}) drive.write(sector);
  };
  CHECK(test::cut_everywhere<MuRmwDrive>(setup, begin, go_on) > 20);
}
