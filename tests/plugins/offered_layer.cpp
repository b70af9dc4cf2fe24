#include "offered_layer.hpp"

#include <exception>

#include "offered_ports.hpp"
#include "platforms/plugin/plugin_values.hpp"

namespace tessera {

namespace {

const OfferedLayer& offered(const tessera_layer* table) { return *static_cast<const OfferedLayer*>(table->context); }

/// A layer between power-on and the end of the power.
class Running {
 public:
  Running(const LayerFactory& factory, tessera_machine& table, const DriveGeometry& geometry, const FormatPlan& plan)
      : machine_(table, geometry.sector_bytes), ports_(machine_), layer_(factory.make(ports_.all(), geometry, plan)) {}
  ~Running() { machine_.power_off(); }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  [[nodiscard]] TranslationLayer& layer() const { return *layer_; }
  [[nodiscard]] tessera_machine& table() const { return machine_.table(); }

  void boot(tessera_operation number, bool after_power_cut) {
    OfferedOperation& operation = machine_.operation(number);
    operation.data = {};
    machine_.start(operation, after_power_cut ? ending(operation, layer_->recover()) : ending(operation, layer_->format()));
  }
  void command(const tessera_command& command) {
    OfferedOperation& operation = machine_.operation(command.operation);
    operation.data = machine_.buffer_at(command.data);
    machine_.pull_lost(operation.data.all());
    machine_.start(operation, task_of(operation, command));
  }
  void event(tessera_operation number, Status status, std::uint32_t steps_done) {
    machine_.resume(machine_.operation(number), status, steps_done);
  }

 private:
  Task<void> task_of(OfferedOperation& operation, const tessera_command& command) {
    const LogicalRun run{LogicalSector(command.first), command.count};
    switch (command.kind) {
      case TESSERA_READ: return ending(operation, layer_->read(run, operation.data.all()));
      case TESSERA_WRITE:
        return ending(operation, layer_->write(run, operation.data.all(), {command.durable != 0, command.background != 0, command.tag}));
      case TESSERA_FLUSH: return ending(operation, layer_->flush());
      case TESSERA_TRIM: return ending(operation, layer_->trim(run));
      default: return ending(operation, machine_.take_spawned(command.state));
    }
  }
  Task<void> ending(OfferedOperation& operation, Task<Status> work) {
    const Status status = co_await work;
    machine_.complete(operation, status);
  }
  Task<void> ending(OfferedOperation& operation, Task<void> work) {
    co_await work;
    machine_.complete(operation, Status::ok);
  }

