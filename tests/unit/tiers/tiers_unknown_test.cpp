// Sectors of the log below tessera's tiers of which only a later read at boot brings the header.
#include <vector>

#include "tiers_drive.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

/// Two versions of two sectors, both in the log, as what the buffer had no room for.
void write_twice(TiersDrive& drive) {
  drive.write(51, 2);
  drive.write(51, 2);
}

/// The sectors of the log that these writes met, in their order.
std::vector<PhysicalSector> written_sectors(const TiersSetup& setup) {
  TiersDrive model(setup);
  model.bench().steps.clear();
  write_twice(model);
  std::vector<PhysicalSector> sectors;
  for (const auto& step : model.bench().steps_in("cache"))
    for (std::uint32_t i = 0; step.op == MediaOp::write && i < step.run.count; ++i) sectors.push_back({step.run.track, step.run.first + i});
  return sectors;
}

}  // namespace

TEST_CASE("tessera: a header of the log that only a later read of the boot brings is there") {
  TiersSetup setup;
  setup.layer.buffer = Bytes(0);
  const std::vector<PhysicalSector> sectors = written_sectors(setup);
  REQUIRE(sectors.size() == 6);  // each time two sectors and the end of the packet
  const PhysicalSector end = sectors.back();
  const auto reads = GENERATE(range(1U, 9U));  // that fail before one goes well
  setup.bench.media.transient_sectors = {{static_cast<double>(end.track.surface), static_cast<double>(end.track.radius),
                                          static_cast<double>(end.index), static_cast<double>(reads)}};
  TiersDrive drive(setup);
  write_twice(drive);
  drive.cut_now();
  drive.check_content();
}
