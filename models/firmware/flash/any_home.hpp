#pragma once
// Any layer, as the flash tier in front of it sees it. What it reports it reports as a whole: of its map nothing is known.
#include "firmware/layers/home_layer.hpp"

namespace tessera::tiers {

class AnyHome final : public HomeLayer {
 public:
  explicit AnyHome(TranslationLayer& layer) : layer_(layer) {}

  [[nodiscard]] std::uint64_t user_sectors() const override { return layer_.user_sectors(); }
  Task<Status> format() override { return layer_.format(); }
  Task<Status> recover() override { return layer_.recover(); }
  void received(LogicalRun run) override { layer_.received(run); }
  void restored(LogicalRun run) override { layer_.restored(run); }
  Task<Status> read(LogicalRun run, DataSpan data) override { return layer_.read(run, data); }
  Task<Status> read_early(LogicalRun run, DataSpan data, EarlySectors& early) override { return layer_.read_early(run, data, early); }
  Task<Status> read_behind(LogicalRun run, DataSpan data) override { return layer_.read_behind(run, data); }
  Task<Status> write(LogicalRun run, DataSpan data, WriteOptions options) override { return layer_.write(run, data, options); }
  Task<Status> flush() override { return layer_.flush(); }
  Task<Status> trim(LogicalRun run) override { return layer_.trim(run); }
  void start_background() override { layer_.start_background(); }
  [[nodiscard]] bool idle() const override { return layer_.idle(); }
  void prefill(std::uint64_t sectors) override { layer_.prefill(sectors); }
  void report(MetricSet& metrics) const override { layer_.report(metrics); }
  void report_work(MetricSet& metrics) const override { layer_.report(metrics); }
  [[nodiscard]] Bytes paper_map_bytes() const override { return Bytes(0); }
  [[nodiscard]] Bytes map_bytes() const override { return Bytes(0); }
  [[nodiscard]] std::vector<ReadDoubt> in_doubt() const override { return layer_.in_doubt(); }
  [[nodiscard]] BandLevels band_levels() const override { return layer_.band_levels(); }
  [[nodiscard]] BandLevels band_levels_with(const std::vector<LogicalSector>&) const override { return layer_.band_levels(); }

 private:
  TranslationLayer& layer_;
};

}  // namespace tessera::tiers
