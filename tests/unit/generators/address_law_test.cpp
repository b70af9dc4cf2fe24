#include "stimuli/generators/address_law.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "chi_square.hpp"
#include "stimuli/generators/hot_tracks.hpp"

using namespace tessera;
using namespace tessera::literals;

TEST_CASE("sequential addresses follow each other and start again where the next one does not fit") {
  SequentialAddresses addresses(8192_B, 16384_B, 4096_B);
  CHECK(addresses.next(true, 4096_B) == 8192_B);
  CHECK(addresses.next(true, 512_B) == 12288_B);
  CHECK(addresses.next(true, 8192_B) == 16384_B);
  CHECK(addresses.next(true, 512_B) == 8192_B);
  CHECK(addresses.next(true, 16384_B) == 8192_B);
}

TEST_CASE("uniform addresses are uniform over the aligned places of the range") {
  UniformAddresses addresses(Footprint(4096_B, 40960_B, 4096_B), RandomStream(1, "uniform"));
  std::vector<std::uint64_t> counts(10);
  for (int i = 0; i < 100'000; ++i) {
    const Bytes at = addresses.next(true, 512_B);
    REQUIRE(at % 4096_B == 0_B);
    ++counts.at((at - 4096_B) / 4096_B);
  }
  CHECK(test::fits(counts, std::vector<double>(10, 0.1)));
}

TEST_CASE("extents lie one in each part of the range") {
  RandomStream random(1, "extents");
  const Footprint footprint(1_MiB, 100_MiB, 4096_B, 10, 1_MiB, random);
  REQUIRE(footprint.slots() == 2560);
  for (std::uint64_t slot = 0; slot < footprint.slots(); ++slot) {
    const std::uint64_t part = slot / 256;
    REQUIRE(footprint.address(slot) >= 1_MiB + 10_MiB * part);
    REQUIRE(footprint.address(slot) < 1_MiB + 10_MiB * (part + 1));
    if (slot % 256 != 0) REQUIRE(footprint.address(slot) == footprint.address(slot - 1) + 4096_B);
  }
}

