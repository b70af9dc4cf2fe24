#include "controller/controller.hpp"

#include <sstream>
#include <utility>

#include "base/error.hpp"
#include "base/liveness_bug.hpp"

namespace tessera {

namespace {

constexpr Picoseconds boot_patience{86'400 * ps_per_second};

const char* in_words(LifePhase waits) {
  switch (waits) {
    case LifePhase::cpu_wait: return "the CPU";
    case LifePhase::lock: return "a lock";
    case LifePhase::backup: return "a backup slot";
    case LifePhase::media_queue: return "the disk channel";
    case LifePhase::flash_queue: return "the flash channel";
    case LifePhase::cleaning: return "space";
    case LifePhase::background_wait: return "a timer or work of others";
    default: return to_string(waits);
  }
}

}  // namespace

Controller::Controller(Timeline& timeline, const ControllerConfig& config, const ControllerLinks& links, SectorShape shape,
                       const MemoryMap& map, std::uint32_t tags, Image image)
    : timeline_(timeline),
      executor_(timeline, config),
      memory_(executor_, links.cpu, links.dram, links.bus, shape, map, config),
      control_(executor_, memory_, links.cpu, links.bus, config.bus_latency),
      code_(executor_, memory_, links.cpu, config, map.dram),
      dma_(timeline, memory_, links.bus),
      disk_channel_(timeline, executor_, links.media, dma_, links.positioning, links.tracks, config),
      flash_channel_(links.flash == nullptr
                         ? nullptr
                         : std::make_unique<FlashChannel>(timeline, executor_, *links.flash, dma_, *links.catalogue, config)),
      host_channel_(timeline, executor_, memory_, links.host, tags),
      image_(std::move(image)) {
  executor_.connect(control_);
  if (code_.modelled()) executor_.fetch_from(code_);
  signals_.add("cpu", executor_.signals());
  signals_.add("firmware", executor_.firmware_signals().signals());
  signals_.add("memory", memory_.signals());
  signals_.add("disk_channel", disk_channel_.signals());
  if (flash_channel_ != nullptr) signals_.add("flash_channel", flash_channel_->signals());
}

Ports Controller::ports() { return {disk_channel_, flash_channel_.get(), memory_, executor_, host_channel_}; }

void Controller::expect_memory_errors(std::function<void()> restart) {
  memory_.expect_errors(timeline_, std::move(restart));
  disk_channel_.guard_buffers(memory_);
  if (flash_channel_ != nullptr) flash_channel_->guard_buffers(memory_);
}

void Controller::power_on(bool after_power_cut, std::function<void(Status)> booted) {
  TESSERA_CHECK(firmware_ == nullptr, "the controller was powered on twice");
  booted_ = std::move(booted);
  control_.power_on();
  code_.power_on();
  firmware_ = image_(ports());
  memory_.check_capacity();
  timeline_.post(timeline_.now() + boot_patience, *this, boot_overdue);
  boot_ = {};
  if (after_power_cut) recovery_.begin(counts(), timeline_.now());
  executor_.start(boot(after_power_cut), nullptr, executor_.now()).name = "boot";
}

Task<void> Controller::boot(bool after_power_cut) {
  const Status status = co_await firmware_->boot(after_power_cut);
  timeline_.withdraw(*this);
  if (ok(status)) executor_.firmware_signals().check_gauges();
  if (after_power_cut) recovery_.end(counts(), executor_.now(), true);
  booted_(status);
}

void Controller::on_time(std::uint64_t argument) {
  if (argument != boot_overdue) return std::exchange(quiet_, nullptr)();
  if (timeline_.empty() || boot_.is_in_vain(timeline_.actions(), work()))
    throw LivenessBug("liveness: the firmware did not boot within a simulated day\n" + account());
  timeline_.post(timeline_.now() + boot_patience, *this, boot_overdue);
}

PortCounts Controller::counts() const {
  PortCounts counts;
  disk_channel_.count(counts);
  if (flash_channel_ != nullptr) flash_channel_->count(counts);
  counts.cpu = executor_.ran();
  return counts;
}

DeviceWork Controller::work() const {
  const PortCounts all = counts();
  return {all.media_reads + all.media_writes + all.flash_reads + all.flash_oob_reads + all.flash_programs + all.flash_erases,
          !disk_channel_.idle() || (flash_channel_ != nullptr && !flash_channel_->idle())};
}

void Controller::halt(std::function<void()> quiet) {
  timeline_.withdraw(*this);
  quiet_ = std::move(quiet);
  ++restarts_;
  if (memory_.table_failed()) ++restarts_by_memory_error_;
  memory_.halt();
  if (firmware_ != nullptr) firmware_->halt();
  executor_.halt();
  host_channel_.halt();
  disk_channel_.halt([this] { tell_when_quiet(); });
  if (flash_channel_ != nullptr) flash_channel_->halt([this] { tell_when_quiet(); });
  tell_when_quiet();
}

/// From an entry of its own: a device that has just ended an operation is not to lose it from under its feet.
void Controller::tell_when_quiet() {
  if (disk_channel_.idle() && (flash_channel_ == nullptr || flash_channel_->idle())) timeline_.post(timeline_.now(), *this, devices_quiet);
}

std::string Controller::account() const {
  constexpr std::size_t most = 40;  // lines: more tell no more
  std::ostringstream text;
  text << "  disk channel: " << (disk_channel_.idle() ? "idle" : "busy") << ", " << disk_channel_.queued()
       << " chains queued; flash channel: "
       << (flash_channel_ == nullptr ? "none"
           : flash_channel_->idle()  ? "idle"
                                     : "busy")
       << "; firmware tasks: " << executor_.tasks();
  std::size_t lines = 0;
  executor_.each_task([&](const RootTask& task) {
    if (++lines > most) return;
    const HostRequest* request = task.life == nullptr ? nullptr : host_channel_.request_of(task.life);
    text << "\n  " << (request == nullptr ? "background work" : "request " + std::to_string(request->number)) << " waits for "
         << in_words(task.waits) << " since " << static_cast<double>(task.since.value()) * 1e-9 << " ms";
  });
  if (lines > most) text << "\n  and " << lines - most << " more";
  return text.str();
}

void Controller::power_off() {
  timeline_.withdraw(*this);
  quiet_ = nullptr;
  if (recovery_.under_way()) recovery_.end(counts(), timeline_.now(), false);
  executor_.power_off();
  firmware_.reset();
  disk_channel_.power_off();
  if (flash_channel_ != nullptr) flash_channel_->power_off();
  host_channel_.power_off();
  memory_.power_off();
  code_.power_off();
}

std::vector<std::string> Controller::placement_notes() const { return memory_.placement_notes(); }

bool Controller::idle() const {
  return host_channel_.idle() && disk_channel_.idle() && (flash_channel_ == nullptr || flash_channel_->idle()) && firmware_->idle();
}

void Controller::report(MetricSet& metrics, LongTime elapsed, Picoseconds now) const {
  executor_.report(metrics, elapsed);
  executor_.firmware_signals().report(metrics, now);
  memory_.report(metrics, now);
  code_.report(metrics);
  disk_channel_.report(metrics, elapsed);
  if (flash_channel_ != nullptr) flash_channel_->report(metrics);
  recovery_.report(metrics);
  metrics.add("recovery.restarts", static_cast<double>(restarts_), "1", "restarts of the firmware without a power cut");
  metrics.add("recovery.restarts_by_memory_error", static_cast<double>(restarts_by_memory_error_), "1",
              "of recovery.restarts, those because a table in the DRAM could not be read");
}

void Controller::reset_statistics() {
  executor_.reset_statistics();
  disk_channel_.reset_statistics();
  if (flash_channel_ != nullptr) flash_channel_->reset_statistics();
}

}  // namespace tessera
