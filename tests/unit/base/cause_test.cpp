#include "base/cause.hpp"

#include <catch2/catch.hpp>
#include <numeric>

#include "base/request_life.hpp"

using namespace tessera;
using namespace tessera::literals;

namespace {

Picoseconds held_up(const RequestLife& life, Cause cause) { return life.by_cause()[static_cast<std::size_t>(cause)]; }

RequestLife begun_at(Picoseconds at) {
  RequestLife life{};
  life.begin(at);
  return life;
}

}  // namespace

TEST_CASE("firmware's words for its work name a cause, and others none") {
  CHECK(cause_of_work("clean") == Cause::cleaning);
  CHECK(cause_of_work("rmw") == Cause::rmw);
  CHECK(cause_of_work("read_ahead") == Cause::read_ahead);
  CHECK(cause_of_work("interval") == std::nullopt);
  CHECK(cause_of_work("cleaner") == std::nullopt);
}

TEST_CASE("behind a dot firmware may say more of its work, and the word in front of it counts") {
  CHECK(cause_of_work("rmw.unit") == Cause::rmw);
  CHECK(cause_of_work("clean.idle.fast") == Cause::cleaning);
  CHECK(cause_of_work("rewrite.rmw") == std::nullopt);
  CHECK(cause_of_work(".rmw") == std::nullopt);
}

TEST_CASE("what a request's task does says for what its time was, in whatever phase it was spent") {
  RequestLife life = begun_at(1_ms);
  life.account(LifePhase::cpu, 2_ms);
  life.works_for = Cause::cleaning;
  life.account(LifePhase::transfer, 12_ms);
  life.account(LifePhase::media_queue, 13_ms, Cause::requests);  // which the cleaning met
  life.works_for = Cause::host;
  life.account(LifePhase::lock, 15_ms, Cause::checkpoint);
  CHECK(held_up(life, Cause::host) == 1_ms);
  CHECK(held_up(life, Cause::cleaning) == 11_ms);
  CHECK(held_up(life, Cause::checkpoint) == 2_ms);
  CHECK(held_up(life, Cause::requests) == 0_ms);
}

TEST_CASE("a power cut takes back what was charged beyond it, and the causes still sum to the life") {
  RequestLife life = begun_at(1_ms);
  life.works_for = Cause::rmw;
  life.account(LifePhase::cpu, 4_ms);
  life.charge(Cause::requests, 5_ms);  // of a wait that has not ended
  life.cut_short(3_ms);
  CHECK(life.works_for == Cause::host);
  life.account(LifePhase::outage, 10_ms, Cause::recovery);
  const auto times = life.by_cause();
  CHECK(std::accumulate(times.begin(), times.end(), 0_ps) == 9_ms);
  CHECK(held_up(life, Cause::recovery) == 7_ms);
}
