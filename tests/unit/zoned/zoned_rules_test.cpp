// The rules of zones, both sides of each bound.
#include <algorithm>

#include "stimuli/hosts/zoned_workload.hpp"
#include "zoned_drive.hpp"

using namespace tessera;
using namespace tessera::test;

TEST_CASE("a write begins at the write pointer and nowhere else") {
  ZonedDrive drive;
  REQUIRE(drive.write_zone(1, 0, 3) == Status::ok);
  CHECK(drive.write_zone(1, 2, 1) == Status::unaligned_write);
  CHECK(drive.write_zone(1, 4, 1) == Status::unaligned_write);
  CHECK(drive.pointer(1) == 3);
  CHECK(drive.write_zone(1, 3, 1) == Status::ok);
  CHECK(drive.pointer(1) == 4);
  drive.check_content();
}

TEST_CASE("a write to a sequential zone has whole sectors, one to a conventional zone need not") {
  ZonedDrive drive;
  CHECK(drive.bench().write(drive.block(1), 7) == Status::unaligned_write);
  CHECK(drive.bench().write(drive.block(1), 8) == Status::ok);
  CHECK(drive.bench().write(drive.block(0) + 3, 7) == Status::ok);
  drive.check_content();
}

TEST_CASE("a write ends with its zone at the latest") {
  ZonedDrive drive;
  REQUIRE(drive.write_zone(1, 0, 10) == Status::ok);
  CHECK(drive.write_zone(1, 10, 3) == Status::write_boundary);
  CHECK(drive.condition(1) == ZoneCondition::implicitly_open);
  CHECK(drive.write_zone(1, 10, 2) == Status::ok);
  CHECK(drive.condition(1) == ZoneCondition::full);
  CHECK(drive.write_zone(1, 0, 1) == Status::invalid_field);
  CHECK(drive.write_zone(0, 11, 2) == Status::write_boundary);
  CHECK(drive.write_zone(0, 11, 1) == Status::ok);
  drive.check_content();
}

TEST_CASE("unrestricted reads find zeros beyond the write pointer, without a visit to the platters") {
  ZonedDrive drive;
  REQUIRE(drive.write_zone(1, 0, 2) == Status::ok);
  drive.bench().steps.clear();
  CHECK(drive.read_zone(1, 2, 3) == Status::ok);
  CHECK(drive.bench().steps.empty());
  CHECK(drive.read_zone(1, 1, 15) == Status::ok);
  CHECK(drive.bench().steps.size() == 1);
  drive.check_content();
}

TEST_CASE("restricted reads end at the write pointer and at the end of a zone") {
  ZonedSetup setup;
  setup.layer.unrestricted_reads = false;
  ZonedDrive drive(setup);
  REQUIRE(drive.write_zone(1, 0, 2) == Status::ok);
  REQUIRE(drive.write_zone(2, 0, 12) == Status::ok);
  REQUIRE(drive.write_zone(3, 0, 1) == Status::ok);
  CHECK(drive.read_zone(1, 0, 2) == Status::ok);
  CHECK(drive.read_zone(1, 0, 3) == Status::invalid_read);
  CHECK(drive.read_zone(2, 11, 1) == Status::ok);
  CHECK(drive.read_zone(2, 11, 2) == Status::read_boundary);
  CHECK(drive.read_zone(0, 11, 1) == Status::ok);
  CHECK(drive.read_zone(0, 11, 2) == Status::read_boundary);
  REQUIRE(drive.manage(HostOp::zone_finish, 1) == Status::ok);
  CHECK(drive.read_zone(1, 0, 12) == Status::ok);
}

TEST_CASE("a reset empties a zone without an erase, and what was there reads as zeros") {
  ZonedDrive drive;
  REQUIRE(drive.write_zone(1, 0, 12) == Status::ok);
  drive.bench().steps.clear();
  REQUIRE(drive.manage(HostOp::zone_reset, 1) == Status::ok);
  CHECK(drive.bench().steps_in("bands").empty());
  CHECK(drive.condition(1) == ZoneCondition::empty);
  REQUIRE(drive.write_zone(1, 0, 1) == Status::ok);
  CHECK(drive.read_zone(1, 0, 12) == Status::ok);
  drive.check_content();
}

