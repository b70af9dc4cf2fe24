#pragma once
// Drives with sectors that cannot be read: what is acknowledged is what is read, or the read fails because a fault took it; nothing else
// fails, and the drive always boots.
#include <catch2/catch.hpp>

#include <memory>
#include <vector>

#include "support/random_histories.hpp"

namespace tessera::test {

/// Reads everything back: right, or failing where a fault took the newest version. Nothing else may have failed but FLUSHes of what a fault
/// took.
template <class Drive>
void check_with_losses(Drive& drive) {
  FirmwareBench& bench = drive.bench();
  REQUIRE(bench.boot_status() == Status::ok);
  bench.verify_all();
  INFO((bench.scoreboard().messages().empty() ? "" : bench.scoreboard().messages().front()));
  REQUIRE(bench.scoreboard().errors() == 0);
  REQUIRE(bench.unreadable_blocks() == 0);
  REQUIRE(bench.failed_whole_requests() == bench.failed_flushes());
}

/// Requests and cuts in turn, on a drive that has its faults.
template <class Drive>
void history_with_losses(Drive& drive, RandomStream& random, const RandomTraffic& traffic = {}) {
  for (std::uint32_t cut = 0; cut < traffic.cuts; ++cut) {
    for (std::uint64_t requests = random.below(traffic.requests); requests > 0; --requests) {
      submit_random(drive, random, traffic);
      if (random.below(3) == 0) drive.bench().run_until_all_done();
    }
    drive.bench().run_until_all_done();
    if (random.below(3) == 0) drive.bench().run_for(Picoseconds(random.below(traffic.longest_pause.value())));
    check_with_losses(drive);
    for (std::uint64_t requests = random.below(8); requests > 0; --requests) submit_random(drive, random, traffic);
    drive.bench().cut_after_actions(random.below(traffic.actions));
    check_with_losses(drive);
  }
}

/// The first, a middle and the last sector of each region of a drive, each region's first, middle and last track.
inline std::vector<PhysicalSector> border_sectors(const FormatPlan& plan, const FirmwareBench& bench) {
  std::vector<PhysicalSector> sectors;
  for (const Region& region : plan) {
    for (const std::uint64_t offset : {std::uint64_t{0}, region.count / 2, region.count - 1}) {
      const PhysicalTrack track{0, static_cast<std::uint32_t>(region.first + offset)};
      const std::uint32_t length = bench.media().sectors_on(track);
      for (const std::uint32_t index : {0U, length / 2, length - 1}) sectors.push_back({track, index});
    }
  }
  return sectors;
}

/// A history on a new drive for each sector of border_sectors(), which cannot be read from the start, or from somewhere in its middle on.
template <class MakeDrive>
void one_unreadable_sector(const MakeDrive& make, const RandomTraffic& traffic = {}) {
  const auto model = make();
  std::uint64_t run = 0;
  for (const PhysicalSector& sector : border_sectors(model->plan(), model->bench())) {
    for (const bool from_the_start : {true, false}) {
      INFO("sector " << sector.index << " of track " << sector.track.radius << (from_the_start ? ", from the start" : ", later"));
      const auto drive = make();
      RandomStream random(++run, "one unreadable sector");
      if (!from_the_start) history_with_losses(*drive, random, traffic);
      REQUIRE(drive->bench().failed_flushes() == 0);
      drive->bench().media().add_unreadable(sector);
      history_with_losses(*drive, random, traffic);
    }
  }
}

/// Makes up to `count` random sectors of the planned regions unreadable, for good or for up to 30 reads in a row, no two side by side: the
/// firmware keeps what it must find again in two sectors next to one another.
template <class Drive>
void scatter_unreadable(Drive& drive, RandomStream& random, std::uint32_t count) {
  MediaDevice& media = drive.bench().media();
  for (; count > 0; --count) {
    const Region& region = drive.plan()[random.below(drive.plan().size())];
    const PhysicalTrack track{static_cast<std::uint32_t>(random.below(media.geometry().surfaces())),
                              static_cast<std::uint32_t>(region.first + random.below(region.count))};
    const PhysicalSector sector{track, 2 * static_cast<std::uint32_t>(random.below(media.sectors_on(track) / 2))};
    if (random.below(2) == 0)
      media.add_unreadable(sector);
    else
      media.add_transient(sector, pick(random, 1, 30));
  }
}

}  // namespace tessera::test
