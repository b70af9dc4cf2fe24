#pragma once
// A zoned disk: conventional zones on conventional tracks first, then sequential zones, each on a band of shingled tracks of its own. The
// host writes a sequential zone at its write pointer, and nothing is ever moved: cleaning is the host's (stimuli/hosts).
#include <memory>

#include "firmware/layers/zoned/zone_cache.hpp"
#include "firmware/layers/zoned/zone_ledger.hpp"
#include "firmware/layers/zoned/zone_search.hpp"
#include "firmware/layers/zoned/zone_states.hpp"
#include "firmware/layers/zoned/zone_writer.hpp"
#include "firmware/layers/zoned/zoned_config.hpp"
#include "firmware/layout/conventional_layout.hpp"
#include "firmware/translation_layer.hpp"

namespace tessera::zoned {

class Zoned final : public TranslationLayer, public ZoneCommands {
 public:
  Zoned(const Ports& ports, const ZonedConfig& config, const DriveGeometry& geometry, const FormatPlan& plan);

  // TranslationLayer
  [[nodiscard]] std::uint64_t user_sectors() const override { return std::uint64_t{zones()} * zone_sectors_; }
  Task<Status> format() override;
  Task<Status> recover() override;
  Task<Status> read(LogicalRun run, DataSpan data) override;
  Task<Status> write(LogicalRun run, DataSpan data, WriteOptions options) override;
  bool holds(LogicalRun run) override;
  bool absorbs(LogicalRun run) override;
  Task<Status> flush() override;
  Task<Status> reset(LogicalRun zone) override {
    return manage(HostOp::zone_reset, static_cast<std::uint32_t>(zone.first.value() / zone_sectors_));
  }
  void start_background() override;
  [[nodiscard]] bool idle() const override { return writer_.idle() && (cache_ == nullptr || cache_->idle()); }
  void prefill(std::uint64_t sectors) override;
  [[nodiscard]] ZoneCommands* zone_commands() override { return this; }
  void report(MetricSet& metrics) const override;

  // ZoneCommands
  [[nodiscard]] std::uint32_t zones() const override { return conventional_ + states_.zones(); }
  [[nodiscard]] std::uint64_t zone_blocks() const override { return std::uint64_t{zone_sectors_} * per_sector_; }
  [[nodiscard]] ZoneDescriptor describe(std::uint32_t zone) const override;
  [[nodiscard]] std::vector<ReadDoubt> in_doubt() const override;
  [[nodiscard]] Status admit_read(HostRun blocks) override;
  [[nodiscard]] Status admit_write(HostRun blocks) override;
  void withdraw(HostRun blocks) override;
  [[nodiscard]] bool concerns(HostOp op, std::uint32_t zone) const override;
  [[nodiscard]] Task<Status> manage(HostOp op, std::uint32_t zone) override;

  /// For tests.
  [[nodiscard]] const ZoneStates& states() const { return states_; }

 private:
  struct Place {
    std::uint32_t zone = 0;   ///< sequential; of no meaning where `conventional`
    std::uint32_t first = 0;  ///< from the zone's begin
    std::uint32_t count = 0;  ///< sectors that lie in it
    bool conventional = false;
  };
  [[nodiscard]] Place place_of(LogicalRun run) const;
  [[nodiscard]] Task<Status> transfer(MediaOp op, LogicalRun run, DataSpan data, MediaClass priority);
  [[nodiscard]] Task<Status> read_zone(Place place, DataSpan data);
  [[nodiscard]] Task<Status> change(HostOp op, std::uint32_t number);
  [[nodiscard]] Task<Status> find_pointer(std::uint32_t zone);
  void count(Status status) { refused_ += ok(status) ? 0 : 1; }

  Ports ports_;
  ZonedConfig config_;
  std::uint32_t zone_sectors_;
  std::uint32_t per_sector_;  ///< host blocks
  ConventionalLayout conventional_layout_;
  std::uint32_t conventional_;  ///< zones
  BandLayout layout_;
  ZoneStates states_;
  ZoneLedger ledger_;
  ZoneSearch search_;
  ZoneWriter writer_;
  std::unique_ptr<ZoneCache> cache_;  // null: none
  std::uint64_t refused_ = 0;
  std::uint64_t resets_ = 0;
  std::uint64_t finishes_ = 0;
  std::uint64_t zeros_read_ = 0;
  std::uint64_t searched_ = 0;
  std::uint64_t in_doubt_ = 0;
};

}  // namespace tessera::zoned
