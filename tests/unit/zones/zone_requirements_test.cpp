// What the family asks of a drive, and what it says where it does not get it.
#include <catch2/catch.hpp>

#include <map>

#include "firmware/layers/layer_factories.hpp"
#include "firmware/zones/zone_plan.hpp"
#include "zone_drive.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

constexpr std::uint64_t sector = 4096;

DriveGeometry drive(std::uint32_t radii, std::uint32_t sectors_per_track, std::uint32_t surfaces = 1) {
  DriveGeometry geometry;
  geometry.surfaces = surfaces;
  geometry.zones = {{0, radii, sectors_per_track, 0}};
  return geometry;
}

ZoneConfig small_zones() {
  ZoneConfig config;
  config.zone = Bytes(64 * sector);
  return config;
}

std::string problem_of(const ZoneConfig& config, const DriveGeometry& geometry) {
  std::string problem;
  const FormatPlan plan = plan_zones(config, geometry, problem);
  CHECK(plan.empty() == !problem.empty());
  return problem;
}

}  // namespace

TEST_CASE("the buffer lies at the outer diameter, the log amid the zones") {
  ZoneConfig config = small_zones();
  config.buffer = Bytes(40 * sector);
  std::string problem;
  const FormatPlan plan = plan_zones(config, drive(200, 16), problem);
  REQUIRE(problem.empty());
  REQUIRE(plan.size() == 4);
  CHECK((plan[0].name == "buffer" && plan[0].first == 0 && plan[0].count == 3));
  CHECK((plan[1].name == "bands" && plan[1].first == 3 && plan[1].format == RecordingFormat::shingled && plan[1].guard_tracks == 1));
  CHECK((plan[2].name == "log" && plan[2].first > 80 && plan[2].first < 120));
  CHECK(plan[3].name == "bands");
  CHECK(buffer_sectors(config, drive(200, 16), plan) == 40);
}

TEST_CASE("a paged sector map lies behind the log, and its cache holds a map page at least") {
  ZoneConfig config = small_zones();
  config.buffer = Bytes(40 * sector);
  config.zones = 40;  // 2,560 sectors: three map pages of 1,024 entries
  config.map.kind = MapKind::paged;
  std::string problem;
  const FormatPlan plan = plan_zones(config, drive(400, 16), problem);
  REQUIRE(problem.empty());
  REQUIRE(plan.size() == 5);
  CHECK(plan[2].name == "log");
  CHECK((plan[3].name == "map" && plan[3].first == plan[2].first + plan[2].count && plan[3].count == 1));
  const FormatPlan narrow = plan_zones(config, drive(1600, 4), problem);
  REQUIRE(problem.empty());
  CHECK(narrow[3].count == 2);  // three map pages, each at two places, on tracks of four sectors
  config.map.cache = Bytes(sector - 1);
  CHECK(problem_of(config, drive(400, 16)) ==
        "map_cache of 4095 bytes holds no map page of 4096 bytes (a larger map_cache, or map = hash)");
}

TEST_CASE("without a size the buffer is one percent of the user capacity") {
  ZoneConfig config = small_zones();
  std::string problem;
  const DriveGeometry geometry = drive(2004, 16);
  const FormatPlan plan = plan_zones(config, geometry, problem);
  REQUIRE(problem.empty());
  std::uint64_t zones = 0;
  for (const Region& region : plan)
    if (region.format == RecordingFormat::shingled) zones += region.count / 5;
  CHECK(buffer_sectors(config, geometry, plan) == (zones - 1) * 64 / 100);
  CHECK(plan[0].count * 16 >= buffer_sectors(config, geometry, plan));
}

TEST_CASE("the buffer of a drive of which a percent is less than a sector is one sector") {
  ZoneConfig config = small_zones();
  config.zone = Bytes(8 * sector);
  config.zones = 2;
  CHECK(buffer_sectors(config, drive(100, 16), {}) == 1);
}

TEST_CASE("a buffer that takes more than the outermost zone of a drive goes on in the next, and the zones begin behind it") {
  ZoneConfig config = small_zones();
  config.buffer = Bytes(200 * sector);
  DriveGeometry geometry;
  geometry.zones = {{0, 10, 16, 0}, {10, 190, 12, 0}};
  std::string problem;
  const FormatPlan plan = plan_zones(config, geometry, problem);
  REQUIRE(problem.empty());
  CHECK((plan[0].name == "buffer" && plan[0].first == 0 && plan[0].count == 14));  // 160 sectors, and 40 on tracks of 12
  CHECK((plan[1].name == "bands" && plan[1].first == 14));
}

TEST_CASE("in paper mode there is neither log nor spare zone") {
  ZoneConfig config = small_zones();
  config.paper = true;
  std::string problem;
  const FormatPlan plan = plan_zones(config, drive(200, 16), problem);
  REQUIRE(problem.empty());
  REQUIRE(plan.size() == 2);
  CHECK(plan[1].count == 195);  // 39 zones of five tracks behind two of the buffer
}

