#include "platforms/description/quantity.hpp"

#include <rapidcheck.h>

#include <catch2/catch.hpp>

#include "support/message.hpp"

using namespace tessera;
using namespace tessera::literals;
using tessera::test::message_of;

namespace {

constexpr std::uint64_t max64 = ~std::uint64_t{0};
constexpr Dimension dimensions[] = {Dimension::time,  Dimension::size,  Dimension::rate,  Dimension::frequency,
                                    Dimension::speed, Dimension::power, Dimension::energy};

std::string problem(Dimension dimension, std::string_view text) { return read_quantity(dimension, text).problem; }

}  // namespace

TEST_CASE("a quantity is read exactly into its base unit") {
  CHECK(parse_quantity<Picoseconds>("1.3 ms") == Picoseconds(1'300'000'000));
  CHECK(parse_quantity<Picoseconds>("0.001ns") == 1_ps);
  CHECK(parse_quantity<Picoseconds>(" 2 us ") == 2_us);
  CHECK(parse_quantity<Picoseconds>("2 \u00b5s") == 2_us);
  CHECK(parse_quantity<Picoseconds>("1.5 min") == 90_s);
  CHECK(parse_quantity<Picoseconds>("0.5 h") == 1800_s);
  CHECK(parse_quantity<Bytes>("40 MiB") == 40_MiB);
  CHECK(parse_quantity<Bytes>("0.5 KiB") == 512_B);
  CHECK(parse_quantity<Bytes>("1.5 TB") == Bytes(1'500'000'000'000));
  CHECK(parse_quantity<Bytes>("20 TB") == Bytes(20'000'000'000'000));
  CHECK(parse_quantity<BytesPerSecond>("600 MB/s") == BytesPerSecond(600'000'000));
  CHECK(parse_quantity<BytesPerSecond>("6 Gbit/s") == BytesPerSecond(750'000'000));
  CHECK(parse_quantity<Hertz>("0.5 GHz") == Hertz(500'000'000));
  CHECK(parse_quantity<Rpm>("7200 rpm") == Rpm(7200));
  CHECK(parse_quantity<Microwatts>("5.3 W") == Microwatts(5'300'000));
  CHECK(parse_quantity<Picojoules>("2.1 nJ") == Picojoules(2'100));
}

TEST_CASE("one tenth of a unit is exact where floating point is not") {
  for (std::uint64_t tenths = 0; tenths < 1000; ++tenths) {
    const std::string text = std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " s";
    REQUIRE(parse_quantity<Picoseconds>(text) == Picoseconds(tenths * 100'000'000'000));
  }
}

TEST_CASE("both sides of the 64-bit bound") {
  CHECK(parse_quantity<Bytes>("18446744073709551615 B") == Bytes::max());
  CHECK(problem(Dimension::size, "18446744073709551616 B") == "it is past 64 bits");
  CHECK(parse_quantity<Picoseconds>("18446744.073709551615 s") == Picoseconds::max());
  CHECK(problem(Dimension::time, "18446744.073709551616 s") == "it is past 64 bits");
  CHECK(problem(Dimension::time, "99999999999999999999999999999999999999999999 h") == "it is past 64 bits");
}

TEST_CASE("both sides of the base unit") {
  CHECK(read_quantity(Dimension::time, "1.001 ns").amount == 1001);
  CHECK(problem(Dimension::time, "1.0001 ns") == "it is no whole number of ps");
  CHECK(read_quantity(Dimension::time, "1.0010000000000000000000000000000 ns").amount == 1001);
  CHECK(problem(Dimension::time, "1.00000000000000000000001 s") == "it has more than 22 digits");
  CHECK(problem(Dimension::rate, "1 bit/s") == "it is no whole number of B/s");
}

TEST_CASE("a bad quantity says what is wrong with it") {
  CHECK(problem(Dimension::speed, "7200") == "the unit is missing");
  CHECK(problem(Dimension::time, "-1 ms") == "it is negative");
  CHECK(problem(Dimension::time, "fast") == "it does not begin with a number");
  CHECK(problem(Dimension::time, "") == "it does not begin with a number");
  CHECK(problem(Dimension::time, ".5 ms") == "it does not begin with a number");
  CHECK(problem(Dimension::time, "1.3 msec") == "unknown unit 'msec'; did you mean 'ms'? known: ps, ns, us, ms, s, min, h");
  CHECK(problem(Dimension::time, "1e3 ms") == "unknown unit 'e3 ms'; did you mean 'ms'? known: ps, ns, us, ms, s, min, h");
  CHECK(problem(Dimension::speed, "7200 Hz") == "unknown unit 'Hz'; did you mean 'rpm'? known: rpm");
  CHECK(message_of([] { (void)parse_quantity<Rpm>("7200"); }) ==
        "expected a speed such as \"7200 rpm\", found \"7200\": the unit is missing");
}

TEST_CASE("a quantity prints in its shortest exact form of at least 1") {
  CHECK(to_text(1300_us) == "1.3 ms");
  CHECK(to_text(100_us) == "100 us");
  CHECK(to_text(1001_ps) == "1001 ps");
  CHECK(to_text(3600_s) == "1 h");
  CHECK(to_text(0_ps) == "0 s");
  CHECK(to_text(4_KiB) == "4 KiB");
  CHECK(to_text(512_B) == "512 B");
  CHECK(to_text(Bytes(1'000'000)) == "1 MB");
  CHECK(to_text(Bytes(4100)) == "4100 B");
  CHECK(to_text(BytesPerSecond(750'000'000)) == "750 MB/s");
  CHECK(to_text(Rpm(7200)) == "7200 rpm");
  CHECK(to_text(Microwatts(5'300'000)) == "5.3 W");
  CHECK(to_text(Picojoules(2'100)) == "2.1 nJ");
}

TEST_CASE("every amount of every dimension survives printing and reading") {
  const bool holds = rc::check([](std::uint64_t bits) {
    const auto shift = *rc::gen::inRange(0, 64);
    const auto factor = *rc::gen::element<std::uint64_t>(1, 1000, 1024, 1'000'000, 3'600'000'000'000'000);
    const std::uint64_t small = bits >> shift;
    for (const std::uint64_t amount : {bits, small, small > max64 / factor ? small : small * factor, max64}) {
      for (const Dimension dimension : dimensions) {
        const std::string text = print_quantity(dimension, amount);
        const QuantityReading reading = read_quantity(dimension, text);
        RC_ASSERT(reading.problem.empty());
        RC_ASSERT(reading.amount == amount);
      }
    }
  });
  CHECK(holds);
}
