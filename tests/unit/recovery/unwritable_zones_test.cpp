// A log of the zones on platters that cannot be written.
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
