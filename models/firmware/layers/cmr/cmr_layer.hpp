#pragma once
// The conventional drive: logical sectors lie where they lie, no track overlaps another. The yardstick.
#include "firmware/layout/conventional_layout.hpp"
#include "firmware/layout/plan_regions.hpp"
#include "firmware/translation_layer.hpp"

namespace tessera {

struct CmrConfig {
  std::uint32_t journal_tracks = 0;  ///< radii for the write cache's journal
  ReservedPlace journal_place = ReservedPlace::middle;

  void describe(ParameterVisitor& visitor);
};

class Cmr final : public TranslationLayer {
 public:
  Cmr(const Ports& ports, const CmrConfig& config, const DriveGeometry& geometry, const FormatPlan& plan);

  [[nodiscard]] std::uint64_t user_sectors() const override { return layout_.sectors(); }
  Task<Status> format() override;
  Task<Status> recover() override;
  Task<Status> read(LogicalRun run, DataSpan data) override;
  Task<Status> read_early(LogicalRun run, DataSpan data, EarlySectors& early) override;
  Task<Status> write(LogicalRun run, DataSpan data, WriteOptions options) override;
  [[nodiscard]] bool streams_writes() const override { return true; }
  Task<Status> flush() override;
  void prefill(std::uint64_t) override {}
  void report(MetricSet&) const override {}

 private:
  Task<Status> transfer(MediaOp op, LogicalRun run, DataSpan data, MediaClass priority, EarlySectors* early = nullptr);

  Ports ports_;
  ConventionalLayout layout_;
};

}  // namespace tessera
