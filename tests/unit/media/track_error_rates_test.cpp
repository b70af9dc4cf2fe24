// Reads that fail for a while, more often on some tracks than on others.
#include "media/track_error_rates.hpp"

#include <catch2/catch.hpp>

#include "media/media_device.hpp"
#include "small_drive.hpp"

using namespace tessera;
using test::perform;
using test::read_step;
using test::write_step;

namespace {

/// Sectors that a thousand reads of the whole track did not bring.
std::uint64_t unread(const MediaConfig& config, PhysicalTrack track, int writes_beside = 0) {
  MediaDevice device(config, {test::region(RecordingFormat::conventional, 0, 50)}, ContentMode::none, 1);
  Picoseconds now;
  for (int i = 0; i < writes_beside; ++i) static_cast<void>(perform(device, write_step({{track.surface, track.radius + 2}, 0, 100}), now));
  for (int i = 0; i < 1'000; ++i) static_cast<void>(perform(device, read_step({track, 0, 100}), now));
  return device.statistics().transient_faults;
}

std::string problems_of(const MediaConfig& config) {
  std::string all;
  for (const std::string& problem : config.validate()) all += problem + "\n";
  return all;
}

}  // namespace

TEST_CASE("each track fails as often as the row of its surface and radius says, others as all do") {
  MediaConfig config = test::small_drive();
  config.transient_error_reads = 1;  // so that each error is one read
  config.transient_errors_per_million = 1'000;
  config.track_error_rates = {{0, 9, 0}, {1, 24, 2'000}, {0, 29, 10'000}};
  TrackGeometry geometry(config, {});
  const TrackErrorRates rates(config, geometry);
  const auto rate = [&](PhysicalTrack track) { return rates.of(geometry.linear(track)); };
  CHECK(rate({0, 0}) == 0);
  CHECK(rate({0, 9}) == 0);
  CHECK(rate({0, 10}) == 10'000'000);
  CHECK(rate({0, 29}) == 10'000'000);
  CHECK(rate({0, 30}) == 1'000'000);
  CHECK(rate({1, 24}) == 2'000'000);
  CHECK(rate({1, 25}) == 1'000'000);
  CHECK(unread(config, {0, 9}) == 0);
  CHECK(unread(config, {0, 10}) == Approx(1'000).epsilon(0.15));
  CHECK(unread(config, {0, 40}) == Approx(100).epsilon(0.35));
  CHECK(unread(config, {1, 24}) == Approx(200).epsilon(0.3));
}

TEST_CASE("the head whose reads fail is the one that is counted") {
  MediaConfig config = test::small_drive();
  config.track_error_rates = {{1, 49, 20'000}};
  MediaDevice device(config, {}, ContentMode::none, 1);
  Picoseconds now;
  for (const std::uint32_t surface : {0U, 1U})
    for (int i = 0; i < 100; ++i) static_cast<void>(perform(device, read_step({{surface, 20}, 0, 100}), now));
  MetricSet metrics;
  device.report(metrics, now);
  CHECK(metrics.find("media.head.0.unread_sectors")->value.value() == 0);
  CHECK(metrics.find("media.head.1.unread_sectors")->value.value() == metrics.find("media.faults.transient")->value.value());
  CHECK(metrics.find("media.head.1.unread_sectors")->value.value() > 100);
}

TEST_CASE("writes next to a track make its reads fail more often, in proportion, as far as they reach") {
  MediaConfig config = test::small_drive();
  config.transient_error_reads = 1;
  config.interference_limit = 10;
  config.interference_errors_per_million = 10'000;
  CHECK(unread(config, {0, 20}, 8) == 0);  // two tracks away
  config.interference_reach = 2;
  CHECK(unread(config, {0, 20}, 0) == 0);
  CHECK(unread(config, {0, 20}, 4) == Approx(400).epsilon(0.2));
  CHECK(unread(config, {0, 20}, 8) == Approx(800).epsilon(0.15));
}

TEST_CASE("rates of tracks that there are not, or twice, are refused") {
  MediaConfig config = test::small_drive();
  config.track_error_rates = {{2, 10, 5}};
  CHECK_THAT(problems_of(config),
             Catch::Contains("track_error_rates: row 1 names a surface that the drive does not have; expected 0 to 1"));
  config.track_error_rates = {{1, 10, 5}, {0, 10, 5}, {1, 10, 6}};
  CHECK_THAT(problems_of(config), Catch::Contains("track_error_rates: row 3 does not end beyond the row of its surface before it"));
  config.track_error_rates = {{1, 10, 2e6}};
  CHECK_THAT(problems_of(config),
             Catch::Contains("track_error_rates: row 1 is not a surface, a last radius and a whole number of errors per "
                             "million, 1000000 at most"));
}
