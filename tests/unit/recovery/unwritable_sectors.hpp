#pragma once
// Sectors of logs, checkpoints, backups and journals that cannot be written and have no spares: what a half-written record says may or may
// not be so at the next boot, and nothing that was acknowledged is lost either way.
#include <catch2/catch.hpp>

#include <memory>
#include <utility>
#include <vector>

#include "firmware/layout/plan_regions.hpp"
#include "support/random_histories.hpp"

namespace tessera::test {

/// So many random histories with power cuts, each on a new drive with one to four such sectors in the regions of this name:
/// `make(rows of media.write_fault_sectors)` gives the drive. Gives how many of them came to such a sector.
template <class Make>
std::uint64_t faulty_histories(const Make& make, std::string_view region, std::uint64_t runs, const RandomTraffic& traffic = {}) {
  const auto model = make(std::vector<NumberRow>());
  const FormatPlan regions = regions_named(model->plan(), region);
  std::uint64_t faulty = 0;
  for (std::uint64_t run = 0; run < runs; ++run) {
    INFO(region << ", run " << run);
    RandomStream random(run, "unwritable sectors");
    std::vector<NumberRow> faults;
    for (std::uint32_t left = pick(random, 1, 4); left > 0; --left) {
      const Region& drawn = regions[random.below(regions.size())];
      const auto radius = static_cast<std::uint32_t>(drawn.first + random.below(drawn.count));
      const std::uint32_t index = pick(random, 0, model->bench().media().sectors_on({0, radius}) - 1);
      faults.push_back({0, static_cast<double>(radius), static_cast<double>(index)});
    }
    const auto drive = make(faults);
    if (drive->bench().boot_status() != Status::ok) continue;  // it could not be formatted
    random_cuts(*drive, random, traffic);
    faulty += drive->bench().metric("media.faults.write") != 0;
  }
  return faulty;
}

template <class Drive, class Setup>
std::uint64_t faulty_histories_of(Setup setup, std::string_view region, std::uint64_t runs, const RandomTraffic& traffic = {}) {
  const auto make = [&setup](std::vector<NumberRow> faults) {
    setup.bench.media.write_fault_sectors = std::move(faults);
    return std::make_unique<Drive>(setup);
  };
  return faulty_histories(make, region, runs, traffic);
}

}  // namespace tessera::test