TEST_CASE("as many zones are open as the limit says, and the one written to the longest time ago is closed for another") {
  ZonedDrive drive;
  for (const std::uint32_t zone : {1U, 2U, 3U}) REQUIRE(drive.write_zone(zone, 0, 1) == Status::ok);
  REQUIRE(drive.write_zone(1, 1, 1) == Status::ok);
  CHECK(drive.layer().states().open_zones() == 3);
  REQUIRE(drive.write_zone(4, 0, 1) == Status::ok);
  CHECK(drive.layer().states().open_zones() == 3);
  CHECK(drive.condition(1) == ZoneCondition::implicitly_open);
  CHECK(drive.condition(2) == ZoneCondition::closed);
  CHECK(drive.metric("zones.closed_for_others") == 1);
}

TEST_CASE("explicitly open zones are not closed for another") {
  ZonedDrive drive;
  for (const std::uint32_t zone : {1U, 2U, 3U}) REQUIRE(drive.manage(HostOp::zone_open, zone) == Status::ok);
  CHECK(drive.manage(HostOp::zone_open, 4) == Status::no_zone_resources);
  CHECK(drive.manage(HostOp::zone_finish, 4) == Status::no_zone_resources);
  CHECK(drive.write_zone(4, 0, 1) == Status::no_zone_resources);
  CHECK(drive.condition(4) == ZoneCondition::empty);
  REQUIRE(drive.manage(HostOp::zone_close, 2) == Status::ok);
  CHECK(drive.condition(2) == ZoneCondition::empty);
  CHECK(drive.write_zone(4, 0, 1) == Status::ok);
}

TEST_CASE("open and closed zones count as active, full and empty ones do not") {
  ZonedSetup setup;
  setup.layer.max_active = 4;
  ZonedDrive drive(setup);
  for (const std::uint32_t zone : {1U, 2U, 3U, 4U}) REQUIRE(drive.write_zone(zone, 0, 1) == Status::ok);
  CHECK(drive.layer().states().active_zones() == 4);
  CHECK(drive.write_zone(5, 0, 1) == Status::no_zone_resources);
  REQUIRE(drive.manage(HostOp::zone_finish, 2) == Status::ok);
  CHECK(drive.write_zone(5, 0, 1) == Status::ok);
  CHECK(drive.write_zone(6, 0, 1) == Status::no_zone_resources);
  REQUIRE(drive.manage(HostOp::zone_reset, 1) == Status::ok);
  CHECK(drive.write_zone(6, 0, 1) == Status::ok);
}

TEST_CASE("commands for one zone name its first block, and a sequential zone") {
  ZonedDrive drive;
  CHECK(drive.manage(HostOp::zone_reset, 0) == Status::invalid_field);
  CHECK(drive.bench().run_until_done(drive.bench().submit(HostOp::zone_reset, drive.block(1, 1), 0)) == Status::invalid_field);
  CHECK(drive.manage(HostOp::zone_reset, 7) == Status::ok);
  CHECK(drive.manage(HostOp::zone_reset, 8) == Status::rule_violation);
}

TEST_CASE("a finished zone is full, and beyond what was written there are zeros") {
  ZonedDrive drive;
  REQUIRE(drive.write_zone(1, 0, 2) == Status::ok);
  REQUIRE(drive.manage(HostOp::zone_finish, 1) == Status::ok);
  CHECK(drive.condition(1) == ZoneCondition::full);
  CHECK(drive.write_zone(1, 2, 1) == Status::invalid_field);
  CHECK(drive.read_zone(1, 0, 12) == Status::ok);
  drive.cut_now();
  CHECK(drive.condition(1) == ZoneCondition::full);
  drive.check_content();
}

