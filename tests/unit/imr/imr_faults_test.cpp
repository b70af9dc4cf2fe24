// Sectors that cannot be read on interlaced drives, in every region, with moves of tracks and power cuts.
#include <functional>

#include "firmware/layers/layer_factories.hpp"
#include "imr_drive.hpp"
#include "support/unreadable_sectors.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

using MakeFactory = std::unique_ptr<LayerFactory> (*)();

struct Kind {
  const char* name;
  MakeFactory make;
  Parameters parameters;
  std::uint64_t hot = 2 * 16 + 3;  ///< sector whose track is to move
};

/// Short intervals, so that tracks move all the time.
std::vector<Kind> kinds() {
  const Parameters moving{{"update_frequency", 12}, {"log_records", 2}};
  return {{"imr-rmw", make_imr_rmw_factory, {}},
          {"imr-flip", make_imr_flip_factory, with(moving, {{"flip_threshold", 1}})},
          {"imr-cache", make_imr_cache_factory, with(moving, {{"cache_tracks", 2}, {"swap_hysteresis", 1}})},
          {"imr-dtm", make_imr_dtm_factory, with(moving, {{"swap_threshold", 1}})}};
}

std::unique_ptr<ImrDrive> drive_of(const Kind& kind) {
  BenchConfig config = small_drive();
  config.media.tracks = 40;
  return std::make_unique<ImrDrive>(kind.make(), kind.parameters, config);
}

constexpr RandomTraffic traffic{.longest = 200, .cuts = 2, .requests = 20};

}  // namespace

TEST_CASE("interlaced layers: one unreadable sector costs that sector alone") {
  for (const Kind& kind : kinds()) {
    INFO(kind.name);
    one_unreadable_sector([&kind] { return drive_of(kind); }, traffic);
  }
}

TEST_CASE("imr-rmw: a sector that cannot be written is lost alone, of a bottom track and of the tops that a write of one restores") {
  const double radius = GENERATE(1, 2, 3);
  const double early = GENERATE(0, 1);
  BenchConfig config = small_drive();
  config.media.spare_tracks = 0;
  config.media.write_fault_sectors = {{0, radius, 8}};
  ImrDrive drive(make_imr_rmw_factory(), {{"ack_early", early}}, config);
  for (std::uint64_t sector = 0; sector < drive.user_sectors(); ++sector)
    static_cast<void>(drive->write(sector * blocks_per_sector, blocks_per_sector));
  for (std::uint64_t sector = 0; sector + 16 <= drive.user_sectors(); sector += 16)
    static_cast<void>(drive->write(sector * blocks_per_sector, 16 * blocks_per_sector));
  static_cast<void>(drive.write_sector(2, 0, 16));
  drive.pause();
  std::uint32_t failing = 0;
  for (std::uint64_t sector = 0; sector < drive.user_sectors(); ++sector)
    failing += ok(drive->read(sector * blocks_per_sector, blocks_per_sector)) ? 0U : 1U;
  CHECK(failing == 1);  // the one that cannot be written
  CHECK(drive->scoreboard().errors() == 0);
}

TEST_CASE("interlaced layers: scattered unreadable sectors, with power cuts, never give wrong data") {
  for (const Kind& kind : kinds()) {
    for (std::uint64_t run = 0; run < 600; ++run) {
      INFO(kind.name << ", run " << run);
      RandomStream random(run, "imr faults");
      const auto drive = drive_of(kind);
      scatter_unreadable(*drive, random, 12);
      history_with_losses(*drive, random, {.longest = 200, .cuts = 4, .requests = 30});
    }
  }
}

