#include "stimuli/generators/update_addresses.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <deque>
#include <map>
#include <set>
#include <vector>

using namespace tessera;
using namespace tessera::literals;

namespace {

UpdateAddresses make(const UpdatesConfig& config) {
  return {config, Footprint(0_B, 64_GiB, 4096_B), 16, RandomStream(1, "updates"), RandomStream(1, "places")};
}

}  // namespace

TEST_CASE("the share of updates is what the workload states, for small and for large writes") {
  UpdatesConfig config;
  config.share = 0.9;
  config.large = 65536_B;
  config.large_share = 0.2;
  UpdateAddresses addresses = make(config);
  std::set<std::uint64_t> seen;
  double updates[2] = {0, 0};
  constexpr int writes = 20'000;
  for (int i = 0; i < 2 * writes; ++i) {
    const bool large = i % 2 == 1;
    if (!seen.insert(addresses.next(true, large ? 65536_B : 4096_B).value()).second) ++updates[large ? 1 : 0];
  }
  // Five standard errors of a share over 20,000 writes: 0.0106 at 0.9, 0.0141 at 0.2.
  CHECK(updates[0] / writes == Approx(0.9).margin(0.011));
  CHECK(updates[1] / writes == Approx(0.2).margin(0.015));
}

TEST_CASE("new addresses fill as many places of a chunk as the workload states, side by side") {
  UpdatesConfig config;
  config.share = 0;
  config.chunk_starts = 3;
  UpdateAddresses addresses = make(config);
  std::set<std::uint64_t> chunks;
  for (int i = 0; i < 300; ++i) {
    const std::uint64_t sector = addresses.next(true, 4096_B) / 4096_B;
    REQUIRE(sector % 16 == static_cast<std::uint64_t>(i % 3));
    chunks.insert(sector / 16);
  }
  CHECK(chunks.size() == 100);
}

TEST_CASE("updates reach no further back than the window and the phase") {
  UpdatesConfig config;
  config.share = 0.5;
  config.window = 8;
  UpdateAddresses addresses = make(config);
  std::vector<std::uint64_t> order;
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 5'000; ++i) {
    const std::uint64_t at = addresses.next(true, 4096_B).value();
    if (!seen.insert(at).second) {
      const auto window = std::vector<std::uint64_t>(order.end() - std::min<std::ptrdiff_t>(8, std::ssize(order)), order.end());
      REQUIRE(std::count(window.begin(), window.end(), at) > 0);
    }
    order.push_back(at);
  }

  config.window = 1000;
  config.phase_writes = 100;
  UpdateAddresses phased = make(config);
  std::set<std::uint64_t> before;
  std::set<std::uint64_t> current;
  for (int i = 0; i < 5'000; ++i) {
    if (i % 100 == 0) before.merge(current);
    const std::uint64_t at = phased.next(true, 4096_B).value();
    REQUIRE(before.count(at) == 0);
    current.insert(at);
  }
}

TEST_CASE("the addresses of the set are updated alike, however long ago they were written") {
  UpdatesConfig config;
  config.share = 0.9;
  config.window = 8;
  config.chunk_starts = 4;
  config.set = 100;
  config.set_share = 0.5;
  UpdateAddresses addresses = make(config);
  std::set<std::uint64_t> of_set;  // the first that a generator without updates takes
  UpdatesConfig all_new = config;
  all_new.share = all_new.set_share = 0;
  all_new.set = 0;
  UpdateAddresses taken = make(all_new);
  for (int i = 0; i < 100; ++i) of_set.insert(taken.next(true, 4096_B).value());

  std::map<std::uint64_t, int> far;  // updates of the set from beyond the window
  std::deque<std::uint64_t> window;
  int all = 0;
  constexpr int writes = 50'000;
  for (int i = 0; i < writes; ++i) {
    const std::uint64_t at = addresses.next(true, 4096_B).value();
    const bool recent = std::count(window.begin(), window.end(), at) > 0;
    if (!recent && of_set.count(at) > 0) {
      ++far[at];
      ++all;
    }
    window.push_back(at);
    if (window.size() > 8) window.pop_front();
  }
  // 0.9 x 0.5 of the writes, less the few that the window happens to hold.
  CHECK(all == Approx(0.45 * writes).epsilon(0.08));
  REQUIRE(far.size() == 100);
  for (const auto& [at, count] : far) CHECK(count == Approx(all / 100.0).epsilon(0.35));
}

TEST_CASE("reads go to written addresses") {
  UpdatesConfig config;
  config.share = 0.3;
  UpdateAddresses addresses = make(config);
  std::set<std::uint64_t> written;
  for (int i = 0; i < 1'000; ++i) {
    written.insert(addresses.next(true, 4096_B).value());
    REQUIRE(written.count(addresses.next(false, 4096_B).value()) == 1);
  }
}
