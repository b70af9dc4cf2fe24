#include "stimuli/player/initial_transient.hpp"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "base/random.hpp"

using namespace tessera;
using namespace tessera::literals;

namespace {

boost::json::array cases() {
  std::ifstream file(TESSERA_TEST_DATA "/mser5.json");
  std::stringstream text;
  text << file.rdbuf();
  return boost::json::parse(text.str()).as_array();
}

/// Latencies in us: each block is so many times its values in turn; a ramp counts up from 1.
std::vector<std::uint64_t> latencies_of(const boost::json::object& given) {
  std::vector<std::uint64_t> latencies;
  if (given.contains("ramp"))
    for (std::uint64_t value = 1; value <= given.at("ramp").to_number<std::uint64_t>(); ++value) latencies.push_back(value);
  else
    for (const auto& block : given.at("blocks").as_array())
      for (std::uint64_t i = 0; i < block.at(0).to_number<std::uint64_t>(); ++i)
        for (const auto& value : block.at(1).as_array()) latencies.push_back(value.to_number<std::uint64_t>());
  return latencies;
}

InitialTransient seen(const std::vector<std::uint64_t>& latencies_us) {
  InitialTransient transient;
  for (std::size_t i = 0; i < latencies_us.size(); ++i) transient.completed(i, 1_us * latencies_us[i]);
  return transient;
}

}  // namespace

TEST_CASE("the warm-up ends where the cases say") {
  REQUIRE(cases().size() >= 8);
  for (const auto& entry : cases()) {
    const boost::json::object& given = entry.as_object();
    INFO(given.at("what").as_string());
    const auto cut = seen(latencies_of(given)).cut();
    REQUIRE(cut.has_value() == !given.at("cut").is_null());
    if (!cut) continue;
    CHECK(cut->requests == given.at("cut").to_number<std::uint64_t>());
    CHECK(cut->steady == given.at("steady").as_bool());
  }
}

TEST_CASE("a run that learns to its end is not steady, wherever the cut lies, and one that has learnt is") {
  // As imr-dtm on hot tracks: 237 ms that fall by tenths of the run to 97, with the noise of a queue.
  constexpr std::array<std::uint64_t, 10> learning{237, 215, 190, 168, 150, 137, 125, 114, 105, 97};
  RandomStream random(1, "latencies");
  const auto at = [&random](const std::array<std::uint64_t, 10>& tenths, std::uint64_t requests) {
    InitialTransient transient;
    for (std::uint64_t i = 0; i < requests; ++i) transient.completed(i, 1_ms * (tenths[i * 10 / requests] / 2 + random.below(100)));
    return transient.cut();
  };
  for (const std::uint64_t requests : {2'000U, 10'240U, 10'241U, 30'000U, 300'000U}) {
    INFO(requests << " requests");
    CHECK_FALSE(at(learning, requests)->steady);
    const auto learnt = at({237, 150, 97, 97, 97, 97, 97, 97, 97, 97}, requests);
    CHECK(learnt->steady);
    CHECK(learnt->requests >= requests / 10);
    CHECK(learnt->requests <= requests / 2);
  }
}

TEST_CASE("of steady runs with bursts one in a hundred is called not steady") {
  RandomStream random(1, "latencies");
  int not_steady = 0;
  for (int run = 0; run < 1'000; ++run) {
    InitialTransient transient;
    std::uint64_t backlog_ms = 0;  // one request in a hundred waits for a cleaning, and those after it behind it
    for (std::uint64_t i = 0; i < 4'000; ++i) {
      backlog_ms = random.below(100) == 0 ? backlog_ms + 200 : backlog_ms - std::min<std::uint64_t>(backlog_ms, 10);
      transient.completed(i, 1_ms * (5 + backlog_ms + random.below(10)));
    }
    not_steady += transient.cut()->steady ? 0 : 1;
  }
  CHECK(not_steady <= 10 + 9);  // chance goes beyond three deviations once in a thousand
}

TEST_CASE("a drift of less than a twentieth from half to half is none, and a larger one is") {
  const auto steady = [](double rise) {
    InitialTransient transient;
    for (std::uint64_t i = 0; i < 20'000; ++i)
      transient.completed(i, Picoseconds(static_cast<std::uint64_t>(1e9 * (1 + rise * static_cast<double>(i) / 20'000))));
    return transient.cut()->steady;
  };
  CHECK(steady(0.08));
  CHECK_FALSE(steady(0.15));
}

TEST_CASE("the mean after the warm-up is that of all requests after it, of batches that are not full as well") {
  InitialTransient transient;
  for (std::uint64_t i = 0; i < 1'003; ++i) transient.completed(i, i < 100 ? 100_ms : i < 1'000 ? 1_ms : 302_ms);
  REQUIRE(transient.cut()->requests == 100);
  CHECK(transient.cut()->mean_ms == Approx(2));  // (900 + 3 * 302) / 903
}

TEST_CASE("requests count in the order of their arrival, whatever the order of their completion") {
  InitialTransient backwards;
  for (std::uint64_t number = 1'000; number-- > 0;) backwards.completed(number, number < 100 ? 100_ms : 1_ms);
  CHECK(backwards.cut()->requests == 100);
}

TEST_CASE("a request that is far ahead of the others loses nothing of theirs") {
  InitialTransient transient;
  const auto complete = [&transient](std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t number = from; number < to; ++number) transient.completed(number, number < 300 ? 100_ms : 1_ms);
  };
  complete(0, 15);           // three batches: the last has no partner when pairs are merged
  complete(11'999, 12'000);  // of the 2400th batch
  complete(15, 11'999);
  REQUIRE(transient.cut().has_value());
  CHECK(transient.cut()->requests == 300);
}

TEST_CASE("batches merge by pairs where there would be more than 2048, and the cut is found within one of them") {
  RandomStream random(1, "latencies");
  // 10,240 requests fill 2048 batches of 5; one more makes them batches of 10.
  for (const auto& [requests, batch] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{{10'240, 5}, {10'241, 10}, {100'000, 80}}) {
    InitialTransient transient;
    const std::uint64_t slow = requests / 5;
    for (std::uint64_t number = 0; number < requests; ++number)
      transient.completed(number, (number < slow ? 50_ms : 10_ms) + Picoseconds(random.below((1_ms).value())));
    const auto cut = transient.cut();
    CHECK(cut->steady);
    CHECK(cut->requests % batch == 0);
    CHECK(cut->requests >= slow);
    CHECK(cut->requests < slow + requests / 50);
  }
}
