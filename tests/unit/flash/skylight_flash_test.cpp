// Skylight's flash cache: the worked example, the time of a cleaning, the bound on write amplification, memory, idle cleaning.
#include "flash_drive.hpp"

using namespace tessera;
using namespace tessera::test;
using namespace tessera::literals;

namespace {

/// A drive whose times are those of media and flash alone.
SkylightSetup timed() {
  SkylightSetup setup;
  setup.bench.media.timing = MediaTimingMode::expected;
  setup.bench.ideal_electronics();
  setup.bench.host.link_rate = BytesPerSecond(1'000'000'000'000'000'000);  // a sector in less than half a picosecond
  return setup;
}

}  // namespace

TEST_CASE("a full zone is cleaned with one merge for each of its bands, and the other zone is left alone") {
  SkylightSetup setup;
  setup.layer.cache_zones = 2;
  setup.cache().crash_safe = GENERATE(false, true);
  setup.cache().map.kind = GENERATE(MapKind::array, MapKind::hash, MapKind::paged);
  SkylightDrive drive(setup);
  drive.write_banded({{0, 0}, {2, 1}, {0, 2}, {2, 3}});
  CHECK(drive.layer().space(0).room(0) == 0);
  drive.write_banded({{1, 0}});
  CHECK(drive.metric("cleaning.count") == 0);
  drive.bench().steps.clear();
  drive.bench().flash_commands.clear();
  drive.write_banded({{2, 4}});
  CHECK(drive.metric("rmw.count") == 2);
  CHECK(drive.metric("cleaning.count") == 1);
  CHECK(drive.metric("cleaning.dirty_bands_mean") == 3);  // of both zones
  CHECK(drive.flash(FlashOp::erase) == 2);
  CHECK(drive.flash(FlashOp::read) == 4);
  CHECK(drive.bench().sectors_in("bands", MediaOp::write) == 2 * 8);
  CHECK(drive.layer().space(0).room(0) == 3);
  CHECK(drive.layer().space(1).room(0) == 3);
  drive.check_content();
}

TEST_CASE("a cleaning takes the merges, a read for each valid page and the erases") {
  SkylightSetup setup = timed();
  setup.layer.cache_zones = 2;
  setup.cache().crash_safe = false;
  SkylightDrive drive(setup);
  drive.write_banded({{0, 0}, {2, 1}, {0, 0}, {2, 3}});  // three valid pages
  drive.bench().steps.clear();
  const Picoseconds begin = drive.bench().now();
  drive.write_banded({{2, 4}});
  const std::uint64_t clean = (drive.bench().media_time() + 3U * 200_us + 2U * 1500_us).value();
  CHECK((drive.bench().now() - begin).value() == clean + (1300_us).value());
  CHECK(drive.metric("cleaning.max") == Approx(static_cast<double>(clean) / 1e9));
  CHECK(drive.metric("victim.pages_mean") == 1.5);
}

TEST_CASE("a write takes a program for each sector, a cached read a page read, side by side where blocks are filled so") {
  SkylightSetup setup = timed();
  setup.bench.nand->dies = 2;
  setup.layer.cache_zones = 1;
  setup.cache().parallel = GENERATE(1U, 2U);
  const std::uint64_t side_by_side = setup.cache().parallel;
  SkylightDrive drive(setup);
  Picoseconds begin = drive.bench().now();
  drive.write(0, 2);
  CHECK((drive.bench().now() - begin).value() == 2 / side_by_side * (1300_us).value());
  begin = drive.bench().now();
  drive.read(0);
  CHECK((drive.bench().now() - begin).value() == (200_us).value());
}

TEST_CASE("with every band of a zone dirty each zone of pages costs a rewrite of all of them") {
  SkylightSetup setup;  // K + 1 = 8 bands of 8 sectors a zone of 8 pages: at most 1 + 8 sectors written for one
  setup.cache().bands = 8;
  setup.cache().crash_safe = false;
  setup.bench.media.tracks = 96;
  SkylightDrive drive(setup);
  drive.bench().steps.clear();
  drive.bench().flash_commands.clear();
  for (std::uint64_t i = 0; i < 80; ++i) drive.write_banded({{i % 8, i / 8 % 8}});
  CHECK(drive.metric("cleaning.count") == 9);
  CHECK(drive.metric("rmw.count") == 9 * 8);
  CHECK(drive.flash(FlashOp::program) == 80);
  CHECK(drive.bench().sectors_in("bands", MediaOp::write) == 9 * 8 * 8);
}

