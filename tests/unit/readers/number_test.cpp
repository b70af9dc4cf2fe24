// Numbers exact to the last digit, both sides of each bound.
#include <rapidcheck.h>

#include <catch2/catch.hpp>

#include "stimuli/readers/decimal.hpp"
#include "stimuli/readers/fields.hpp"
#include "stimuli/readers/time_scale.hpp"
#include "unit/readers/trace_files.hpp"

using namespace tessera;

namespace {

std::pair<NumberFault, std::uint64_t> time_of(std::string_view text, std::uint64_t unit) {
  TraceTime value = 0;
  const auto fault = parse_time(text, unit, value);
  return {fault, static_cast<std::uint64_t>(value)};
}

}  // namespace

TEST_CASE("unsigned integers: the range of 64 bits, and what is not a number") {
  std::uint64_t value = 7;
  CHECK(parse_unsigned("18446744073709551615", value) == NumberFault::none);
  CHECK(value == ~std::uint64_t{0});
  value = 7;
  CHECK(parse_unsigned("18446744073709551616", value) == NumberFault::overflow);
  CHECK(parse_unsigned("-1", value) == NumberFault::negative);
  for (const auto* text : {"", "-", "+1", "1 ", "1e3", "0x10", "1.0"}) CHECK(parse_unsigned(text, value) == NumberFault::malformed);
  CHECK(value == 7);
  CHECK(parse_hexadecimal("0x2A", value) == NumberFault::none);
  CHECK(value == 42);
}

TEST_CASE("times are exact and cut off below a picosecond") {
  CHECK(time_of("22.810", 1'000'000'000) == std::pair{NumberFault::none, std::uint64_t{22'810'000'000}});
  CHECK(time_of("0.000000000001", 1'000'000'000'000) == std::pair{NumberFault::none, std::uint64_t{1}});
  CHECK(time_of("0.0000000000019", 1'000'000'000'000) == std::pair{NumberFault::none, std::uint64_t{1}});
  CHECK(time_of("1.5", 1) == std::pair{NumberFault::none, std::uint64_t{1}});
  CHECK(time_of("3.", 1'000) == std::pair{NumberFault::none, std::uint64_t{3'000}});
  CHECK(time_of("0.00001", 100'000) == std::pair{NumberFault::none, std::uint64_t{1}});  // 100 ns ticks
  CHECK(time_of("1.5x", 1'000).first == NumberFault::malformed);
  CHECK(time_of(".5", 1'000).first == NumberFault::malformed);
  CHECK(time_of("1e3", 1'000).first == NumberFault::malformed);
}

TEST_CASE("any number of nanoseconds written as decimal seconds comes back") {
  const bool holds = rc::check("round trip", [](std::uint32_t seconds, std::uint32_t fraction) {
    fraction %= 1'000'000'000;
    std::string digits = std::to_string(fraction);
    digits.insert(0, 9 - digits.size(), '0');
    TraceTime value = 0;
    RC_ASSERT(parse_time(std::to_string(seconds) + "." + digits, 1'000'000'000'000, value) == NumberFault::none);
    RC_ASSERT(value == TraceTime{seconds} * 1'000'000'000'000 + TraceTime{fraction} * 1'000);
  });
  CHECK(holds);
}

TEST_CASE("fields: separators alone or in runs, blanks around dropped, more than are kept are counted") {
  Fields comma(',');
  comma.split(" a ,,c\t");
  REQUIRE(comma.size() == 3);
  CHECK(comma[0] == "a");
  CHECK(comma[1].empty());
  CHECK(comma[2] == "c");
  Fields blank(' ');
  blank.split("  a \t b  ");
  REQUIRE(blank.size() == 2);
  CHECK(blank[1] == "b");
  blank.split("");
  CHECK(blank.size() == 0);
  std::string many;
  for (int i = 0; i < 40; ++i) many += "x ";
  blank.split(many);
  CHECK(blank.size() == 40);
}

TEST_CASE("fields: any bytes are split as byte by byte") {
  const std::string bytes(" \t,,a0!-\x01\x80\xac\xa0\0", 13);
  const bool holds = rc::check("the fields of a line of any length", [&] {
    const auto picks = *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, bytes.size()));
    std::string line;
    for (const std::size_t pick : picks) line += bytes[pick];
    for (const char separator : {',', ' '}) {
      std::vector<std::string> expected{""};
      for (const char c : line) {
        const bool blank = c == ' ' || c == '\t';
        if (separator == ' ' ? blank : c == separator)
          expected.emplace_back();
        else
          expected.back() += c;
      }
      if (separator == ' ') std::erase(expected, "");
      Fields fields(separator);
      fields.split(line);
      RC_ASSERT(fields.size() == expected.size());
      for (std::size_t i = 0; i < std::min(expected.size(), Fields::capacity); ++i) RC_ASSERT(fields[i] == trimmed(expected[i]));
    }
  });
  CHECK(holds);
}

TEST_CASE("time scales are exact ratios") {
  CHECK(parse_time_scale("2") == TimeScale{2, 1});
  CHECK(parse_time_scale("0.5") == TimeScale{1, 2});
  CHECK(parse_time_scale("2/6") == TimeScale{1, 3});
  CHECK(parse_time_scale("0.000000001") == TimeScale{1, 1'000'000'000});
  for (const auto* text : {"0", "-1", "x", "", "1/0", "0/1", "0.0000000001"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_time_scale(text), InputError);
  }
  const test::Folder folder;
  CHECK(test::error_of(folder, [] { static_cast<void>(parse_time_scale("-1")); }) ==
        "--time-scale '-1': expected a number above 0 such as 2, 0.5 or 1/3 (2 = twice as slow), at most nine decimals");
}
