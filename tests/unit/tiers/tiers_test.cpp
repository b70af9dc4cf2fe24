// tessera: what its tiers hand to one another, and when.
#include <array>

#include "firmware/flash/oob.hpp"
#include "firmware/layers/layer_factories.hpp"
#include "tiers_drive.hpp"
#include "unit/firmware/test_drive.hpp"

using namespace tessera;
using namespace tessera::test;
using namespace tessera::literals;

TEST_CASE("a write is acknowledged from the buffer and stays there until the host has been idle for long enough") {
  TiersSetup setup;
  setup.layer.destage_after = 2_s;
  TiersDrive drive(setup);
  drive.bench().steps.clear();
  drive.write(3, 2);
  drive.write(4, 1);  // overwrites one of them
  drive.bench().run_for(1900_ms);
  CHECK(drive.bench().steps.empty());
  CHECK(drive.metric("write_buffer.absorbed") == 1);
  drive.bench().run_for(3_s);  // the detector looks every two seconds
  CHECK(drive.metric("packet.count") == 1);
  CHECK(drive.bench().sectors_in("cache", MediaOp::write) == 3);  // two sectors and the end of the packet
  drive.check_content();
}

TEST_CASE("a buffer above its high mark is destaged down to the low mark, by age and in packets that destages share") {
  TiersSetup setup;  // 24 of 32 sectors are the high mark, 16 the low one
  TiersDrive drive(setup);
  for (std::uint64_t i = 0; i < 24; ++i) drive.write(20 * i);
  drive.bench().run_for(1_s);
  CHECK(drive.metric("write_buffer.destages") == 0);
  drive.write(20 * 24);
  drive.bench().run_for(1_s);
  // From 25 dirty ones to 16; what is under way when the mark is reached, three others at most, ends.
  CHECK(drive.metric("write_buffer.destages") >= 9);
  CHECK(drive.metric("write_buffer.destages") <= 12);
  CHECK(drive.metric("packet.shared") > 0);
  CHECK(drive.metric("packet.count") < drive.metric("packet.writes"));
  drive.check_content();
}

TEST_CASE("a flush empties the buffer, and a forced write goes past it") {
  TiersDrive drive(TiersSetup{});
  drive.write(7, 3);
  drive.flush();
  CHECK(drive.metric("packet.count") == 1);
  drive.write(50, 1, true);
  CHECK(drive.metric("packet.count") == 2);
  CHECK(drive.metric("write_buffer.destages") == 1);
}

TEST_CASE("without a buffer a write is acknowledged when its packet is on the platters") {
  TiersSetup setup;
  setup.layer.buffer = Bytes(0);
  TiersDrive drive(setup);
  drive.bench().steps.clear();
  drive.write(3, 2);
  CHECK(drive.bench().sectors_in("cache", MediaOp::write) == 3);
  drive.check_content();
}

TEST_CASE("the log is cleaned in idle time only above its mark") {
  TiersSetup setup;
  setup.layer.buffer = Bytes(0);
  setup.layer.idle_cleaning = media_cache::IdleCleaning::on;
  setup.layer.idle_after = 10_ms;
  setup.layer.idle_mark = 27;
  setup.layer.map_entries = 120;
  setup.layer.log = sectors(400);
  setup.bench.media.tracks = 160;
  TiersDrive drive(setup);
  for (std::uint64_t i = 0; i < 30; ++i) drive.write(24 * (i % 8) + i / 8);  // 30 of 120 entries: 25 %
  drive.bench().run_for(5_s);
  CHECK(drive.metric("cleaning.idle") == 0);
  for (std::uint64_t i = 0; i < 6; ++i) drive.write(24 * i + 10);  // 30 %
  drive.bench().run_for(5_s);
  CHECK(drive.metric("cleaning.idle") > 0);
  drive.check_content();
}

