// tessera-imr: what a write of a bottom saves, restores and leaves alone when newer copies are in front.
#include "interlaced_tiers_drive.hpp"
#include "support/cut_everywhere.hpp"

using namespace tessera;
using namespace tessera::test;
using namespace tessera::literals;

namespace {

constexpr std::uint64_t bottom = 4;  // T; its tops are 3 and 5

bool in_backup(const FormatPlan& plan, PhysicalTrack track) {
  return std::ranges::any_of(regions_named(plan, "backup"), [track](const Region& region) {
    return track.radius >= region.first && track.radius < region.first + region.count;
  });
}

/// Steps on the platters in words: "read 3: 2-4", "save 3", "write 4: 2-4".
std::vector<std::string> steps_of(InterlacedTiersDrive& drive) {
  std::vector<std::string> words;
  for (const FirmwareBench::StepRecord& step : drive.bench().steps) {
    const PhysicalRun& run = step.run;
    if (in_backup(drive.plan(), run.track)) {
      words.push_back("save " + std::to_string(run.count));
    } else {
      words.push_back((step.op == MediaOp::read ? "read " : "write ") + std::to_string(run.track.radius) + ": " +
                      std::to_string(run.first) + "-" + std::to_string(run.first + run.count - 1));
    }
  }
  return words;
}

using Steps = std::vector<std::string>;

/// Without a buffer: writes of two sectors at most go to flash, longer ones home.
InterlacedTiersSetup unbuffered() {
  InterlacedTiersSetup setup;
  setup.layer.buffer = Bytes(0);
  setup.use_flash();
  return setup;
}

}  // namespace

TEST_CASE("tessera-imr: of a top and a bottom in the buffer the bottom goes first, and the top is neither saved nor restored") {
  const InterlacedTiersSetup setup;
  InterlacedTiersDrive drive(setup);
  drive.write_on(bottom + 1, 2, 3);
  drive.write_on(bottom, 2, 3);
  drive.bench().steps.clear();
  drive.flush();
  CHECK(steps_of(drive) == Steps{"read 3: 2-4", "save 3", "write 4: 2-4", "write 3: 2-4", "write 5: 2-4"});
  CHECK(drive.metric("rmw.spared") == 3);
  drive.check_content();
}

TEST_CASE("tessera-imr: with both tops in the buffer a bottom is written as if it stood alone") {
  const InterlacedTiersSetup setup;
  InterlacedTiersDrive drive(setup);
  drive.write_on(bottom - 1, 2, 3);
  drive.write_on(bottom + 1, 2, 3);
  drive.write_on(bottom, 2, 3);
  drive.bench().steps.clear();
  drive.flush();
  CHECK(steps_of(drive) == Steps{"write 4: 2-4", "write 3: 2-4", "write 5: 2-4"});
  drive.check_content();
}

TEST_CASE("tessera-imr: a bottom that begins in the middle of a top's run goes before it, too") {
  const InterlacedTiersSetup setup;
  InterlacedTiersDrive drive(setup);
  drive.write_on(bottom + 1, 2, 6);
  drive.write_on(bottom, 4, 2);
  drive.bench().steps.clear();
  drive.flush();
  CHECK(steps_of(drive) == Steps{"read 3: 4-5", "save 2", "write 4: 4-5", "write 3: 4-5", "write 5: 2-7"});
  drive.check_content();
}

TEST_CASE("tessera-imr: each of its two ideas can be switched off") {
  InterlacedTiersSetup setup;
  setup.layer.bottoms_first = false;
  InterlacedTiersDrive by_age(setup);
  by_age.write_on(bottom + 1, 2, 3);
  by_age.write_on(bottom, 2, 3);
  by_age.bench().steps.clear();
  by_age.flush();
  CHECK(steps_of(by_age).front() == "write 5: 2-4");
  CHECK(by_age.metric("rmw.spared") == 0);

  setup.layer.bottoms_first = true;
  setup.layer.spare_tops = false;
  InterlacedTiersDrive careful(setup);
  careful.write_on(bottom + 1, 2, 3);
  careful.write_on(bottom, 2, 3);
  careful.bench().steps.clear();
  careful.flush();
  CHECK(steps_of(careful) ==
        Steps{"read 3: 2-4", "read 5: 2-4", "save 6", "write 4: 2-4", "write 3: 2-4", "write 5: 2-4", "save 1", "write 5: 2-4"});
}

