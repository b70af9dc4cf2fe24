// The newest packet of which no header can be read: what the medium says of it, and which packets are named.
#include <vector>

#include "media_cache_drive.hpp"
#include "platforms/run/missed_packets.hpp"
#include "support/unreadable_sectors.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

/// A cut, and a boot after which the scoreboard excuses what that boot could not know of.
std::vector<LogicalRun> cut_and_excuse(MediaCacheDrive& drive) {
  drive.bench().media().forget_unread();
  drive.cut_now();
  const std::vector<LogicalRun> missed = missed_packets(drive.bench().media());
  for (const LogicalRun& run : missed)
    drive.bench().scoreboard().untold(
        {HostBlock(run.first.value() * blocks_per_sector), static_cast<std::uint32_t>(run.count * blocks_per_sector)});
  return missed;
}

Status read_sector(MediaCacheDrive& drive, std::uint64_t sector) {
  return drive.bench().read(sector * blocks_per_sector, blocks_per_sector);
}

}  // namespace

TEST_CASE("media-cache: what no header says any more is the newest packet alone, and only its sectors may be older") {
  MediaCacheSetup setup;
  setup.layer.least_packet = sectors(GENERATE(0U, 6U));
  MediaCacheDrive drive(setup);
  const std::uint64_t sector = drive.at(2, 3);
  drive.write(drive.at(2, 0), 6);
  drive.write(drive.at(4, 1), 1);
  const auto newest = packet_of(drive, sector, 2);
  drive.bench().media().add_unreadable(newest[1]);
  drive.bench().media().add_unreadable(newest.back());
  drive.bench().media().forget_unread();
  drive.cut_now();
  const std::vector<LogicalRun> missed = missed_packets(drive.bench().media());
  REQUIRE(missed.size() == 1);
  CHECK(missed[0] == LogicalRun{LogicalSector(sector), 2});
  const std::uint64_t before = drive.bench().scoreboard().errors();
  CHECK(read_sector(drive, sector) == Status::ok);
  CHECK(drive.bench().scoreboard().errors() == before + blocks_per_sector);
  drive.bench().scoreboard().untold({HostBlock(sector * blocks_per_sector), 2 * blocks_per_sector});
  CHECK(read_sector(drive, sector) == Status::ok);
  CHECK(read_sector(drive, drive.at(2, 5)) == Status::ok);
  CHECK(drive.bench().scoreboard().errors() == before + blocks_per_sector);
}

TEST_CASE("media-cache: a header that can be read, of the packet or of the next, is all it takes for a packet not to be missed") {
  MediaCacheDrive drive{MediaCacheSetup{}};
  const std::uint64_t sector = drive.at(2, 3);
  drive.write(sector, 1);
  const auto packet = packet_of(drive, sector, 1);
  drive.bench().media().add_unreadable(packet[GENERATE(0U, 1U)]);
  CHECK(cut_and_excuse(drive).empty());
  check_with_losses(drive);
  const auto named = packet_of(drive, sector, 1);
  const auto next = packet_of(drive, drive.at(4, 1), 1);
  for (const PhysicalSector& lost : {named[0], named[1], next[GENERATE(0U, 1U)]}) drive.bench().media().add_unreadable(lost);
  CHECK(cut_and_excuse(drive).empty());
  check_with_losses(drive);
  CHECK(read_sector(drive, sector) == Status::media_error);
}

TEST_CASE("media-cache: the first packet after a boot names the newest one that was there") {
  MediaCacheDrive drive{MediaCacheSetup{}};
  const std::uint64_t sector = drive.at(2, 3);
  drive.write(sector, 1);
  const auto packet = packet_of(drive, sector, 1);
  CHECK(cut_and_excuse(drive).empty());
  drive.write(drive.at(4, 1), 1);
  for (const PhysicalSector& lost : packet) drive.bench().media().add_unreadable(lost);
  CHECK(cut_and_excuse(drive).empty());
  check_with_losses(drive);
  CHECK(read_sector(drive, sector) == Status::media_error);
}
