// Sectors that cannot be read in bands updated in place, with power cuts.
#include "static_drive.hpp"
#include "support/unreadable_sectors.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

std::unique_ptr<StaticDrive> drive_of(Scheme scheme, std::uint32_t head_width) {
  BenchConfig config = small_drive();
  config.media.tracks = raz + 3 * (4 + head_width - 1);
  const std::map<std::string, double> parameters{{"band_tracks", 4}, {"head_width", head_width}};
  return std::make_unique<StaticDrive>(scheme, config, parameters, 0);
}

}  // namespace

TEST_CASE("static mappings: one unreadable sector costs that sector alone") {
  for (const std::uint32_t head_width : {2, 3}) {
    INFO("head width " << head_width);
    one_unreadable_sector([head_width] { return drive_of(Scheme::r4123, head_width); }, {.longest = 500, .cuts = 2, .requests = 20});
  }
}

TEST_CASE("static mappings: scattered unreadable sectors, with power cuts, never give wrong data") {
  for (std::uint64_t run = 0; run < 600; ++run) {
    INFO("run " << run);
    RandomStream random(run, "static mapping faults");
    const auto drive = drive_of(static_cast<Scheme>(random.below(4)), pick(random, 2, 3));
    scatter_unreadable(*drive, random, 10);
    history_with_losses(*drive, random, {.longest = 500, .cuts = 4, .requests = 30});
  }
}