TEST_CASE("tessera-imr: a top of which the buffer holds a part is saved") {
  const InterlacedTiersSetup setup;
  InterlacedTiersDrive drive(setup);
  REQUIRE(drive.bench().write(((bottom + 1) * 16 + 2) * blocks_per_sector, 3) == Status::ok);
  REQUIRE(drive.bench().write((bottom * 16 + 2) * blocks_per_sector, 8, true) == Status::ok);
  CHECK(drive.metric("rmw.spared") == 0);
  drive.check_content();
}

TEST_CASE("tessera-imr: tops in flash are left out at the ends of what is saved") {
  InterlacedTiersDrive drive(unbuffered());
  drive.write_on(bottom + 1, 2, 2);
  drive.bench().steps.clear();
  drive.write_on(bottom, 2, 4);
  CHECK(steps_of(drive) == Steps{"read 3: 2-5", "read 5: 4-5", "save 6", "write 4: 2-5", "write 3: 2-5", "write 5: 4-5"});
  CHECK(drive.metric("rmw.spared") == 2);
  drive.check_content();
  drive.cut_now();
  drive.check_content();
}

TEST_CASE("tessera-imr: a top in flash between others that are not is saved with them, destroyed or not") {
  InterlacedTiersDrive drive(unbuffered());
  drive.write_on(bottom + 1, 3, 1);
  drive.write_on(bottom, 1, 3);  // destroys it: at the end
  CHECK(drive.metric("rmw.spared") == 1);
  drive.bench().steps.clear();
  drive.write_on(bottom, 2, 3);
  CHECK(steps_of(drive) == Steps{"read 3: 2-4", "read 5: 2-4", "save 6", "write 4: 2-4", "write 3: 2-4", "write 5: 2-4"});
  CHECK(drive.metric("rmw.spared") == 1);
  drive.check_content();
  drive.cut_now();
  drive.check_content();
}

TEST_CASE("tessera-imr: a top that left the flash is at home, and saved again") {
  InterlacedTiersSetup setup = unbuffered();
  setup.layer.copy_forward = tiers::CopyForward::off;
  setup.layer.evict_after = 1_ms;
  setup.layer.flash_free = 50;
  InterlacedTiersDrive drive(setup);
  drive.write_on(bottom + 1, 2, 2);
  drive.write_on(bottom, 2, 4);
  for (std::uint64_t track = 12; track < 24; ++track) drive.write_on(track, 0, 2);
  drive.bench().run_for(3_s);
  REQUIRE(drive.metric("flash.moved_on") >= 2);
  const double before = drive.metric("rmw.spared");
  drive.write_on(bottom, 2, 4);
  CHECK(drive.metric("rmw.spared") == before);
  drive.check_content();
  drive.cut_now();
  drive.check_content();
}

TEST_CASE("tessera-imr: TRIM takes nothing out of flash, which may have the only copy") {
  InterlacedTiersDrive drive(unbuffered());
  drive.write_on(bottom + 1, 2, 2);
  drive.write_on(bottom, 2, 3);
  drive.trim((bottom + 1) * 16 + 2, 2);
  CHECK(drive.metric("flash.voids") == 0);
  drive.check_content();
  drive.cut_now();
  drive.check_content();
}

TEST_CASE("tessera-imr: a cut at any instant of destages that spare tops of the buffer loses nothing") {
  const InterlacedTiersSetup setup;
  const auto begin = [](InterlacedTiersDrive& drive) {
    drive.write_on(3, 2, 3);
    drive.write_on(5, 1, 3);
    drive.write_on(4, 2, 4);
    drive.write_on(9, 0, 2);
    drive.write_on(8, 1, 2);
    drive.bench().submit(HostOp::flush, 0, 0);
  };
  const auto go_on = [](InterlacedTiersDrive& drive) {
    drive.write_on(6, 2, 2);
    drive.write_on(4, 3, 2);
    drive.flush();
  };
  CHECK(cut_everywhere<InterlacedTiersDrive>(setup, begin, go_on) > 10);
}

