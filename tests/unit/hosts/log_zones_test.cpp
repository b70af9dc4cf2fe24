// The tables of the log-structured host: which zone is cleaned, how the space is divided.
#include <catch2/catch.hpp>

#include "stimuli/hosts/log_zones.hpp"

using namespace tessera;
using namespace tessera::literals;

namespace {

/// Zones of 100 sectors in records of 10.
LogLayout hundred() {
  LogLayout layout;
  layout.user_sectors = 300;
  layout.zone_sectors = 100;
  layout.record_sectors = 10;
  layout.data_zones = 4;
  return layout;
}

LogZone filled(std::uint32_t live, Picoseconds youngest) {
  LogZone zone;
  zone.use = LogZoneUse::filled;
  zone.pointer = 100;
  zone.live = live;
  zone.youngest = youngest;
  return zone;
}

}  // namespace

TEST_CASE("greedy takes the fewest live sectors, cost-benefit weighs them against the age") {
  // At 100 s, by hand, (1 - u) age / (1 + u):
  //   zone 0: u = 0.2, age  10 s: 0.8 * 10 / 1.2 =  6.67
  //   zone 1: u = 0.8, age 100 s: 0.2 * 100 / 1.8 = 11.1
  //   zone 2: u = 0.5, age  30 s: 0.5 * 30 / 1.5 = 10
  const std::vector<LogZone> zones{filled(20, 90_s), filled(80, 0_s), filled(50, 70_s)};
  CHECK(choose_victim(zones, hundred(), LogCleaning::greedy, 100_s) == 0);
  CHECK(choose_victim(zones, hundred(), LogCleaning::cost_benefit, 100_s) == 1);
  // Ten seconds later zone 0 is worth 13.3 and zone 1 12.2, zone 2 13.3: the first of equal ones.
  CHECK(choose_victim(zones, hundred(), LogCleaning::cost_benefit, 110_s) == 0);
}

TEST_CASE("a zone without live sectors comes first, and one that would free nothing is left alone") {
  std::vector<LogZone> zones{filled(20, 0_s), filled(0, 99_s)};
  for (const LogCleaning cleaning : {LogCleaning::greedy, LogCleaning::cost_benefit})
    CHECK(choose_victim(zones, hundred(), cleaning, 100_s) == 1);
  // 89 sectors take ten records of nine and their headers, and one more header where they end in another zone: 100. 88 take 99.
  zones = {filled(89, 0_s)};
  CHECK_FALSE(choose_victim(zones, hundred(), LogCleaning::greedy, 100_s));
  zones = {filled(88, 0_s)};
  CHECK(choose_victim(zones, hundred(), LogCleaning::greedy, 100_s) == 0);
  zones.front().writes = 1;
  CHECK_FALSE(choose_victim(zones, hundred(), LogCleaning::greedy, 100_s));
  zones.front().writes = 0;
  zones.front().use = LogZoneUse::open;
  CHECK_FALSE(choose_victim(zones, hundred(), LogCleaning::greedy, 100_s));
}

TEST_CASE("a sector has one place, and a zone as many live sectors as the map names in it") {
  LogZones zones(hundred());
  CHECK(zones.open_first_free() == 0);
  const std::vector<LogSector> owners{7, 8};
  zones.append(0, 1, owners, 0);
  zones.move(7, 1);
  zones.move(8, 2);
  CHECK(zones.live(1));
  CHECK(zones.zone(0).live == 2);
  CHECK(zones.zone(0).pointer == 3);
  zones.move(7, 150);
  CHECK_FALSE(zones.live(1));
  CHECK(zones.zone(0).live == 1);
  CHECK(zones.zone(1).live == 1);
  CHECK(zones.free_zones() == 3);
}

TEST_CASE("what a boot finds is the checkpoint and the records after it, up to the write pointers") {
  LogZones zones(hundred());
  static_cast<void>(zones.open_first_free());
  static_cast<void>(zones.open_first_free());
  const std::vector<LogSector> first{1, 2, 3};
  const std::vector<LogSector> second{2, 4};
  const std::vector<LogSector> third{3};
  zones.append(0, 1, first, 0);  // sectors 1 to 3 at places 1 to 3
  for (std::uint32_t i = 0; i < 3; ++i) zones.move(first[i], 1 + i);
  const LogMap checkpoint = zones.map();
  zones.append(1, 2, second, 0).trims = {{1, 1}};  // places 101 and 102
  zones.append(0, 3, third, 0);                    // place 5: not on the drive
  std::uint64_t last = 0;
  zones.cut_off(0, 5);
  zones.cut_off(1, 2);  // of the second record a sector is missing
  zones.cut_off(2, 0);
  zones.cut_off(3, 0);
  CHECK(zones.rebuild(checkpoint, 1, last) == 2);
  CHECK(last == 3);
  CHECK(zones.place(1) == nowhere);
  CHECK(zones.place(2) == 101);
  CHECK(zones.place(3) == 3);
  CHECK(zones.place(4) == nowhere);
  CHECK(zones.zone(0).live == 1);
  CHECK(zones.zone(1).live == 1);
  CHECK(zones.free_zones() == 2);
}

