// The write buffer: which blocks leave it by each of the paper's rules, against a plain model.
#include <catch2/catch.hpp>

#include <algorithm>
#include <list>
#include <map>

#include "base/random.hpp"
#include "firmware/buffer/mem_buffer.hpp"
#include "unit/firmware/fake_ports.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

constexpr std::uint32_t segment_blocks = 4;

struct Fixture {
  Fixture(std::uint32_t blocks, Replacement replacement, std::uint32_t window_percent = 10)
      : config(configured(blocks, replacement, window_percent)),
        table(memory, cpu, address, blocks),
        buffer(memory, cpu, config, address, table) {}

  static BufferConfig configured(std::uint32_t blocks, Replacement replacement, std::uint32_t window_percent) {
    BufferConfig config;
    config.block = Bytes(2 * 4096);
    config.memory = config.block * blocks;
    config.replacement = replacement;
    config.lwa_window = window_percent;
    return config;
  }
  void write(std::uint64_t block) {
    MemBuffer::Slot slot = buffer.find(block);
    if (slot == MemBuffer::none) slot = buffer.take(block);
    buffer.written(slot, 0, 2, ++sequence);
  }
  std::vector<std::uint64_t> victims() {
    std::vector<MemBuffer::Slot> slots{0, 0, 0};  // of a choice before
    buffer.choose_victims(slots);
    std::vector<std::uint64_t> blocks;
    for (const MemBuffer::Slot slot : slots) blocks.push_back(buffer.block(slot));
    std::ranges::sort(blocks);
    return blocks;
  }
  void write_back(const std::vector<std::uint64_t>& blocks) {
    std::vector<MemBuffer::Slot> slots;
    for (const std::uint64_t block : blocks) slots.push_back(buffer.find(block));
    buffer.begin_write_back(slots);
    buffer.end_write_back(slots);
  }

  FakeCpu cpu;
  FakeMemory memory;
  BlockAddress address{2, segment_blocks};
  BufferConfig config;
  SegmentTable table;
  MemBuffer buffer;
  std::uint64_t sequence = 0;
};

using Blocks = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE("block LRU takes the least recently used block alone") {
  Fixture fixture(6, Replacement::block_lru);
  for (const std::uint64_t block : {0, 1, 2, 8, 3, 0}) fixture.write(block);
  CHECK(fixture.victims() == Blocks{1});
}

TEST_CASE("segment LRU takes all blocks of the least recently used segment") {
  Fixture fixture(8, Replacement::segment_lru);
  for (const std::uint64_t block : {0, 1, 8, 2, 9, 4}) fixture.write(block);
  CHECK(fixture.victims() == Blocks{0, 1, 2});
  fixture.write(1);  // one hot block keeps its cold neighbours: the paper's argument against this rule
  CHECK(fixture.victims() == Blocks{8, 9});
}

TEST_CASE("least write amplification takes the tail block and those of its segment within the window") {
  // As in figure 6: the window is the four least recently used blocks; the tail's segment has one more block outside of it.
  Fixture fixture(8, Replacement::least_write_amplification, 50);
  for (const std::uint64_t block : {0, 4, 1, 8, 2, 12, 5, 3}) fixture.write(block);
  CHECK(fixture.victims() == Blocks{0, 1});
  fixture.write(0);
  CHECK(fixture.victims() == Blocks{4});  // 4, 1, 8, 2: block 5 is outside
  fixture.write(4);
  CHECK(fixture.victims() == Blocks{1, 2});
}

TEST_CASE("the chosen blocks are those of a plain model of each rule") {
  const auto rule = static_cast<Replacement>(GENERATE(0, 1, 2));
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    RandomStream random(seed, "replacement");
    const auto capacity = static_cast<std::uint32_t>(3 + random.below(30));
    const auto percent = static_cast<std::uint32_t>(1 + random.below(100));
    Fixture fixture(capacity, rule, percent);
    const std::size_t window = std::max<std::size_t>(1, capacity * percent / 100);
    std::list<std::uint64_t> recency;   // least recent first
    std::list<std::uint64_t> segments;  // by last write
    for (int step = 0; step < 2000; ++step) {
      const std::uint64_t block = random.below(4 * capacity);
      if (fixture.buffer.full() && fixture.buffer.find(block) == MemBuffer::none) {
        Blocks expected;
        std::size_t place = 0;
        for (const std::uint64_t candidate : recency) {
          const bool tail = place == 0;
          const bool same = candidate / segment_blocks == recency.front() / segment_blocks;
          if (rule == Replacement::block_lru     ? tail
              : rule == Replacement::segment_lru ? candidate / segment_blocks == segments.front()
                                                 : same && place < window)
            expected.push_back(candidate);
          ++place;
        }
        std::ranges::sort(expected);
        REQUIRE(fixture.victims() == expected);
        fixture.write_back(expected);
        for (const std::uint64_t gone : expected) recency.remove(gone);
        std::erase_if(segments, [&](std::uint64_t segment) {
          return std::ranges::none_of(recency, [&](std::uint64_t left) { return left / segment_blocks == segment; });
        });
      }
      fixture.write(block);
      recency.remove(block);
      recency.push_back(block);
      segments.remove(block / segment_blocks);
      segments.push_back(block / segment_blocks);
    }
    CHECK(fixture.buffer.used() == recency.size());
  }
}

