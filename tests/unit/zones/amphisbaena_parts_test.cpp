// The named parts of Amphisbaena on their own: equations 1 to 4, chunks, victim choice, void records.
#include <catch2/catch.hpp>

#include <rapidcheck.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "base/random.hpp"
#include "firmware/layers/amphisbaena/block_space.hpp"
#include "firmware/layers/amphisbaena/chunk_space.hpp"
#include "firmware/layers/amphisbaena/hot_write.hpp"
#include "firmware/layers/amphisbaena/stale_records.hpp"
#include "firmware/layers/amphisbaena/victim_ranking.hpp"
#include "firmware/layers/amphisbaena/victim_weight.hpp"
#include "unit/firmware/fake_ports.hpp"

using namespace tessera;
using namespace tessera::amphisbaena;
using namespace tessera::test;

namespace {

bool is(const Ratio& ratio, std::uint64_t above, std::uint64_t below) { return ratio.above * below == above * ratio.below; }

}  // namespace

TEST_CASE("equation 1, the mean of the last writes, which the paper divides by the whole window from the first write on") {
  FakeMemory memory;
  FakeCpu cpu;
  HotWrite corrected(memory, cpu, 1024, false);
  CHECK(corrected.add(4));  // no larger than itself
  CHECK_FALSE(corrected.add(8));
  CHECK((corrected.sum() == 12 && corrected.divisor() == 2));  // mean 6
  HotWrite printed(memory, cpu, 1024, true);
  CHECK_FALSE(printed.add(4));
  CHECK_FALSE(printed.add(8));
  CHECK((printed.sum() == 12 && printed.divisor() == 1024));
}

TEST_CASE("the window of equation 1 forgets") {
  FakeMemory memory;
  FakeCpu cpu;
  HotWrite hot(memory, cpu, 3, false);
  for (const std::uint32_t size : {100, 1, 1}) hot.add(size);
  CHECK(hot.sum() == 102);
  CHECK(hot.add(1));
  CHECK(hot.sum() == 3);
  CHECK_FALSE(hot.add(2));
  CHECK(hot.sum() == 4);
}

TEST_CASE("equation 2, block 1000 of zone 3 lies in chunk 62") {
  FakeMemory memory;
  FakeCpu cpu;
  const ChunkSpace chunks(memory, cpu, 8, 16, 8, 65536);
  const std::uint64_t block = 3 * 65536 + 1000;
  CHECK(chunks.chunk_of(static_cast<std::uint32_t>(block - 3 * 65536)) == 62);
  CHECK(chunks.chunk_of(15) == 0);
  CHECK(chunks.chunk_of(16) == 1);
  CHECK(chunks.chunk_of(65535) == 4095);
}

TEST_CASE("equation 3 as printed, and with its counting errors put right") {
  // {10..13} behind a write pointer of 10.
  const VictimZone dense{1, 4, 10, 13, 10, 10, 0};
  CHECK(is(fragmentation_level(dense, false), 1, 1));
  CHECK(is(fragmentation_level(dense, true), 4, 3));
  // {14, 17}
  const VictimZone sparse{1, 2, 14, 17, 10, 10, 0};
  CHECK(is(fragmentation_level(sparse, false), 1, 4));
  CHECK(is(fragmentation_level(sparse, true), 2, 7));
  // Native 0 to 7, write pointer 10, victim {2, 3}: both overwrite native blocks.
  const VictimZone inside{1, 2, 2, 3, 10, 8, 2};
  CHECK(is(fragmentation_level(inside, false), 8, 10));
  CHECK(is(fragmentation_level(inside, true), 1, 1));
  // {2, 12}: on both sides.
  const VictimZone mixed{1, 2, 2, 12, 10, 8, 1};
  CHECK(is(fragmentation_level(mixed, false), 9, 13));
  // A single block at the write pointer divides by zero.
  const VictimZone single{1, 1, 10, 10, 10, 10, 0};
  CHECK(is(fragmentation_level(single, false), 1, 1));
  CHECK(fragmentation_level(single, true).below == 0);
}

