// The orderly end: the last spare is used, and the write that needs one more makes the drive read-only.
#include <catch2/catch.hpp>

#include "unit/defects/defect_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::test;

namespace {

constexpr std::uint32_t spares = 12;  // one spare track of 16 sectors, four of them the table's

/// Sector 0 of radii 0 to 15 cannot be written.
BenchConfig worn_out() {
  return drive_with([](MediaConfig& media) {
    media.spare_tracks = 1;
    for (double radius = 0; radius < 16; ++radius) media.write_fault_sectors.push_back({0, radius, 0});
  });
}

}  // namespace

TEST_CASE("the drive takes writes until the last spare is used, and is read-only from the write on that finds none") {
  DefectDrive drive(worn_out());
  for (std::uint32_t i = 0; i < spares; ++i) REQUIRE(drive.write(std::uint64_t{i} * 16, 4) == Status::ok);
  CHECK(drive.defects("spares_left") == 0);
  CHECK(drive.defects("read_only") == 0);
  REQUIRE(drive.write(400, 4) == Status::ok);  // no spare needed
  drive->cut_now();
  CHECK(drive.defects("read_only") == 0);
  REQUIRE(drive.write(400, 4) == Status::ok);

  CHECK(drive.write(spares * 16, 4) == Status::read_only);
  CHECK(drive.defects("read_only") == 1);
  for (int boot = 0; boot < 2; ++boot) {
    CHECK(drive.write(400, 4) == Status::read_only);
    CHECK(drive->trim(400 * blocks_per_sector, 8) == Status::read_only);
    CHECK(drive->flush() == Status::ok);
    for (std::uint32_t i = 0; i < spares; ++i) REQUIRE(drive.read(std::uint64_t{i} * 16, 4) == Status::ok);
    REQUIRE(drive.read(400, 4) == Status::ok);
    CHECK(drive.wrong_blocks() == 0);
    drive->run_until_idle(10_s);
    CHECK(drive->controller().idle());
    drive->cut_now();
    REQUIRE(drive->boot_status() == Status::ok);
    CHECK(drive.defects("read_only") == 1);
  }
}

TEST_CASE("a move that cannot be saved is not acknowledged, and the drive is read-only") {
  BenchConfig config = worn_out();
  for (double sector = 0; sector < 4; ++sector) config.media.unreadable_sectors.push_back({0, first_spare_radius, sector});
  DefectDrive drive(config);
  REQUIRE(drive.write(400, 4) == Status::ok);
  CHECK(drive.write(0, 4) == Status::read_only);
  CHECK(drive.defects("reallocated") == 0);
  CHECK(drive.defects("read_only") == 1);
  CHECK(drive.write(400, 4) == Status::read_only);
  CHECK(drive.read(400, 4) == Status::ok);
}

TEST_CASE("a write that finds no spare for one of its sectors writes the others") {
  DefectDrive drive(worn_out());
  REQUIRE(drive.write(spares * 16 - 2, 2) == Status::ok);
  for (std::uint32_t i = 0; i < spares; ++i) REQUIRE(drive.write(std::uint64_t{i} * 16, 4) == Status::ok);
  CHECK(drive.write(spares * 16 - 2, 6) == Status::read_only);
  CHECK(drive.read(spares * 16) != Status::ok);
  CHECK(drive.read(spares * 16 + 1, 3) == Status::ok);
  // What the failed write brought is there: none of it reads as never written.
  const ContentStore& content = drive->media().content();
  for (std::uint32_t sector = 1; sector < 4; ++sector) {
    std::vector<std::byte> held(content.shape().kept());
    CHECK(content.read(spares, sector, 1, held) == Status::ok);
    CHECK(std::ranges::any_of(held, [](std::byte byte) { return byte != std::byte{0}; }));
  }
}

TEST_CASE("a late sector that finds no spare stays where it is, and the drive goes on") {
  BenchConfig config = worn_out();
  config.media.transient_sectors = {{0, 20, 3, 6}};
  DefectDrive drive(config);
  REQUIRE(drive.write(320, 16) == Status::ok);
  for (std::uint32_t i = 0; i < spares; ++i) REQUIRE(drive.write(std::uint64_t{i} * 16, 4) == Status::ok);
  REQUIRE(drive.read(320, 16) == Status::ok);
  CHECK(drive.defects("read_only") == 0);
  CHECK(drive.defects("reallocated") == spares);
  REQUIRE(drive.write(400, 4) == Status::ok);
}

TEST_CASE("a write cache on a drive that became read-only keeps its promise for what can be written, and ends") {
  FirmwareConfig firmware;
  firmware.write_cache.capacity = Bytes(64 * 4096);
  DefectDrive drive(worn_out(), firmware);
  for (std::uint32_t i = 0; i < 16; ++i) static_cast<void>(drive.write(std::uint64_t{i} * 16, 4));
  static_cast<void>(drive->flush());
  CHECK(drive.defects("read_only") == 1);
  CHECK(drive.write(400, 4) == Status::read_only);
  for (std::uint32_t i = 0; i < spares; ++i) REQUIRE(drive.read(std::uint64_t{i} * 16, 4) == Status::ok);
}

TEST_CASE("a table that was never saved is found empty, whichever two of its places cannot be read, but for those of the first save") {
  std::uint32_t refused = 0;
  for (double a = 0; a < 4; ++a)
    for (double b = a + 1; b < 4; ++b) {
      BenchConfig config = drive_with([](MediaConfig& media) { media.spare_tracks = 1; });
      config.media.unreadable_sectors = {{0, first_spare_radius, a}, {0, first_spare_radius, b}};
      DefectDrive drive(config);
      REQUIRE(drive.write(400, 4) == Status::ok);
      drive->cut_now();
      refused += ok(drive->boot_status()) ? 0 : 1;
    }
  CHECK(refused == 1);
}
