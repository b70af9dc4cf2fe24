// A translation layer of somebody else's, built against the installed package with no compiler flags but C++20: it turns the address space
// round, last sector first, and counts. The types of the library's classes are looked at, as a debugger or an any-cast would.
#include <systemc>

#include <iostream>
#include <typeinfo>

#include "processor.hpp"
#include "tessera/firmware/layers/cmr/cmr_layer.hpp"
#include "tessera/firmware/layers/layer_factories.hpp"
#include "tessera/platforms/drive/drive_module.hpp"

namespace {

using namespace tessera;

class Reversed final : public TranslationLayer {
 public:
  Reversed(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& plan) : inner_(ports, {}, geometry, plan) {}

  [[nodiscard]] std::uint64_t user_sectors() const override { return inner_.user_sectors(); }
  Task<Status> format() override { return inner_.format(); }
  Task<Status> recover() override { return inner_.recover(); }
  Task<Status> read(LogicalRun run, DataSpan data) override {
    for (std::uint32_t i = 0; i < run.count; ++i) {
      auto one = inner_.read({reversed(run.first + i), 1}, data.part(i, 1));
      const Status status = co_await one;
      if (!ok(status)) co_return status;
      ++reads_;
    }
    co_return Status::ok;
  }
  Task<Status> write(LogicalRun run, DataSpan data, WriteOptions options) override {
    for (std::uint32_t i = 0; i < run.count; ++i) {
      auto one = inner_.write({reversed(run.first + i), 1}, data.part(i, 1), options);
      const Status status = co_await one;
      if (!ok(status)) co_return status;
    }
    co_return Status::ok;
  }
  Task<Status> flush() override { return inner_.flush(); }
  Task<Status> trim(LogicalRun run) override { return inner_.trim(run); }
  void prefill(std::uint64_t sectors) override { inner_.prefill(sectors); }
  void report(MetricSet& metrics) const override { metrics.count("reversed.reads", static_cast<double>(reads_), "1", "sectors read"); }

 private:
  [[nodiscard]] LogicalSector reversed(LogicalSector sector) const { return LogicalSector(user_sectors() - 1 - sector.value()); }

  Cmr inner_;
  std::uint64_t reads_ = 0;
};

class ReversedFactory final : public LayerFactory {
 public:
  [[nodiscard]] std::string name() const override { return "reversed"; }
  [[nodiscard]] std::string summary() const override { return "the last sector first"; }
  void describe(ParameterVisitor&) override {}
  [[nodiscard]] FormatPlan plan(const DriveGeometry& geometry, std::string& problem) const override {
    return make_cmr_factory()->plan(geometry, problem);
  }
  [[nodiscard]] std::unique_ptr<TranslationLayer> make(const Ports& ports, const DriveGeometry& geometry,
                                                       const FormatPlan& plan) const override {
    return std::make_unique<Reversed>(ports, geometry, plan);
  }
};

}  // namespace

int sc_main(int argc, char* argv[]) {
  if (argc != 2) return 2;
  DriveConfig config = load_drive(argv[1], {}, "cmr");
  config.layers.push_back(std::make_unique<ReversedFactory>());
  config.layer = "reversed";
  DriveModule drive("drive", config, plan_drive(config), ContentMode::bytes, 1);
  Processor processor("processor");
  processor.socket.bind(drive.block_socket());
  drive.power_on(false, [](Status) {});
  sc_core::sc_start();
  drive.timeline_module().rethrow_failure();
  MetricSet metrics;
  drive.report(metrics, Picoseconds(1));
  std::cout << metrics.find("reversed.reads")->value.value_or(0) << " sectors through " << typeid(Cmr).name() << ", whose bases are "
            << typeid(TranslationLayer).name() << " and the like\n";
  const auto inner = make_cmr_factory();
  const LayerFactory& factory = *inner;
  return processor.same && typeid(factory) != typeid(LayerFactory) ? 0 : 1;
}