TEST_CASE("equation 4 and the rules that can stand in its place") {
  const VictimZone dense{1, 16, 16, 31, 16, 16, 0};             // one full chunk behind the write pointer
  const VictimZone scattered{20, 40, 0, 1600, 3200, 3200, 40};  // twenty chunks in a full zone
  const VictimZone spread{3, 6, 100, 400, 100, 100, 0};
  for (const VictimRule rule : {VictimRule::paper, VictimRule::corrected, VictimRule::count, VictimRule::cost})
    CHECK(victim_weight(VictimZone{}, rule) == 0);
  CHECK(victim_weight(dense, VictimRule::corrected) == std::uint64_t{1} << 20);
  CHECK(victim_weight(scattered, VictimRule::corrected) == std::uint64_t{20} << 20);
  // A dense zone with one chunk wins over three chunks of a sparse one, though it wins little space.
  CHECK(victim_weight(dense, VictimRule::corrected) > victim_weight(spread, VictimRule::corrected));
  CHECK(victim_weight(dense, VictimRule::count) < victim_weight(spread, VictimRule::count));
  // Chunks for a sector moved: 1/16, 20/6400, 3/301.
  CHECK(victim_weight(dense, VictimRule::cost) == (1U << 20) / 16);
  CHECK(victim_weight(scattered, VictimRule::cost) == (20U << 20) / 6400);
  CHECK(victim_weight(spread, VictimRule::cost) == (3U << 20) / 301);
}

TEST_CASE("chunks, their sectors and the frames of a zone are what a plain map says") {
  CHECK(rc::check([] {
    FakeMemory memory;
    FakeCpu cpu;
    const auto frames = *rc::gen::inRange<std::uint32_t>(1, 9);
    const auto chunk_sectors = *rc::gen::element<std::uint32_t>(1, 3, 16, 64, 70, 256);
    const auto zone_sectors = *rc::gen::inRange<std::uint32_t>(chunk_sectors, 4 * chunk_sectors + 1);
    ChunkSpace chunks(memory, cpu, frames, chunk_sectors, 3, zone_sectors);
    for (std::uint32_t frame = 0; frame < frames; ++frame) chunks.add_frame(frame);
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<std::uint32_t, std::set<std::uint32_t>>> plain;
    const std::uint64_t seed = *rc::gen::arbitrary<std::uint64_t>();
    RandomStream random(seed, "chunks");
    for (int step = 0; step < 300; ++step) {
      const auto zone = static_cast<std::uint32_t>(random.below(3));
      const auto offset = static_cast<std::uint32_t>(random.below(zone_sectors));
      const std::pair key{zone, offset / chunk_sectors};
      const auto found = plain.find(key);
      RC_ASSERT(chunks.find(zone, chunks.chunk_of(offset)) == (found == plain.end() ? ChunkSpace::none : found->second.first));
      if (found != plain.end() && found->second.second.contains(offset)) {
        chunks.remove(chunks.slot_in(found->second.first, offset));
        found->second.second.erase(offset);
        if (found->second.second.empty()) plain.erase(found);
      } else if (found != plain.end()) {
        chunks.put(chunks.slot_in(found->second.first, offset));
        found->second.second.insert(offset);
      } else if (chunks.free_frames() != 0) {
        const std::uint32_t frame = chunks.allocate(zone, key.second);
        chunks.put(chunks.slot_in(frame, offset));
        plain[key] = {frame, {offset}};
      }
      RC_ASSERT(chunks.free_frames() + plain.size() == frames);
    }
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<std::uint32_t, std::set<std::uint32_t>>> listed;
    for (std::uint32_t zone = 0; zone < 3; ++zone)
      for (std::uint32_t frame = chunks.first_of(zone); frame != ChunkSpace::none; frame = chunks.after(frame)) {
        auto& entry = listed[{zone, chunks.chunk_in(frame)}];
        entry.first = frame;
        chunks.for_each_offset(frame, [&](std::uint32_t offset) { entry.second.insert(offset); });
      }
    RC_ASSERT(listed == plain);
  }));
}

TEST_CASE("the ranking names the first of the zones with the highest weight") {
  FakeMemory memory;
  for (const std::uint32_t zones : {1U, 2U, 5U, 64U, 100U}) {
    VictimRanking ranking(memory, zones, zones);
    std::vector<std::uint64_t> weights(zones);
    RandomStream random(zones, "ranking");
    CHECK(ranking.highest() == 0);
    for (int step = 0; step < 1000; ++step) {
      const auto zone = static_cast<std::uint32_t>(random.below(zones));
      weights[zone] = random.below(20);
      ranking.set(zone, weights[zone]);
      const auto best = std::ranges::max_element(weights);
      REQUIRE(ranking.highest() == *best);
      if (*best != 0) REQUIRE(ranking.best() == static_cast<std::uint32_t>(best - weights.begin()));
    }
  }
}

