// What the paper leaves open or says in passing of a merge: which band it takes, and when the blocks are erased.
#include <catch2/catch.hpp>

#include <vector>

#include "mu_rmw_drive.hpp"

using namespace tessera;
using namespace tessera::mu_rmw;
using namespace tessera::test;
using namespace tessera::literals;
using Catch::Contains;

namespace {

/// Three bands of 8 sectors; blocks of four pages, as many as the writes fill.
MuRmwSetup three_bands(MergeVictim victim, std::uint64_t blocks) {
  MuRmwSetup setup;
  setup.layer.bands = 3;
  setup.layer.victim = victim;
  setup.bench.nand->blocks = blocks;
  setup.bench.nand->pages_per_block = 4;
  return setup;
}

/// Blocks of the band that the last of these writes merges.
std::vector<std::uint64_t> erased(const MuRmwSetup& setup, const std::vector<std::uint64_t>& writes) {
  MuRmwDrive drive(setup);
  for (const std::uint64_t sector : writes) drive.write(sector);
  drive.check_content();
  CHECK(drive.metric("rmw.count") == 1);
  return drive.flash(FlashOp::erase);
}

using Blocks = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE("mu-rmw: the longest list goes first, unless what counts is what it holds that is superseded") {
  // Band 0 has blocks 0 and 1: five pages, all valid. Band 1 has block 2: one valid, three superseded. Band 2 has block 3: one and one.
  const std::vector<std::uint64_t> writes{0, 1, 2, 3, 4, 8, 8, 8, 8, 16, 16, 8};
  CHECK(erased(three_bands(MergeVictim::longest, 4), writes) == Blocks{0, 1});
  CHECK(erased(three_bands(MergeVictim::most_invalid, 4), writes) == Blocks{2});
  CHECK(erased(three_bands(MergeVictim::cost, 4), writes) == Blocks{0, 1});  // 8 pages for 16 + 5 sectors, 4 for 16 + 1
}

TEST_CASE("mu-rmw: of lists of one length the first goes, or the one that costs the fewest sectors") {
  // A block each. Valid: 4, 1 and 2 pages.
  const std::vector<std::uint64_t> writes{0, 1, 2, 3, 8, 8, 8, 8, 16, 17, 16, 17, 4};
  CHECK(erased(three_bands(MergeVictim::longest, 3), writes) == Blocks{0});
  CHECK(erased(three_bands(MergeVictim::cost, 3), writes) == Blocks{1});
  CHECK(erased(three_bands(MergeVictim::most_invalid, 3), writes) == Blocks{1});
}

TEST_CASE("mu-rmw: what a merge costs is the band read and written, and its valid pages") {
  // Band 0: 8 pages for 16 + 2 sectors; band 1: 12 for 16 + 8.
  const std::vector<std::uint64_t> writes{0, 0, 0, 0, 1, 1, 1, 1, 8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 12, 13, 16};
  CHECK(erased(three_bands(MergeVictim::cost, 5), writes) == Blocks{2, 3, 4});
}

TEST_CASE("mu-rmw: a band of which every page is valid is a victim whatever the rule") {
  const auto victim = GENERATE(MergeVictim::longest, MergeVictim::most_invalid, MergeVictim::cost);
  CHECK(erased(three_bands(victim, 2), {8, 9, 10, 11, 0, 1, 2, 3, 16}) == Blocks{1});  // the lower number of two that are alike
}

TEST_CASE("mu-rmw: the parts of a merge's time sum to the whole, erases beside the write are part of it only as long as they last longer") {
  const auto parts = [](bool beside) {
    MuRmwSetup setup;
    setup.layer.crash_safe = false;
    setup.layer.erase_while_writing = beside;
    setup.bench.ideal_electronics();
    MuRmwDrive drive(setup);
    for (const std::uint64_t sector : {0, 1, 8, 9, 2, 3, 10}) drive.write(sector);
    REQUIRE(drive.metric("rmw.count") == 1);
    const std::array<double, 5> times{drive.metric("merge.time.band_read"), drive.metric("merge.time.flash_read"),
                                      drive.metric("merge.time.band_write"), drive.metric("merge.time.erase"),
                                      drive.metric("merge.time.rest")};
    CHECK(times[0] + times[1] + times[2] + times[3] + times[4] == Approx(drive.metric("rmw.time_total")));
    CHECK(drive.metric("cleaning.dirty_bands_mean") == 2);
    for (int part = 0; part < 3; ++part) CHECK(times[part] > 0);
    return times;
  };
  const auto after = parts(false);
  const auto beside = parts(true);
  CHECK(after[3] == Approx(3.0));  // ms: two blocks of one plane, 1.5 ms each
  CHECK(beside[3] == 0);
  CHECK(after[1] == Approx(beside[1]));
}

TEST_CASE("mu-rmw: each merge has its own parts") {
  MuRmwSetup setup;
  setup.layer.crash_safe = false;
  setup.bench.ideal_electronics();
  MuRmwDrive drive(setup);
  const auto parts = [&drive] {
    return drive.metric("merge.time.band_read") + drive.metric("merge.time.flash_read") + drive.metric("merge.time.band_write") +
           drive.metric("merge.time.erase") + drive.metric("merge.time.rest");
  };
  for (int round = 0; round < 6; ++round) {
    for (const std::uint64_t sector : {0, 1, 8, 9, 2, 3, 10}) drive.write(sector);
    CHECK(parts() == Approx(drive.metric("rmw.time_total")));
  }
  CHECK(drive.metric("rmw.count") >= 3);
  CHECK(drive.metric("merge.time.rest") >= 0);
}

TEST_CASE("mu-rmw: blocks that are erased while their band is written cost no time of their own") {
  const auto time_of_merge = [](bool beside) {
    MuRmwSetup setup;
    setup.layer.crash_safe = false;
    setup.layer.erase_while_writing = beside;
    setup.bench.ideal_electronics();
    MuRmwDrive drive(setup);
    for (const std::uint64_t sector : {0, 1, 8, 9, 2, 3}) drive.write(sector);
    const Picoseconds begin = drive.bench().now();
    drive.write(10);  // band 0 and its two blocks go
    const Picoseconds took = drive.bench().now() - begin;
    drive.check_content();
    CHECK(drive.flash(FlashOp::erase).size() == 2);
    return took;
  };
  CHECK(time_of_merge(false) - time_of_merge(true) == 3000_us);  // two blocks of one plane, 1.5 ms each
}

TEST_CASE("mu-rmw: blocks are erased while their band is written only where the paper's merges in place are chosen") {
  MuRmwConfig config;
  config.checkpoint.region = Bytes(0);
  config.erase_while_writing = true;
  CHECK_THAT(check_flash(config, {64, 32, 512}), Contains("erase_while_writing needs merges in place"));
  config.crash_safe = false;
  CHECK(check_flash(config, {64, 32, 512}).empty());
}
