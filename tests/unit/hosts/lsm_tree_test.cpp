// The tables of the host with a log-structured merge tree: keys, merges, levels and their sizes, zones.
#include <catch2/catch.hpp>

#include "stimuli/hosts/lsm_merge.hpp"
#include "stimuli/hosts/lsm_zones.hpp"

using namespace tessera;
using namespace tessera::literals;

namespace {

LsmFilePtr file_of(std::uint64_t id, std::vector<std::uint64_t> keys, std::vector<std::uint64_t> deleted = {}) {
  const auto file = make_lsm_file();
  file->id = id;
  const auto smaller = [](std::uint64_t a, std::uint64_t b) { return std::min(a, b); };
  file->smallest = smaller(keys.empty() ? ~std::uint64_t{0} : keys.front(), deleted.empty() ? ~std::uint64_t{0} : deleted.front());
  file->largest = std::max(keys.empty() ? 0 : keys.back(), deleted.empty() ? 0 : deleted.back());
  file->extents = {{1000 * id, static_cast<std::uint32_t>(keys.size() + 1)}};
  file->keys = LsmKeys(std::move(keys));
  file->deleted = std::move(deleted);
  return file;
}

LsmChange change_of(LsmChange::Kind kind, std::uint32_t level, const LsmFilePtr& file) {
  LsmChange change;
  change.kind = kind;
  change.level = level;
  change.id = file->id;
  change.file = file;
  return change;
}

/// So many sectors in one file of a level.
LsmFilePtr large_file(std::uint64_t id, std::uint64_t first, std::uint32_t sectors) {
  const auto file = make_lsm_file();
  file->id = id;
  file->keys = LsmKeys(first, sectors, 1);
  file->smallest = first;
  file->largest = first + sectors - 1;
  file->extents = {{0, sectors}};
  return file;
}

LsmTree tree_of(std::uint64_t base_sectors) {
  LsmLayout layout;
  layout.base_sectors = base_sectors;
  return {LsmHostConfig{}, layout};
}

}  // namespace

TEST_CASE("lsm: keys are found where they are, evenly spaced or not") {
  const LsmKeys even(100, 5, 10);
  CHECK(even[4] == 140);
  CHECK(even.lower_bound(100) == 0);
  CHECK(even.lower_bound(101) == 1);
  CHECK(even.lower_bound(140) == 4);
  CHECK(even.lower_bound(141) == 5);
  const LsmKeys uneven(std::vector<std::uint64_t>{3, 4, 9});
  CHECK(uneven[2] == 9);
  CHECK(uneven.lower_bound(5) == 2);
  CHECK(uneven.lower_bound(10) == 3);
  const LsmKeys dense(std::vector<std::uint64_t>{7, 8, 9});
  CHECK(dense[2] == 9);
  CHECK(dense.lower_bound(8) == 1);
  CHECK_FALSE(file_of(1, {3, 4, 9})->find(5));
  CHECK(file_of(1, {3, 4, 9})->find(9) == 2U);
}

TEST_CASE("lsm: a merge takes of each key the entry of the newest run, deletions too, and of files what is still theirs") {
  const auto trimmed = make_lsm_file(*file_of(4, {1, 2, 6, 8}, {3}));
  trimmed->smallest = 4;
  LsmMerge merge({{file_of(9, {2, 5}, {6})}, {file_of(8, {5, 7})}, {file_of(3, {0}), trimmed}});
  std::vector<std::pair<std::uint64_t, std::uint64_t>> found;
  std::vector<std::uint64_t> deleted;
  for (; !merge.ended(); merge.next()) {
    found.emplace_back(merge.item().key, merge.item().file->id);
    if (merge.item().deleted) deleted.push_back(merge.item().key);
  }
  CHECK(found == std::vector<std::pair<std::uint64_t, std::uint64_t>>{{0, 3}, {2, 9}, {5, 9}, {6, 9}, {7, 8}, {8, 4}});
  CHECK(deleted == std::vector<std::uint64_t>{6});
}

TEST_CASE("lsm: levels are to be a tenth of the next one each, down to the base, and level 0 goes there") {
  LsmTree tree = tree_of(400);
  CHECK(tree.base_level() == 6);
  static_cast<void>(tree.apply(change_of(LsmChange::Kind::add, 6, large_file(1, 0, 50000))));
  // 50,000, 5,000, 500 and 50: the first of no more than 400 is level 3.
  CHECK(tree.base_level() == 3);
  CHECK(tree.targets() == std::vector<std::uint64_t>{0, 0, 0, 50, 500, 5000, 50000});
  CHECK_FALSE(tree.choose(false));
  CHECK_FALSE(tree.choose(true));
  for (std::uint64_t id = 2; id < 6; ++id) static_cast<void>(tree.apply(change_of(LsmChange::Kind::add, 0, large_file(id, id * 100, 50))));
  CHECK(tree.level(0).front()->id == 5);
  const std::optional<LsmChoice> choice = tree.choose(false);
  REQUIRE(choice);
  CHECK(choice->level == 0);
  CHECK(choice->into == 3);
  CHECK(choice->files.size() == 4);
  CHECK(choice->overlap.empty());
}

