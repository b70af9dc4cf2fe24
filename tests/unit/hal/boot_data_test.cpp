// What the drive writes into the boot data is what the firmware reads there.
#include <catch2/catch.hpp>

#include <bit>
#include <cstring>

#include "base/error.hpp"
#include "firmware/hal/boot_reader.hpp"
#include "firmware/hal/boot_writer.hpp"
#include "firmware/hal/parameter_words.hpp"
#include "support/sanitizers.hpp"

using namespace tessera;
using namespace tessera::hal;

namespace {

template <class Config>
std::vector<std::uint64_t> words_of(Config& config) {
  ParameterWordWriter writer;
  config.describe(writer);
  return writer.words();
}

/// Changes every value: a flag flips, a number becomes its neighbour.
template <class Config>
void change_all(Config& config) {
  std::vector<std::uint64_t> words = words_of(config);
  for (std::uint64_t& word : words) word ^= 1;
  ParameterWordReader reader(words);
  config.describe(reader);
}

DriveGeometry two_zones() {
  return {.sector_bytes = 512,
          .surfaces = 3,
          .reserved_sectors = 7,
          .exported_sectors = 1'000'000'000'000,
          .zones = {{0, 100, 64, 5, {64, 60, 50}}, {100, 50, 48, 6}},
          .switches = {.head = 0x1234'5678, .over = {1, 0xffff'ffff, 3}},
          .track_spares = 7,
          .spare_radii = 9,
          .arms = {{0, 1}, {1, 2}},
          .track_order = TrackOrder::serpentine,
          .serpent_radii = 5,
          .remaps = {{{{2, 1}, 3}, {{1, 99}, 63}}, {{{0, 140}, 1}, {{0, 149}, 2}}}};
}

std::vector<std::byte> data_for(LayerFactory& layer, FirmwareConfig& firmware) {
  return make_boot_data(two_zones(), {{.name = "data"}}, std::nullopt, 32, layer, firmware);
}

}  // namespace

TEST_CASE("every parameter of every layer and of the firmware reaches the target as it was set") {
  for (const std::unique_ptr<LayerFactory>& layer : all_layers()) {
    INFO(layer->name());
    FirmwareConfig firmware;
    change_all(*layer);
    change_all(firmware);
    const std::vector<std::byte> data = data_for(*layer, firmware);

    const BootReader reader(data.data());
    FirmwareConfig read_firmware;
    reader.configure(read_firmware);
    CHECK(words_of(read_firmware) == words_of(firmware));
    for (const std::unique_ptr<LayerFactory>& fresh : all_layers()) {
      if (fresh->name() != layer->name()) continue;
      if (!words_of(*layer).empty()) CHECK(words_of(*fresh) != words_of(*layer));
      reader.configure(*fresh);
      CHECK(words_of(*fresh) == words_of(*layer));
    }
  }
}

TEST_CASE("a number, a size, a time and a choice are a word each") {
  struct Values {
    std::uint32_t small = 7;
    std::uint64_t large = 1ULL << 40;
    double share = 0.5;
    Picoseconds time = Picoseconds(8);
    Bytes size = Bytes(9);
    std::uint32_t chosen = 2;
    void describe(ParameterVisitor& visitor) {
      visitor.field("small", small, {0, 10}, "");
      visitor.field("large", large, {0, 1e15}, "");
      visitor.field("share", share, {0, 1}, "");
      visitor.field("time", time, {0, 10}, "");
      visitor.field("size", size, {0, 10}, "");
      visitor.enumeration("chosen", chosen, {"a", "b", "c"}, "");
    }
  } values;
  const std::vector<std::uint64_t> words = words_of(values);
  CHECK(words == std::vector<std::uint64_t>{7, 1ULL << 40, std::bit_cast<std::uint64_t>(0.5), 8, 9, 2});
  Values read{.small = 0, .large = 0, .share = 0, .time = Picoseconds(0), .size = Bytes(0), .chosen = 0};
  ParameterWordReader reader(words);
  read.describe(reader);
  CHECK(words_of(read) == words);
  CHECK(read.small == 7);
  CHECK(read.share == 0.5);
}

TEST_CASE("a flag is the word 1 or 0") {
  struct Flags {
    bool on = true;
    bool off = false;
    void describe(ParameterVisitor& visitor) {
      visitor.field("on", on, "");
      visitor.field("off", off, "");
    }
  } flags;
  CHECK(words_of(flags) == std::vector<std::uint64_t>{1, 0});
}

