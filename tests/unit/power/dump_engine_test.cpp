#include "power/dump_engine.hpp"

#include <array>
#include <catch2/catch.hpp>

#include "base/error.hpp"

using namespace tessera;
using namespace tessera::literals;

namespace {

PowerConfig small() {
  PowerConfig config;
  config.dump_area = 1000_B;
  config.dump_rate = BytesPerSecond(1'000);
  config.restore_rate = BytesPerSecond(4'000);
  config.dump_power = Microwatts(2'000'000);
  config.hold_up_energy = Picojoules(2'000'000'000'000);  // 1 s at 2 W
  return config;
}

}  // namespace

TEST_CASE("time and energy of a dump follow from its size, and the hold-up time from the energy") {
  DumpEngine engine(small());
  engine.reserve(250_B, "write cache");
  CHECK(engine.size() == 250_B);
  CHECK(engine.dump_time() == 250_ms);
  CHECK(engine.restore_time() == 62'500_us);
  CHECK(engine.dump_energy() == Picojoules(500'000'000'000));
  CHECK(engine.hold_up_time() == 1_s);
}

TEST_CASE("regions fill the dump area to its last byte, one byte more is refused by name") {
  DumpEngine engine(small());
  CHECK_NOTHROW(engine.reserve(600_B, "map"));
  CHECK_THROWS_WITH(engine.reserve(401_B, "write cache"), Catch::Contains("'write cache'") && Catch::Contains("401 B") &&
                                                              Catch::Contains("400 B are left") && Catch::Contains("1000 B"));
  CHECK_NOTHROW(engine.reserve(400_B, "write cache"));
  CHECK(engine.size() == 1000_B);
}

TEST_CASE("a dump may use the hold-up energy to its last picojoule and no more") {
  PowerConfig config = small();
  config.hold_up_energy = Picojoules(1'000'000'000'000);  // 500 B
  DumpEngine fits(config);
  CHECK_NOTHROW(fits.reserve(500_B, "map"));
  config.hold_up_energy = Picojoules(999'999'999'999);
  DumpEngine exceeds(config);
  CHECK_THROWS_WITH(exceeds.reserve(500_B, "map"), Catch::Contains("energy") && Catch::Contains("999999999999 pJ"));
  CHECK_THROWS_AS(exceeds.reserve(500_B, "map"), InputError);
}

TEST_CASE("the same reservations after a boot are the same dump, other ones are a model bug") {
  DumpEngine engine(small());
  engine.reserve(2_B, "map");
  engine.restart();
  CHECK_NOTHROW(engine.reserve(2_B, "map"));
  CHECK(engine.size() == 2_B);
  engine.restart();
  CHECK_THROWS_AS(engine.reserve(3_B, "map"), ModelBug);
  CHECK_THROWS_AS(engine.reserve(2_B, "log"), ModelBug);
}

TEST_CASE("the report tells what was dumped, and how often") {
  DumpEngine engine(small());
  engine.reserve(500_B, "map");
  engine.dumped();
  engine.dumped();
  MetricSet metrics;
  engine.report(metrics);
  CHECK(metrics.find("power.dump.region")->value == 500);
  CHECK(metrics.find("power.dump.time")->value == Approx(500));
  CHECK(metrics.find("power.dump.count")->value == 2);
  CHECK(engine.energy_spent() == Picojoules(2'000'000'000'000));
}