TEST_CASE(
    "where the drive need not write in order, records that it has not acknowledged count as none, and leave their sectors as they were") {
  LogZones zones(hundred());
  static_cast<void>(zones.open_first_free());
  const std::vector<LogSector> first{1, 2};
  const std::vector<LogSector> second{2, 3};
  zones.append(0, 1, first, 0);
  zones.append(0, 2, second, 0);
  zones.append(0, 3, first, 0);
  for (const std::uint64_t acknowledged : {1, 3}) zones.set_done(0, acknowledged);
  zones.cut_off(0, 9);
  for (std::uint32_t zone = 1; zone < 4; ++zone) zones.cut_off(zone, 0);
  zones.drop_unacknowledged(0);
  CHECK(zones.records(0).size() == 2);
  CHECK(zones.zone(0).pointer == 9);
  std::uint64_t last = 0;
  CHECK(zones.rebuild(LogMap(), 0, last) == 2);
  CHECK(zones.place(1) == 7);
  CHECK(zones.place(2) == 8);
  CHECK(zones.place(3) == nowhere);
}

TEST_CASE("a record after one that counts as none is the first of its zone, whatever number a boot has given twice") {
  LogZones zones(hundred());
  static_cast<void>(zones.open_first_free());
  const std::vector<LogSector> owners{1, 2};
  zones.append(0, 5, owners, 0);
  zones.cut_off(0, 3);
  for (std::uint32_t zone = 1; zone < 4; ++zone) zones.cut_off(zone, 0);
  zones.drop_unacknowledged(0);
  std::uint64_t last = 0;
  CHECK(zones.rebuild(LogMap(), 2, last) == 0);
  zones.append(0, last + 1, owners, 0);
  zones.move(1, 4);
  zones.move(2, 5);
  zones.set_done(0, last + 1);
  const LogMap checkpoint = zones.map();
  zones.cut_off(0, 6);
  CHECK(zones.rebuild(checkpoint, last + 1, last) == 0);
  CHECK(zones.place(1) == 4);
  CHECK(zones.place(2) == 5);
}

TEST_CASE("what a checkpoint says of a zone that was reset since is void") {
  LogZones zones(hundred());
  static_cast<void>(zones.open_first_free());
  const std::vector<LogSector> owners{1, 2};
  zones.append(0, 1, owners, 0);
  zones.move(1, 1);
  zones.move(2, 2);
  const LogMap checkpoint = zones.map();
  zones.move(1, nowhere);
  zones.move(2, nowhere);
  zones.set_free(0);
  static_cast<void>(zones.open_first_free());
  const std::vector<LogSector> other{9};
  zones.append(0, 5, other, 0);
  zones.cut_off(0, 2);
  std::uint64_t last = 0;
  CHECK(zones.rebuild(checkpoint, 4, last) == 1);
  CHECK(zones.place(1) == nowhere);
  CHECK(zones.place(2) == nowhere);
  CHECK(zones.place(9) == 1);
}

TEST_CASE("the application sees what over-provisioning, working zones, headers and checkpoints leave") {
  DriveZones drive{.zones = 102, .conventional = 2, .zone_sectors = 1000};
  LogHostConfig config;
  config.record = 100_KiB * 4;  // 100 sectors
  config.over_provisioning = 0.25;
  std::string problem;
  const LogLayout layout = plan_log(config, drive, problem);
  CHECK(problem.empty());
  CHECK(layout.data_zones == 100);
  CHECK(layout.user_sectors == 96 * 990 * 3 / 4);
  CHECK(layout.image_sectors == (71280 * 4 + 4095) / 4096 + 1 + 1);  // map, zone table, the sector that makes it valid
  CHECK(layout.area_zones == 0);
  drive.conventional = 0;
  const LogLayout sequential = plan_log(config, drive, problem);
  CHECK(sequential.area_zones == 1);
  CHECK(sequential.first_data_zone == 2);
  CHECK(sequential.data_zones == 100);
}

