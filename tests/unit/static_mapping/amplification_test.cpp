// The write amplification that He and Du predict (figure 2) and measure (figure 3), by writing to every used track once.
#include <array>

#include "static_drive.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

constexpr std::uint32_t bands = 12;  // a quarter of 48 tracks: whole bands of 1234, of 124R(3) and of 14R(23)
constexpr std::uint32_t all_tracks = 4 * bands;

double ratio_at(Scheme scheme, std::uint32_t used_tracks, bool paper) {
  StaticDrive drive(scheme, bands, {{"paper", paper}}, used_tracks);
  for (std::uint32_t track = 0; track < used_tracks; ++track) REQUIRE(drive.write_sectors(track, track % track_sectors, 1) == Status::ok);
  return drive.metric("war.update_mean");
}

}  // namespace

TEST_CASE("static mappings: mean write amplification ratio of updates at 25, 50, 75 and 100 percent usage") {
  struct Row {
    Scheme scheme;
    std::array<double, 4> expected;
  };
  const double five_thirds = 5.0 / 3;
  for (const Row& row : {Row{Scheme::s1234, {4, 4, 4, 4}}, Row{Scheme::r4123, {1, 1, five_thirds, 4}},
                         Row{Scheme::s124r3, {five_thirds, five_thirds, five_thirds, 4}}, Row{Scheme::s14r23, {1, 1, five_thirds, 4}}}) {
    for (std::uint32_t quarter = 1; quarter <= 4; ++quarter) {
      INFO("scheme " << static_cast<int>(row.scheme) << ", quarter " << quarter);
      CHECK(ratio_at(row.scheme, all_tracks * quarter / 4, true) == Approx(row.expected[quarter - 1]));
      CHECK(ratio_at(row.scheme, all_tracks * quarter / 4, false) == Approx(row.expected[quarter - 1]));
    }
  }
}

TEST_CASE("static mappings: a full band of N tracks has a ratio of N (equation 2)") {
  for (const double tracks : {2.0, 3.0, 4.0, 5.0}) {
    for (const double width : {2.0, 3.0}) {
      BenchConfig config = small_drive();
      config.media.tracks = raz + 8;
      StaticDrive drive(Scheme::s1234, config, {{"band_tracks", tracks}, {"head_width", width}}, static_cast<std::uint64_t>(tracks));
      for (std::uint32_t track = 0; track < tracks; ++track) REQUIRE(drive.write_sectors(track, 0, 1) == Status::ok);
      CHECK(drive.metric("war.update_mean") == Approx(tracks));
    }
  }
}

TEST_CASE("static mappings: a last band that is filled in part is cheaper") {
  StaticDrive drive(Scheme::s1234, bands, {{"paper", 1}}, 6);
  for (std::uint32_t track = 0; track < 6; ++track) REQUIRE(drive.write_sectors(track, 0, 1) == Status::ok);
  CHECK(drive.metric("war.update_mean") == Approx((7 + 5 + 3 + 1 + 3 + 1) / 6.0));
}

TEST_CASE("static mappings: a cold sequential write is free up to 75 percent, beyond only with 1234 (section 5.4.1)") {
  for (const Scheme scheme : {Scheme::s1234, Scheme::r4123, Scheme::s124r3, Scheme::s14r23}) {
    StaticDrive drive(scheme, bands);
    drive.fill(all_tracks * 3 / 4);
    CHECK(drive.metric("war.mean") == 1);
    for (std::uint64_t track = all_tracks * 3 / 4; track < all_tracks; ++track) REQUIRE(drive.write_sectors(track, 0, 16) == Status::ok);
    CHECK(drive.metric("war.mean") == Approx(scheme == Scheme::s1234 ? 1 : 1.5));
    CHECK(drive.wrong_blocks() == 0);
  }
}