TEST_CASE("a drive too small for the log is refused in one sentence") {
  TiersSetup setup;
  std::string problem;
  setup.bench.media.tracks = 10;
  CHECK(setup.layer.plan(geometry_of(setup.bench.media), problem).empty());
  CHECK(problem.starts_with("a media cache of 96 sectors"));
}

TEST_CASE("the tag of a page must fit the out-of-band area, and the flash must have its least blocks") {
  const auto factory = make_tessera_factory();
  const auto blocks = static_cast<std::uint64_t>(tiers::FlashTier::least_blocks);
  CHECK(factory->check_flash({blocks, 32, OobCodec::header_size}).empty());
  CHECK(factory->check_flash({blocks, 32, OobCodec::header_size - 1}).starts_with("the tag of a page takes 24 bytes"));
  CHECK(factory->check_flash({blocks - 1, 32, OobCodec::header_size}).starts_with("the flash tier needs at least"));
}

TEST_CASE(
    "what is said of the log and of its bands is what they are made with, and without a size the log is a thirty-second of the drive") {
  DriveGeometry geometry;
  geometry.zones = {{0, 1000, 320, 0}};
  tiers::TiersConfig config;
  config.merge_buffer = Bytes(123 * 4096);
  CHECK(config.bands(geometry).merge_buffer == Bytes(123 * 4096));
  config.log = Bytes(0);
  CHECK(config.bands(geometry).cache == Bytes(10'000 * 4096));
  config.log = Bytes(77 * 4096);
  CHECK(config.bands(geometry).cache == Bytes(77 * 4096));
}

TEST_CASE("what leaves the buffer while the host is idle does not have the log cleaned below its mark") {
  TiersSetup setup;
  setup.layer.destage_after = 100_ms;
  setup.layer.idle_cleaning = media_cache::IdleCleaning::on;
  setup.layer.idle_after = 1_ms;
  setup.layer.idle_mark = 50;
  TiersDrive drive(setup);
  for (std::uint64_t i = 0; i < 6; ++i) drive.write(24 * i + 3);
  drive.bench().run_for(5_s);
  CHECK(drive.metric("packet.writes") == 6);
  CHECK(drive.metric("cleaning.idle") == 0);
}

TEST_CASE("what is set of the write buffer is what it goes by") {
  tiers::TiersConfig config;
  config.buffer = sectors(7);
  config.edges = EdgeReads::before;
  config.make_way = false;
  config.trickle_mark = 1;
  config.high_mark = 3;
  config.low_mark = 2;
  config.destage_depth = 5;
  config.destage_run = sectors(6);
  config.destage_after = 8_ms;
  const WriteCacheConfig buffer = config.write_buffer();
  CHECK(buffer.capacity == sectors(7));
  CHECK(buffer.durability == CacheDurability::plp);
  CHECK(buffer.edges == EdgeReads::before);
  CHECK_FALSE(buffer.make_way);
  config.make_way = true;
  CHECK(config.write_buffer().make_way);
  CHECK(std::array{buffer.trickle_mark, buffer.low_mark, buffer.high_mark, buffer.destage_depth} == std::array{1U, 2U, 3U, 5U});
  CHECK(buffer.largest_destage == sectors(6));
  CHECK(buffer.idle_after == 8_ms);
}

TEST_CASE("shared word lines are warned of where the tier of flash is used") {
  const FlashShape shape{.blocks = 64, .pages_per_block = 32, .oob_bytes = 64, .page_bytes = 4096, .paired_pages = true};
  for (const auto use : {tiers::FlashUse::off, tiers::FlashUse::on}) {
    const std::unique_ptr<LayerFactory> layer = make_tessera_factory();
    Setter setter({{"flash", static_cast<double>(use)}, {"paired_pages", static_cast<double>(PairedPages::unsafe)}});
    layer->describe(setter);
    REQUIRE(setter.all_set());
    CHECK(layer->warnings(shape).size() == (use == tiers::FlashUse::on ? 1 : 0));
  }
}
