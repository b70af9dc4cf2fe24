#pragma once
// Small interlaced drives whose layers move tracks: 32 tracks of 16 sectors, with short intervals and a short log.
#include <catch2/catch.hpp>

#include "unit/firmware/test_drive.hpp"

namespace tessera::test {

using namespace tessera::literals;

using Parameters = std::map<std::string, double>;

constexpr std::uint64_t track_sectors = 16;

/// `base` with `more` instead of what it has.
inline Parameters with(Parameters base, const Parameters& more) {
  for (const auto& [name, value] : more) base[name] = value;
  return base;
}

/// Every seek takes 8 ms, a turn 10 ms.
inline BenchConfig constant_seeks() {
  BenchConfig config = small_drive();
  config.media.seek_curve = {{1, 8.0}, {31, 8.0}};
  return config;
}

/// A drive full of data.
class ImrDrive : public TestDrive {
 public:
  /// One backup slot unless `parameters` say more.
  ImrDrive(std::unique_ptr<LayerFactory> factory, const Parameters& parameters, BenchConfig config = small_drive(),
           const FirmwareConfig& firmware = {})
      : TestDrive(std::move(factory), with({{"backup_slots", 1}}, parameters), std::move(config), firmware, 1'000'000'000) {}

  /// With one logical sector after the other on a track.
  Status write_sector(std::uint64_t track, std::uint64_t sector = 0, std::uint32_t count = 1) {
    return bench().write((track * track_sectors + sector) * blocks_per_sector, count * blocks_per_sector);
  }
  void write_often(std::uint64_t track, int times, std::uint64_t sector = 0) {
    for (int i = 0; i < times; ++i) REQUIRE(write_sector(track, sector) == Status::ok);
  }
  /// One interval in which the tracks are written this often, the last one last.
  void interval(const std::vector<std::pair<std::uint64_t, int>>& writes) {
    for (const auto& [track, times] : writes) write_often(track, times);
  }
  /// Time for all background work.
  void pause() { bench().run_for(20_s); }

  /// Where a sector lies: the step that reads it.
  PhysicalSector place(std::uint64_t track, std::uint64_t sector) {
    bench().steps.clear();
    REQUIRE(bench().read((track * track_sectors + sector) * blocks_per_sector, blocks_per_sector) == Status::ok);
    REQUIRE(bench().steps.size() == 1);
    return {bench().steps.front().run.track, bench().steps.front().run.first};
  }
  /// Time of all steps since the last clear, those on the log of the track map left out: the paper does not count them.
  Picoseconds move_time() {
    Picoseconds on_log;
    for (const FirmwareBench::StepRecord& step : bench().steps_in("log")) on_log += step.timing.end - step.begin;
    return bench().media_time() - on_log;
  }
  std::uint64_t sectors_moved() { return sectors_written() - bench().sectors_in("log", MediaOp::write); }
};

}  // namespace tessera::test