TEST_CASE("a piece of a request that does not fit what is left has the zone cleaned first") {
  SkylightSetup setup;
  setup.layer.cache_zones = 2;
  SkylightDrive drive(setup);
  drive.write(drive.at(0, 0), 3);
  drive.write(drive.at(2, 0), 2);
  CHECK(drive.metric("cleaning.count") == 1);
  CHECK(drive.layer().space(0).room(0) == 2);
  drive.write(drive.at(0, 0), 8);  // larger than a zone: in parts of one
  CHECK(drive.metric("cleaning.count") == 3);
  drive.check_content();
}

TEST_CASE("a request over a band's end touches two zones") {
  SkylightSetup setup;
  setup.layer.cache_zones = 2;
  SkylightDrive drive(setup);
  drive.write(drive.at(0, 7), 2);
  CHECK(drive.layer().space(0).room(0) == 3);
  CHECK(drive.layer().space(1).room(0) == 3);
  drive.read(drive.at(0, 6), 4);
  drive.check_content();
}

TEST_CASE("what is trimmed stays cached where its band may hold something older, and always where no log knows of a TRIM") {
  SkylightSetup setup;
  setup.layer.cache_zones = 2;
  setup.cache().crash_safe = GENERATE(true, false);
  SkylightDrive drive(setup);
  drive.write_banded({{0, 0}, {2, 1}, {0, 2}, {2, 3}});
  drive.trim(drive.at(2, 0), setup.cache().crash_safe ? 7 : 8);
  drive.bench().steps.clear();
  drive.read(drive.at(2, 1));
  CHECK(drive.bench().steps.empty());
  drive.write_banded({{0, 5}});
  CHECK(drive.metric("rmw.count") == 2);
  drive.check_content();
}

TEST_CASE("a band of which all was trimmed costs one record, holds nothing, and is merged without a read of it") {
  SkylightSetup setup;
  setup.layer.cache_zones = 2;
  setup.cache().map.kind = GENERATE(MapKind::array, MapKind::hash, MapKind::paged);
  const bool in_pieces = GENERATE(false, true);
  SkylightDrive drive(setup);
  drive.write_banded({{0, 0}, {2, 1}, {0, 2}});
  drive.bench().steps.clear();
  if (in_pieces) drive.trim(drive.at(2, 0), 3);
  CHECK(drive.bench().steps.empty());
  drive.trim(drive.at(2, in_pieces ? 3 : 0), in_pieces ? 5 : 8);
  CHECK(drive.bench().sectors_in("log", MediaOp::write) == 2);
  CHECK(drive.layer().owners().count(2) == 0);
  for (int boot = 0; boot < 2; ++boot) {
    drive.bench().steps.clear();
    drive.bench().flash_commands.clear();
    drive.read(drive.at(2, 0), 8);
    CHECK((drive.bench().steps.empty() && drive.bench().flash_commands.empty()));
    drive.check_content();
    if (boot == 0) drive.cut_now();
  }
  drive.write_banded({{2, 2}});
  drive.bench().steps.clear();
  drive.write_banded({{0, 4}});
  CHECK(drive.metric("rmw.count") == 2);
  CHECK(drive.bench().sectors_in("bands", MediaOp::read) == 8);
  CHECK(drive.bench().sectors_in("bands", MediaOp::write) == 8 + 3);
  drive.check_content();
  drive.cut_now();
  drive.check_content();
}

TEST_CASE("the end of a band that was trimmed is neither read nor written by its merges, up to what is cached of it") {
  SkylightSetup setup;
  setup.layer.cache_zones = 2;
  SkylightDrive drive(setup);
  drive.write_banded({{0, 1}, {0, 5}});
  drive.trim(drive.at(0, 4), 4);
  drive.write_banded({{2, 0}, {2, 1}});
  drive.bench().steps.clear();
  drive.write_banded({{2, 2}});
  CHECK(drive.bench().sectors_in("bands", MediaOp::read) == 4 + 8);
  CHECK(drive.bench().sectors_in("bands", MediaOp::write) == 6 + 8);
  drive.check_content();
}