  OfferedMachine machine_;
  OfferedPorts ports_;
  std::unique_ptr<TranslationLayer> layer_;
};

Running& running(void* self) { return *static_cast<Running*>(self); }
TranslationLayer& layer_of(const void* self) { return static_cast<const Running*>(self)->layer(); }

/// No exception leaves the library.
template <class Work>
void guarded(tessera_machine& table, Work work) {
  try {
    work();
  } catch (const OfferRefused&) {
  } catch (const std::exception& error) {
    table.panic(&table, error.what());
  }
}

void plan(const tessera_layer* table, const tessera_geometry* geometry, const tessera_value* values, const tessera_planner* planner) {
  std::string problem;
  for (const Region& region : offered(table).with(values).plan(from_c(*geometry), problem)) {
    const tessera_region own = to_c(region);
    planner->region(planner->context, &own);
  }
  if (!problem.empty()) planner->refuse(planner->context, problem.c_str());
}

void check_flash(const tessera_layer* table, const tessera_flash_shape* shape, const tessera_value* values,
                 const tessera_planner* planner) {
  const LayerFactory& factory = offered(table).with(values);
  const FlashShape flash = from_c(*shape);
  if (const std::string problem = factory.check_flash(flash); !problem.empty()) planner->refuse(planner->context, problem.c_str());
  for (const std::string& warning : factory.warnings(flash)) planner->warn(planner->context, warning.c_str());
}

std::uint64_t longest_wait(const tessera_layer* table, const tessera_value* values) {
  return offered(table).with(values).longest_wait().value();
}

int flushed_only(const tessera_layer* table, const tessera_value* values) {
  return offered(table).with(values).promises_flushed_only() ? 1 : 0;
}

void* create(const tessera_layer* table, tessera_machine* machine, const tessera_geometry* geometry, const tessera_region* regions,
             std::uint32_t region_count, const tessera_value* values) {
  FormatPlan plan;
  for (std::uint32_t i = 0; i < region_count; ++i) plan.push_back(from_c(regions[i]));
  Running* made = nullptr;
  guarded(*machine, [&] { made = new Running(offered(table).with(values), *machine, from_c(*geometry), plan); });
  return made;
}

void boot(void* self, tessera_operation operation, int after_power_cut) {
  guarded(running(self).table(), [&] { running(self).boot(operation, after_power_cut != 0); });
}

void command(void* self, const tessera_command* command) {
  guarded(running(self).table(), [&] { running(self).command(*command); });
}

void event(void* self, tessera_operation operation, tessera_status status, std::uint32_t steps_done) {
  guarded(running(self).table(), [&] { running(self).event(operation, static_cast<Status>(status), steps_done); });
}

void report(const void* self, const tessera_reporter* reporter) {
  MetricSet metrics;
  layer_of(self).report(metrics);
  for (const Metric& metric : metrics.all())
    reporter->figure(reporter->context, metric.name.c_str(), metric.value.value_or(0), metric.value ? 1 : 0, metric.unit.c_str(),
                     metric.description.c_str(), metric.accumulates ? 1 : 0);
}

}  // namespace

OfferedLayer::OfferedLayer(std::unique_ptr<LayerFactory> factory)
    : factory_(std::move(factory)), name_(factory_->name()), summary_(factory_->summary()) {
  factory_->describe(parameters_);
  table_ = {.abi = TESSERA_FIRMWARE_ABI,
            .size = sizeof(tessera_layer),
            .name = name_.c_str(),
            .summary = summary_.c_str(),
            .parameters = parameters_.all().data(),
            .parameter_count = static_cast<std::uint32_t>(parameters_.all().size()),
            .needs_flash = factory_->needs_flash() ? 1U : 0U,
            .context = this,
            .plan = plan,
            .create = create,
            .user_sectors = [](const void* self) { return layer_of(self).user_sectors(); },
            .boot = boot,
            .command = command,
            .event = event,
            .idle = [](const void* self) { return layer_of(self).idle() ? 1 : 0; },
            .destroy = [](void* self) { delete static_cast<Running*>(self); },
            .check_flash = check_flash,
            .longest_wait = longest_wait,
            .flushed_only = flushed_only,
            .start = [](void* self) { guarded(running(self).table(), [&] { layer_of(self).start_background(); }); },
            .prefill = [](void* self, std::uint64_t sectors) { guarded(running(self).table(), [&] { layer_of(self).prefill(sectors); }); },
            .holds =
                [](void* self, std::uint64_t first, std::uint32_t count) {
                  return layer_of(self).holds({LogicalSector(first), count}) ? 1 : 0;
                },
            .absorbs =
                [](void* self, std::uint64_t first, std::uint32_t count) {
                  return layer_of(self).absorbs({LogicalSector(first), count}) ? 1 : 0;
                },
            .streams_writes = [](const void* self) { return layer_of(self).streams_writes() ? 1 : 0; },
            .received =
                [](void* self, std::uint64_t first, std::uint32_t count) {
                  guarded(running(self).table(), [&] { layer_of(self).received({LogicalSector(first), count}); });
                },
            .report = report};
}

const LayerFactory& OfferedLayer::with(const tessera_value* values) const {
  OfferedParameters assigner;
  assigner.assign(values);
  factory_->describe(assigner);
  return *factory_;
}

}  // namespace tessera
