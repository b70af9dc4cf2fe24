// Conditions on signals as a test bench writes them.
#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "platforms/kernel/signal_condition.hpp"

namespace tessera {
namespace {

bool holds(const std::string& text, std::uint64_t value) {
  return SignalCondition::parse(text).holds(value, {"level", SignalKind::level, 8, {}, 0});
}

TEST_CASE("live: a condition compares a number as its sign says") {
  const auto of_4_5_6 = [](const std::string& text) { return std::vector<bool>{holds(text, 4), holds(text, 5), holds(text, 6)}; };
  CHECK(of_4_5_6("level < 5") == std::vector<bool>{true, false, false});
  CHECK(of_4_5_6("level <= 5") == std::vector<bool>{true, true, false});
  CHECK(of_4_5_6("level==5") == std::vector<bool>{false, true, false});
  CHECK(of_4_5_6("level != 5") == std::vector<bool>{true, false, true});
  CHECK(of_4_5_6("level >= 5") == std::vector<bool>{false, true, true});
  CHECK(of_4_5_6("level > 4.5") == std::vector<bool>{false, true, true});
}

TEST_CASE("live: a condition on a state names one of its words") {
  const SignalInfo state{"state", SignalKind::state, 2, {"idle", "seek", "read"}, 0};
  const SignalCondition condition = SignalCondition::parse("media.state == seek");
  condition.check(state);
  CHECK(condition.signal == "media.state");
  CHECK(condition.holds(1, state));
  CHECK_FALSE(condition.holds(2, state));
  CHECK_THROWS_WITH(SignalCondition::parse("media.state == sek").check(state), Catch::Matchers::Contains("did you mean 'seek'?"));
  CHECK_THROWS_AS(SignalCondition::parse("media.state < seek").check(state), InputError);
  CHECK_THROWS_AS(SignalCondition::parse("level ="), InputError);
  CHECK_THROWS_AS(SignalCondition::parse("== 5"), InputError);
}

}  // namespace
}  // namespace tessera