TEST_CASE("a write between two TRIMs of a band keeps what it wrote") {
  SkylightSetup setup;
  setup.layer.cache_zones = 2;
  SkylightDrive drive(setup);
  drive.trim(drive.at(2, 0), 4);
  drive.write_banded({{2, 1}});
  drive.trim(drive.at(2, 4), 4);
  CHECK(drive.layer().owners().count(2) == 1);
  drive.check_content();
  drive.cut_now();
  drive.check_content();
}

TEST_CASE("an array map takes four bytes for every sector, a hash map twelve for every page") {
  SkylightSetup setup;
  SkylightDrive array(setup);
  CHECK(array.metric("meta.ram_bytes") == 4 * 8 * 4);
  CHECK(array.metric("meta.ram_bytes_actual") > 4 * 8 * 4);
  setup.cache().map.kind = MapKind::hash;
  SkylightDrive hash(setup);
  CHECK(hash.metric("meta.ram_bytes") == 12 * 8);
}

TEST_CASE("zones default to the size of a band: two of the paper's flash") {
  SkylightFlashConfig config;
  CHECK(config.zones({640, 32, 64}) == 2);
  CHECK(config.zones({16384, 32, 64}) == 51);
  config.cache_zones = 7;
  CHECK(config.zones({640, 32, 64}) == 7);
}

TEST_CASE("aggressive cleaning gives zones back while the host is idle, lazy cleaning does not") {
  SkylightSetup setup;
  setup.layer.cache_zones = 2;
  setup.layer.cleaning = GENERATE(FlashCleaning::lazy, FlashCleaning::aggressive);
  setup.layer.idle_after = 100'000_us;
  const bool aggressive = setup.layer.cleaning == FlashCleaning::aggressive;
  SkylightDrive drive(setup);
  drive.write_banded({{0, 0}, {1, 1}, {2, 2}});
  drive.bench().run_for(99'000_us);
  CHECK(drive.metric("rmw.count") == 0);
  drive.bench().run_for(2'000'000_us);
  CHECK(drive.metric("rmw.count") == (aggressive ? 3 : 0));
  CHECK(drive.metric("cleaning.background_merges") == (aggressive ? 3 : 0));
  CHECK(drive.metric("cleaning.count") == (aggressive ? 2 : 0));
  CHECK(drive.layer().space(0).room(0) == (aggressive ? 4 : 2));
  drive.check_content();
  drive.write_banded({{0, 0}, {1, 1}});
  drive.cut_now();
  drive.check_content();
}

TEST_CASE(
    "skylight-flash: cleanings while the host is idle each count the bands that are dirty when they begin, and the drive is busy with "
    "them") {
  SkylightSetup setup;
  setup.layer.cache_zones = 1;
  setup.layer.cleaning = FlashCleaning::aggressive;
  setup.layer.idle_after = 100'000_us;
  SkylightDrive drive(setup);
  drive.write_banded({{0, 0}, {1, 1}, {2, 2}});
  CHECK(drive.layer().idle());
  drive.bench().steps.clear();
  while (drive.bench().steps.empty()) drive.bench().run_for(1'000_us);
  CHECK_FALSE(drive.layer().idle());
  drive.bench().run_for(2'000'000_us);
  CHECK(drive.layer().idle());
  CHECK(drive.metric("cleaning.dirty_bands_mean") == 3);
  drive.write_banded({{3, 0}});
  drive.bench().run_for(2'000'000_us);
  CHECK(drive.metric("cleaning.count") == 2);
  CHECK(drive.metric("cleaning.dirty_bands_mean") == 2);
}

TEST_CASE("skylight-flash: a drive that has written a checkpoint is at rest again, and writes the next one") {
  SkylightSetup setup;
  setup.cache().checkpoint.region = Bytes(16 * 4096);
  setup.cache().checkpoint.every = 3;
  SkylightDrive drive(setup);
  double written = drive.metric("checkpoint.sectors");
  for (int time = 0; time < 2; ++time) {
    for (std::uint64_t offset = 0; offset < 3; ++offset) drive.write_banded({{0, offset}});
    drive.bench().run_until_idle(10_s);
    CHECK(drive.layer().idle());
    CHECK(drive.metric("checkpoint.sectors") > written);
    written = drive.metric("checkpoint.sectors");
  }
}
