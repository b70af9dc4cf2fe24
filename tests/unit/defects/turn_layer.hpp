#pragma once
// A layer that goes by the headers of its runs: for tests of what they prove.
#include <array>
#include <memory>
#include <optional>

#include "firmware/defects/faulty_writes.hpp"
#include "firmware/logs/log_record.hpp"
#include "firmware/translation_layer.hpp"
#include "support/firmware_bench.hpp"

namespace tessera::test {

/// Groups of eight sectors, each with two places that take turns. A record in the header of a write's last sector numbers it; at boot the
/// higher number counts. So a header that is on the platter although its run is not brings wrong data back.
class TurnLayer final : public TranslationLayer {
 public:
  static constexpr std::uint32_t group = 8;
  static constexpr std::uint32_t groups = 12;

  explicit TurnLayer(const Ports& ports)
      : ports_(ports), staging_(ports.memory.reserve_buffer(MemoryCategory::merge_buffer, group, "group")) {}

  [[nodiscard]] std::uint64_t user_sectors() const override { return group * groups; }
  Task<Status> format() override { co_return Status::ok; }
  Task<Status> flush() override { co_return Status::ok; }
  Task<Status> trim(LogicalRun) override { co_return Status::ok; }
  void prefill(std::uint64_t) override {}
  void report(MetricSet&) const override {}

  Task<Status> recover() override {
    for (std::uint32_t g = 0; g < groups; ++g) {
      for (std::uint32_t turn = 0; turn < 2; ++turn) {
        SectorHeader header{};
        MediaChain chain;
        chain.read(place(g, turn), {}, StepHint::position, &header);
        const Status status = co_await ports_.media.run(chain);
        const std::optional<LogRecord> record = decode(header);
        if (delivered(status) && record && record->sequence > number_[g]) number_[g] = record->sequence;
      }
    }
    co_return Status::ok;
  }
  Task<Status> read(LogicalRun run, DataSpan data) override {
    for (std::uint32_t done = 0; done < run.count; ++done) {
      const std::uint64_t sector = run.first.value() + done;
      const auto g = static_cast<std::uint32_t>(sector / group);
      MediaChain chain;
      PhysicalRun one = place(g, number_[g] % 2);
      one.first = (one.first + static_cast<std::uint32_t>(sector % group)) % 16;
      one.count = 1;
      chain.read(one, data.part(done, 1));
      const Status status = co_await ports_.media.run(chain);
      if (!ok(status)) co_return status;
    }
    co_return Status::ok;
  }
  /// Whole groups only.
  Task<Status> write(LogicalRun run, DataSpan data, WriteOptions) override {
    const auto g = static_cast<std::uint32_t>(run.first.value() / group);
    TESSERA_CHECK(run.count == group && run.first.value() % group == 0, "the layer of this test writes whole groups");
    const std::uint64_t number = number_[g] + 1;
    SectorHeader header = encode({RecordType::superblock, number, 1, {}});
    MediaChain chain;
    chain.write(place(g, number % 2), data, StepHint::position, &header);
    const Status status = co_await ports_.media.run(chain);
    if (ok(status)) number_[g] = number;
    co_return status;
  }

 private:
  /// Runs wrap at the track's end: sectors 12 to 15 and 0 to 3.
  static PhysicalRun place(std::uint32_t g, std::uint64_t turn) { return {{0, 2 * g + static_cast<std::uint32_t>(turn)}, 12, group}; }

  Ports ports_;
  DataBuffer staging_;
  std::array<std::uint64_t, groups> number_{};
};

class TurnFactory final : public LayerFactory {
 public:
  [[nodiscard]] std::string name() const override { return "turns"; }
  [[nodiscard]] std::string summary() const override { return "two places that take turns"; }
  void describe(ParameterVisitor&) override {}
  [[nodiscard]] FormatPlan plan(const DriveGeometry& geometry, std::string&) const override {
    return {{.name = "data", .count = geometry.radii()}};
  }
  [[nodiscard]] std::unique_ptr<TranslationLayer> make(const Ports& ports, const DriveGeometry&, const FormatPlan&) const override {
    return std::make_unique<TurnLayer>(ports);
  }
  [[nodiscard]] std::unique_ptr<MediaSupervisor> without_spares(MediaPort& media) const override {
    return std::make_unique<FaultyWrites>(media);
  }
};

inline constexpr std::uint32_t group_blocks = TurnLayer::group * blocks_per_sector;

inline bool has_header(const FirmwareBench& bench, PhysicalTrack track, std::uint32_t sector) {
  SectorHeader header;
  bench.media().content().read_header(bench.media().geometry().linear(track), sector, header);
  return header != SectorHeader{};
}

}  // namespace tessera::test
