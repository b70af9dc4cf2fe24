// Drives whose sectors cannot be written, in every region, until no spare is left and they take no more writes.
#include <functional>

#include "firmware/layers/layer_factories.hpp"
#include "unit/firmware/test_drive.hpp"
#include "unwritable_sectors.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

using Parameters = std::map<std::string, double>;
using MakeFactory = std::unique_ptr<LayerFactory> (*)();

/// Random histories with power cuts on drives of 16 spares, each with 10 to 30 such sectors: the drive boots and has all that was
/// acknowledged. How many of them came to take no more writes.
std::uint64_t out_of_spares(MakeFactory factory, const Parameters& parameters, const FirmwareConfig& firmware = {}) {
  BenchConfig config = small_drive();
  config.media.tracks = 41;
  config.media.spare_tracks = 1;
  const FormatPlan regions = TestDrive(factory(), parameters, config, firmware).plan();
  std::uint64_t read_only = 0;
  for (std::uint64_t run = 0; run < 300; ++run) {
    INFO("run " << run);
    RandomStream random(run, "spares run out");
    BenchConfig faulty = config;
    for (std::uint32_t left = pick(random, 10, 30); left > 0; --left) {
      const Region& region = regions[random.below(regions.size())];
      const double radius = static_cast<double>(region.first + random.below(region.count));
      faulty.media.write_fault_sectors.push_back({0, radius, static_cast<double>(random.below(config.media.sectors_per_track))});
    }
    TestDrive drive(factory(), parameters, faulty, firmware);
    if (drive->boot_status() != Status::ok) continue;  // it could not be formatted
    random_cuts(drive, random);
    read_only += drive.metric("defects.read_only") != 0 ? 1 : 0;
  }
  return read_only;
}

Parameters moving(const std::string& name, double value) { return {{"update_frequency", 12}, {"log_records", 2}, {name, value}}; }

}  // namespace

TEST_CASE("a drive that has run out of spares boots and has all that was acknowledged, in whatever region its bad sectors lie") {
  FirmwareConfig journalled;
  journalled.write_cache.capacity = Bytes(24 * 4096);
  journalled.write_cache.durability = CacheDurability::journal;
  Parameters cached = moving("swap_hysteresis", 1);
  cached["cache_tracks"] = 2;
  const Parameters bands{{"raz_tracks", 14}, {"backup_slots", 1}};
  CHECK(out_of_spares(make_cmr_factory, {{"journal_tracks", 2}}, journalled) > 50);
  CHECK(out_of_spares(make_imr_rmw_factory, {}) > 50);
  CHECK(out_of_spares(make_imr_flip_factory, moving("flip_threshold", 1)) > 50);
  CHECK(out_of_spares(make_imr_dtm_factory, moving("swap_threshold", 1)) > 50);
  CHECK(out_of_spares(make_imr_cache_factory, cached) > 30);
  CHECK(out_of_spares(make_static_1234_factory, bands) > 50);
  CHECK(out_of_spares(make_static_124r3_factory, bands) > 50);
  CHECK(out_of_spares(make_vguard_factory, {{"band_tracks", 5}, {"cache_tracks", 3}}) > 50);
}
