// Rows that are placed by a hash: no two chunks of one on a drive, balance by capacity, and little moves when a drive comes or goes.
#include "stimuli/arrays/hashed_rows.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "stimuli/arrays/array_layout.hpp"

namespace tessera {
namespace {

using Chunks = std::vector<std::uint64_t>;

/// The drives of each group's first `ranks` places.
std::vector<std::set<std::uint64_t>> drives_of_groups(const HashedRows& rows, std::uint32_t ranks) {
  std::vector<std::set<std::uint64_t>> drives(rows.groups());
  for (std::uint64_t group = 0; group < rows.groups(); ++group)
    for (std::uint32_t rank = 0; rank < ranks; ++rank) drives[group].insert(rows.slot_of(ArrayRow(group), rank).value());
  return drives;
}

std::map<std::uint64_t, double> places_by_drive(const HashedRows& rows, std::uint32_t ranks) {
  std::map<std::uint64_t, double> places;
  for (const auto& drives : drives_of_groups(rows, ranks))
    for (const std::uint64_t drive : drives) ++places[drive];
  return places;
}

/// Memberships of `after` that `before` does not have.
std::uint64_t moved(const std::vector<std::set<std::uint64_t>>& before, const std::vector<std::set<std::uint64_t>>& after) {
  std::uint64_t count = 0;
  for (std::size_t group = 0; group < before.size(); ++group)
    for (const std::uint64_t drive : after[group]) count += before[group].contains(drive) ? 0 : 1;
  return count;
}

}  // namespace

TEST_CASE("no row placed by hash meets a drive twice, and no chunk of a drive holds two members") {
  const auto [width, spares, drives] = GENERATE(std::tuple(3, 0, 3), std::tuple(6, 1, 12), std::tuple(11, 2, 24));
  Chunks chunks;
  for (int i = 0; i < drives; ++i) chunks.push_back(1000 + 400 * (i % 3));
  const HashedRows rows(width, spares, 40, chunks);
  REQUIRE(rows.rows() > 0);
  std::set<std::pair<std::uint64_t, std::uint64_t>> taken;
  for (std::uint64_t row = 0; row < rows.rows(); ++row) {
    std::set<std::uint64_t> met;
    for (std::uint32_t rank = 0; rank < static_cast<std::uint32_t>(width + spares); ++rank) {
      const DriveSlot slot = rows.slot_of(ArrayRow(row), rank);
      const std::uint64_t line = rows.line_on(ArrayRow(row), slot);
      REQUIRE(line < chunks[slot.value()]);
      REQUIRE(met.insert(slot.value()).second);
      REQUIRE(taken.emplace(slot.value(), line).second);
    }
  }
}

TEST_CASE("placement by hash is balanced by capacity") {
  // 4 drives of 3 times the room of 20 others, 3 chunks a row: what can be placed without meeting a drive twice.
  Chunks chunks(20, 10'000);
  chunks.resize(24, 30'000);
  const HashedRows rows(3, 0, 8'000, chunks);
  const double share = 3 * 8'000.0 / 32;  // places per drive of the small size
  for (const auto& [drive, places] : places_by_drive(rows, 3)) {
    INFO("drive " << drive);
    const double expected = share * (drive < 20 ? 1 : 3);
    CHECK(places > 0.85 * expected);
    CHECK(places < 1.15 * expected);
  }
}

TEST_CASE("about 100 groups per drive use most of the room, more of it with more groups") {
  const Chunks chunks(24, 100'000);
  const auto used = [&](std::uint32_t groups) {
    const HashedRows rows(6, 0, groups, chunks);
    return static_cast<double>(rows.rows()) * 6 / (24 * 100'000.0);
  };
  CHECK(HashedRows(6, 0, 0, chunks).groups() == 400);
  CHECK(used(0) > 0.75);
  CHECK(used(6'400) > used(0));
  CHECK(used(6'400) > 0.92);
}

TEST_CASE("a drive that is added takes its share from the others, and between these nothing moves") {
  const HashedRows before(6, 0, 2'000, Chunks(23, 1'000));
  const HashedRows after(6, 0, 2'000, Chunks(24, 1'000));
  const auto old_drives = drives_of_groups(before, 6);
  const auto new_drives = drives_of_groups(after, 6);
  std::uint64_t to_new = 0;
  for (const auto& drives : new_drives) to_new += drives.contains(23) ? 1 : 0;
  CHECK(moved(old_drives, new_drives) == to_new);
  CHECK(to_new > 450);  // of 500
  CHECK(to_new < 550);
}

TEST_CASE("what a failed drive held goes to all others, each group's to the next drive in its order") {
  const HashedRows rows(6, 1, 2'000, Chunks(24, 1'000));
  Chunks without(24, 1'000);
  without[5] = 0;
  const HashedRows later(6, 0, 2'000, without);
  std::map<std::uint64_t, double> written;
  for (std::uint64_t group = 0; group < 2'000; ++group) {
    std::set<std::uint64_t> drives;
    bool held = false;
    for (std::uint32_t rank = 0; rank < 6; ++rank) {
      const std::uint64_t drive = rows.slot_of(ArrayRow(group), rank).value();
      held = held || drive == 5;
      if (drive != 5) drives.insert(drive);
    }
    if (held) {
      const std::uint64_t next = rows.spare_for(ArrayRow(group), 0).value();
      ++written[next];
      drives.insert(next);
    }
    REQUIRE(drives == drives_of_groups(later, 6)[group]);
    if (group == 40) break;  // the comparison above is slow, the rest of the groups alike
  }
  for (std::uint64_t group = 41; group < 2'000; ++group)
    for (std::uint32_t rank = 0; rank < 6; ++rank)
      if (rows.slot_of(ArrayRow(group), rank).value() == 5) ++written[rows.spare_for(ArrayRow(group), 0).value()];
  CHECK(written.size() == 23);
  for (const auto& [drive, groups] : written) CHECK(groups < 3 * 500.0 / 23);
}

TEST_CASE("an array placed by hash uses drives of all sizes, and has each chunk once") {
  const ArrayShape shape{.kind = ArrayKind::erasure, .data = 4, .parities = 2, .placement = RowPlacement::hash};
  const ArrayLayout layout(shape, 8, {8'000, 8'000, 8'000, 16'000, 16'000, 16'000, 16'000, 24'000}, HostBlock(8));
  CHECK(layout.user_blocks() == layout.rows() * 4 * 8);
  CHECK(layout.share_used() > 0.6);
  CHECK(layout.drive_end().value() <= 24'000);
  std::set<std::pair<std::uint64_t, std::uint64_t>> taken;
  for (std::uint64_t row = 0; row < layout.rows(); ++row)
    for (std::uint32_t member = 0; member < 6; ++member) {
      const HostBlock at = layout.place_of(ArrayRow(row), member);
      REQUIRE(at.value() >= 8);
      REQUIRE(taken.emplace(layout.slot_of(ArrayRow(row), member).value(), at.value()).second);
      REQUIRE(layout.member_of(ArrayRow(row), layout.slot_of(ArrayRow(row), member)) == member);
    }
}

}  // namespace tessera
