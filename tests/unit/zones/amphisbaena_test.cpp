// amphisbaena on a drive: what goes to which part of the buffer, what leaves it when, and what that costs.
#include "zone_drive.hpp"

using namespace tessera;
using namespace tessera::test;
using amphisbaena::AbortScope;
using amphisbaena::Role;
using amphisbaena::VictimRule;

namespace {

/// Chunks of one sector: three blocks of the high-frequency buffer, nine of the low-frequency buffer.
AmphisbaenaSetup three_blocks() {
  AmphisbaenaSetup setup;
  setup.layer.chunk = sectors(1);
  setup.zones().buffer = sectors(12);
  return setup;
}

AmphisbaenaSetup timed(AmphisbaenaSetup setup) {
  setup.bench.media.speed = Rpm(6000);
  setup.bench.media.timing = MediaTimingMode::expected;
  setup.bench.ideal_electronics();
  return setup;
}

/// After this, writes of more than two sectors are cold, shorter ones hot.
void learn_small_writes(AmphisbaenaDrive& drive) {
  for (int i = 0; i < 20; ++i) drive.write(drive.layer().user_sectors() - 1);
}

Role role(AmphisbaenaDrive& drive, std::uint32_t zone, std::uint32_t offset) {
  return drive.layer().roles().peek(LogicalSector(drive.at(zone, offset)));
}

}  // namespace

TEST_CASE("blocks enter the high-frequency buffer, become ghosts and come back as the paper's rules say") {
  AmphisbaenaDrive drive(three_blocks());
  const std::uint32_t a = 0, b = 1, c = 2, d = 3, e = 4;  // a block a zone
  drive.write_zoned({{a, 0}, {b, 0}, {c, 0}, {c, 0}});
  CHECK((role(drive, a, 0) == Role::lup && role(drive, b, 0) == Role::sup && role(drive, c, 0) == Role::sup));
  CHECK(drive.metric("hit.write.hfb") == 1);
  drive.write_zoned({{d, 0}});
  CHECK(role(drive, a, 0) == Role::none);
  CHECK(drive.layer().chunks().holds(a, 0));  // A moved to its chunk
  drive.write_zoned({{e, 0}});
  CHECK(role(drive, d, 0) == Role::ghost);
  drive.write_zoned({{d, 0}});
  CHECK(drive.metric("ghost.hits") == 1);
  CHECK(drive.metric("hit.write.lfb") == 1);
  CHECK((role(drive, d, 0) == Role::sup && role(drive, e, 0) == Role::ghost && role(drive, b, 0) == Role::lup));
  CHECK_FALSE(drive.layer().chunks().holds(d, 0));  // its old copy is dropped
  drive.write_zoned({{a, 0}});
  CHECK((role(drive, b, 0) == Role::none && role(drive, a, 0) == Role::lup));
  drive.write(drive.at(5, 2), 2);  // cold
  CHECK(role(drive, 5, 2) == Role::shadow);
  drive.write(drive.at(5, 2), 2);
  CHECK(drive.metric("shadow.hits") == 2);
  CHECK((role(drive, 5, 3) == Role::lup && role(drive, a, 0) == Role::ghost));
  CHECK(drive.metric("cleaning.count") == 0);
  drive.check_content();
}

