// Tables in the modelled DRAM: against the standard containers, and what they charge.
#include <rapidcheck.h>
#include <catch2/catch.hpp>

#include <list>
#include <unordered_map>

#include "firmware/caches/sector_groups.hpp"
#include "firmware/tables/dram_table.hpp"
#include "unit/firmware/fake_ports.hpp"

using namespace tessera;
using tessera::test::FakeMemory;

TEST_CASE("an access to a DRAM table is charged, a peek is not") {
  FakeMemory memory;
  DramArray<std::uint32_t> array(memory, MemoryCategory::metadata, 10, "test");
  array.write(9) = 7;
  CHECK(memory.touches == 1);
  CHECK(array.read(9) == 7);
  CHECK(memory.touches == 2);
  CHECK(array.peek(9) == 7);
  CHECK(memory.touches == 2);
}

TEST_CASE("a bitmap sets exactly the bits below a bound") {
  for (const std::uint64_t end : {0U, 1U, 63U, 64U, 65U, 127U, 128U, 130U}) {
    FakeMemory memory;
    DramBitmap bits(memory, MemoryCategory::metadata, 130, "test");
    bits.set_below(end);
    for (std::uint64_t i = 0; i < 130; ++i) CHECK(bits.test(i) == (i < end));
  }
}

TEST_CASE("a hash map in DRAM behaves as a map up to its capacity") {
  CHECK(rc::check([](const std::vector<std::pair<std::uint8_t, std::uint32_t>>& operations) {
    FakeMemory memory;
    constexpr std::uint64_t capacity = 24;
    DramHashMap map(memory, MemoryCategory::metadata, capacity, "test");
    std::unordered_map<std::uint64_t, std::uint32_t> reference;
    for (const auto& [small, value] : operations) {
      // Keys a power of two apart fall on few cells: long clusters.
      const std::uint64_t key = std::uint64_t{small % 40U} << (small % 3U * 20U);
      if (reference.contains(key)) {
        map.erase(key);
        reference.erase(key);
      } else if (reference.size() < capacity) {
        map.insert(key, value & 0xFFFFU);
        reference.emplace(key, value & 0xFFFFU);
      }
      for (std::uint64_t k = 0; k < 40; ++k) {
        for (const std::uint64_t shift : {0U, 20U, 40U}) {
          const auto found = reference.find(k << shift);
          RC_ASSERT(map.find(k << shift) == (found == reference.end() ? DramHashMap::none : found->second));
        }
      }
      RC_ASSERT(map.size() == reference.size());
    }
  }));
}

TEST_CASE("lists by index behave as lists") {
  CHECK(rc::check([](const std::vector<std::pair<std::uint8_t, std::uint8_t>>& operations) {
    FakeMemory memory;
    DramLists lists(memory, MemoryCategory::metadata, 8, 2, "test");
    std::list<std::uint32_t> reference[2];
    int where[8] = {-1, -1, -1, -1, -1, -1, -1, -1};
    for (const auto& [which, action] : operations) {
      const std::uint32_t index = which % 8U;
      const int list = action % 2;
      if (where[index] < 0) {
        const std::uint32_t front = lists.front(static_cast<std::uint32_t>(list));
        if (action % 3 == 0 && front != DramLists::none) {
          lists.insert_after(front, index);
          reference[list].insert(std::next(reference[list].begin()), index);
        } else if (action % 3 == 1) {
          lists.push_front(static_cast<std::uint32_t>(list), index);
          reference[list].push_front(index);
        } else {
          lists.push_back(static_cast<std::uint32_t>(list), index);
          reference[list].push_back(index);
        }
        where[index] = list;
      } else {
        lists.remove(index);
        reference[where[index]].remove(index);
        where[index] = -1;
      }
      for (std::uint32_t l = 0; l < 2; ++l) {
        std::uint32_t at = lists.front(l);
        for (const std::uint32_t expected : reference[l]) {
          RC_ASSERT(at == expected);
          at = lists.after(at);
        }
        RC_ASSERT(at == DramLists::none);
        RC_ASSERT(lists.back(l) == (reference[l].empty() ? DramLists::none : reference[l].back()));
      }
    }
  }));
}

TEST_CASE("chains of a list move as their indices do one by one, for as many accesses as one of them") {
  CHECK(rc::check([](const std::vector<std::pair<std::uint8_t, std::uint8_t>>& operations) {
    FakeMemory memory;
    FakeMemory other;
    constexpr std::uint32_t count = 16;
    DramLists lists(memory, MemoryCategory::metadata, count, 2, "test");
    DramLists singly(other, MemoryCategory::metadata, count, 2, "test");
    for (DramLists* const both : {&lists, &singly})
      for (std::uint32_t index = 0; index < count; ++index) both->push_back(0, index);
    for (const auto& [which, action] : operations) {
      const std::uint32_t first = which % count;
      const std::uint32_t list = action % 2;
      const std::uint32_t most = 1 + action / 2 % (count - first);
      const std::uint64_t before = memory.touches;
      const std::uint32_t length = lists.chain(first, most);
      lists.remove_chain(first, length);
      lists.push_back_chain(list, first, length);
      RC_ASSERT(memory.touches - before == 7);
      RC_ASSERT(length >= 1U);
      RC_ASSERT(length <= most);
      for (std::uint32_t index = first; index < first + length; ++index) {
        if (index + 1 < first + length) RC_ASSERT(singly.after(index) == index + 1);
      }
      for (std::uint32_t index = first; index < first + length; ++index) singly.remove(index);
      for (std::uint32_t index = first; index < first + length; ++index) singly.push_back(list, index);
      for (std::uint32_t l = 0; l < 2; ++l) {
        std::uint32_t at = lists.front(l);
        for (std::uint32_t expected = singly.front(l); expected != DramLists::none; expected = singly.after(expected)) {
          RC_ASSERT(at == expected);
          at = lists.after(at);
        }
        RC_ASSERT(at == DramLists::none);
        RC_ASSERT(lists.back(l) == singly.back(l));
      }
    }
  }));
}

TEST_CASE("groups of sectors never call one absent that is held, and a run over groups without any costs a read for each") {
  FakeMemory memory;
  SectorGroups groups(memory, 256, "test");
  CHECK(groups.absent({LogicalSector(10), 200}) == 200);
  CHECK(memory.touches == 4);  // 10 to 63, to 127, to 191, to 209
  groups.add({LogicalSector(126), 4});
  for (std::uint64_t sector = 100; sector < 150; ++sector) CHECK(groups.absent({LogicalSector(sector), 1}) == 0);
  CHECK(groups.absent({LogicalSector(10), 200}) == 54);
  groups.remove(LogicalSector(126));
  groups.remove(LogicalSector(127));
  CHECK(groups.absent({LogicalSector(10), 200}) == 118);
  CHECK(groups.absent({LogicalSector(127), 2}) == 1);
}