TEST_CASE("lsm: of the level that exceeds its size most the file goes that overlaps least") {
  LsmTree tree = tree_of(400);
  const auto add = [&](std::uint32_t level, const LsmFilePtr& file) {
    static_cast<void>(tree.apply(change_of(LsmChange::Kind::add, level, file)));
  };
  for (std::uint64_t i = 0; i < 10; ++i) add(6, large_file(1 + i, i * 1000, 500));
  add(5, large_file(20, 0, 3000));    // level 5 is to have 500: of 3,000 sectors, over three files of 500
  add(5, large_file(21, 3600, 300));  // of 300, over nothing
  add(5, large_file(22, 4100, 800));  // over one
  const std::optional<LsmChoice> choice = tree.choose(false);
  REQUIRE(choice);
  CHECK(choice->level == 5);
  CHECK(choice->files.front()->id == 21);
  CHECK(choice->overlap.empty());
  CHECK(tree.overlapping(6, 4499, 5000).size() == 2);
  CHECK(tree.overlapping(6, 4500, 4999).empty());
}

TEST_CASE("lsm: changes free what nothing names any more") {
  LsmTree tree = tree_of(400);
  const LsmFilePtr file = file_of(7, {10, 20, 30});
  static_cast<void>(tree.apply(change_of(LsmChange::Kind::add, 2, file)));
  CHECK(tree.sectors(2) == 4);
  LsmChange trim = change_of(LsmChange::Kind::trim, 0, file);
  trim.key = 10;
  CHECK(tree.apply(trim).empty());
  CHECK(tree.covering(2, 10) == nullptr);
  CHECK(tree.covering(2, 20) != nullptr);
  CHECK(tree.apply(change_of(LsmChange::Kind::move, 3, file)).empty());
  CHECK(tree.covering(3, 20)->smallest == 11);
  LsmChange relocate = change_of(LsmChange::Kind::relocate, 0, file);
  relocate.from = {7000, 4};
  relocate.to = {{50, 1}, {90, 3}};
  const std::vector<LsmExtent> freed = tree.apply(relocate);
  REQUIRE(freed.size() == 1);
  CHECK(freed.front().place == 7000);
  CHECK(tree.file(7)->run(1, 8).place == 90);
  CHECK(tree.file(7)->run(1, 8).sectors == 3);
  CHECK(tree.apply(change_of(LsmChange::Kind::remove, 0, file)).size() == 2);
  CHECK(tree.apply(relocate).size() == 2);  // it is gone: its new place, too
  CHECK(tree.files() == 0);
}

TEST_CASE("lsm: the zone with the most dead sectors is collected, if enough of it is dead and all of it is some file's") {
  LsmLayout layout;
  layout.zone_sectors = 100;
  layout.data_zones = 6;
  LsmZones zones(layout);
  zones.prefill(0, 60);
  zones.prefill(1, 30);
  zones.prefill(2, 10);
  zones.prefill(3, 0);
  CHECK(zones.choose_victim(0.5) == 2U);
  CHECK_FALSE(zones.choose_victim(0.9));
  zones.zone(2).pinned = 1;
  CHECK(zones.choose_victim(0.5) == 1U);
  zones.look_at(300);
  CHECK(zones.take_dead() == 3U);
  CHECK(zones.room(LsmLife::brief) == 0);  // the last two are the collection's
  CHECK(zones.room(LsmLife::moved) == 100);
  zones.set_free(3);
  CHECK(zones.free_zones() == 2);
}

TEST_CASE("lsm: a zone is reset when nothing of it is live or on its way") {
  LsmLayout layout;
  layout.zone_sectors = 100;
  layout.data_zones = 6;
  LsmZones zones(layout);
  zones.prefill(0, 10);
  zones.look_at(0);
  CHECK_FALSE(zones.take_dead());
  zones.zone(0).reads = 1;
  zones.release({0, 10});
  CHECK_FALSE(zones.take_dead());
  zones.zone(0).reads = 0;
  zones.zone(0).writes = 1;
  zones.look_at(0);
  CHECK_FALSE(zones.take_dead());
  zones.zone(0).writes = 0;
  zones.look_at(0);
  CHECK(zones.take_dead() == 0U);
  CHECK_FALSE(zones.take_dead());
}