TEST_CASE("a cold write goes to its chunks, with one positioning where they lie side by side") {
  AmphisbaenaSetup setup = timed(AmphisbaenaSetup{});
  setup.layer.history = 0;  // no shadows: what is cold stays so
  AmphisbaenaDrive drive(setup);
  learn_small_writes(drive);
  drive.bench().steps.clear();
  drive.write(drive.at(1, 1), 3);
  REQUIRE(drive.bench().steps.size() == 1);
  CHECK(drive.bench().steps[0].run == PhysicalRun{{0, 2}, 1, 3});  // the first frame behind two of the other part
  using namespace tessera::literals;
  CHECK(drive.bench().steps[0].timing.rotation == 5_ms);
  CHECK(drive.bench().steps[0].timing.transfer == Picoseconds(7'500'000'000));
  drive.bench().steps.clear();
  drive.write(drive.at(1, 3), 4);  // the end of that chunk, updated, and the next chunk
  REQUIRE(drive.bench().steps.size() == 2);
  CHECK(drive.bench().steps[0].run == PhysicalRun{{0, 2}, 3, 1});
  CHECK(drive.bench().steps[1].run == PhysicalRun{{0, 3}, 0, 3});
  drive.check_content();
}

TEST_CASE("a block that leaves for a chunk that is there leaves alone, else with all filtered blocks of the chunk") {
  AmphisbaenaSetup setup = timed(AmphisbaenaSetup{});
  setup.layer.filter_share = 0.5;  // of eight blocks four SUP
  AmphisbaenaDrive drive(setup);
  drive.write_zoned({{0, 0}, {0, 1}, {0, 2}, {0, 3}});  // SUP
  drive.write_zoned({{1, 0}, {2, 0}, {1, 3}, {1, 1}});  // LUP
  drive.bench().steps.clear();
  drive.write_zoned({{3, 0}});
  // Zone 1 has three filtered blocks of chunk 0: three reads, a write of two neighbours and one of the third, and the new block.
  const auto steps = drive.bench().steps_in("buffer");
  REQUIRE(steps.size() == 6);
  CHECK(std::ranges::count_if(steps, [](const auto& step) { return step.op == MediaOp::read; }) == 3);
  CHECK(steps[3].run == PhysicalRun{{0, 2}, 0, 2});
  CHECK(steps[4].run == PhysicalRun{{0, 2}, 3, 1});
  CHECK(drive.metric("hfb.evicted") == 3);
  CHECK(role(drive, 1, 1) == Role::ghost);
  // The chunk of zone 1 is there now: the next one of it leaves alone.
  drive.write_zoned({{1, 2}, {4, 0}});
  CHECK(drive.metric("hfb.evicted") == 3);
  drive.write_zoned({{5, 0}});
  CHECK(drive.metric("hfb.evicted") == 4);  // 2:0
  CHECK(role(drive, 2, 0) == Role::ghost);
  drive.check_content();
}

TEST_CASE("the zone with the highest weight is written back, and blocks of it in the high-frequency buffer stay") {
  AmphisbaenaSetup setup;
  setup.layer.victim = GENERATE(VictimRule::corrected, VictimRule::count);
  AmphisbaenaDrive drive(setup);
  learn_small_writes(drive);
  drive.write(drive.at(1, 2));  // hot
  drive.write(drive.at(0, 4), 3);
  drive.write(drive.at(1, 3), 4);
  drive.write(drive.at(2, 0), 3);
  drive.write(drive.at(3, 5), 3);
  drive.write(drive.at(4, 0), 3);
  CHECK(drive.metric("cleaning.count") == 0);
  drive.write(drive.at(4, 4), 3);
  CHECK(drive.metric("cleaning.count") == 1);
  // By count zone 1 has two chunks; weights by equation 4 are 3/7, 2 * 4/7, 1, 3/8 and 1.
  CHECK(drive.write_pointer(1) == 7);
  CHECK(drive.metric("pad.sectors") == 3);
  CHECK(drive.metric("victim.chunks") == 2);
  CHECK(drive.metric("victim.chunk_sectors_mean") == 2);
  CHECK(drive.metric("cleaning.dirty_zones_mean") == 6);  // with the last one, of which a block was learnt with
  CHECK(drive.metric("victim.sectors_mean") == 4);
  CHECK(drive.slot(1, 2) != SlotOwners::none);
  drive.check_content();
}

TEST_CASE("as printed equation 4 takes the zone with a single block at its write pointer") {
  AmphisbaenaSetup setup;
  setup.layer.victim = GENERATE(VictimRule::paper, VictimRule::corrected);
  AmphisbaenaDrive drive(setup);
  learn_small_writes(drive);
  drive.write(drive.at(0, 6), 3);  // 6 and 7 of zone 0, 0 of zone 1
  drive.write(drive.at(2, 0), 8);
  drive.write(drive.at(3, 0), 8);
  CHECK(drive.metric("cleaning.count") == 0);
  drive.write(drive.at(4, 0), 3);
  CHECK(drive.metric("cleaning.count") == 1);
  CHECK(drive.write_pointer(1) == (setup.layer.victim == VictimRule::paper ? 1 : 0));
  CHECK(drive.write_pointer(2) == (setup.layer.victim == VictimRule::paper ? 0 : 8));
  drive.check_content();
}

TEST_CASE("after 60 ghost hits four chunks of 16 blocks are taken, and idle ones are returned") {
  // Rounding is the switch: 60/16 is 3.75.
  const auto [rounding, taken] = GENERATE(table<amphisbaena::ChunkRounding, int>(
      {{amphisbaena::ChunkRounding::floor, 3}, {amphisbaena::ChunkRounding::round, 4}, {amphisbaena::ChunkRounding::ceil, 4}}));
  AmphisbaenaSetup setup;
  setup.zones().zone = sectors(64);
  setup.zones().zones = 6;
  setup.zones().buffer = sectors(20 * 16);
  setup.layer.chunk = sectors(16);
  setup.layer.sampling = 1 << 20;
  setup.bench.media.sectors_per_track = 16;
  setup.bench.media.tracks = 128;
  // 80 blocks in the high-frequency buffer, 72 of them SUP; all writes are hot.
  std::uint64_t writes = 0;
  const auto play = [&](AmphisbaenaDrive& drive) {
    // SUP blocks, then a loop over more LUP blocks than the filter list has: each is a ghost when it comes again.
    const std::uint32_t sup = drive.layer().roles().most_sup();
    for (std::uint32_t i = 0; i < sup; ++i) drive.write(drive.at(0, 0) + i), ++writes;
    for (std::uint32_t i = 0; i < 68; ++i) drive.write(drive.at(2, 0) + i), ++writes;
    for (std::uint32_t i = 0; i < 68 && drive.metric("ghost.hits") < 60; ++i) drive.write(drive.at(2, 0) + i), ++writes;
  };
  {
    AmphisbaenaDrive drive(setup);
    play(drive);
    CHECK(drive.metric("ghost.hits") > 16);
  }
  setup.layer.sampling = writes + 1;
  setup.layer.chunk_rounding = rounding;
  AmphisbaenaDrive drive(setup);
  play(drive);
  const auto ghosts = static_cast<int>(drive.metric("ghost.hits"));
  CHECK(drive.metric("hfb.chunks_taken") == 0);
  drive.write(drive.at(0, 63));
  const int expected = rounding == amphisbaena::ChunkRounding::floor   ? ghosts / 16
                       : rounding == amphisbaena::ChunkRounding::round ? (ghosts + 8) / 16
                                                                       : (ghosts + 15) / 16;
  CHECK(drive.metric("hfb.chunks_taken") == expected);
  CHECK(ghosts == 60);
  CHECK(drive.metric("hfb.chunks_taken") == taken);
  CHECK(drive.metric("hfb.sectors") == 80 + 16 * taken);
  CHECK(drive.bench().metric("gauge.hfb.sectors.last") == 80 + 16 * taken);
  CHECK(drive.bench().metric("gauge.lfb.sectors.last") == 240 - 16 * taken);
  CHECK(drive.bench().metric("gauge.lfb.sectors.peak") == 240);
  CHECK(drive.metric("hfb.periods") == 1);
  // Two periods with but one block updated: chunks that were not written are returned, never below a quarter.
  for (std::uint64_t i = 0; i < 2 * setup.layer.sampling; ++i) drive.write(drive.at(0, 63));
  CHECK(drive.metric("hfb.chunks_returned") > 0);
  CHECK(drive.metric("hfb.periods") == 3);
  CHECK(drive.metric("hfb.periods_short") == 1);
  CHECK(drive.metric("hfb.sectors") >= 80);
  CHECK(drive.bench().metric("gauge.hfb.sectors.last") == drive.metric("hfb.sectors"));
  drive.check_content();
}

TEST_CASE("a collection stops at the end of a chunk for the writes that its scope names, and goes on for others") {
  // Zone 0 is the victim, of which offsets 0 to 14 but every fourth are collected. What waits is a write of three sectors of it.
  const std::uint32_t offset = GENERATE(12U, 15U);  // of a sector that is collected; of none
  const AbortScope scope = GENERATE(AbortScope::victim, AbortScope::zone, AbortScope::off);
  AmphisbaenaSetup setup;
  setup.zones().zone = sectors(16);
  setup.zones().zones = 4;
  setup.layer.victim = VictimRule::count;
  setup.layer.abort_scope = scope;
  setup.layer.history = 0;
  AmphisbaenaDrive drive(setup);
  learn_small_writes(drive);
  for (std::uint32_t chunk = 0; chunk < 4; ++chunk) drive.write(drive.at(0, 4 * chunk), 3);
  drive.write(drive.at(1, 0), 3);
  drive.write(drive.at(1, 4), 3);
  CHECK(drive.metric("cleaning.count") == 0);
  drive.bench().submit(HostOp::write, drive.at(2, 0) * 8, 24);
  drive.bench().submit(HostOp::write, drive.at(0, offset) * 8, 8);
  drive.bench().run_until_all_done();
  const bool stops = scope == AbortScope::zone || (scope == AbortScope::victim && offset == 12);
  INFO("offset " << offset << ", scope " << static_cast<int>(scope));
  CHECK(drive.metric("cleaning.count") == 1);
  CHECK(drive.metric("cleaning.aborted") == (stops ? 1 : 0));
  CHECK(drive.metric("cleaning.aborted.by_update") == (stops && offset == 12 ? 1 : 0));
  CHECK(drive.metric("cleaning.aborted.by_zone") == (stops && offset == 15 ? 1 : 0));
  CHECK(drive.metric("victim.chunks") == (stops ? 1 : 4));
  CHECK(drive.metric("victim.sectors") == (stops ? 3 : 12));
  CHECK(drive.write_pointer(0) == (stops ? 3 : 15));
  drive.cut_now();
  drive.check_content();
}

TEST_CASE("the write that a cleaning is for does not stop its collection") {
  AmphisbaenaSetup setup;
  setup.layer.abort_scope = GENERATE(AbortScope::victim, AbortScope::zone);
  setup.zones().zone = sectors(32);
  setup.zones().zones = 3;
  setup.bench.media.tracks = 128;
  AmphisbaenaDrive drive(setup);
  learn_small_writes(drive);
  for (std::uint32_t chunk = 0; chunk < 6; ++chunk) drive.write(drive.at(0, 4 * chunk), 4);
  CHECK(drive.metric("cleaning.count") == 0);
  drive.write(drive.at(0, 24), 4);
  CHECK(drive.metric("cleaning.count") == 1);
  CHECK(drive.metric("cleaning.aborted") == 0);
  CHECK(drive.metric("victim.sectors") == 24);
  CHECK(drive.metric("pad.sectors") == 0);
  drive.check_content();
}

TEST_CASE("a write across a zone border does not stop the collection of the victim that it ends") {
  AmphisbaenaSetup setup;
  setup.layer.abort_scope = GENERATE(AbortScope::victim, AbortScope::zone);
  setup.zones().zone = sectors(32);
  setup.zones().zones = 3;
  setup.bench.media.tracks = 128;
  AmphisbaenaDrive drive(setup);
  learn_small_writes(drive);
  for (std::uint32_t chunk = 0; chunk < 6; ++chunk) drive.write(drive.at(0, 4 * chunk), 4);
  CHECK(drive.metric("cleaning.count") == 0);
  drive.write(drive.at(0, 29), 6);
  CHECK(drive.metric("cleaning.count") == 1);
  CHECK(drive.metric("cleaning.aborted") == 0);
  CHECK(drive.metric("victim.sectors") == 24);
  drive.check_content();
}

TEST_CASE("a chunk's blocks are read back from either part, where they are trimmed, too") {
  AmphisbaenaDrive drive(AmphisbaenaSetup{});
  learn_small_writes(drive);
  drive.write(drive.at(1, 0), 4);
  drive.write(drive.at(1, 2));
  drive.bench().steps.clear();
  drive.read(drive.at(1, 0), 4);
  CHECK(drive.metric("hit.read.buffer") == 4);
  drive.trim(drive.at(1, 0), 4);
  drive.read(drive.at(1, 0), 4);
  CHECK(drive.metric("hit.read.buffer") == 8);
  drive.check_content();
}

TEST_CASE("the paper's memory of amphisbaena, and the tables are what is reserved") {
  AmphisbaenaSetup setup;
  setup.zones().zone = sectors(16);
  setup.zones().buffer = sectors(16 * 64);
  setup.layer.chunk = sectors(16);
  setup.bench.media.sectors_per_track = 64;
  AmphisbaenaDrive drive(setup);
  // 48 of 64 chunks as blocks of 16 bytes with two ghosts of 4; 64 chunks of an entry, a bitmap of 16 bits and a node.
  CHECK(drive.metric("meta.ram_bytes") == 48 * 16 * (16 + 2 * 4) + 64 * (20 + 2 + 40));
  CHECK(drive.bench().metric("dram.reserved.metadata") >= drive.metric("meta.ram_bytes_actual"));
  CHECK(drive.bench().metric("dram.reserved.metadata") < drive.metric("meta.ram_bytes_actual") + 64 * 64);
}

TEST_CASE("after a power cut the high-frequency buffer is as large as it must be, also where all its blocks were trimmed") {
  AmphisbaenaSetup setup;
  AmphisbaenaDrive drive(setup);
  const double formatted = drive.metric("hfb.sectors");
  REQUIRE(formatted > 0);
  learn_small_writes(drive);
  for (std::uint32_t offset = 0; offset < 4; ++offset) drive.write(drive.at(1, offset));
  drive.trim(0, static_cast<std::uint32_t>(drive.user_sectors()));
  drive.cut_now();
  CHECK(drive.metric("hfb.sectors") == formatted);
  learn_small_writes(drive);
  drive.write(drive.at(1, 0), 4);
  drive.check_content();
}