TEST_CASE("a borrowed frame of which no block was written for a period is idle") {
  FakeMemory memory;
  BlockSpace blocks(memory, 4, 2, 100);
  blocks.add_frame(0, false);
  blocks.add_frame(2, true);
  blocks.add_frame(3, true);
  CHECK(blocks.slots() == 6);
  CHECK_FALSE(blocks.next_to_return(0));  // in this period they came
  blocks.begin_period();
  CHECK(blocks.next_to_return(0) == 2);
  CHECK(blocks.next_to_return(3) == 3);
  blocks.touch(5);
  CHECK(blocks.next_to_return(0) == 3);
  CHECK(blocks.take(LogicalSector(7)) == 0);
  CHECK(blocks.block_in(0) == LogicalSector(7));
  CHECK(blocks.free_slots() == 5);
  blocks.remove_frame(3);
  CHECK((blocks.slots() == 4 && blocks.free_slots() == 3 && !blocks.owns(6) && blocks.owns(4)));
}

TEST_CASE("which borrowed frames go back is the rule's: idle ones, those with a block that was not updated, the least updated, none") {
  // Two frames of the buffer's own and three borrowed ones of two blocks: of frame 2 both blocks are updated, of frame 3 one, of frame 4
  // none.
  const auto returned = [](GiveBack rule) {
    FakeMemory memory;
    BlockSpace blocks(memory, 5, 2, 100, rule);
    for (std::uint32_t frame = 0; frame < 5; ++frame) blocks.add_frame(frame, frame >= 2);
    for (std::uint64_t block = 0; block < 10; ++block) blocks.touch(blocks.take(LogicalSector(block)));
    blocks.begin_period();
    for (const std::uint32_t slot : {4U, 5U, 6U}) blocks.touch(slot);
    CHECK(blocks.block_in(4) == LogicalSector(4));
    std::vector<std::uint32_t> frames;
    for (std::uint32_t from = 0;;) {
      const std::optional<std::uint32_t> frame = blocks.next_to_return(from);
      if (!frame) return frames;
      frames.push_back(*frame);
      from = *frame + 1;
    }
  };
  using Frames = std::vector<std::uint32_t>;
  CHECK(returned(GiveBack::idle) == Frames{4});
  CHECK(returned(GiveBack::any) == Frames{3, 4});
  CHECK(returned(GiveBack::fewest) == Frames{4});
  CHECK(returned(GiveBack::none).empty());
}

TEST_CASE("the frame with the fewest updates is told by the blocks of its own slots") {
  FakeMemory memory;
  BlockSpace blocks(memory, 2, 3, 100, GiveBack::fewest);
  for (std::uint32_t frame = 0; frame < 2; ++frame) blocks.add_frame(frame, true);
  for (std::uint64_t block = 0; block < 6; ++block) blocks.touch(blocks.take(LogicalSector(block)));
  blocks.begin_period();
  for (const std::uint32_t slot : {0U, 1U, 3U}) blocks.touch(slot);  // two of frame 0, one of frame 1
  CHECK(blocks.next_to_return(0) == 1U);
  blocks.begin_period();
  for (const std::uint32_t slot : {1U, 3U}) blocks.touch(slot);  // one of each: the first
  CHECK(blocks.next_to_return(0) == 0U);
}

TEST_CASE("an empty place in a borrowed frame is no block that was not updated, and an update counts for its period alone") {
  FakeMemory memory;
  BlockSpace blocks(memory, 1, 2, 100, GiveBack::any);
  blocks.add_frame(0, true);
  const std::uint32_t slot = blocks.take(LogicalSector(7));
  blocks.begin_period();
  blocks.touch(slot);
  CHECK_FALSE(blocks.next_to_return(0));
  blocks.begin_period();
  CHECK(blocks.next_to_return(0) == 0);
}

TEST_CASE("free slots are taken in the order in which they became free, but for those of a frame that left") {
  FakeMemory memory;
  BlockSpace blocks(memory, 3, 2, 1000);
  for (const std::uint32_t frame : {1U, 0U, 2U}) blocks.add_frame(frame, true);
  const std::uint32_t first = blocks.take(LogicalSector(999));
  CHECK(first == 2);
  blocks.release(first);
  blocks.remove_frame(0);
  CHECK_FALSE(blocks.block_in(0));
  std::vector<std::uint32_t> taken;
  for (std::uint64_t block = 0; blocks.free_slots() != 0; ++block) taken.push_back(blocks.take(LogicalSector(block)));
  CHECK(taken == std::vector<std::uint32_t>{3, 4, 5, 2});
  blocks.let_go(4);
  CHECK_FALSE(blocks.block_in(4));
  CHECK(blocks.block_in(5) == LogicalSector(2));
  blocks.release(4);
  CHECK(blocks.take(LogicalSector(8)) == 4);
}

