// Sectors of the log of which a boot cannot know what they hold: never taken for sectors without a header.
#include <vector>

#include "media_cache_drive.hpp"
#include "support/missed_packets.hpp"
#include "support/unreadable_sectors.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

void make_transient(MediaCacheSetup& setup, PhysicalSector sector, std::uint32_t reads) {
  setup.bench.media.transient_sectors = {{static_cast<double>(sector.track.surface), static_cast<double>(sector.track.radius),
                                          static_cast<double>(sector.index), static_cast<double>(reads)}};
}

}  // namespace

TEST_CASE("media-cache: a header that only a later read of the boot brings is there") {
  MediaCacheSetup setup;
  std::vector<PhysicalSector> packet;
  {
    MediaCacheDrive model(setup);
    model.write(model.at(2, 3), 2);
    packet = packet_of(model, model.at(2, 3), 2);
  }
  REQUIRE(packet.size() == 3);
  make_transient(setup, packet.back(), GENERATE(range(1U, 9U)));  // the packet's end
  MediaCacheDrive drive(setup);
  drive.write(drive.at(2, 3), 2);
  drive.write(drive.at(2, 3), 2);
  drive.cut_now();
  drive.check_content();
}

TEST_CASE("media-cache: a packet of which no header can be read is named by the next one") {
  MediaCacheSetup setup;
  setup.layer.least_packet = sectors(GENERATE(0U, 6U));
  MediaCacheDrive drive(setup);
  const std::uint64_t sector = drive.at(2, 3);
  drive.write(sector, 1);
  const auto newer = packet_of(drive, sector, 1);
  const std::uint32_t count = GENERATE(1U, 2U);
  CAPTURE(setup.layer.least_packet.value(), count, newer.size());
  drive.write(drive.at(4, 1), count);
  for (const PhysicalSector& lost : newer) drive.bench().media().add_unreadable(lost);
  drive.cut_now();
  check_with_losses(drive);
  CHECK(drive.bench().read(sector * blocks_per_sector, blocks_per_sector) == Status::lost);
}

TEST_CASE("media-cache: a packet in front of which a checkpoint was written, or that several writes share, names none") {
  MediaCacheSetup setup;
  setup.layer.checkpoint_every = GENERATE(1U, 2U, 3U);
  MediaCacheDrive drive(setup);
  for (std::uint64_t i = 0; i < 7; ++i) drive.write(drive.at(2, i % 3), 1);
  drive.cut_now();
  drive.check_content();
}

TEST_CASE("media-cache: the newest packet is there although both of its headers come with a late read only") {
  MediaCacheSetup setup;
  setup.layer.least_packet = sectors(GENERATE(0U, 6U));
  std::vector<PhysicalSector> packet;
  {
    MediaCacheDrive model(setup);
    model.write(model.at(2, 3), 1);
    packet = packet_of(model, model.at(2, 3), 1);
  }
  REQUIRE(packet.size() >= 2);
  for (const PhysicalSector& sector : {packet.front(), packet.back()})
    setup.bench.media.transient_sectors.push_back(
        {static_cast<double>(sector.track.surface), static_cast<double>(sector.track.radius), static_cast<double>(sector.index), 30.0});
  MediaCacheDrive drive(setup);
  drive.write(drive.at(2, 3), 1);
  drive.write(drive.at(2, 3), 1);
  drive.cut_now();
  REQUIRE(drive.bench().boot_status() == Status::ok);
  const std::uint64_t block = drive.at(2, 3) * blocks_per_sector;
  Status status = Status::media_error;
  for (int again = 0; again < 30 && !ok(status); ++again) status = drive.bench().read(block, blocks_per_sector);
  CHECK(status == Status::ok);
  CHECK(drive.bench().scoreboard().errors() == 0);
}