TEST_CASE("a report has a descriptor for each zone from the first block's on, seven in its first page and eight in each further one") {
  ZonedDrive drive;
  REQUIRE(drive.write_zone(2, 0, 5) == Status::ok);
  const HostRequest& one = drive.bench().submit(HostOp::zone_report, 0, 1);
  drive.bench().run_until_all_done();
  REQUIRE(one.zones.size() == 7);
  CHECK(one.zones[0].type == ZoneType::conventional);
  CHECK(one.zones[2] == ZoneDescriptor{ZoneType::sequential_write_required, ZoneCondition::implicitly_open, HostBlock(drive.block(2)), 96,
                                       HostBlock(drive.block(2, 5))});
  const HostRequest& rest = drive.bench().submit(HostOp::zone_report, drive.block(3, 4), 2);
  drive.bench().run_until_all_done();
  REQUIRE(rest.zones.size() == 5);
  CHECK(rest.zones[0].start == HostBlock(drive.block(3)));
}

TEST_CASE("a reset of all zones leaves the conventional ones") {
  ZonedDrive drive;
  REQUIRE(drive.write_zone(0, 0, 1) == Status::ok);
  for (const std::uint32_t zone : {1U, 2U}) REQUIRE(drive.write_zone(zone, 0, 12) == Status::ok);
  REQUIRE(drive.bench().run_until_done(drive.bench().submit(HostOp::zone_reset, 0, 0, false, true)) == Status::ok);
  CHECK(drive.metric("zones.resets") == 2);
  for (const std::uint32_t zone : {1U, 2U}) CHECK(drive.condition(zone) == ZoneCondition::empty);
  drive.check_content();
}

TEST_CASE("writes on their way at once need not wait for one another, and go to the platters together") {
  ZonedDrive drive;
  for (std::uint64_t sector = 0; sector < 8; ++sector) drive.bench().submit(HostOp::write, drive.block(1, sector), 8);
  drive.bench().run_until_all_done();
  CHECK(drive.pointer(1) == 8);
  CHECK(drive.bench().failed_whole_requests() == 0);
  CHECK(drive.metric("zones.chains") < 4);
  drive.check_content();
}

TEST_CASE("a write whose data the drive asks for does not overtake one whose data came along") {
  ZonedSetup setup;
  setup.bench.host.window = sectors(4);
  ZonedDrive drive(setup);
  drive.bench().submit(HostOp::write, drive.block(2), 12 * blocks_per_sector);  // its data goes to the DRAM first
  const HostRequest& first = drive.bench().submit(HostOp::write, drive.block(1), 4 * blocks_per_sector);
  const HostRequest& streamed = drive.bench().submit(HostOp::write, drive.block(1, 4), 8 * blocks_per_sector);
  drive.bench().run_until_all_done();
  CHECK(first.status == Status::ok);
  CHECK(streamed.status == Status::ok);
  drive.check_content();
}

TEST_CASE("a read that holds sectors behind the pointer changes nothing of the order in which writes are admitted") {
  ZonedDrive drive;
  REQUIRE(drive.write_zone(1, 0, 2) == Status::ok);
  drive.bench().submit(HostOp::read, drive.block(1), 4 * 8);
  const HostRequest& held = drive.bench().submit(HostOp::write, drive.block(1, 2), 2 * 8);
  const HostRequest& free = drive.bench().submit(HostOp::write, drive.block(1, 4), 8);
  drive.bench().run_until_all_done();
  CHECK(held.status == Status::ok);
  CHECK(free.status == Status::ok);
  drive.check_content();
}

TEST_CASE("prefilled zones are full, the one in which the prefill ends is closed") {
  ZonedSetup setup;
  setup.prefilled = 29;
  ZonedDrive drive(setup);
  CHECK(drive.condition(1) == ZoneCondition::full);
  CHECK(drive.condition(2) == ZoneCondition::closed);
  CHECK(drive.pointer(2) == 5);
  CHECK(drive.condition(3) == ZoneCondition::empty);
  drive.cut_now();
  CHECK(drive.pointer(2) == 5);
}