TEST_CASE("what does not fit is said in a sentence") {
  ZoneConfig config = small_zones();
  config.buffer = Bytes(4000 * sector);
  CHECK(problem_of(config, drive(200, 16)) == "a buffer of 16384000 bytes leaves no room for zones on a drive of 13107200 bytes");
  config.buffer = Bytes(3000 * sector);
  CHECK(
      problem_of(config, drive(200, 16)) ==
      "the drive has room for 1 bands of 64 sectors; at least 2 are needed, spares included; the buffer takes 188 of 200 tracks a surface");
  config = small_zones();
  config.zone = Bytes(100);
  CHECK(problem_of(config, drive(200, 16)) == "a zone of 100 bytes is smaller than a sector of the drive");
  config = small_zones();
  config.paper = true;
  config.merge_buffer = Bytes(10 * sector);
  CHECK(problem_of(config, drive(200, 16)) ==
        "merge_buffer is smaller than a zone: rewriting zones in place needs one of 262144 bytes (or crash_safe)");
  config = small_zones();
  config.log_radii = 1;
  CHECK(problem_of(config, drive(5000, 4)) == "log_radii 1 give the log of the zones 4 sectors; 291 zones need at least 16");
}

TEST_CASE("a buffer too small for the layer is said in a sentence") {
  const auto problem_with = [](LayerFactory& factory, const std::map<std::string, std::uint64_t>& sizes) {
    struct Sizes final : ParameterVisitor {
      explicit Sizes(const std::map<std::string, std::uint64_t>& wanted) : sizes(wanted) {}
      void field(std::string_view, bool&, std::string_view) override {}
      void field(std::string_view, std::uint32_t&, Range, std::string_view) override {}
      void field(std::string_view, std::uint64_t&, Range, std::string_view) override {}
      void field(std::string_view, double&, Range, std::string_view) override {}
      void field(std::string_view, Picoseconds&, Range, std::string_view) override {}
      void field(std::string_view name, Bytes& value, Range, std::string_view) override {
        const auto found = sizes.find(std::string(name));
        if (found != sizes.end()) value = Bytes(found->second);
      }
      void field(std::string_view, BytesPerSecond&, Range, std::string_view) override {}
      void field(std::string_view, Hertz&, Range, std::string_view) override {}
      void field(std::string_view, Rpm&, Range, std::string_view) override {}
      void field(std::string_view, Microwatts&, Range, std::string_view) override {}
      void field(std::string_view, Picojoules&, Range, std::string_view) override {}
      void field(std::string_view, std::string&, std::string_view) override {}
      void choice(std::string_view, std::uint32_t&, ChoiceNames, std::string_view) override {}
      void table(std::string_view, std::vector<NumberRow>&, const std::vector<std::string>&, std::string_view) override {}
      void enter(std::string_view, std::string_view) override {}
      void leave() override {}
      const std::map<std::string, std::uint64_t>& sizes;
    } visitor(sizes);
    factory.describe(visitor);
    std::string problem;
    const FormatPlan plan = factory.plan(drive(200, 16), problem);
    CHECK(plan.empty() == !problem.empty());
    return problem;
  };
  const auto skylight = make_skylight_disk_factory();
  CHECK(problem_with(*skylight, {{"zone", 64 * sector}, {"buffer", 32 * sector}, {"buffer_zone", 33 * sector}}) ==
        "buffer zones of 33 sectors do not fit a buffer of 32 sectors (a buffer_zone from one sector to the whole buffer, or a larger "
        "buffer)");
  const auto loop = make_fluid_loop_factory();
  CHECK(problem_with(*loop, {{"zone", 64 * sector}, {"buffer", sector}}) ==
        "a buffer of 1 sectors has no room for a log; fluid-loop needs at least 2");
  const auto amphisbaena = make_amphisbaena_factory();
  CHECK(problem_with(*amphisbaena, {{"zone", 64 * sector}, {"buffer", 31 * sector}}) ==
        "a buffer of 31 sectors has no room for two parts of chunks of 16 sectors; amphisbaena needs at least 32");
  CHECK(problem_with(*amphisbaena, {{"zone", 64 * sector}, {"buffer", 32 * sector}}).empty());
  CHECK(problem_with(*amphisbaena, {{"zone", 8 * sector}, {"buffer", 64 * sector}}) ==
        "a chunk of 65536 bytes does not fit sectors of 4096 bytes and zones of 32768 bytes");
}

namespace {

template <class Drive, class Setup>
void check_table_memory() {
  for (const MapKind kind : {MapKind::hash, MapKind::paged}) {
    Setup setup;
    setup.zones().map.kind = kind;
    Drive drive(setup);
    CHECK(drive.metric("meta.ram_bytes_actual") == drive.bench().metric("metadata.bytes"));
  }
}

}  // namespace

TEST_CASE("zones: the mapping memory that it reports as taken is what its tables take of the DRAM") {
  check_table_memory<SkylightDrive, SkylightSetup>();
  check_table_memory<FluidDrive, FluidSetup>();
  check_table_memory<AmphisbaenaDrive, AmphisbaenaSetup>();
}
