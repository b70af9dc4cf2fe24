#pragma once
// A whole drive with S-blocks on a virtual clock, small enough to be cut at every instant.
#include <catch2/catch.hpp>

#include <memory>
#include <string>

#include "base/random.hpp"
#include "firmware/command_server.hpp"
#include "firmware/layers/sblock/region_plan.hpp"
#include "support/firmware_bench.hpp"

namespace tessera::test {

/// Hardware and regions. Defaults: tracks of 4 sectors and a head of 2 tracks; two regions of 4 tracks.
struct RegionSetup {
  sblock::RegionConfig regions;
  BenchConfig bench;
  std::uint64_t prefilled = 0;

  RegionSetup() {
    regions.region_tracks = 4;
    regions.overlap = 2;
    regions.regions = 2;
    regions.log_radii = 4;
    bench.media.tracks = 64;
    bench.media.sectors_per_track = 4;
    bench.dram.capacity = Bytes(64 << 20);
  }
};

/// `Setup` is a RegionSetup with the type `Layer`, make(ports, geometry, plan), sblock_sectors() and region_config().
template <class Setup>
class SblockDrive {
 public:
  using Layer = typename Setup::Layer;

  explicit SblockDrive(Setup setup)
      : setup_(std::move(setup)), geometry_(geometry_of(setup_.bench.media)), bench_(planned(), [this](const Ports& ports) {
          auto firmware = std::make_unique<Entry>(ports, *this);
          layer_ = firmware->layer.get();
          if (setup_.prefilled != 0) layer_->prefill(setup_.prefilled);
          return firmware;
        }) {}

  FirmwareBench& bench() { return bench_; }
  [[nodiscard]] const FormatPlan& plan() const { return plan_; }
  Layer& layer() { return *layer_; }
  void write(std::uint64_t sector, std::uint32_t count = 1, bool fua = false) {
    REQUIRE(bench_.write(sector * 8, count * 8, fua) == Status::ok);
  }
  void read(std::uint64_t sector, std::uint32_t count = 1) { REQUIRE(bench_.read(sector * 8, count * 8) == Status::ok); }
  void trim(std::uint64_t sector, std::uint32_t count) { REQUIRE(bench_.trim(sector * 8, count * 8) == Status::ok); }
  void write_sblock(std::uint64_t sblock) { write(sblock * setup_.sblock_sectors(), setup_.sblock_sectors()); }
  [[nodiscard]] std::uint32_t slot(std::uint32_t region, std::uint32_t sblock) { return layer_->store().logs().peek_slot(region, sblock); }
  void check_content() {
    bench_.verify_all();
    INFO((bench_.scoreboard().messages().empty() ? "" : bench_.scoreboard().messages().front()));
    REQUIRE(bench_.scoreboard().errors() == 0);
    REQUIRE(bench_.unreadable_blocks() == 0);
  }
  void cut_now() {
    bench_.cut_at(bench_.now());
    REQUIRE(bench_.boot_status() == Status::ok);
  }
  double metric(const std::string& name) {
    MetricSet metrics;
    layer_->report(metrics);
    const Metric* const found = metrics.find(name);
    INFO(name);
    REQUIRE(found != nullptr);
    return found->value.value_or(-1);
  }
  /// Media steps in the regions since the bench's record was cleared.
  [[nodiscard]] std::uint64_t region_steps(MediaOp op) const {
    std::uint64_t count = 0;
    for (const FirmwareBench::StepRecord& step : bench_.steps)
      for (const Region& region : plan_)
        if (step.op == op && region.format == RecordingFormat::shingled && step.run.track.radius >= region.first &&
            step.run.track.radius < region.first + region.count)
          ++count;
    return count;
  }

 private:
  struct Entry final : FirmwareEntry {
    Entry(const Ports& ports, const SblockDrive& drive)
        : layer(drive.setup_.make(ports, drive.geometry_, drive.plan_)), server(ports, *layer) {}
    [[nodiscard]] Task<Status> boot(bool after_power_cut) override { return server.boot(after_power_cut); }
    [[nodiscard]] Task<void> serve(HostCommand& command) override { return server.serve(command); }
    [[nodiscard]] bool idle() const override { return server.idle(); }
    std::unique_ptr<Layer> layer;
    CommandServer server;
  };
  BenchConfig& planned() {
    std::string problem;
    plan_ = sblock::plan_sblocks(setup_.region_config(), geometry_, setup_.sblock_sectors(), problem);
    INFO(problem);
    REQUIRE(problem.empty());
    setup_.bench.plan = plan_;
    return setup_.bench;
  }

