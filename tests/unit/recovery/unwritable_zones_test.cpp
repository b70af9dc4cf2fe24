// Platters of the zone layers that cannot be written.
#include "unit/zones/zone_drive.hpp"
#include "unwritable_sectors.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {
constexpr std::uint64_t runs = 2000;
}  // namespace

TEST_CASE("zone layers: a log of zones that cannot be written loses nothing") {
  CHECK(faulty_histories_of<SkylightDrive>(SkylightSetup(), "log", runs) > 100);
  CHECK(faulty_histories_of<FluidDrive>(FluidSetup(), "log", runs) > 100);
  CHECK(faulty_histories_of<AmphisbaenaDrive>(AmphisbaenaSetup(), "log", runs) > 100);
}

namespace {

template <class Drive, class Setup>
std::uint64_t without_spares(Setup setup, std::string_view region) {
  setup.bench.media.spare_tracks = 0;
  return faulty_histories_of<Drive>(setup, region, runs / 10);
}

}  // namespace

TEST_CASE("zone layers: a sector of zone or buffer that cannot be written is lost alone") {
  for (const char* const region : {"bands", "buffer"}) {
    CAPTURE(region);
    CHECK(without_spares<SkylightDrive>(SkylightSetup(), region) > 10);
    CHECK(without_spares<FluidDrive>(FluidSetup(), region) > 10);
    CHECK(without_spares<AmphisbaenaDrive>(AmphisbaenaSetup(), region) > 10);
  }
}
