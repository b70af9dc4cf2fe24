#pragma once
// A store of S-blocks on the bench, without the buffer that stands in front of it in the layer: each host write is at once a write of
// its S-blocks. Small enough to be cut at every instant.
#include <catch2/catch.hpp>

#include <algorithm>
#include <memory>
#include <vector>

#include "base/random.hpp"
#include "firmware/command_server.hpp"
#include "firmware/layers/sblock/region_plan.hpp"
#include "firmware/layers/sblock/store.hpp"
#include "firmware/shared/backup_region.hpp"
#include "support/firmware_bench.hpp"

namespace tessera::test {

class DirectSblocks final : public TranslationLayer {
 public:
  DirectSblocks(const Ports& ports, const sblock::RegionConfig& config, const DriveGeometry& geometry, const FormatPlan& plan,
                std::uint32_t sblock_sectors)
      : store(ports, config, geometry, plan, sblock_sectors),
        ports_(ports),
        turns_(ports.cpu),
        image_(ports.memory.reserve_buffer(MemoryCategory::write_cache, sblock_sectors, "image")) {}

  [[nodiscard]] std::uint64_t user_sectors() const override { return store.sblocks() * store.sblock_sectors(); }
  Task<Status> format() override { return store.format(); }
  Task<Status> recover() override { return store.recover(); }
  Task<Status> read(LogicalRun run, DataSpan data) override {
    for (std::uint32_t done = 0; done < run.count;) {
      const LogicalRun piece = first_piece({run.first + done, run.count - done});
      const DataSpan part = data.part(done, piece.count);
      const Status status = co_await store.read(piece, part, reads);
      if (!ok(status)) co_return status;
      done += piece.count;
    }
    co_return Status::ok;
  }
  Task<Status> write(LogicalRun run, DataSpan data, WriteOptions) override {
    for (std::uint32_t done = 0; done < run.count;) {
      const LogicalRun piece = first_piece({run.first + done, run.count - done});
      const DataSpan part = data.part(done, piece.count);
      const Status status = co_await write_piece(piece, part);
      if (!ok(status)) co_return status;
      done += piece.count;
    }
    co_return Status::ok;
  }
  Task<Status> flush() override { co_return Status::ok; }
  Task<Status> trim(LogicalRun run) override {
    for (std::uint32_t done = 0; done < run.count;) {
      const LogicalRun piece = first_piece({run.first + done, run.count - done});
      done += piece.count;
      if (piece.count != store.sblock_sectors()) continue;
      const std::uint64_t sblock = piece.first.value() / store.sblock_sectors();
      const Status status = co_await store.trim(sblock);
      if (!ok(status)) co_return status;
    }
    co_return Status::ok;
  }
  void prefill(std::uint64_t sectors) override { store.prefill(sectors); }
  void report(MetricSet& metrics) const override { store.report(metrics); }

  sblock::SblockStore store;
  MediaClass reads = MediaClass::host;

 private:
  [[nodiscard]] LogicalRun first_piece(LogicalRun run) const {
    const auto first = static_cast<std::uint32_t>(run.first.value() % store.sblock_sectors());
    return {run.first, std::min(run.count, store.sblock_sectors() - first)};
  }
  Task<Status> write_piece(LogicalRun run, DataSpan data) {
    auto turn = turns_.exclusive({});
    co_await turn;
    const std::uint64_t sblock = run.first.value() / store.sblock_sectors();
    const auto first = static_cast<std::uint32_t>(run.first.value() % store.sblock_sectors());
    ports_.memory.copy(data, image_.part(first, run.count));
    std::vector<sblock::SectorGap> gaps;
    if (first != 0) gaps.push_back({0, first});
    if (const std::uint32_t end = first + run.count; end != store.sblock_sectors()) gaps.push_back({end, store.sblock_sectors() - end});
    const std::span<const sblock::SectorGap> missing(gaps);
    const DataSpan image = image_.part(0, store.sblock_sectors());
    co_return co_await store.write(sblock, image, missing, MediaClass::host);
  }