TEST_CASE("Zipf addresses: as many distinct ones as items, the hottest as often as rank 1") {
  ZipfAddresses addresses(Footprint(0_B, 1_GiB, 4096_B), 100, 1.0, true, RandomStream(1, "zipf"), RandomStream(1, "scatter"));
  std::map<std::uint64_t, std::uint64_t> counts;
  for (int i = 0; i < 100'000; ++i) ++counts[addresses.next(true, 4096_B).value()];
  CHECK(counts.size() == 100);
  std::uint64_t most = 0;
  for (const auto& [address, count] : counts) most = std::max(most, count);
  const double expected = 100'000 / 5.187377518;  // H(100)
  CHECK(std::abs(static_cast<double>(most) - expected) < 5 * std::sqrt(expected));
}

TEST_CASE("a histogram gives each part of the range its weight, up to its bounds") {
  HistogramAddresses addresses({{0, 0.25, 70}, {0.25, 0.5, 20}, {0.5, 0.75, 7}, {0.75, 1, 3}}, 0_B, 64_KiB, 4096_B,
                               RandomStream(1, "histogram"));
  std::vector<std::uint64_t> counts(16);
  for (int i = 0; i < 100'000; ++i) ++counts.at(addresses.next(true, 4096_B) / 4096_B);
  std::vector<double> probabilities;
  for (const double weight : {0.70, 0.20, 0.07, 0.03}) probabilities.insert(probabilities.end(), 4, weight / 4);
  CHECK(test::fits(counts, probabilities));
}

namespace {

std::map<std::uint64_t, std::uint64_t> track_counts(HotTrackAddresses& addresses, Bytes track, int writes) {
  std::map<std::uint64_t, std::uint64_t> counts;
  for (int i = 0; i < writes; ++i) ++counts[addresses.next(true, 4096_B) / track];
  return counts;
}

std::set<std::uint64_t> hottest(const std::map<std::uint64_t, std::uint64_t>& counts, std::uint64_t least) {
  std::set<std::uint64_t> tracks;
  for (const auto& [track, count] : counts)
    if (count >= least) tracks.insert(track);
  return tracks;
}

}  // namespace

TEST_CASE("hot tracks take their share, in runs of the stated length with a cold track between") {
  HotTracksConfig config;
  config.track = 64_KiB;
  config.tracks = 12;
  config.share = 0.6;
  config.run_length = GENERATE(1U, 4U);
  HotTrackAddresses addresses(config, 0_B, 64_MiB, 4096_B, Footprint(0_B, 64_MiB, 4096_B), RandomStream(1, "hot"),
                              RandomStream(1, "places"));
  // 5,000 writes a hot track; a cold one of the other 1012 gets 40 of 40,000, so 1,000 separates them by tens of deviations.
  const auto counts = track_counts(addresses, config.track, 100'000);
  const auto hot = hottest(counts, 1'000);
  REQUIRE(hot.size() == 12);
  std::uint64_t in_hot = 0;
  std::size_t runs = 0;
  for (const std::uint64_t track : hot) {
    in_hot += counts.at(track);
    runs += hot.contains(track - 1) ? 0 : 1;
  }
  CHECK(runs == 12 / config.run_length);
  const double share = 0.6 + 0.4 * 12 / 1024;
  CHECK(std::abs(static_cast<double>(in_hot) - 1e5 * share) < 5 * std::sqrt(1e5 * share * (1 - share)));
}

TEST_CASE("hot tracks that stand alone are as often even as odd") {
  HotTracksConfig config;
  config.track = 64_KiB;
  config.tracks = 200;
  config.share = 1.0;
  HotTrackAddresses addresses(config, 0_B, 64_MiB, 4096_B, Footprint(0_B, 64_MiB, 4096_B), RandomStream(1, "hot"),
                              RandomStream(1, "places"));
  const auto hot = hottest(track_counts(addresses, config.track, 100'000), 1);
  REQUIRE(hot.size() == 200);
  const auto even = std::count_if(hot.begin(), hot.end(), [](std::uint64_t track) { return track % 2 == 0; });
  CHECK(std::abs(static_cast<double>(even) - 100) < 5 * std::sqrt(200 * 0.25));
}

TEST_CASE("neighbour_share goes to the cold tracks right beside the hot ones") {
  HotTracksConfig config;
  config.track = 64_KiB;
  config.tracks = 4;
  config.run_length = 2;
  config.share = 0.5;
  config.neighbour_share = 0.5;
  HotTrackAddresses addresses(config, 0_B, 64_MiB, 4096_B, Footprint(0_B, 64_MiB, 4096_B), RandomStream(1, "hot"),
                              RandomStream(1, "places"));
  const auto counts = track_counts(addresses, config.track, 10'000);
  CHECK(counts.size() <= 8);  // two runs of two, a track on each side
  for (const auto& [track, count] : counts) CHECK((counts.contains(track + 1) || counts.contains(track - 1)));
}

TEST_CASE("at each drift the oldest runs move, and no earlier") {
  HotTracksConfig config;
  config.track = 64_KiB;
  config.tracks = 10;
  config.share = 1;
  config.drift_writes = 1'000;
  config.drift_share = 0.2;
  HotTrackAddresses addresses(config, 0_B, 64_MiB, 4096_B, Footprint(0_B, 64_MiB, 4096_B), RandomStream(1, "hot"),
                              RandomStream(1, "places"));
  const auto before = hottest(track_counts(addresses, config.track, 1'000), 1);
  REQUIRE(before.size() == 10);
  const auto after = hottest(track_counts(addresses, config.track, 1'000), 1);
  REQUIRE(after.size() == 10);
  std::size_t kept = 0;
  for (const auto track : after) kept += before.contains(track) ? 1 : 0;
  CHECK(kept == 8);
}

TEST_CASE("reads do not make hot tracks drift") {
  HotTracksConfig config;
  config.track = 64_KiB;
  config.tracks = 1;
  config.share = 1;
  config.drift_writes = 10;
  config.drift_share = 1;
  HotTrackAddresses addresses(config, 0_B, 64_MiB, 4096_B, Footprint(0_B, 64_MiB, 4096_B), RandomStream(1, "hot"),
                              RandomStream(1, "places"));
  const std::uint64_t track = addresses.next(true, 4096_B) / config.track;
  for (int i = 0; i < 100; ++i) REQUIRE(addresses.next(false, 4096_B) / config.track == track);
}