namespace {

/// A drive with contents of its own on which a move has just begun.
std::unique_ptr<ImrDrive> drive_in_a_move(const Kind& kind, PowerfailSector torn) {
  BenchConfig config = small_drive();
  config.media.powerfail_sector = torn;
  auto drive = std::make_unique<ImrDrive>(kind.make(), with(kind.parameters, {{"update_frequency", 120}}), config);
  const auto heat = [&drive](std::uint64_t hot) {
    for (std::uint64_t sector = 0; sector + 8 <= drive->user_sectors(); sector += 8) REQUIRE((*drive)->write(sector * 8, 64) == Status::ok);
    const double before = drive->metric("intervals.count");
    while (drive->metric("intervals.count") == before) REQUIRE((*drive)->write(hot * 8, 8) == Status::ok);
  };
  heat(kind.hot);
  if (kind.parameters.contains("cache_tracks")) {
    (*drive)->run_for(2_s);
    heat(4 * 16 + 5);  // takes the slot of the track before
  }
  (*drive)->run_for(11_ms);
  (*drive)->steps.clear();
  return drive;
}

std::vector<Kind> moving_kinds() {
  const Parameters moving{{"log_records", 2}};
  return {{"imr-flip", make_imr_flip_factory, moving},
          {"imr-cache", make_imr_cache_factory, with(moving, {{"cache_tracks", 1}, {"swap_hysteresis", 5}})},
          {"imr-dtm, neighbours", make_imr_dtm_factory, with(moving, {{"swap_threshold", 20}}), 3},
          {"imr-dtm", make_imr_dtm_factory, with(moving, {{"swap_threshold", 20}}), 70}};
}

/// The last sectors of what a move writes, but for its log.
std::vector<PhysicalSector> last_sectors(const Kind& kind) {
  const auto drive = drive_in_a_move(kind, PowerfailSector::atomic);
  (*drive)->run_for(2_s);
  const std::vector<FirmwareBench::StepRecord> of_log = (*drive)->steps_in("log");
  const auto logs = [&of_log](const FirmwareBench::StepRecord& step) {
    return std::ranges::any_of(of_log, [&step](const auto& other) { return other.begin == step.begin; });
  };
  std::vector<PhysicalSector> sectors;
  for (const FirmwareBench::StepRecord& step : (*drive)->steps) {
    const PhysicalSector last{step.run.track, step.run.first + step.run.count - 1};
    if (step.op == MediaOp::write && !logs(step) && std::ranges::find(sectors, last) == sectors.end()) sectors.push_back(last);
  }
  return sectors;
}

std::uint32_t failing_sectors(ImrDrive& drive) {
  std::uint32_t failing = 0;
  for (std::uint64_t sector = 0; sector < drive.user_sectors(); ++sector) failing += ok(drive->read(sector * 8, 8)) ? 0U : 1U;
  return failing;
}

}  // namespace

TEST_CASE("a sector that a move has written and a boot cannot read is lost alone, wherever the move was") {
  for (const Kind& kind : moving_kinds())
    for (const PhysicalSector& bad : last_sectors(kind))
      for (std::uint64_t cut = 0; cut < 70; ++cut) {
        const Picoseconds after = Picoseconds(3'125'000'000) * cut + 100_us;
        INFO(kind.name << ", sector " << bad.index << " of radius " << bad.track.radius << ", cut after " << after.value() << " ps");
        const auto drive = drive_in_a_move(kind, PowerfailSector::atomic);
        (*drive)->run_for(after);
        (*drive)->media().add_unreadable(bad);
        if (cut % 3 == 0)
          (*drive)->cut_twice(cut * 37 % 90);
        else
          (*drive)->cut_now();
        check_with_losses(*drive);
        CHECK(failing_sectors(*drive) <= 1);
      }
}

TEST_CASE("a save or a write of a move that a cut tears is not taken for one whose sector a fault took") {
  for (const Kind& kind : moving_kinds())
    for (std::uint64_t cut = 0; cut < 200; ++cut) {
      const Picoseconds after = Picoseconds(1'250'000'000) * cut + 100_us;
      INFO(kind.name << ", cut after " << after.value() << " ps");
      const auto drive = drive_in_a_move(kind, PowerfailSector::corrupt);
      (*drive)->run_for(after);
      (*drive)->cut_now();
      check_with_losses(*drive);
      CHECK(failing_sectors(*drive) == 0);
    }
}

TEST_CASE("imr-rmw: saved sectors of which the reads are late are put back, wherever the cut comes") {
  BenchConfig config = small_drive();
  config.media.spare_tracks = 0;  // nobody else reads again
  const auto fill = [](ImrDrive& drive) {
    for (std::uint64_t track = 0; track < 8; ++track) REQUIRE(drive.write_sector(track, 0, track_sectors) == Status::ok);
    drive->steps.clear();
  };
  std::vector<FirmwareBench::StepRecord> saves;
  {
    ImrDrive model(make_imr_rmw_factory(), {}, config);
    fill(model);
    REQUIRE(model.write_sector(2, 0, 4) == Status::ok);
    saves = model->steps_in("backup");
  }
  for (const FirmwareBench::StepRecord& step : saves)
    for (std::uint32_t i = 0; step.op == MediaOp::write && i < step.run.count; ++i)
      config.media.transient_sectors.push_back(
          {double(step.run.track.surface), double(step.run.track.radius), double(step.run.first + i), 30.0});
  REQUIRE(!config.media.transient_sectors.empty());
  std::uint64_t restored = 0;
  for (std::uint64_t cut = 0; cut < 100; ++cut) {
    ImrDrive drive(make_imr_rmw_factory(), {}, config);
    INFO("cut after " << cut << " ms");
    fill(drive);
    drive->submit(HostOp::write, 2 * track_sectors * blocks_per_sector, 4 * blocks_per_sector);
    drive->run_for(1_ms * cut);
    drive->cut_now();
    REQUIRE(drive->boot_status() == Status::ok);
    CHECK(failing_sectors(drive) == 0);
    CHECK(drive->scoreboard().errors() == 0);
    restored += drive.metric("backup.voids") > 0 ? 1U : 0U;
  }
  CHECK(restored > 0);
}
