#include "firmware/layers/cmr/cmr_layer.hpp"
#include "firmware/layers/configured_factory.hpp"
#include "firmware/layers/layer_factories.hpp"

namespace tessera {

void CmrConfig::describe(ParameterVisitor& visitor) {
  visitor.field("journal_tracks", journal_tracks, {0, 4096}, "radii set apart for the journal of a write cache");
  const UnusedWhere without_journal(visitor, journal_tracks == 0, "journal_tracks is 0");
  visitor.enumeration("journal_place", journal_place, {"inner", "middle", "outer"}, "where the journal lies");
}

Cmr::Cmr(const Ports& ports, const CmrConfig&, const DriveGeometry& geometry, const FormatPlan& plan)
    : ports_(ports), layout_(geometry, regions_named(plan, "data"), ports.media, ConventionalLayout::Reserve::as_zoned) {}

// Nothing is kept outside the data itself, and a completed write is on the platter.
Task<Status> Cmr::format() { co_return Status::ok; }
Task<Status> Cmr::recover() { co_return Status::ok; }
Task<Status> Cmr::flush() { co_return Status::ok; }
Task<Status> Cmr::trim(LogicalRun) { co_return Status::ok; }

Task<Status> Cmr::read(LogicalRun run, DataSpan data) { return transfer(MediaOp::read, run, data, MediaClass::host); }

Task<Status> Cmr::write(LogicalRun run, DataSpan data, WriteOptions options) {
  return transfer(MediaOp::write, run, data, options.background ? MediaClass::background : MediaClass::host);
}

Task<Status> Cmr::transfer(MediaOp op, LogicalRun run, DataSpan data, MediaClass priority) {
  MediaChain chain(priority);
  for (std::uint32_t done = 0; done < run.count;) {
    chain.clear();
    while (done < run.count && chain.steps().size() < MediaChain::max_steps) {
      ports_.cpu.array();
      const PhysicalRun piece = layout_.piece({run.first + done, run.count - done});
      chain.add({op, StepHint::position, piece, data.part(done, piece.count), {}, nullptr});
      done += piece.count;
    }
    const Status status = co_await ports_.media.run(chain);
    if (!ok(status)) co_return status;
  }
  co_return Status::ok;
}

namespace {

class CmrFactory final : public ConfiguredFactory<Cmr, CmrConfig> {
 public:
  CmrFactory() : ConfiguredFactory("cmr", "conventional recording, identity mapping: the yardstick") {}

  [[nodiscard]] SpaceBounds bounds() const override { return {.reserved = true, .exported = true}; }
  [[nodiscard]] FormatPlan plan(const DriveGeometry& geometry, std::string& problem) const override {
    const Region data{.name = "data"};
    FormatPlan reserved;
    if (config_.journal_tracks != 0) reserved.push_back({.name = "journal", .count = config_.journal_tracks});
    FormatPlan plan = plan_around(geometry.radii(), data, reserved, config_.journal_place);
    if (plan.empty()) problem = "journal_tracks leaves no track for data";
    return plan;
  }
};

}  // namespace

std::unique_ptr<LayerFactory> make_cmr_factory() { return std::make_unique<CmrFactory>(); }

}  // namespace tessera
