// Data on platters that cannot be written and have no spares, of layers that rewrite tracks in place: whatever a write destroys on its way
// is written again, and what cannot be is lost alone.
#include "firmware/layers/layer_factories.hpp"
#include "unit/media_cache/media_cache_drive.hpp"
#include "unit/sblock/sblock_drive.hpp"
#include "unit/static_mapping/static_drive.hpp"
#include "unit/tiers/interlaced_tiers_drive.hpp"
#include "unit/tiers/tiers_drive.hpp"
#include "unit/wave/hwsr_drive.hpp"
#include "unwritable_sectors.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

constexpr std::uint64_t runs = 400;
constexpr RandomTraffic traffic{.longest = 300, .cuts = 4};

using Parameters = std::map<std::string, double>;
using MakeFactory = std::unique_ptr<LayerFactory> (*)();

BenchConfig without_spares(BenchConfig config, std::vector<NumberRow> faults) {
  config.media.spare_tracks = 0;
  config.media.write_fault_sectors = std::move(faults);
  return config;
}

/// Of a full drive of 40 tracks.
std::uint64_t faulty(MakeFactory factory, const Parameters& parameters, std::string_view region) {
  const auto make = [&](std::vector<NumberRow> faults) {
    BenchConfig config = without_spares(small_drive(), std::move(faults));
    config.media.tracks = 40;
    return std::make_unique<TestDrive>(factory(), parameters, config, FirmwareConfig(), 1'000'000'000);
  };
  return faulty_histories(make, region, runs, traffic);
}

template <class Drive, class Setup>
std::uint64_t faulty_of(Setup setup, std::string_view region, std::uint64_t histories = runs) {
  setup.bench.media.spare_tracks = 0;
  return faulty_histories_of<Drive>(setup, region, histories, traffic);
}

}  // namespace

TEST_CASE("interlaced layers: a sector that cannot be written is lost alone, and its neighbours are restored") {
  const double early = GENERATE(0, 1);
  const auto moving = [&](const std::string& name, double value) {
    return Parameters{{"update_frequency", 12}, {"log_records", 2}, {"ack_early", early}, {name, value}};
  };
  CHECK(faulty(make_imr_rmw_factory, {{"ack_early", early}}, "data") > 100);
  CHECK(faulty(make_imr_flip_factory, moving("flip_threshold", 1), "data") > 100);
  CHECK(faulty(make_imr_dtm_factory, moving("swap_threshold", 1), "data") > 100);
  Parameters cached = moving("swap_hysteresis", 1);
  cached["cache_tracks"] = 2;
  CHECK(faulty(make_imr_cache_factory, cached, "data") > 100);
}

TEST_CASE("static mappings: a sector that cannot be written is lost alone, and the tracks behind it are written") {
  for (const Scheme scheme : {Scheme::s1234, Scheme::r4123, Scheme::s124r3, Scheme::s14r23}) {
    CAPTURE(static_cast<int>(scheme));
    const auto make = [scheme](std::vector<NumberRow> faults) {
      return std::make_unique<StaticDrive>(scheme, without_spares(static_drive(4), std::move(faults)), Parameters(), 1000);
    };
    CHECK(faulty_histories(make, "data", runs, traffic) > 100);
  }
}

TEST_CASE("vguard: a sector of band or cache that cannot be written is lost alone") {
  for (const char* const region : {"data", "cache"})
    CHECK(faulty(make_vguard_factory, {{"band_tracks", 5}, {"cache_tracks", 4}}, region) > 100);
}

TEST_CASE("hwsr: a sector that cannot be written is lost alone, and the blocks behind it are written") {
  CHECK(faulty_of<HwsrDrive>(HwsrSetup(), "data") > 100);
}

TEST_CASE("sblock: a sector of a region that cannot be written is lost alone") {
  SblockSetup setup;
  setup.bench.media.spare_tracks = 0;
  CHECK(faulty_of<SblockDrive>(setup, "bands", 100) > 10);
}

TEST_CASE("media-cache: a sector of bands or cache that cannot be written is lost alone") {
  MediaCacheSetup setup;
  setup.layer.merge_to = GENERATE(media_cache::MergeTo::place, media_cache::MergeTo::spare, media_cache::MergeTo::either);
  setup.bench.media.spare_tracks = 0;
  for (const char* const region : {"data", "cache"}) {
    CAPTURE(region);
    CHECK(faulty_of<MediaCacheDrive>(setup, region) > 100);
  }
}

TEST_CASE("tessera: a sector of bands or log that cannot be written is lost alone") {
  TiersSetup tiers;
  if (GENERATE(true, false)) tiers.use_flash();
  for (const char* const region : {"data", "cache"}) CHECK(faulty_of<TiersDrive>(tiers, region, 200) > 10);
}

TEST_CASE("tessera-imr: a sector that cannot be written is lost alone, whatever moves") {
  InterlacedTiersSetup setup;
  setup.layer.moves = GENERATE(tiers::Moves::flip, tiers::Moves::cache, tiers::Moves::dtm);
  CHECK(faulty_of<InterlacedTiersDrive>(setup, "data", 100) > 10);
}