TEST_CASE("tessera-imr: a cut at any instant of writes of bottoms under tops that flash holds, and is giving back, loses nothing") {
  InterlacedTiersSetup setup = unbuffered();
  setup.layer.evict_after = Picoseconds(0);
  setup.layer.flash_free = 70;
  const auto begin = [](InterlacedTiersDrive& drive) {
    drive.write_on(5, 2, 2);
    drive.write_on(3, 3, 1);
    drive.write_on(5, 4, 1);
    drive.write_on(7, 2, 2);
    for (const std::uint64_t track : {4, 6, 4, 8}) drive.bench().submit(HostOp::write, (track * 16 + 2) * 8, 3 * 8);
  };
  const auto go_on = [](InterlacedTiersDrive& drive) {
    drive.write_on(6, 2, 4);
    drive.write_on(4, 1, 3);
  };
  CHECK(cut_everywhere<InterlacedTiersDrive>(setup, begin, go_on) > 10);
}

TEST_CASE("tessera-imr: a forced write past the buffer is not lost to a bottom that is written as it ends") {
  for (const std::uint32_t delay : {0U, 1U, 2U, 4U, 8U, 16U, 24U, 32U}) {
    InterlacedTiersSetup setup;
    setup.use_flash(12, 1);
    InterlacedTiersDrive drive(setup);
    drive.write_on(bottom + 1, 2, 1);  // in flash, once it is flushed
    drive.flush();
    drive.write_on(bottom + 1, 2, 2);  // dirty
    drive.bench().submit(HostOp::write, ((bottom + 1) * 16 + 2) * 8, 2 * 8, true);
    drive.bench().run_for(1_ms * delay);
    drive.bench().submit(HostOp::write, (bottom * 16 + 2) * 8, 2 * 8, true);
    drive.bench().run_until_all_done();
    drive.check_content();
    drive.cut_now();
    drive.check_content();
  }
}

TEST_CASE("tessera-imr: a boot writes no top again for a save that a cut ended, though one of its sectors was destroyed before") {
  bool ended_in_save = false;
  for (std::uint64_t actions = 0, going = 1; going != 0; ++actions) {
    InterlacedTiersDrive drive(unbuffered());
    drive.write_on(bottom + 1, 3, 1);
    drive.write_on(bottom, 1, 3);  // destroys it
    drive.bench().steps.clear();
    drive.bench().submit(HostOp::write, (bottom * 16 + 2) * 8, 3 * 8);
    going = drive.bench().cut_after_actions(actions) ? 1 : 0;
    const Steps steps = steps_of(drive);
    const auto happened = [&steps](const char* step) { return std::ranges::find(steps, step) != steps.end(); };
    const bool target_begun = happened("write 4: 2-4");
    ended_in_save = ended_in_save || (!target_begun && happened("save 6"));
    INFO("cut after " << actions << " actions");
    CHECK((target_begun || (!happened("write 3: 2-4") && !happened("write 5: 2-4"))));
    drive.check_content();
  }
  CHECK(ended_in_save);
}

TEST_CASE("tessera-imr: a block of flash that was emptied is a cleaning: tracks that are written in place have no other") {
  InterlacedTiersSetup setup = unbuffered();
  setup.layer.evict_after = 1_ms;
  setup.layer.flash_free = 50;
  InterlacedTiersDrive drive(setup);
  CHECK(drive.metric("cleaning.count") == 0);
  for (std::uint64_t i = 0; drive.metric("flash.evicted") == 0 && i < 100; ++i) {
    drive.write_on(bottom, 2, 2);
    drive.bench().run_for(100_ms);
  }
  CHECK(drive.metric("flash.evicted") > 0);
  CHECK(drive.metric("cleaning.count") == drive.metric("flash.evicted"));
  CHECK(drive.metric("cleaning.mean") > 0);
}
