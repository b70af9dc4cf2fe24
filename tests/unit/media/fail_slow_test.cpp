// Parts of a drive that are slow for a while: where, when, how much, and how often.
#include "media/fail_slow.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "media/media_device.hpp"
#include "small_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using test::perform;
using test::read_step;
using test::write_step;

namespace {

constexpr Picoseconds turn = 10_ms;
constexpr double all = 1'000'000;

FailSlow slow(std::vector<NumberRow> rows) {
  MediaConfig config = test::small_drive();
  config.fail_slow = std::move(rows);
  REQUIRE(config.validate().empty());
  return {config, turn, 1};
}

std::string problems_of(NumberRow row) {
  MediaConfig config = test::small_drive();
  config.fail_slow = {std::move(row)};
  std::string text;
  for (const std::string& problem : config.validate()) text += problem + "\n";
  return text;
}

}  // namespace

TEST_CASE("steps that begin in a slow place at a slow time lose whole turns, others nothing") {
  FailSlow part = slow({{1, 1, 10, 19, 50, 70, 1, 15, all}});
  const auto loses = [&](PhysicalTrack track, Picoseconds at) { return part.lost(track, at, 3_ms) == turn * 2; };
  CHECK(loses({1, 10}, 50_ms));
  CHECK(loses({1, 19}, 70_ms - 1_ps));
  CHECK(part.lost({1, 10}, 50_ms - 1_ps, 3_ms) == 0_ps);
  CHECK(part.lost({1, 10}, 70_ms, 3_ms) == 0_ps);
  CHECK(part.lost({1, 9}, 50_ms, 3_ms) == 0_ps);
  CHECK(part.lost({1, 20}, 50_ms, 3_ms) == 0_ps);
  CHECK(part.lost({0, 10}, 50_ms, 3_ms) == 0_ps);
}

TEST_CASE("many steps of a slow drive take so many times as long together, and none a part of a turn more") {
  for (const double times : {1.5, 2.0, 7.0}) {
    FailSlow part = slow({{0, 9, 0, 999, 0, 1e6, times, 0, 0}});
    Picoseconds plain;
    Picoseconds lost;
    for (std::uint64_t step = 0; step < 1'000; ++step) {
      const Picoseconds time(1'000'000'007 * (1 + step % 9));
      plain += time;
      const Picoseconds more = part.lost({static_cast<std::uint32_t>(step % 2), 7}, 1_ms * step, time);
      REQUIRE(more.value() % turn.value() == 0);
      lost += more;
    }
    const auto expected = static_cast<double>(plain.value()) * (times - 1);
    CHECK(static_cast<double>(lost.value()) <= expected);
    CHECK(static_cast<double>((lost + turn).value()) > expected);
  }
}

TEST_CASE("stalls come at their rate, and those of several rows add up") {
  FailSlow part = slow({{0, 0, 0, 49, 0, 1e6, 1, 20, 250'000}, {0, 0, 0, 49, 0, 1e6, 1, 100, all}});
  std::uint64_t stalls = 0;
  for (std::uint64_t step = 0; step < 4'000; ++step) {
    const Picoseconds lost = part.lost({0, 5}, 1_ms, 3_ms);
    REQUIRE((lost == turn * 10 || lost == turn * 12));
    stalls += lost == turn * 12 ? 1 : 0;
  }
  CHECK(stalls == Approx(1'000).margin(110));  // four standard deviations
}

TEST_CASE("what a slow step loses is rotation before its first sector, and is counted") {
  MediaConfig config = test::small_drive();
  MediaConfig weak = config;
  weak.fail_slow = {{1, 1, 0, 49, 0, 100, 1, 30, all}};
  MediaDevice plain(config, {}, ContentMode::none, 1);
  MediaDevice drive(weak, {}, ContentMode::none, 1);
  for (const std::uint32_t surface : {0U, 1U}) {
    const MediaStep step = read_step({{surface, 30}, 20, 4});
    const MediaTiming a = plain.start(step, 5_ms);
    const MediaTiming b = drive.start(step, 5_ms);
    CHECK(b.end == a.end + turn * 3 * surface);
    CHECK(b.rotation == a.rotation + turn * 3 * surface);
    CHECK(b.seek == a.seek);
    CHECK(b.transfer == a.transfer);
    CHECK(ok(plain.finish()));
    CHECK(ok(drive.finish()));
  }
  CHECK(drive.statistics().slow_steps == 1);
  CHECK(drive.statistics().slow_time == turn * 3);
}

TEST_CASE("rows that say nothing about the drive are refused, each in a sentence") {
  CHECK(problems_of({0, 9, 0, 999, 0, 10, 2, 0, 0}).empty());
  CHECK(problems_of({1, 1, 5, 5, 0.5, 0.75, 1, 0.1, 1}).empty());
  CHECK(problems_of({0, 9, 0, 999, 0, 10, 2, 0}) == "fail_slow: row 1 does not have 9 columns\n");
  CHECK(problems_of({2, 9, 0, 999, 0, 10, 2, 0, 0}).find("surface that the drive does not have; expected 0 to 1") != std::string::npos);
  CHECK(problems_of({0, 9, 51, 999, 0, 10, 2, 0, 0}).empty());  // the last of the spare tracks
  CHECK(problems_of({0, 9, 52, 999, 0, 10, 2, 0, 0}).find("radius that the drive does not have; expected 0 to 51") != std::string::npos);
  CHECK(problems_of({0, 0.5, 0, 999, 0, 10, 2, 0, 0}).find("no whole numbers") != std::string::npos);
  CHECK(problems_of({1, 0, 0, 999, 0, 10, 2, 0, 0}).find("ends before it begins") != std::string::npos);
  CHECK(problems_of({0, 1, 7, 6, 0, 10, 2, 0, 0}).find("ends before it begins") != std::string::npos);
  CHECK(problems_of({0, 1, 0, 999, 10, 10, 2, 0, 0}).find("is of no time") != std::string::npos);
  CHECK(problems_of({0, 1, 0, 999, 0, 10, 0.5, 0, 0}).find("times is not 1") != std::string::npos);
  CHECK(problems_of({0, 1, 0, 999, 0, 10, 1, 5, 0}).find("needs both") != std::string::npos);
  CHECK(problems_of({0, 1, 0, 999, 0, 10, 1, 0, 5}).find("needs both") != std::string::npos);
  CHECK(problems_of({0, 1, 0, 999, 0, 10, 1, 0, 0}).find("slows nothing") != std::string::npos);
  CHECK(problems_of({0, 1, 0, 999, 0, 10, 2, 5, 0.5}).find("per_million is not a whole number") != std::string::npos);
  CHECK(problems_of({0, 1, 0, 999, 0, 10, std::nan(""), 0, 0}).find("times is not 1") != std::string::npos);
}