  Ports ports_;
  FifoMutex turns_;
  DataBuffer image_;
};

/// Defaults: tracks of 4 sectors and S-blocks of 2, a head of 2 tracks; a region of 4 tracks has 12 slots, 4 of them internal guard, for
/// 6 S-blocks; two regions.
struct StoreSetup {
  sblock::RegionConfig regions;
  std::uint32_t sblock_sectors = 2;
  BenchConfig bench;
  std::uint64_t prefilled = 0;
  MediaClass reads = MediaClass::host;  ///< background: every write overtakes them

  StoreSetup() {
    regions.region_tracks = 4;
    regions.head_width = 2;
    regions.regions = 2;
    regions.log_radii = 4;
    bench.media.tracks = 64;
    bench.media.sectors_per_track = 4;
    bench.dram.capacity = Bytes(64 << 20);
  }
};

class StoreDrive {
 public:
  explicit StoreDrive(StoreSetup setup)
      : geometry_(geometry_of(setup.bench.media)),
        regions_(setup.regions),
        sblock_sectors_(setup.sblock_sectors),
        bench_(planned(setup), [this, filled = setup.prefilled, reads = setup.reads](const Ports& ports) {
          auto firmware = std::make_unique<Entry>(ports, *this);
          layer_ = &firmware->layer;
          layer_->reads = reads;
          if (filled != 0) layer_->prefill(filled);
          return firmware;
        }) {}

  FirmwareBench& bench() { return bench_; }
  [[nodiscard]] const FormatPlan& plan() const { return plan_; }
  DirectSblocks& layer() { return *layer_; }
  sblock::SblockStore& store() { return layer_->store; }
  void write(std::uint64_t sector, std::uint32_t count = 1) { REQUIRE(bench_.write(sector * 8, count * 8) == Status::ok); }
  void read(std::uint64_t sector, std::uint32_t count = 1) { REQUIRE(bench_.read(sector * 8, count * 8) == Status::ok); }
  void trim(std::uint64_t sector, std::uint32_t count) { REQUIRE(bench_.trim(sector * 8, count * 8) == Status::ok); }
  void write_sblock(std::uint64_t sblock) { write(sblock * sblock_sectors_, sblock_sectors_); }
  [[nodiscard]] std::uint32_t slot(std::uint32_t region, std::uint32_t sblock) { return store().logs().peek_slot(region, sblock); }
  void check_content() {
    bench_.verify_all();
    INFO((bench_.scoreboard().messages().empty() ? "" : bench_.scoreboard().messages().front()));
    REQUIRE(bench_.scoreboard().errors() == 0);
  }
  void cut_now() {
    bench_.cut_at(bench_.now());
    REQUIRE(bench_.boot_status() == Status::ok);
  }
  double metric(const std::string& name) {
    MetricSet metrics;
    layer_->report(metrics);
    const Metric* const found = metrics.find(name);
    REQUIRE(found != nullptr);
    return found->value.value_or(-1);
  }

 private:
  struct Entry final : FirmwareEntry {
    Entry(const Ports& ports, const StoreDrive& drive)
        : layer(ports, drive.regions_, drive.geometry_, drive.plan_, drive.sblock_sectors_), server(ports, layer) {}
    [[nodiscard]] Task<Status> boot(bool after_power_cut) override { return server.boot(after_power_cut); }
    [[nodiscard]] Task<void> serve(HostCommand& command) override { return server.serve(command); }
    [[nodiscard]] bool idle() const override { return server.idle(); }
    DirectSblocks layer;
    CommandServer server;
  };
  BenchConfig planned(StoreSetup& setup) {
    std::string problem;
    plan_ = sblock::plan_sblocks(setup.regions, geometry_, setup.sblock_sectors, problem);
    INFO(problem);
    REQUIRE(problem.empty());
    setup.bench.plan = plan_;
    return setup.bench;
  }

  DriveGeometry geometry_;
  sblock::RegionConfig regions_;
  std::uint32_t sblock_sectors_;
  FormatPlan plan_;
  DirectSblocks* layer_ = nullptr;
  FirmwareBench bench_;
};

}  // namespace tessera::test