  Setup setup_;
  DriveGeometry geometry_;
  FormatPlan plan_;
  Layer* layer_ = nullptr;
  FirmwareBench bench_;
};

// Random setups and requests

inline std::uint32_t pick(RandomStream& random, std::uint64_t low, std::uint64_t high) {
  return static_cast<std::uint32_t>(low + random.below(high - low + 1));
}

/// A drive of any shape with S-blocks of `sblock_sectors`.
template <class Setup>
void randomise(Setup& setup, RandomStream& random) {
  for (;;) {
    MediaConfig& media = setup.bench.media;
    media.surfaces = pick(random, 1, 2);
    media.tracks = 300;
    media.sectors_per_track = pick(random, 2, 9);
    media.track_skew = pick(random, 0, 1);
    media.zones.clear();
    if (random.below(2) == 0) {  // last radius, sectors, skews, spare sectors, offset
      const auto sectors = static_cast<double>(media.sectors_per_track);
      media.zones = {{static_cast<double>(pick(random, 20, 80)), sectors + 1, 0, 0, 0, 0}, {299, sectors, 1, 0, 0, 0}};
      media.tracks = media.sectors_per_track = media.track_skew = 0;
    }
    setup.bench.seed = random();
    setup.regions.region_tracks = pick(random, 2, 20);
    setup.regions.overlap = pick(random, 2, 5);
    setup.regions.spare = static_cast<double>(random.below(5)) / 10;
    setup.regions.regions = pick(random, 1, 5);
    setup.regions.log_radii = pick(random, 5, 8);
    media.slipped_defects.clear();
    if (setup.regions.regions > 2 && random.below(2) == 0)  // surface, radius, sectors fewer
      media.slipped_defects = {{0, static_cast<double>(pick(random, 0, 60)), 1}};
    std::string problem;
    const DriveGeometry geometry = geometry_of(setup.bench.media);
    if (plan_sblocks(setup.region_config(), geometry, setup.sblock_sectors(), problem).empty()) continue;
    const std::uint64_t in_region = sblock::shape_of(setup.regions, geometry, setup.sblock_sectors()).sblocks;
    const std::uint64_t capacity = setup.regions.regions * in_region * setup.sblock_sectors();
    const std::uint64_t filling = random.below(3);
    setup.prefilled = filling == 0 ? 0 : filling == 1 ? capacity : random.below(capacity + 1);
    return;
  }
}

template <class Drive>
void submit_random(Drive& drive, RandomStream& random) {
  const std::uint64_t user = drive.layer().user_sectors() * 8;
  const std::uint64_t first = random.below(user);
  const auto count = static_cast<std::uint32_t>(1 + random.below(std::min<std::uint64_t>(user - first, random.below(4) == 0 ? 400 : 16)));
  const std::uint64_t kind = random.below(20);
  const HostOp op = kind == 0 ? HostOp::trim : kind == 1 ? HostOp::flush : kind < 6 ? HostOp::read : HostOp::write;
  drive.bench().submit(op, op == HostOp::flush ? 0 : first, op == HostOp::flush ? 0 : count, kind == 19);
}

/// Rounds of up to six requests at a time, then everything is read back.
template <class Drive>
void random_history(Drive& drive, RandomStream& random) {
  for (int round = 0; round < 60; ++round) {
    const std::uint64_t depth = 1 + random.below(6);
    for (std::uint64_t i = 0; i < depth; ++i) submit_random(drive, random);
    drive.bench().run_until_all_done();
  }
  drive.check_content();
}

/// Requests and power cuts at random instants; everything is read back after each.
template <class Drive>
void random_cuts(Drive& drive, RandomStream& random) {
  for (int cut = 0; cut < 10; ++cut) {
    for (std::uint64_t i = 0, requests = random.below(60); i < requests; ++i) {
      submit_random(drive, random);
      if (random.below(3) == 0) drive.bench().run_until_all_done();
    }
    drive.bench().cut_after_actions(random.below(600));
    REQUIRE(drive.bench().boot_status() == Status::ok);
    drive.check_content();
  }
}

}  // namespace tessera::test
