// Interlaced tracks: every tag in use on a drive so small that moves meet one another.
#include <catch2/catch.hpp>

#include "firmware/layers/layer_factories.hpp"
#include "support/crowd.hpp"
#include "unit/imr/imr_drive.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

/// Moves after every third write.
const Parameters restless{{"update_frequency", 3}, {"log_records", 1}};

}  // namespace

TEST_CASE("liveness: interlaced layers that move tracks all the time, all tracks hot or only one") {
  for (const std::uint64_t hot : {std::uint64_t{1'000'000}, track_sectors}) {
    CAPTURE(hot);
    const Crowd crowd{.sectors = hot, .longest = 40};
    ImrDrive rmw(make_imr_rmw_factory(), {});
    withstand(rmw, crowd);
    ImrDrive flip(make_imr_flip_factory(), with(restless, {{"flip_threshold", 1}}));
    withstand(flip, crowd);
    ImrDrive dtm(make_imr_dtm_factory(), with(restless, {{"swap_threshold", 1}}));
    withstand(dtm, crowd);
  }
}

TEST_CASE("liveness: a cache of one track in front of interlaced tracks that are all hot") {
  for (const std::uint64_t hot : {std::uint64_t{1'000'000}, track_sectors}) {
    CAPTURE(hot);
    ImrDrive drive(make_imr_cache_factory(), with(restless, {{"swap_hysteresis", 0}, {"cache_tracks", 1}}));
    withstand(drive, {.sectors = hot, .longest = 40});
  }
}