TEST_CASE("read-only zones are read and not written, offline ones neither") {
  ZonedSetup setup;
  setup.layer.read_only_zones = 1;
  setup.layer.offline_zones = 1;
  setup.prefilled = 96;
  ZonedDrive drive(setup);
  CHECK(drive.condition(5) == ZoneCondition::full);
  CHECK(drive.read_zone(6, 0, 1) == Status::ok);
  CHECK(drive.write_zone(6, 0, 1) == Status::zone_read_only);
  CHECK(drive.manage(HostOp::zone_reset, 6) == Status::zone_read_only);
  CHECK(drive.read_zone(7, 0, 1) == Status::zone_offline);
  CHECK(drive.write_zone(7, 0, 1) == Status::zone_offline);
  CHECK(drive.manage(HostOp::zone_open, 7) == Status::zone_offline);
}

namespace {

/// Answers a host's requests: reads as if their zone were offline, reports as if each zone had this condition, those of the first `late`
/// requests after these; the rest well. The verdicts on reads, and complaints.
std::vector<ZonedWorkload::Verdict> answered(std::uint64_t seed, ZoneCondition reported, std::uint64_t late) {
  constexpr ZonedWorkload::Drive drive{.blocks = 1024, .zone_blocks = 64, .largest = 16};
  ZonedWorkload host(seed, drive);
  std::vector<ZonedWorkload::Verdict> verdicts;
  const auto answer = [&](std::uint64_t number, const TraceRecord& record) {
    HostRequest request;
    request.number = number;
    request.op = record.op;
    if (record.op == HostOp::read) request.status = Status::zone_offline;
    if (record.op == HostOp::zone_report) {
      const std::uint64_t first = record.offset / Bytes(host_block_bytes) / drive.zone_blocks;
      const auto pages = static_cast<std::uint32_t>(record.size / Bytes(host_block_bytes));
      for (std::uint64_t zone = first; zone < std::min<std::uint64_t>(16, first + zones_in_report(pages)); ++zone)
        request.zones.push_back({ZoneType::sequential_write_required, reported, HostBlock(zone * 64), 64, HostBlock(zone * 64)});
    }
    const ZonedWorkload::Verdict verdict = host.completed(request);
    if (record.op == HostOp::read || !verdict.complaint.empty()) verdicts.push_back(verdict);
  };
  std::vector<std::pair<std::uint64_t, TraceRecord>> reports;
  for (std::uint64_t number = 0; number < 200; ++number) {
    TraceRecord record;
    REQUIRE(host.next(record));
    if (number < late && record.op == HostOp::zone_report) {
      reports.emplace_back(number, record);
      continue;
    }
    answer(number, record);
    if (number + 1 < late) continue;
    for (const auto& [of, report] : reports) answer(of, report);
    reports.clear();
  }
  return verdicts;
}

}  // namespace

TEST_CASE("a host that keeps books of zones expects no data of those that a report calls offline, and complains where they are not") {
  const auto in_order = [](const ZonedWorkload::Verdict& verdict) { return verdict.in_order && verdict.complaint.empty(); };
  for (std::uint64_t seed = 1; seed < 10; ++seed) {
    CHECK(std::ranges::all_of(answered(seed, ZoneCondition::offline, 0), in_order));
    CHECK(std::ranges::none_of(answered(seed, ZoneCondition::empty, 0), in_order));
  }
  bool complained = false;
  for (std::uint64_t seed = 1; seed < 10; ++seed)
    for (const ZonedWorkload::Verdict& verdict : answered(seed, ZoneCondition::empty, 20))
      complained = complained || verdict.complaint.find("was offline, and is not") != std::string::npos;
  CHECK(complained);
}
