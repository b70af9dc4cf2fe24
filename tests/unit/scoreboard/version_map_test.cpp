#include "stimuli/scoreboard/version_map.hpp"

#include <rapidcheck.h>

#include <catch2/catch.hpp>
#include <map>

using namespace tessera;

TEST_CASE("runs of any alignment are kept as a plain map would keep them") {
  CHECK(rc::check([] {
    VersionMap map;
    std::map<std::uint64_t, Tag> plain;
    Tag tag = 1;
    const auto writes = *rc::gen::container<std::vector<std::pair<std::uint8_t, std::uint8_t>>>(
        rc::gen::pair(rc::gen::inRange<std::uint8_t>(0, 60), rc::gen::inRange<std::uint8_t>(1, 30)));
    for (const auto& [first, count] : writes) {
      map.set_run({HostBlock(first), count}, tag);
      for (std::uint64_t i = 0; i < count; ++i) plain[first + i] = tag + i;
      tag += count;
    }
    for (std::uint64_t block = 0; block < 100; ++block) {
      const Tag expected = plain.contains(block) ? plain[block] : never_written;
      RC_ASSERT(map.newest(HostBlock(block)) == expected);
      RC_ASSERT(map.versions(HostBlock(block)) == std::vector<Tag>{expected});
    }
    std::uint64_t covered = 0;
    std::uint64_t end = 0;
    for (const HostRun& run : map.runs(7)) {
      RC_ASSERT(run.count <= 7U);
      RC_ASSERT(run.first.value() >= end);
      end = run.end().value();
      for (std::uint64_t i = 0; i < run.count; ++i) RC_ASSERT(plain.contains(run.first.value() + i));
      covered += run.count;
    }
    RC_ASSERT(covered == plain.size());
  }));
}

TEST_CASE("trimmed blocks are those of the runs that were trimmed since they were set") {
  CHECK(rc::check([] {
    VersionMap map;
    std::map<std::uint64_t, bool> plain;
    const auto changes = *rc::gen::container<std::vector<std::tuple<std::uint8_t, std::uint8_t, bool>>>(
        rc::gen::tuple(rc::gen::inRange<std::uint8_t>(0, 60), rc::gen::inRange<std::uint8_t>(1, 30), rc::gen::arbitrary<bool>()));
    for (const auto& [first, count, trims] : changes) {
      if (trims)
        map.trim({HostBlock(first), count});
      else
        map.set_run({HostBlock(first), count}, 1000 + first);
      for (std::uint64_t i = 0; i < count; ++i) plain[first + i] = trims;
    }
    std::uint64_t listed = 0;
    for (const HostRun& run : map.runs(100)) listed += run.count;
    RC_ASSERT(listed == plain.size());
    for (std::uint64_t block = 0; block < 100; ++block) {
      const bool trimmed = plain.contains(block) && plain[block];
      const Tag newest = map.newest(HostBlock(block));
      RC_ASSERT(map.trimmed(HostBlock(block)) == trimmed);
      RC_ASSERT(map.allows(HostBlock(block), never_written) == (trimmed || newest == never_written));
      RC_ASSERT(map.allows(HostBlock(block), newest));
      RC_ASSERT(map.versions(HostBlock(block)) == (trimmed ? std::vector<Tag>{newest, nothing} : std::vector<Tag>{newest}));
    }
  }));
}

TEST_CASE("added versions stand beside the newest until the block is set") {
  VersionMap map;
  map.set_run({HostBlock(0), 16}, 100);
  map.add(HostBlock(3), 50);
  map.add(HostBlock(3), 50);
  map.add(HostBlock(3), 103);  // the newest itself
  CHECK(map.versions(HostBlock(3)) == std::vector<Tag>{103, 50});
  CHECK(map.allows(HostBlock(3), 50));
  CHECK_FALSE(map.allows(HostBlock(4), 50));
  map.set(HostBlock(3), 200);
  CHECK(map.versions(HostBlock(3)) == std::vector<Tag>{200});
}
