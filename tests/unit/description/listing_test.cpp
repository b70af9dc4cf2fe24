#include "platforms/description/listing.hpp"

#include <rapidcheck.h>

#include <boost/json.hpp>
#include <catch2/catch.hpp>

#include "platforms/description/reader.hpp"
#include "sample_config.hpp"

using namespace tessera;
using tessera::test::SampleConfig;

namespace {

std::vector<Parameter> collected(SampleConfig config) {
  ParameterCollector collector;
  config.describe(collector);
  return collector.parameters();
}

SampleConfig reread(const std::string& toml) {
  const auto document = TomlDocument::parse(toml, "effective.toml");
  SampleConfig config;
  DescriptionReader reader(document);
  config.describe(reader);
  reader.finish();
  return config;
}

SampleConfig drawn() {
  const auto amount = [](std::uint64_t min, std::uint64_t max) { return *rc::gen::inRange<std::uint64_t>(min, max); };
  SampleConfig config;
  config.layer = *rc::gen::container<std::string>(rc::gen::inRange<char>(1, 127));
  config.seed = *rc::gen::arbitrary<std::uint64_t>() ^ (amount(0, 2) << 63);
  config.media.rpm = Rpm(amount(60, 100'001));
  config.media.settle = Picoseconds(*rc::gen::arbitrary<std::uint64_t>());
  config.media.timing = *rc::gen::element(test::Timing::rotational, test::Timing::expected);
  config.media.skew = static_cast<double>(amount(0, 1u << 30)) / 1'073'741'827.0;
  config.media.zone.zones = static_cast<std::uint32_t>(amount(1, 65));
  config.media.zone.table.clear();
  for (std::uint64_t rows = amount(0, 5); rows > 0; --rows) {
    config.media.zone.table.push_back({static_cast<double>(amount(0, 1u << 20)) / 3.0, -static_cast<double>(amount(0, 1u << 20))});
  }
  config.cache = *rc::gen::arbitrary<bool>();
  config.capacity = Bytes(amount(4096, 1'000'000'000'001));
  config.link = BytesPerSecond(amount(1, 1'000'000'000'001));
  config.clock = Hertz(amount(1, 100'000'000'001));
  config.idle = Microwatts(*rc::gen::arbitrary<std::uint64_t>());
  config.program = Picojoules(*rc::gen::arbitrary<std::uint64_t>());
  config.tags = static_cast<std::uint32_t>(amount(1, 257));
  return config;
}

void require_equal(const SampleConfig& a, const SampleConfig& b) {
  RC_ASSERT(a.layer == b.layer);
  RC_ASSERT(a.seed == b.seed);
  RC_ASSERT(a.media.rpm == b.media.rpm);
  RC_ASSERT(a.media.settle == b.media.settle);
  RC_ASSERT(a.media.timing == b.media.timing);
  RC_ASSERT(a.media.skew == b.media.skew);
  RC_ASSERT(a.media.zone.zones == b.media.zone.zones);
  RC_ASSERT(a.media.zone.table == b.media.zone.table);
  RC_ASSERT(a.cache == b.cache);
  RC_ASSERT(a.capacity == b.capacity);
  RC_ASSERT(a.link == b.link);
  RC_ASSERT(a.clock == b.clock);
  RC_ASSERT(a.idle == b.idle);
  RC_ASSERT(a.program == b.program);
  RC_ASSERT(a.tags == b.tags);
}

}  // namespace

TEST_CASE("the effective description groups fields by section, the top first") {
  CHECK(parameters_as_toml(collected({}), "a \"drive\"") == R"(summary = "a \"drive\""
layer = "cmr"
seed = 1

[media]
rpm = "7200 rpm"
settle = "1.3 ms"
timing = "rotational"
skew = 0.25

[media.zone]
zones = 4
table = [[0, 120], [1000.5, 90]]

[controller]
cache = true
capacity = "64 MiB"
link = "600 MB/s"
clock = "500 MHz"
idle = "5.3 W"
program = "2.1 nJ"

[host]
tags = 32
)");
}

TEST_CASE("the effective description of any configuration reads back to the same values") {
  CHECK(rc::check([] {
    const SampleConfig config = drawn();
    require_equal(config, reread(parameters_as_toml(collected(config), "")));
  }));
}

TEST_CASE("the text listing is aligned and marks what differs from its default") {
  test::ZoneConfig zone;
  ParameterCollector defaults;
  zone.describe(defaults);
  CHECK(parameters_as_text(defaults.parameters()) ==
        "zones  4                         whole number                     1 to 64  number of zones\n"
        "table  [[0, 120], [1000.5, 90]]  rows of first_cylinder, sectors           first cylinder and sectors a track of each zone\n");
  zone.zones = 9;
  ParameterCollector changed;
  zone.describe(changed);
  CHECK(parameters_as_text(changed.parameters(), &defaults.parameters()) ==
        "zones  9 (default 4)             whole number                     1 to 64  number of zones\n"
        "table  [[0, 120], [1000.5, 90]]  rows of first_cylinder, sectors           first cylinder and sectors a track of each zone\n");
}

TEST_CASE("a long table is shortened in the text listing but whole in the description, a row a line") {
  SampleConfig config;
  for (int i = 0; i < 50; ++i) config.media.zone.table.push_back({static_cast<double>(i), 1.0});
  const auto parameters = collected(config);
  CHECK(parameters_as_text(parameters).find("[[0, 120], [1000.5, 90], [0, 1], [1,") != std::string::npos);
  CHECK(parameters_as_text(parameters).find("[49, 1]") == std::string::npos);
  CHECK(parameters_as_toml(parameters, "").find("table = [\n  [0, 120],\n  [1000.5, 90],\n  [0, 1],\n") != std::string::npos);
  CHECK(parameters_as_toml(parameters, "").find("  [49, 1],\n]\n") != std::string::npos);
  CHECK(reread(parameters_as_toml(parameters, "")).media.zone.table == config.media.zone.table);
}

TEST_CASE("type and range as a user reads them") {
  const auto parameters = collected({});
  const auto named = [&](const std::string& path) {
    for (const auto& parameter : parameters) {
      if (parameter.path() == path) return parameter;
    }
    FAIL("no parameter " << path);
    return Parameter{};
  };
  CHECK(type_text(named("media.rpm")) == "speed");
  CHECK(range_text(named("media.rpm")) == "60 rpm to 100000 rpm");
  CHECK(type_text(named("media.settle")) == "time");
  CHECK(range_text(named("media.settle")).empty());
  CHECK(type_text(named("media.timing")) == "one of rotational, expected");
  CHECK(type_text(named("controller.program")) == "energy");
  CHECK(range_text(named("controller.capacity")) == "4 KiB to 1 TB");
}

TEST_CASE("the JSON Schema closes every section and knows each field's type and bounds") {
  const auto schema = boost::json::parse(parameters_as_schema(collected({}), "drive"));
  const auto at = [&](std::string_view pointer) { return boost::json::serialize(schema.at_pointer(pointer)); };
  CHECK(at("/title") == "\"drive\"");
  CHECK(at("/additionalProperties") == "false");
  CHECK(at("/properties/media/additionalProperties") == "false");
  CHECK(at("/properties/media/description") == "\"head-media assembly\"");
  CHECK(at("/properties/media/properties/zone/properties/zones") ==
        R"({"type":"integer","minimum":1,"maximum":64,"description":"number of zones"})");
  CHECK(at("/properties/media/properties/timing/enum") == R"(["rotational","expected"])");
  CHECK(at("/properties/media/properties/zone/properties/table/items/minItems") == "2");
  CHECK(at("/properties/media/properties/rpm/pattern") == R"("^ *[0-9]+(\\.[0-9]*)? *(rpm) *$")");
  CHECK(at("/properties/controller/properties/cache/type") == "\"boolean\"");
  CHECK(at("/properties/summary/type") == "\"string\"");
  CHECK(at("/properties/extends/type") == "\"string\"");
}

TEST_CASE("the JSON listing has an object for each field") {
  const auto list = boost::json::parse(parameters_as_json(collected({}))).as_array();
  REQUIRE(list.size() == 15);
  CHECK(boost::json::serialize(list[1]) ==
        R"({"path":"media.rpm","value":"\"7200 rpm\"","type":"speed","range":"60 rpm to 100000 rpm","description":"spindle speed"})");
}

TEST_CASE("the reference page has a table for each section, with bars escaped") {
  const std::string page = parameters_as_markdown(collected({}), "Parameters");
  CHECK(page.starts_with(
      "# Parameters\n\n| key | default | type | range | meaning |\n|---|---|---|---|---|\n| `layer` | `\"cmr\"` | text |"));
  CHECK(page.find("## [media]\n\nhead-media assembly\n\n| key |") != std::string::npos);
  CHECK(page.find("| `timing` | `\"rotational\"` | one of rotational, expected |  | timing \\| model |\n") != std::string::npos);
}
