#pragma once
// A store of S-blocks on the bench, without the buffer that stands in front of it in the layer: each host write is at once a write of
// its S-blocks.
#include <algorithm>
#include <memory>
#include <vector>

#include "firmware/layers/sblock/sblock_store.hpp"
#include "firmware/locks/range_locks.hpp"
#include "unit/sblock/region_drive.hpp"

namespace tessera::test {

class DirectSblocks final : public TranslationLayer {
 public:
  DirectSblocks(const Ports& ports, const sblock::RegionConfig& config, const DriveGeometry& geometry, const FormatPlan& plan,
                std::uint32_t sblock_sectors)
      : store_(ports, config, geometry, plan, sblock_sectors),
        ports_(ports),
        turns_(ports.cpu),
        image_(ports.memory.reserve_buffer(MemoryCategory::write_cache, sblock_sectors, "image")) {}

  [[nodiscard]] std::uint64_t user_sectors() const override { return store_.sblocks() * store_.sblock_sectors(); }
  Task<Status> format() override { return store_.format(); }
  Task<Status> recover() override { return store_.recover(); }
  Task<Status> read(LogicalRun run, DataSpan data) override {
    for (std::uint32_t done = 0; done < run.count;) {
      const LogicalRun piece = first_piece({run.first + done, run.count - done});
      const DataSpan part = data.part(done, piece.count);
      const Status status = co_await store_.read(piece, part, reads);
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
      if (piece.count != store_.sblock_sectors()) continue;
      const std::uint64_t sblock = piece.first.value() / store_.sblock_sectors();
      const Status status = co_await store_.trim(sblock);
      if (!ok(status)) co_return status;
    }
    co_return Status::ok;
  }
  void prefill(std::uint64_t sectors) override { store_.prefill(sectors); }
  void report(MetricSet& metrics) const override { store_.report(metrics); }

  [[nodiscard]] const sblock::SblockStore& store() const { return store_; }

  MediaClass reads = MediaClass::host;

 private:
  [[nodiscard]] LogicalRun first_piece(LogicalRun run) const {
    const auto first = static_cast<std::uint32_t>(run.first.value() % store_.sblock_sectors());
    return {run.first, std::min(run.count, store_.sblock_sectors() - first)};
  }
  Task<Status> write_piece(LogicalRun run, DataSpan data) {
    auto turn = turns_.exclusive({});
    co_await turn;
    const std::uint64_t sblock = run.first.value() / store_.sblock_sectors();
    const auto first = static_cast<std::uint32_t>(run.first.value() % store_.sblock_sectors());
    ports_.memory.copy(data, image_.part(first, run.count));
    std::vector<sblock::SectorGap> gaps;
    if (first != 0) gaps.push_back({0, first});
    if (const std::uint32_t end = first + run.count; end != store_.sblock_sectors()) gaps.push_back({end, store_.sblock_sectors() - end});
    const std::span<const sblock::SectorGap> missing(gaps);
    const DataSpan image = image_.part(0, store_.sblock_sectors());
    co_return co_await store_.write(sblock, image, missing, MediaClass::host);
  }

  sblock::SblockStore store_;
  Ports ports_;
  FifoMutex turns_;
  DataBuffer image_;
};

/// Defaults: S-blocks of 2 sectors, so that a region has 12 slots, 4 of them internal guard, for 6 S-blocks.
struct StoreSetup : RegionSetup {
  using Layer = DirectSblocks;
  std::uint32_t size = 2;
  MediaClass reads = MediaClass::host;  ///< background: every write overtakes them

  [[nodiscard]] std::uint32_t sblock_sectors() const { return size; }
  [[nodiscard]] sblock::RegionConfig region_config() const { return regions; }
  [[nodiscard]] std::unique_ptr<DirectSblocks> make(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& plan) const {
    auto layer = std::make_unique<DirectSblocks>(ports, regions, geometry, plan, size);
    layer->reads = reads;
    return layer;
  }
};
using StoreDrive = RegionDrive<StoreSetup>;

}  // namespace tessera::test
