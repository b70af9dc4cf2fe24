#include "platforms/plugin/plugin_layer.hpp"

#include <utility>

#include "base/error.hpp"
#include "firmware/ports/turn.hpp"
#include "platforms/plugin/plugin_reporter.hpp"

namespace tessera {

namespace {

/// An operation under way, and the buffer that the library may name meanwhile; a power cut ends both with the coroutine.
class UnderWay {
 public:
  UnderWay(PluginMachine& machine, DataBuffer* data) : machine_(machine), data_(data) {
    machine_.begin(operation);
    if (data_ != nullptr) machine_.buffers().hold(*data_);
  }
  ~UnderWay() {
    if (data_ != nullptr) machine_.buffers().let_go(*data_);
    machine_.end(operation);
  }
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;

  PluginOperation operation;

 private:
  PluginMachine& machine_;
  DataBuffer* data_;
};

}  // namespace

PluginLayer::PluginLayer(const tessera_layer& code, const std::string& firmware, const Ports& ports, const DriveGeometry& geometry,
                         const FormatPlan& plan, const std::vector<tessera_value>& values)
    : code_(code), ports_(ports), machine_(ports, geometry, firmware, *this) {
  const PluginGeometry shape(geometry);
  std::vector<tessera_region> regions;
  for (const Region& region : plan) regions.push_back(to_c(region));
  self_ = machine_.call("create", [&] {
    return code_.create(&code_, machine_.table(), &shape.value, regions.data(), static_cast<std::uint32_t>(regions.size()), values.data());
  });
  if (self_ == nullptr) throw InputError(firmware + ": create() gave NULL");
  user_sectors_ = machine_.call("user_sectors", [&] { return code_.user_sectors(self_); });
  if (user_sectors_ != 0) return;
  code_.destroy(self_);
  throw InputError(firmware + ": user_sectors() is 0: nothing could be stored");
}

PluginLayer::~PluginLayer() {
  machine_.close();
  if (self_ != nullptr) machine_.call("destroy", [this] { code_.destroy(self_); });
}

Task<Status> PluginLayer::read(LogicalRun run, DataSpan data) {
  tessera_command command{};
  command.kind = TESSERA_READ;
  command.first = run.first.value();
  command.count = run.count;
  command.tag = TESSERA_NO_TAG;
  return carry_out(command, data);
}

Task<Status> PluginLayer::write(LogicalRun run, DataSpan data, WriteOptions options) {
  tessera_command command{};
  command.kind = TESSERA_WRITE;
  command.first = run.first.value();
  command.count = run.count;
  command.durable = options.durable ? 1 : 0;
  command.background = options.background ? 1 : 0;
  command.tag = options.tag;
  return carry_out(command, data);
}

Task<Status> PluginLayer::flush() {
  tessera_command command{};
  command.kind = TESSERA_FLUSH;
  command.tag = TESSERA_NO_TAG;
  return carry_out(command, {});
}

Task<Status> PluginLayer::trim(LogicalRun run) {
  tessera_command command{};
  command.kind = TESSERA_TRIM;
  command.first = run.first.value();
  command.count = run.count;
  command.tag = TESSERA_NO_TAG;
  return carry_out(command, {});
}

Task<Status> PluginLayer::boot(bool after_power_cut) {
  UnderWay way(machine_, nullptr);
  machine_.run(&way.operation);
  machine_.call("boot", [&] { code_.boot(self_, way.operation.number, after_power_cut ? 1 : 0); });
  auto rest = wait_through(way.operation);
  co_return co_await rest;
}

Task<Status> PluginLayer::carry_out(tessera_command command, DataSpan data) {
  UnderWay way(machine_, data.buffer);
  command.operation = way.operation.number;
  command.data = PluginBuffers::name(data);
  machine_.run(&way.operation);
  machine_.call("command", [&] { code_.command(self_, &command); });
  auto rest = wait_through(way.operation);
  co_return co_await rest;
}

Task<Status> PluginLayer::wait_through(PluginOperation& operation) {
  using Wait = PluginOperation::Wait;
  while (!operation.done) {
    machine_.run(nullptr);
    Status status = Status::ok;
    std::uint32_t steps = 0;
    switch (std::exchange(operation.waits, Wait::nothing)) {
      case Wait::nothing: machine_.fault("operation " + std::to_string(operation.number) + " neither waits nor completes");
      case Wait::media:
        status = co_await ports_.media.run(operation.chain);
        steps = operation.chain.steps_done;
        break;
      case Wait::flash: {
        FlashBatch batch(operation.flash);
        status = co_await ports_.flash->run(batch);
        for (std::size_t i = 0; i < operation.flash.size(); ++i)
          operation.told[i].status = static_cast<tessera_status>(operation.flash[i].status);
        break;
      }
      case Wait::timer: co_await ports_.cpu.sleep_until(operation.until); break;
      case Wait::turn: {
        operation.parked = true;
        Turn turn{ports_.cpu, operation.turn, operation.turn_phase};
        co_await turn;
        break;
      }
    }
    machine_.run(&operation);
    machine_.call("event", [&] { code_.event(self_, operation.number, static_cast<tessera_status>(status), steps); });
  }
  machine_.run(nullptr);
  co_return operation.status;
}

Task<void> PluginLayer::background(void* state) {
  tessera_command command{};
  command.kind = TESSERA_BACKGROUND;
  command.tag = TESSERA_NO_TAG;
  command.state = state;
  const DataSpan none;
  auto work = carry_out(command, none);
  static_cast<void>(co_await work);
}

void PluginLayer::spawn(void* state, const char* name) { ports_.cpu.spawn(background(state), name); }

void PluginLayer::start_background() {
  if (code_.start == nullptr) return;
  machine_.call("start", [this] { code_.start(self_); });
}

bool PluginLayer::holds(LogicalRun run) {
  return code_.holds != nullptr && machine_.call("holds", [&] { return code_.holds(self_, run.first.value(), run.count); }) != 0;
}

bool PluginLayer::absorbs(LogicalRun run) {
  return code_.absorbs != nullptr && machine_.call("absorbs", [&] { return code_.absorbs(self_, run.first.value(), run.count); }) != 0;
}

void PluginLayer::received(LogicalRun run) {
  if (code_.received == nullptr) return;
  machine_.call("received", [&] { code_.received(self_, run.first.value(), run.count); });
}

bool PluginLayer::streams_writes() const {
  return code_.streams_writes != nullptr && machine_.call("streams_writes", [this] { return code_.streams_writes(self_); }) != 0;
}

bool PluginLayer::idle() const {
  return machine_.call("idle", [this] { return code_.idle(self_); }) != 0;
}

void PluginLayer::prefill(std::uint64_t sectors) {
  if (code_.prefill == nullptr) return;
  machine_.call("prefill", [&] { code_.prefill(self_, sectors); });
}

void PluginLayer::report(MetricSet& metrics) const {
  if (code_.report == nullptr) return;
  const std::string fault = machine_.call(
      "report", [&] { return reported([this](const tessera_reporter* reporter) { code_.report(self_, reporter); }, metrics); });
  if (!fault.empty()) machine_.fault("report(): " + fault);
}

}  // namespace tessera
