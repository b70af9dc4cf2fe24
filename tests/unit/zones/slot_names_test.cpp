// What records of slots tell of others: as words, and which of what was heard counts.
#include <catch2/catch.hpp>

#include "firmware/zones/slot_names.hpp"

using namespace tessera;

namespace {

std::optional<LogicalSector> sector_of(const HeardNames& heard, std::uint32_t slot) {
  const std::optional<HeardNames::Name> name = heard.of(slot);
  return name ? std::optional(name->sector) : std::nullopt;
}

}  // namespace

TEST_CASE("a name survives as a word, and what has no room in one is not named") {
  CHECK(encode_name(std::nullopt) == 0);
  CHECK_FALSE(decode_name(0));
  for (const std::uint64_t sector : {std::uint64_t{0}, std::uint64_t{77}, (std::uint64_t{1} << 39U) - 2}) {
    for (const std::uint32_t slot : {0U, 5U, (1U << 24U) - 1}) {
      const std::optional<SlotName> name = decode_name(encode_name(SlotName{slot, LogicalSector(sector)}));
      REQUIRE(name);
      CHECK(name->slot == slot);
      CHECK(name->sector == LogicalSector(sector));
    }
  }
  const std::optional<SlotName> free = decode_name(encode_name(SlotName{0, std::nullopt}));
  REQUIRE(free);
  CHECK_FALSE(free->sector);
  CHECK(encode_name(SlotName{1U << 24U, LogicalSector(1)}) == 0);
  CHECK(encode_name(SlotName{1, LogicalSector((std::uint64_t{1} << 39U) - 1)}) == 0);
}

TEST_CASE("of several names of a slot that of the newest record counts, be it that the slot was free") {
  HeardNames heard(4);
  CHECK_FALSE(heard.of(2));
  heard.add(7, {SlotName{2, LogicalSector(20)}, std::nullopt, SlotName{3, LogicalSector(30)}});
  heard.add(5, {SlotName{2, LogicalSector(10)}, std::nullopt, std::nullopt});
  CHECK(sector_of(heard, 2) == LogicalSector(20));
  CHECK(heard.of(2)->sequence == 7);
  heard.add(9, {SlotName{2, std::nullopt}, std::nullopt, SlotName{9, LogicalSector(1)}});  // a slot that there is not
  CHECK_FALSE(heard.of(2));
  CHECK(sector_of(heard, 3) == LogicalSector(30));
}
