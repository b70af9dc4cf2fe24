#pragma once
// A small drive with a static mapping: a random access zone of 14 tracks, then bands of four tracks and a guard.
#include <catch2/catch.hpp>

#include "firmware/layers/layer_factories.hpp"
#include "firmware/layers/static_mapping/static_mapping_config.hpp"
#include "firmware/layout/band_track_layout.hpp"
#include "firmware/layout/plan_regions.hpp"
#include "unit/firmware/fake_ports.hpp"
#include "unit/firmware/test_drive.hpp"

namespace tessera::test {

using static_mapping::Scheme;

inline constexpr std::uint32_t raz = 14;
inline constexpr std::uint32_t track_sectors = 16;
inline constexpr std::uint32_t stride = 5;

inline std::unique_ptr<LayerFactory> make_static(Scheme scheme) {
  switch (scheme) {
    case Scheme::r4123: return make_static_r4123_factory();
    case Scheme::s124r3: return make_static_124r3_factory();
    case Scheme::s14r23: return make_static_14r23_factory();
    case Scheme::s1234: break;
  }
  return make_static_1234_factory();
}

inline BenchConfig static_drive(std::uint32_t bands) {
  BenchConfig config = small_drive();
  config.media.tracks = raz + bands * stride;
  return config;
}

/// With Scheme::s1234 logical track t is position t % 4 of band t / 4.
class StaticDrive : public TestDrive {
 public:
  StaticDrive(Scheme scheme, std::uint32_t bands, std::map<std::string, double> parameters = {}, std::uint64_t prefilled_tracks = 0)
      : StaticDrive(scheme, static_drive(bands), std::move(parameters), prefilled_tracks) {}
  StaticDrive(Scheme scheme, const BenchConfig& config, std::map<std::string, double> parameters = {}, std::uint64_t prefilled_tracks = 0)
      : TestDrive(make_static(scheme), with_raz(std::move(parameters)), config, {}, prefilled_tracks * track_sectors) {}

  static std::uint64_t block(std::uint64_t track, std::uint64_t sector) { return (track * track_sectors + sector) * blocks_per_sector; }
  Status write_sectors(std::uint64_t track, std::uint32_t sector, std::uint32_t count) {
    return (*this)->write(block(track, sector), count * blocks_per_sector);
  }
  /// Writes all of the first `tracks` logical tracks, one after the other.
  void fill(std::uint64_t tracks) {
    for (std::uint64_t track = 0; track < tracks; ++track) REQUIRE(write_sectors(track, 0, track_sectors) == Status::ok);
  }

 private:
  static std::map<std::string, double> with_raz(std::map<std::string, double> parameters) {
    parameters.emplace("raz_tracks", raz);
    parameters.emplace("backup_slots", 1);
    return parameters;
  }
};

/// The mapping alone: `bands` bands of tracks of `length` sectors behind `random_access` tracks.
class BareMapping {
 public:
  BareMapping(Scheme scheme, std::uint32_t bands, std::uint32_t length, std::uint32_t random_access = 0) : length_(length), media_(length) {
    geometry_.zones = {{0, random_access + bands * stride, length, 0}};
    static_mapping::StaticMappingConfig config;
    config.scheme = scheme;
    config.raz_tracks = random_access;
    config.backup_slots = 1;
    config.crash_safe = random_access != 0;
    std::string problem;
    const FormatPlan plan = static_mapping::plan_static(config, geometry_, problem);
    REQUIRE(problem.empty());
    layout_ = std::make_unique<BandTrackLayout>(geometry_, regions_named(plan, "data"), media_, static_mapping::passes_of(scheme, 4));
  }

  [[nodiscard]] const BandTrackLayout& layout() const { return *layout_; }
  /// The paper's PBA of an LBA, both from 0.
  [[nodiscard]] std::uint64_t pba(std::uint64_t lba) const {
    const PhysicalRun run = layout_->piece({LogicalSector(lba), 1}).run;
    return std::uint64_t{run.track.radius} * length_ + run.first;
  }

 private:
  std::uint32_t length_;
  DriveGeometry geometry_;
  FakeMedia media_;
  std::unique_ptr<BandTrackLayout> layout_;
};

}  // namespace tessera::test
