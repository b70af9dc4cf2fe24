#include "platforms/description/reader.hpp"

#include <catch2/catch.hpp>

#include "sample_config.hpp"
#include "support/message.hpp"

using namespace tessera;
using namespace tessera::literals;
using tessera::test::message_of;
using tessera::test::SampleConfig;

namespace {

SampleConfig read(const TomlDocument& document) {
  SampleConfig config;
  DescriptionReader reader(document);
  config.describe(reader);
  reader.finish();
  return config;
}

SampleConfig read(std::string_view toml) { return read(TomlDocument::parse(toml, "drive.toml")); }

std::string read_message(std::string_view toml) {
  return message_of([&] { (void)read(toml); });
}

}  // namespace

TEST_CASE("every field type is read, and an absent key keeps its default") {
  const SampleConfig config = read(R"(
summary = "a drive"
layer = "imr-rmw"
seed = "18446744073709551615"
[media]
rpm = "5400 rpm"
timing = "expected"
skew = 1
[media.zone]
zones = 2
table = [[0, 200], [17.5, 100]]
[controller]
cache = false
capacity = "128 MiB"
link = "300 MB/s"
clock = "1 GHz"
idle = "250 mW"
program = "1 uJ"
[host]
tags = 256
)");
  CHECK(config.layer == "imr-rmw");
  CHECK(config.seed == ~std::uint64_t{0});
  CHECK(config.media.rpm == Rpm(5400));
  CHECK(config.media.settle == 1300_us);  // not in the text
  CHECK(config.media.timing == test::Timing::expected);
  CHECK(config.media.skew == 1.0);
  CHECK(config.media.zone.zones == 2);
  CHECK(config.media.zone.table == std::vector<NumberRow>{{0, 200}, {17.5, 100}});
  CHECK_FALSE(config.cache);
  CHECK(config.capacity == 128_MiB);
  CHECK(config.link == BytesPerSecond(300'000'000));
  CHECK(config.clock == Hertz(1'000'000'000));
  CHECK(config.idle == Microwatts(250'000));
  CHECK(config.program == Picojoules(1'000'000));
  CHECK(config.tags == 256);
}

TEST_CASE("an empty description is all defaults") {
  const SampleConfig config = read("");
  CHECK(config.media.rpm == Rpm(7200));
  CHECK(config.capacity == 64_MiB);
  CHECK(config.tags == 32);
}

TEST_CASE("a wrong quantity names file, line, expectation and range") {
  const std::string expected = "drive.toml:2: media.rpm: expected a speed such as \"7200 rpm\" between 60 rpm and 100000 rpm, found ";
  CHECK(read_message("[media]\nrpm = \"7200\"") == expected + "\"7200\": the unit is missing");
  CHECK(read_message("[media]\nrpm = 7200") == expected + "7200");
  CHECK(read_message("[media]\nrpm = \"7 ms\"") == expected + "\"7 ms\": unknown unit 'ms'; did you mean 'rpm'? known: rpm");
  CHECK(read_message("[media]\nrpm = [1]") == expected + "[1]");
  CHECK(read_message("[media]\nsettle = \"1\"") ==
        "drive.toml:2: media.settle: expected a time such as \"1.3 ms\", found \"1\": the unit is missing");
}

TEST_CASE("both sides of a range's ends") {
  CHECK(read("[media]\nrpm = \"60 rpm\"").media.rpm == Rpm(60));
  CHECK(read("[media]\nrpm = \"100000 rpm\"").media.rpm == Rpm(100'000));
  const std::string speed = "drive.toml:2: media.rpm: expected a speed such as \"7200 rpm\" between 60 rpm and 100000 rpm, found ";
  CHECK(read_message("[media]\nrpm = \"59 rpm\"") == speed + "\"59 rpm\"");
  CHECK(read_message("[media]\nrpm = \"100001 rpm\"") == speed + "\"100001 rpm\"");

  CHECK(read("[host]\ntags = 1").tags == 1);
  CHECK(read_message("[host]\ntags = 0") == "drive.toml:2: host.tags: expected a whole number between 1 and 256, found 0");
  CHECK(read_message("[host]\ntags = 257") == "drive.toml:2: host.tags: expected a whole number between 1 and 256, found 257");
  CHECK(read_message("[host]\ntags = -1") == "drive.toml:2: host.tags: expected a whole number between 1 and 256, found -1");
  CHECK(read_message("[host]\ntags = 2.0") == "drive.toml:2: host.tags: expected a whole number between 1 and 256, found 2.0");
  CHECK(read_message("[host]\ntags = \"2\"") == "drive.toml:2: host.tags: expected a whole number between 1 and 256, found \"2\"");

  CHECK(read("[media]\nskew = 0").media.skew == 0.0);
  CHECK(read_message("[media]\nskew = 1.001") == "drive.toml:2: media.skew: expected a number between 0 and 1, found 1.001");
  CHECK(read_message("[media]\nskew = nan") == "drive.toml:2: media.skew: expected a number between 0 and 1, found nan");
}

TEST_CASE("a count of 32 bits refuses what does not fit, even without a range") {
  struct Wide {
    std::uint32_t n = 0;
    void describe(ParameterVisitor& visitor) { visitor.field("n", n, {}, ""); }
  };
  const auto read_n = [](std::string_view toml) {
    const auto document = TomlDocument::parse(toml, "n.toml");
    DescriptionReader reader(document);
    Wide wide;
    wide.describe(reader);
    return wide.n;
  };
  CHECK(read_n("n = 4294967295") == 4'294'967'295u);
  CHECK(message_of([&] { read_n("n = 4294967296"); }) == "n.toml:1: n: expected a whole number between 0 and 4294967295, found 4294967296");
}

TEST_CASE("a wrong type names what was expected") {
  CHECK(read_message("[controller]\ncache = 1") == "drive.toml:2: controller.cache: expected true or false, found 1");
  CHECK(read_message("layer = 3") == "drive.toml:1: layer: expected a text in quotes, found 3");
  CHECK(read_message("media = 3") == "drive.toml:1: media: expected a section [media], found 3");
  CHECK(read_message("[media]\ntiming = \"rotationl\"") ==
        "drive.toml:2: media.timing: expected one of rotational, expected, found \"rotationl\": did you mean 'rotational'?");
  CHECK(read_message("[media]\ntiming = 1") == "drive.toml:2: media.timing: expected one of rotational, expected, found 1");
  CHECK(read_message("[media]\nsettle = {}") == "drive.toml:2: media.settle: expected a time such as \"1.3 ms\", found {}");
}

TEST_CASE("a bad table names the row and its line") {
  CHECK(read_message("[media.zone]\ntable = 7") ==
        "drive.toml:2: media.zone.table: expected an array of rows of 2 numbers (first_cylinder, sectors), found 7");
  CHECK(read_message("[media.zone]\ntable = [\n[0, 1],\n[1, 2, 3]]") ==
        "drive.toml:4: media.zone.table: expected row 2 to be 2 numbers (first_cylinder, sectors), found [1, 2, 3]");
  CHECK(read_message("[media.zone]\ntable = [[0, \"1\"]]") ==
        "drive.toml:2: media.zone.table: expected row 1 to be 2 numbers (first_cylinder, sectors), found [0, \"1\"]");
  CHECK(read_message("[media.zone]\ntable = [[0, inf]]") ==
        "drive.toml:2: media.zone.table: expected row 1 to be 2 numbers (first_cylinder, sectors), found [0, inf]");
}

TEST_CASE("an unknown key names file, line and the nearest known key") {
  CHECK(read_message("[media]\nrmp = \"7200 rpm\"") == "drive.toml:2: unknown key 'media.rmp'; did you mean 'media.rpm'?");
  CHECK(read_message("[media.zone]\nzone = 3") == "drive.toml:2: unknown key 'media.zone.zone'; did you mean 'media.zone.zones'?");
  CHECK(read_message("\n[medai]\nrpm = \"1 rpm\"") == "drive.toml:2: unknown section 'medai'; did you mean 'media'?");
  CHECK(read_message("sumary = \"x\"") == "drive.toml:1: unknown key 'sumary'; did you mean 'summary'?");
}

TEST_CASE("a known key in the wrong section is sent to its own") {
  CHECK(read_message("[host]\nrpm = \"7200 rpm\"") == "drive.toml:2: unknown key 'host.rpm'; did you mean 'media.rpm'? [host] has: tags");
}

TEST_CASE("an override that does not fit is reported as the option") {
  auto document = TomlDocument::parse("", "drive.toml");
  document.set("media.rpm=7200");
  CHECK(message_of([&] { (void)read(document); }) ==
        "--set media.rpm=7200: media.rpm: expected a speed such as \"7200 rpm\" between 60 rpm and 100000 rpm, found 7200");
  auto misspelt = TomlDocument::parse("", "drive.toml");
  misspelt.set("media.rmp=7200 rpm");
  CHECK(message_of([&] { (void)read(misspelt); }) == "--set media.rmp=7200 rpm: unknown key 'media.rmp'; did you mean 'media.rpm'?");
}

TEST_CASE("a section may be visited by several structs, and sections of layers not selected are checked too") {
  const auto visit = [](std::string_view toml) {
    const auto document = TomlDocument::parse(toml, "drive.toml");
    DescriptionReader reader(document);
    test::ZoneConfig first;
    std::uint32_t depth = 0;
    reader.section("layer", first, "");
    reader.enter("layer", "");
    reader.field("depth", depth, Range{1, 4}, "");
    reader.leave();
    reader.finish();
    return depth;
  };
  CHECK(visit("[layer]\nzones = 3\ndepth = 2") == 2);
  CHECK(message_of([&] { visit("[layer]\ndepht = 2"); }) == "drive.toml:2: unknown key 'layer.depht'; did you mean 'layer.depth'?");
}

TEST_CASE("the place of a value is where it was written, or that of its section") {
  const auto document = TomlDocument::parse("[media]\nrpm = \"1 rpm\"\n", "drive.toml");
  DescriptionReader reader(document);
  CHECK(reader.place_of("media.rpm").line == 2);
  CHECK(reader.place_of("media.settle").line == 1);
  CHECK(reader.place_of("media.zone.zones").line == 1);
  CHECK(reader.place_of("media.rpm").file == "drive.toml");
}