TEST_CASE("a block written while it is written back stays, with the age of the newer write") {
  Fixture fixture(4, Replacement::block_lru);
  fixture.write(0);  // sequence number 1
  fixture.write(5);  // 2
  const std::vector<MemBuffer::Slot> slots{fixture.buffer.find(0)};
  fixture.buffer.begin_write_back(slots);
  CHECK(fixture.victims() == Blocks{5});
  CHECK(fixture.buffer.oldest(99) == 1);
  fixture.write(0);  // 3
  fixture.buffer.end_write_back(slots);
  CHECK(fixture.buffer.find(0) == slots.front());
  CHECK(fixture.buffer.oldest(99) == 2);
  fixture.write_back({5});
  CHECK(fixture.buffer.oldest(99) == 3);
  fixture.write_back({0});
  CHECK(fixture.buffer.oldest(99) == 99);
  CHECK(fixture.buffer.used() == 0);
  CHECK(fixture.table.nodes() == 0);
}

TEST_CASE("a segment node takes 8T + 24 bytes, 1.7 MiB if every cached block is in another segment") {
  CHECK(SegmentTable::node_bytes(20) == Bytes(184));
  const std::uint64_t cached = 3200 + 6400;
  CHECK(static_cast<double>((SegmentTable::node_bytes(20) * cached).value()) / (1 << 20) == Approx(1.7).margin(0.05));
  Fixture fixture(9, Replacement::block_lru);
  for (std::uint64_t block = 0; block < 9; ++block) fixture.write(block * 3);
  CHECK(fixture.table.nodes() == 7);  // blocks 0, 3 | 6 | 9 | 12, 15 | 18 | 21 | 24
}

TEST_CASE("blocks that are set aside are no victims, and nobody waits for them, until they are written or tried again") {
  for (const Replacement rule : {Replacement::block_lru, Replacement::segment_lru, Replacement::least_write_amplification}) {
    CAPTURE(static_cast<int>(rule));
    Fixture fixture(4, rule, 25);
    MemBuffer& buffer = fixture.buffer;
    fixture.write(0);
    fixture.write(4);
    const std::vector<MemBuffer::Slot> first{buffer.find(0)};
    buffer.begin_write_back(first);
    buffer.abandon_write_back(first);
    CHECK(buffer.set_aside() == 1);
    CHECK_FALSE(buffer.only_set_aside());
    CHECK(fixture.victims() == std::vector<std::uint64_t>{4});
    CHECK(buffer.longest_waiting() == buffer.find(4));
    CHECK(buffer.oldest_set_aside() == buffer.find(0));
    CHECK(buffer.oldest(99) == 1);
    fixture.write_back({4});
    CHECK(buffer.only_set_aside());
    CHECK(buffer.longest_waiting() == MemBuffer::none);

    fixture.write(0);
    CHECK(buffer.set_aside() == 0);
    CHECK(buffer.longest_waiting() == buffer.find(0));
    CHECK(buffer.oldest(99) == 1);  // its first write is still not on the disk
    buffer.begin_write_back(first);
    fixture.write(0);
    buffer.abandon_write_back(first);
    CHECK(buffer.set_aside() == 0);  // written meanwhile

    buffer.begin_write_back(first);
    buffer.abandon_write_back(first);
    buffer.try_again();
    CHECK(fixture.victims() == std::vector<std::uint64_t>{0});
    buffer.begin_write_back(first);
    buffer.abandon_write_back(first);
    buffer.give_up(first);
    CHECK(buffer.used() == 0);
    CHECK(buffer.set_aside() == 0);
  }
}
