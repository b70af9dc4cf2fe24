// The newest packet of which no header can be read: what the medium says of it, which packets are named, and that none comes back.
#include <vector>

#include "media_cache_drive.hpp"
#include "platforms/run/medium_truth.hpp"
#include "support/missed_packets.hpp"
#include "support/unreadable_sectors.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

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
  const std::vector<MissedPacket> missed = missed_packets(drive.bench().media());
  REQUIRE(missed.size() == 1);
  CHECK(missed[0].run == LogicalRun{LogicalSector(sector), 2});
  const std::uint64_t before = drive.bench().scoreboard().errors();
  CHECK(read_sector(drive, sector) == Status::ok);
  CHECK(drive.bench().scoreboard().errors() == before + blocks_per_sector);
  excuse_missed(drive);
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
  CHECK(read_sector(drive, sector) == Status::lost);
}

TEST_CASE("media-cache: of a packet whose last two headers cannot be read nobody knows how far it was written, and none of it is read") {
  MediaCacheDrive drive{MediaCacheSetup{}};
  const std::uint64_t sector = drive.at(2, 3);
  drive.write(drive.at(2, 0), 6);
  const auto packet = packet_of(drive, sector, 4);
  drive.write(drive.at(4, 1), 1);  // names it
  drive.write(sector + 1, 1);      // replaces some of it
  drive.bench().media().add_unreadable(packet[3]);
  drive.bench().media().add_unreadable(packet.back());
  drive.bench().media().forget_unread();
  drive.cut_now();
  const std::vector<ReadDoubt> said = drive.layer().in_doubt();
  REQUIRE(said.size() == 1);
  CHECK(said[0].blocks == HostRun{HostBlock(sector * blocks_per_sector), 4 * blocks_per_sector});
  CHECK(founded_doubts(drive.bench().media(), said).size() == 1);
  for (const std::uint64_t lost : {sector, sector + 2, sector + 3}) CHECK(read_sector(drive, lost) == Status::lost);
  CHECK(read_sector(drive, sector + 1) == Status::ok);
  drive.write(sector + 2, 1);
  CHECK(read_sector(drive, sector + 2) == Status::ok);
  drive.cut_now();
  CHECK(drive.layer().in_doubt().empty());
  CHECK(read_sector(drive, sector) == Status::lost);
  CHECK(read_sector(drive, sector + 2) == Status::ok);
  CHECK(drive.bench().scoreboard().errors() == 0);
}

TEST_CASE("media-cache: where nothing tells what a packet in front of others held, there is no boot, and older content never comes back") {
  MediaCacheDrive drive{MediaCacheSetup{}};
  const std::uint64_t sector = drive.at(2, 3);
  drive.write(sector, 1);
  const auto untold = packet_of(drive, sector, 1);
  const auto named = packet_of(drive, drive.at(4, 1), 1);
  drive.write(drive.at(6, 1), 1);
  for (const auto& packet : {untold, named})
    for (const PhysicalSector& lost : packet) drive.bench().media().add_unreadable(lost);
  drive.bench().cut_now();
  CHECK(drive.bench().boot_status() == Status::corrupt);
}

TEST_CASE("media-cache: a packet that could not be written and cannot be read is told by the record that it failed") {
  MediaCacheSetup setup;
  setup.bench.media.spare_tracks = 0;
  std::vector<PhysicalSector> packet;
  {
    MediaCacheDrive model(setup);
    model.write(model.at(4, 1), 1);
    packet = packet_of(model, model.at(2, 3), 2);
  }
  MediaCacheDrive drive(setup);
  drive.write(drive.at(4, 1), 1);
  drive.bench().media().add_write_fault(packet.front());
  CHECK(drive.bench().write(drive.at(2, 3) * blocks_per_sector, 2 * blocks_per_sector) != Status::ok);
  for (const PhysicalSector& lost : packet) drive.bench().media().add_unreadable(lost);
  drive.cut_now();
  CHECK(read_sector(drive, drive.at(4, 1)) == Status::ok);
  CHECK(drive.bench().scoreboard().errors() == 0);
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
  CHECK(read_sector(drive, sector) == Status::lost);
}

namespace {

/// A map that is written down only where something asks for it.
MediaCacheSetup rarely_written_down() {
  MediaCacheSetup setup;
  setup.layer.checkpoint_every = 100;
  return setup;
}

}  // namespace

TEST_CASE("media-cache: a packet that one boot missed does not come back at the next, over what was written since") {
  missed_once<MediaCacheDrive>(rarely_written_down(), GENERATE(1U, 2U, 3U, 4U, 5U));
}

TEST_CASE("media-cache: a packet that one boot missed is there at the next, where nothing was written since") {
  MissedPacketDrive<MediaCacheDrive, MediaCacheSetup> drive(rarely_written_down(), 4);
  drive->cut_now();
  drive.show();
  drive->cut_now();
  drive->check_content();
}

TEST_CASE("media-cache: a packet that one boot missed does not come back where a sector of it cannot be written again") {
  const std::uint32_t count = GENERATE(2U, 5U);
  CHECK(missed_once_unwritable<MediaCacheDrive>(rarely_written_down(), count) > 1);
}

TEST_CASE("media-cache: a packet that one boot missed does not come back, wherever a cut ends the first write after that boot") {
  CHECK(missed_once_and_cut<MediaCacheDrive>(rarely_written_down(), GENERATE(2U, 5U)) > 4);
}

TEST_CASE("media-cache: a boot that misses nothing writes nothing down before the next packet") {
  MediaCacheDrive drive(rarely_written_down());
  drive.write(drive.at(2, 0), 6);
  drive.cut_now();
  drive.bench().steps.clear();
  drive.write(drive.at(2, 1), 2);
  CHECK(drive.bench().steps_in("map").empty());
}
