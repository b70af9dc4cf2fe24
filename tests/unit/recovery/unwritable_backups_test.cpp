// Backups, journals and logs on platters that cannot be written, of layers that write tracks in place.
#include "firmware/layers/layer_factories.hpp"
#include "unit/firmware/test_drive.hpp"
#include "unit/static_mapping/static_drive.hpp"
#include "unit/tiers/interlaced_tiers_drive.hpp"
#include "unwritable_sectors.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

constexpr std::uint64_t runs = 600;

using Parameters = std::map<std::string, double>;
using MakeFactory = std::unique_ptr<LayerFactory> (*)();

/// Of a drive of 40 tracks.
std::uint64_t faulty(MakeFactory factory, const Parameters& parameters, std::string_view region, const FirmwareConfig& firmware = {}) {
  const auto make = [&](std::vector<NumberRow> faults) {
    BenchConfig config = small_drive();
    config.media.tracks = 40;
    config.media.spare_tracks = 0;
    config.media.write_fault_sectors = std::move(faults);
    return std::make_unique<TestDrive>(factory(), parameters, config, firmware);
  };
  return faulty_histories(make, region, runs);
}

}  // namespace

TEST_CASE("a write cache whose journal cannot be written loses nothing") {
  FirmwareConfig firmware;
  firmware.write_cache.capacity = Bytes(24 * 4096);
  firmware.write_cache.durability = CacheDurability::journal;
  CHECK(faulty(make_cmr_factory, {{"journal_tracks", 2}}, "journal", firmware) > 100);
}

TEST_CASE("interlaced layers whose backups or log of moves cannot be written lose nothing") {
  const auto moving = [](const std::string& name, double value) {
    return Parameters{{"update_frequency", 12}, {"log_records", 2}, {name, value}};
  };
  CHECK(faulty(make_imr_rmw_factory, {}, "backup") > 100);
  Parameters cached = moving("swap_hysteresis", 1);
  cached["cache_tracks"] = 2;
  for (const char* const region : {"backup", "moves", "log"}) {
    CAPTURE(region);
    CHECK(faulty(make_imr_flip_factory, moving("flip_threshold", 1), region) > 1);
    CHECK(faulty(make_imr_dtm_factory, moving("swap_threshold", 1), region) > 1);
    CHECK(faulty(make_imr_cache_factory, cached, region) > 1);
  }
  CHECK(faulty(make_imr_cache_factory, cached, "cache") > 100);
}

/// A boot finds it, though the write that it was for has failed, and cannot void it by its last sector.
TEST_CASE("what a backup record describes that was written in part is no less writable behind the next boot") {
  BenchConfig config = small_drive();
  config.media.spare_tracks = 0;
  constexpr std::uint64_t full = 1'000'000;
  PhysicalRun last;  // of the sectors saved before the write
  {
    TestDrive drive(make_imr_rmw_factory(), {}, config, {}, full);
    REQUIRE(drive->write(0, 16 * blocks_per_sector) == Status::ok);
    for (const FirmwareBench::StepRecord& step : drive->steps_in("backup"))
      if (step.op == MediaOp::write) last = step.run;
    REQUIRE(last.count > 1);
  }
  config.media.write_fault_sectors = {{0, static_cast<double>(last.track.radius), static_cast<double>(last.first + last.count - 1)}};
  TestDrive drive(make_imr_rmw_factory(), {}, config, {}, full);
  CHECK(drive->write(0, 16 * blocks_per_sector) != Status::ok);
  drive->cut_now();
  REQUIRE(drive->boot_status() == Status::ok);
  for (std::uint64_t sector = 16; sector < drive.user_sectors(); sector += 16)  // the tops beside it among them
    CHECK(drive->write(sector * blocks_per_sector, blocks_per_sector) == Status::ok);
  drive.check_content();
}

TEST_CASE("static mappings whose backups or log cannot be written lose nothing") {
  for (const Scheme scheme : {Scheme::s1234, Scheme::r4123, Scheme::s124r3, Scheme::s14r23}) {
    CAPTURE(static_cast<int>(scheme));
    const auto make = [scheme](std::vector<NumberRow> faults) {
      BenchConfig config = static_drive(2);
      config.media.spare_tracks = 0;
      config.media.write_fault_sectors = std::move(faults);
      return std::make_unique<StaticDrive>(scheme, config);
    };
    CHECK(faulty_histories(make, "backup", runs) > 100);
    CHECK(faulty_histories(make, "log", runs) > 100);
  }
}
