#pragma once
// A small drive with Virtual Guard: a cache of three tracks in front, two slots of a track and a record, then bands of five tracks
// and a guard.
#include <catch2/catch.hpp>

#include "firmware/layers/layer_factories.hpp"
#include "unit/firmware/test_drive.hpp"

namespace tessera::test {

inline constexpr std::uint32_t track_sectors = 16;
inline constexpr std::uint32_t band_tracks = 5;
inline constexpr std::uint32_t cache_tracks = 3;

inline BenchConfig vguard_drive(std::uint32_t bands, std::uint32_t cache = cache_tracks) {
  BenchConfig config = small_drive();
  config.media.tracks = cache + bands * (band_tracks + 1);
  return config;
}

/// Logical track t is position t % 5 of band t / 5.
class VguardDrive : public TestDrive {
 public:
  explicit VguardDrive(std::uint32_t bands = 3, std::uint32_t cache = cache_tracks, std::uint64_t prefilled_tracks = 0)
      : VguardDrive(vguard_drive(bands, cache), cache, prefilled_tracks) {}
  VguardDrive(const BenchConfig& config, std::uint32_t cache, std::uint64_t prefilled_tracks = 0, const FirmwareConfig& firmware = {})
      : TestDrive(make_vguard_factory(), {{"band_tracks", band_tracks}, {"cache_tracks", cache}}, config, firmware,
                  prefilled_tracks * track_sectors) {}

  static std::uint64_t block(std::uint64_t track, std::uint64_t sector) { return (track * track_sectors + sector) * blocks_per_sector; }
  Status write_sectors(std::uint64_t track, std::uint32_t sector, std::uint32_t count) {
    return (*this)->write(block(track, sector), count * blocks_per_sector);
  }
  void fill(std::uint64_t tracks) {
    for (std::uint64_t track = 0; track < tracks; ++track) REQUIRE(write_sectors(track, 0, track_sectors) == Status::ok);
  }
};

}  // namespace tessera::test
