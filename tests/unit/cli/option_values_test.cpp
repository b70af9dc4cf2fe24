#include "platforms/cli/option_values.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"

using namespace tessera;
using namespace tessera::cli;
using namespace tessera::literals;
using Catch::Message;

TEST_CASE("replay policies, at both ends of the depth") {
  CHECK(parse_replay("timed").mode == ReplayMode::timed);
  CHECK(parse_replay("think").mode == ReplayMode::think);
  CHECK(parse_replay("queue:64").mode == ReplayMode::queue);
  CHECK(parse_replay("queue:64").depth == 64);
  CHECK(parse_replay("closed:1").mode == ReplayMode::closed);
  CHECK(parse_replay("closed:1").depth == 1);
  CHECK(parse_replay("closed:65536").depth == 65'536);
  for (const char* text : {"closed:0", "closed:65537", "closed:", "closed", "queue:-1", "queue:3x", "timed:3", "open", ""}) {
    CHECK_THROWS_MATCHES(
        parse_replay(text), InputError,
        Message("--replay: expected timed, think, queue:N or closed:N with N from 1 to 65536, found '" + std::string(text) + "'"));
  }
}

TEST_CASE("a time scale is an exact fraction") {
  const auto is = [](std::string_view text, std::uint64_t numerator, std::uint64_t denominator) {
    const DecimalRatio ratio = parse_time_scale(text);
    return ratio.numerator == numerator && ratio.denominator == denominator;
  };
  CHECK(is("2", 2, 1));
  CHECK(is("0.25", 1, 4));
  CHECK(is("1.5", 3, 2));
  CHECK(is("0.1", 1, 10));
  CHECK(is("999999999.999999999", 999'999'999'999'999'999, 1'000'000'000));
  for (const char* text : {"0", "0.0", "-1", "x", "1.", ".5", "1.2.3", "1e3", "1000000000", "0.0000000001", ""}) {
    CHECK_THROWS_MATCHES(parse_time_scale(text), InputError,
                         Message("--time-scale: expected a positive decimal number such as 2 or 0.25, found '" + std::string(text) + "'"));
  }
}

TEST_CASE("an interval is a time or a number of requests") {
  CHECK(parse_intervals("1 s").time == 1_s);
  CHECK(parse_intervals("1 s").requests == 0);
  CHECK(parse_intervals("250ms").time == 250_ms);
  CHECK(parse_intervals("10000 requests").requests == 10'000);
  CHECK(parse_intervals("10000 requests").time == 0_ps);
  CHECK(parse_intervals("1 request").requests == 1);
  CHECK(parse_intervals("5requests").requests == 5);
  for (const char* text : {"0 s", "0 requests", "1000", "requests", "1.5 requests", "10 requestss", "-1 s", ""}) {
    CHECK_THROWS_MATCHES(
        parse_intervals(text), InputError,
        Message("--intervals: expected a time such as '1 s' or a count such as '10000 requests', found '" + std::string(text) + "'"));
  }
}

TEST_CASE("a window has a start before its end") {
  CHECK(parse_window("10ms:20ms") == std::pair(10_ms, 20_ms));
  CHECK(parse_window("0 s:1 ps") == std::pair(0_ps, 1_ps));
  CHECK_THROWS_MATCHES(parse_window("10ms"), InputError, Message("--record-window: expected two times such as 10ms:20ms, found '10ms'"));
  CHECK_THROWS_MATCHES(parse_window("10ms:10ms"), InputError,
                       Message("--record-window: expected the end of the window after its start, found '10ms:10ms'"));
  CHECK_THROWS_MATCHES(parse_window("10:20ms"), InputError,
                       Message("--record-window: expected a time such as \"1.3 ms\", found \"10\": the unit is missing"));
}

TEST_CASE("a count is given as people type it") {
  const auto count = [](std::string_view text) { return parse_count("--limit", text, 1, ~std::uint64_t{0}); };
  CHECK(count("20k") == 20'000);
  CHECK(count("20K") == 20'000);
  CHECK(count("2.5M") == 2'500'000);
  CHECK(count("1e6") == 1'000'000);
  CHECK(count("1.25E2") == 125);
  CHECK(count("18G") == 18'000'000'000);
  CHECK(count("1e19") == 10'000'000'000'000'000'000U);
}

TEST_CASE("a count refuses what is no whole number in its range") {
  CHECK(parse_count("--limit", "18446744073709551615", 1, ~std::uint64_t{0}) == ~std::uint64_t{0});
  CHECK(parse_count("--prefill", "100", 0, 100) == 100);
  CHECK_THROWS_MATCHES(parse_count("--prefill", "101", 0, 100), InputError,
                       Message("--prefill: expected a whole number from 0 to 100, found '101'"));
  for (const char* text : {"0", "18446744073709551616", "-1", "+1", "1.0", "ten", "", " 1", "k", "1.", "1.k", "1e", "1e20", "19e18e",
                           "1.25e1", "1kk", "1T", "20000000000G"}) {
    CHECK_THROWS_MATCHES(parse_count("--limit", text, 1, ~std::uint64_t{0}), InputError,
                         Message("--limit: expected a whole number of at least 1, found '" + std::string(text) + "'"));
  }
}