TEST_CASE("of a frame that a boot found, the slots without a block are free") {
  FakeMemory memory;
  BlockSpace blocks(memory, 2, 4, 1000);
  blocks.adopt_frame(1, false);
  blocks.assign(5, LogicalSector(7));
  blocks.release_rest(1);
  CHECK(blocks.free_slots() == 3);
  CHECK(blocks.block_in(5) == LogicalSector(7));
  CHECK(blocks.take(LogicalSector(1)) == 4);
  CHECK(blocks.take(LogicalSector(2)) == 6);
}

namespace {

/// Slots of which each is in use, free, or about to be written.
struct PlainSlots : SlotRecords {
  [[nodiscard]] std::uint64_t void_until(std::uint32_t slot) const override { return until.contains(slot) ? until.at(slot) : 0; }
  std::map<std::uint32_t, std::uint64_t> until;
};

/// What a boot finds in a note.
StaleRecords replayed(FakeMemory& memory, std::span<const std::byte> note) {
  StaleRecords records(memory, 16, 64);
  std::vector<std::byte> sector(64);
  std::ranges::copy(note, sector.begin());
  records.replay(0, sector);
  return records;
}

}  // namespace

TEST_CASE("a note names the records that are out of date, neighbours together, and only once") {
  FakeMemory memory;
  PlainSlots slots;
  StaleRecords records(memory, 16, 64);  // four runs a sector
  records.ask(slots);
  for (const std::uint32_t slot : {11, 3, 9, 5, 4}) records.add(slot);
  slots.until = {{3, 7}, {4, 7}, {5, 7}, {9, 7}, {11, 8}};
  records.overwritten(9);
  records.begin_note();
  records.fill_note();
  CHECK(records.note().size() == 2 * sizeof(StaleRecords::Run));
  const StaleRecords other = replayed(memory, records.note());
  CHECK_FALSE(other.counts(4, 7));
  CHECK(other.counts(4, 8));
  CHECK_FALSE(other.counts(11, 8));
  CHECK(other.counts(9, 1));
  CHECK(other.newest() == 8);
  records.begin_note();
  records.fill_note();
  CHECK(records.note().empty());
}

TEST_CASE("what has no room in a note waits for the next, and a checkpoint has all") {
  FakeMemory memory;
  PlainSlots slots;
  StaleRecords records(memory, 128, 64);
  records.ask(slots);
  for (std::uint32_t slot = 56; slot < 68; slot += 2) {
    records.add(slot);
    slots.until[slot] = slot + 1;
  }
  CHECK(records.crowded());
  std::vector<std::byte> image(records.bytes());
  records.save(image);
  StaleRecords loaded(memory, 128, 64);
  loaded.load(image);
  for (std::uint32_t slot = 56; slot < 68; slot += 2) CHECK((!loaded.counts(slot, slot + 1) && loaded.counts(slot, slot + 2)));
  CHECK(loaded.counts(57, 1));
  records.begin_note();
  records.fill_note();
  CHECK(records.note().size() == 64);
  CHECK_FALSE(records.add_to_note({14, 1, 3}));
  CHECK_FALSE(records.crowded());
  records.begin_note();
  records.fill_note();
  CHECK(records.note().size() == 2 * sizeof(StaleRecords::Run));
}

TEST_CASE("a checkpoint of a boot says what the log said, for the slots have no owners yet") {
  FakeMemory memory;
  PlainSlots slots;
  slots.until = {{3, 50}};
  StaleRecords records(memory, 16, 64);
  records.ask(slots);
  std::vector<std::byte> image(records.bytes());
  const std::uint64_t until = 9;
  std::memcpy(image.data() + 4 * StaleRecords::slot_bytes, &until, sizeof(until));
  records.load(image);
  std::vector<std::byte> saved(records.bytes());
  records.save(saved);
  CHECK(saved == image);
  records.end_boot();
  CHECK(records.counts(4, 1));
  records.save(saved);
  CHECK(saved != image);
}
