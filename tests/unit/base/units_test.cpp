#include "base/units.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"

using namespace tessera;
using namespace tessera::literals;

TEST_CASE("amounts that overflow or turn negative are model bugs") {
  CHECK_THROWS_AS(Picoseconds::max() + 1_ps, ModelBug);
  CHECK_THROWS_AS(1_ps - 2_ps, ModelBug);
  CHECK_THROWS_AS(Picoseconds::max() * 2, ModelBug);
  CHECK(Picoseconds::max() - 1_ps + 1_ps == Picoseconds::max());
}

TEST_CASE("rates become times rounded to the nearest picosecond") {
  CHECK(revolution(Rpm(7200)) == Picoseconds(8'333'333'333));
  CHECK(revolution(Rpm(6000)) == 10_ms);
  CHECK(transfer_time(4_KiB, BytesPerSecond(600'000'000)) == Picoseconds(6'826'667));
  CHECK(period(Hertz(500'000'000)) == 2_ns);
}

TEST_CASE("a week of picoseconds times a large rate does not overflow") {
  CHECK(transfer_time(Bytes(20'000'000'000'000), BytesPerSecond(200'000'000)) == 100'000_s);
}

TEST_CASE("energy is power times time") { CHECK(energy(Microwatts(5'000'000), 2_s) == Picojoules(10'000'000'000'000)); }