TEST_CASE("media-cache: a packet that cannot be read back is written again elsewhere") {
  MediaCacheSetup setup;
  setup.layer.verify_packets = true;
  std::vector<PhysicalSector> packet;
  {
    MediaCacheDrive model(setup);
    packet = packet_of(model, model.at(2, 3), 2);
  }
  REQUIRE(packet.size() == 3);
  MediaCacheDrive drive(setup);
  drive.bench().media().add_unreadable(packet[GENERATE(0U, 1U, 2U)]);
  const std::uint64_t block = drive.at(2, 3) * blocks_per_sector;
  REQUIRE(drive.bench().write(block, 2 * blocks_per_sector) == Status::ok);
  CHECK(drive.bench().read(block, 2 * blocks_per_sector) == Status::ok);
  drive.cut_now();
  REQUIRE(drive.bench().boot_status() == Status::ok);
  CHECK(drive.bench().read(block, 2 * blocks_per_sector) == Status::ok);
  CHECK(drive.bench().scoreboard().errors() == 0);
}

TEST_CASE("media-cache: packets that cannot be read back are written again until one can, up to eight") {
  MediaCacheSetup setup;
  setup.layer.verify_packets = true;
  std::vector<std::vector<PhysicalSector>> packets;
  {
    MediaCacheDrive model(setup);
    for (int i = 0; i < 10; ++i) packets.push_back(packet_of(model, model.at(2, 3), 2));
  }
  const auto bad = static_cast<std::size_t>(GENERATE(2, 8, 9));
  MediaCacheDrive drive(setup);
  for (std::size_t i = 0; i < bad; ++i) drive.bench().media().add_unreadable(packets[i].front());
  const std::uint64_t block = drive.at(2, 3) * blocks_per_sector;
  REQUIRE(drive.bench().write(block, 2 * blocks_per_sector) == (bad <= 8 ? Status::ok : Status::media_error));
  if (bad > 8) return;
  CHECK(drive.bench().read(block, 2 * blocks_per_sector) == Status::ok);
  drive.cut_now();
  drive.check_content();
}

TEST_CASE("media-cache: a record of a band's image of which a cut left one copy is there twice after the boot") {
  MediaCacheSetup setup;
  setup.layer.idle_cleaning = media_cache::IdleCleaning::on;
  setup.layer.idle_after = 1_ms;
  setup.bench.media.powerfail_sector = PowerfailSector::atomic_old;
  std::uint64_t between = 0;
  for (std::uint64_t cut = 0; cut < 600; ++cut) {
    INFO("cut after " << cut << " half milliseconds");
    MediaCacheDrive drive(setup);
    drive.write(drive.at(2, 0), 24);  // a stream, so that there is something in the band that its rewrite may destroy
    drive.write(drive.at(2, 1), 2);
    drive.bench().steps.clear();
    drive.bench().run_for(500_us * cut);
    const Picoseconds at = drive.bench().now();
    drive.cut_now();
    std::uint64_t before = 0;
    std::uint64_t after = 0;
    for (const auto& step : drive.bench().steps_in("merge"))
      if (step.op == MediaOp::write && step.run.count == 1) ++(step.timing.end <= at ? before : after);
    if (before % 2 == 0) continue;
    ++between;
    CHECK(after >= 2);
    drive.check_content();
  }
  CHECK(between > 0);
}

TEST_CASE("media-cache: a packet that cannot be read back is written again once the log has room for it") {
  MediaCacheSetup setup;
  setup.layer.verify_packets = true;
  setup.layer.checkpoint_every = 1000;
  std::vector<std::vector<PhysicalSector>> packets;
  {
    MediaCacheDrive model(setup);
    for (int i = 0; i < 36; ++i) packets.push_back(packet_of(model, model.at(2, 3), 2));
  }
  for (std::size_t bad = 20; bad < packets.size(); ++bad) {
    INFO("packet " << bad);
    MediaCacheDrive drive(setup);
    for (std::size_t i = 0; i < bad; ++i) drive.write(drive.at(2, 3), 2);
    drive.bench().media().add_unreadable(packets[bad].front());
    drive.write(drive.at(2, 3), 2);
    drive.read(drive.at(2, 3), 2);
    drive.cut_now();
    drive.check_content();
  }
}