TEST_CASE("map entries are wider on a drive with more sectors than 32 bits name, and only there") {
  constexpr std::uint64_t four_gibi = std::uint64_t{1} << 32;
  DriveZones drive{.zones = 65536, .conventional = 655, .zone_sectors = 65536};  // 16 TiB
  std::string problem;
  const LogLayout at_the_bound = plan_log({}, drive, problem);
  REQUIRE(problem.empty());
  CHECK(at_the_bound.entry_bytes == 4);
  CHECK(at_the_bound.image_sectors == (at_the_bound.user_sectors * 4 + 4095) / 4096 + 65536 * 16 / 4096 + 1);
  ++drive.zones;
  const LogLayout beyond = plan_log({}, drive, problem);
  REQUIRE(problem.empty());
  CHECK(beyond.entry_bytes == 5);
  CHECK(beyond.image_sectors == (beyond.user_sectors * 5 + 4095) / 4096 + (65537 * 16 + 4095) / 4096 + 1);
  drive.zones = 119212;  // 32 TB
  const LogLayout large = plan_log({}, drive, problem);
  REQUIRE(problem.empty());
  CHECK(large.user_sectors > four_gibi);
  LogZones zones(large);
  zones.prefill(large.user_sectors, large.data_zones - 5);
  const LogSector last = large.user_sectors - 1;
  const LogPlace place = zones.place(last);
  CHECK(place > four_gibi);
  CHECK(zones.owner(place) == last);
  CHECK(zones.live(place));
  zones.move(last, place - 1);
  CHECK(zones.place(last) == place - 1);
  CHECK_FALSE(zones.live(place));
}

TEST_CASE("what mkfs and use left is a law: places, owners and counts agree sector by sector") {
  const LogPrefill law{.sectors = 173, .record = 7, .needed = 25, .there = 31};
  std::uint64_t before = 0;
  for (LogPlace place = 0; place < 40 * law.record; ++place) {
    INFO("place " << place);
    CHECK(law.before(place) == before);
    const LogSector owner = law.owner(place);
    if (owner == nowhere) continue;
    CHECK(owner == before);
    CHECK(law.place(owner) == place);
    ++before;
  }
  CHECK(before == law.sectors);
  CHECK(law.place(law.sectors) == nowhere);
}

TEST_CASE("a copy of the map stays as it is when the map changes") {
  LogMap map({.sectors = 100, .record = 10, .needed = 10, .there = 20});
  map.set(70, 3);
  const LogMap copy = map;
  map.set(70, 4);
  map.set(71, 5);
  CHECK(map.place(70) == 4);
  CHECK(copy.place(70) == 3);
  CHECK(copy.place(71) == copy.prefill().place(71));
}

TEST_CASE("a boot finds prefilled sectors where they lie, but for those of zones that were reset since the checkpoint") {
  LogLayout layout = hundred();
  layout.data_zones = 6;
  LogZones zones(layout);
  zones.prefill(300, 4);
  const LogMap checkpoint = zones.map();
  std::uint64_t live[4];
  for (std::uint32_t zone = 0; zone < 4; ++zone) live[zone] = zones.zone(zone).live;
  CHECK(live[0] + live[1] + live[2] + live[3] == 300);
  const LogSector dead = zones.owner(zones.place(0));
  for (LogPlace place = 0; place < 100; ++place)
    if (zones.live(place)) zones.move(zones.owner(place), nowhere);
  zones.set_free(0);
  CHECK(zones.owner(0) == nowhere);
  zones.cut_off(0, 0);
  for (std::uint32_t zone = 1; zone < 4; ++zone) zones.cut_off(zone, 100);
  for (std::uint32_t zone = 4; zone < 6; ++zone) zones.cut_off(zone, 0);
  std::uint64_t last = 0;
  CHECK(zones.rebuild(checkpoint, 1, last) == 0);
  CHECK(zones.place(dead) == nowhere);
  CHECK(zones.zone(0).live == 0);
  for (std::uint32_t zone = 1; zone < 4; ++zone) CHECK(zones.zone(zone).live == live[zone]);
  CHECK(zones.place(299) == checkpoint.place(299));
  CHECK(zones.free_zones() == 3);
}

TEST_CASE("what cannot be is refused with a sentence") {
  const DriveZones drive{.zones = 102, .conventional = 2, .zone_sectors = 1000};
  const auto problem_of = [](LogHostConfig config, const DriveZones& zones) {
    std::string problem;
    static_cast<void>(plan_log(config, zones, problem));
    return problem;
  };
  LogHostConfig config;
  for (const double wrong : {0.0, 1.0}) {
    config.over_provisioning = wrong;
    CHECK(problem_of(config, drive).find("hosts.log.over_provisioning") != std::string::npos);
  }
  config.over_provisioning = 0.001;
  CHECK(problem_of(config, drive).find("nothing to free") != std::string::npos);
  config = {};
  config.clean_below = 2;
  CHECK(problem_of(config, drive).find("hosts.log.clean_below") != std::string::npos);
  config = {};
  config.record = 4_KiB;
  CHECK(problem_of(config, drive).find("hosts.log.record") != std::string::npos);
  CHECK(problem_of({}, {.zones = 7, .conventional = 2, .zone_sectors = 1000}).find("5 zones for data") != std::string::npos);
}
