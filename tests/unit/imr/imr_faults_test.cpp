// Sectors that cannot be read on interlaced drives, in every region, with moves of tracks and power cuts.
#include <functional>

#include "firmware/layers/imr_cache.hpp"
#include "firmware/layers/imr_dtm.hpp"
#include "firmware/layers/imr_flip.hpp"
#include "firmware/layers/imr_rmw.hpp"
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