TEST_CASE("geometry, plan, flash and tags of the boot data are those that were written") {
  const FormatPlan plan{{.name = "a name of exactly 31 characters",
                         .first = 1,
                         .count = 2,
                         .format = RecordingFormat::wave,
                         .head_width = 3,
                         .direction = -1,
                         .band_tracks = 4,
                         .guard_tracks = 5,
                         .top_ratio = 0.75,
                         .skewed = false,
                         .staggered = true},
                        {.name = "data", .first = 1ULL << 33}};
  const FlashShape flash{.blocks = 1ULL << 20,
                         .pages_per_block = 256,
                         .oob_bytes = 224,
                         .page_bytes = 16384,
                         .read_retries = 4,
                         .paired_pages = true,
                         .subpages = 4,
                         .planes = 8,
                         .copyback = true};
  const auto layer = std::move(all_layers().front());
  FirmwareConfig firmware;
  const std::vector<std::byte> data = make_boot_data(two_zones(), plan, flash, 33, *layer, firmware);
  BootData header;
  std::memcpy(&header, data.data(), sizeof(header));
  CHECK(header.bytes == data.size());
  CHECK(header.zone_table == sizeof(BootData));
  CHECK(header.region_table == header.zone_table + 2 * sizeof(BootZone));

  const BootReader reader(data.data());
  CHECK(reader.tags() == 33);

  const DriveGeometry geometry = reader.geometry();
  CHECK(geometry.sector_bytes == 512);
  CHECK(geometry.surfaces == 3);
  CHECK(geometry.reserved_sectors == 7);
  CHECK(geometry.exported_sectors == 1'000'000'000'000);
  CHECK(geometry.track_spares == 7);
  CHECK(geometry.spare_radii == 9);
  CHECK(geometry.arms == two_zones().arms);
  CHECK(geometry.track_order == TrackOrder::serpentine);
  CHECK(geometry.serpent_radii == 5);
  CHECK(geometry.remaps == two_zones().remaps);
  for (std::size_t i = 0; i < geometry.zones.size(); ++i)
    for (std::uint32_t surface = 0; surface < geometry.surfaces; ++surface)
      CHECK(geometry.zones[i].sectors_on(surface) == two_zones().zones[i].sectors_on(surface));
  REQUIRE(geometry.zones.size() == 2);
  CHECK(geometry.zones[1].first_radius == 100);
  CHECK(geometry.zones[1].radii == 50);
  CHECK(geometry.zones[1].sectors_per_track == 48);
  CHECK(geometry.zones[1].spare_sectors == 6);
  CHECK(geometry.switches.head == 0x1234'5678);
  CHECK(geometry.switches.over == two_zones().switches.over);

  const FormatPlan regions = reader.plan();
  REQUIRE(regions.size() == 2);
  CHECK(regions[0].name == plan[0].name);
  CHECK(regions[0].first == 1);
  CHECK(regions[0].count == 2);
  CHECK(regions[0].format == RecordingFormat::wave);
  CHECK(regions[0].head_width == 3);
  CHECK(regions[0].direction == -1);
  CHECK(regions[0].band_tracks == 4);
  CHECK(regions[0].guard_tracks == 5);
  CHECK(regions[0].top_ratio == 0.75);
  CHECK_FALSE(regions[0].skewed);
  CHECK(regions[0].staggered);
  CHECK(regions[1].name == "data");
  CHECK(regions[1].first == 1ULL << 33);
  CHECK(regions[1].skewed);
  CHECK_FALSE(regions[1].staggered);

  const auto shape = reader.flash();
  REQUIRE(shape.has_value());
  CHECK(shape->blocks == flash.blocks);
  CHECK(shape->pages_per_block == 256);
  CHECK(shape->oob_bytes == 224);
  CHECK(shape->page_bytes == 16384);
  CHECK(shape->read_retries == 4);
  CHECK(shape->paired_pages);
  CHECK(shape->subpages == 4);
  CHECK(shape->planes == 8);
  CHECK(shape->copyback);

  const std::vector<std::byte> without = data_for(*layer, firmware);
  CHECK_FALSE(BootReader(without.data()).flash().has_value());
}

TEST_CASE("a region's name that leaves no room for its zero, and values too few or too many for the firmware, are told") {
  const test::UncountedLeaks uncounted;
  const auto layer = std::move(all_layers().front());
  FirmwareConfig firmware;
  const FormatPlan long_name{{.name = "a name of precisely 32 character"}};
  CHECK_THROWS_AS(make_boot_data(two_zones(), long_name, std::nullopt, 32, *layer, firmware), ModelBug);

  std::vector<std::byte> data = data_for(*layer, firmware);
  BootData header;
  std::memcpy(&header, data.data(), sizeof(header));
  --header.firmware_values;
  std::memcpy(data.data(), &header, sizeof(header));
  CHECK_THROWS_AS(BootReader(data.data()).configure(firmware), ModelBug);
  header.firmware_table -= sizeof(std::uint64_t);  // the last word of the layer's in front of them: one too many
  header.firmware_values += 2;
  std::memcpy(data.data(), &header, sizeof(header));
  CHECK_THROWS_AS(BootReader(data.data()).configure(firmware), ModelBug);
  header.firmware_table += sizeof(std::uint64_t);  // and one that lies behind the end
  std::memcpy(data.data(), &header, sizeof(header));
  CHECK_THROWS_AS(BootReader(data.data()).configure(firmware), ModelBug);
}
