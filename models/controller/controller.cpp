#include "controller/controller.hpp"

namespace tessera {

Controller::Controller(Timeline& timeline, const ControllerConfig& config, const ControllerLinks& links, SectorShape shape,
                       Bytes dram_capacity, Bytes host_buffer, std::uint32_t tags, Image image)
    : executor_(timeline, config),
      memory_(executor_, links.dram, shape, dram_capacity, host_buffer, config),
      disk_channel_(timeline, executor_, links.media, links.positioning, links.tracks, config),
      flash_channel_(links.flash == nullptr ? nullptr
                                            : std::make_unique<FlashChannel>(timeline, executor_, *links.flash, *links.catalogue, config)),
      host_channel_(timeline, executor_, memory_, links.dram, links.host, tags),
      image_(std::move(image)) {}

Ports Controller::ports() { return {disk_channel_, flash_channel_.get(), memory_, executor_, host_channel_}; }

void Controller::power_on(bool after_power_cut, std::function<void(Status)> booted) {
  TESSERA_CHECK(firmware_ == nullptr, "the controller was powered on twice");
  booted_ = std::move(booted);
  firmware_ = image_(ports());
  executor_.start(boot(after_power_cut), nullptr, executor_.now());
}

Task<void> Controller::boot(bool after_power_cut) {
  const Status status = co_await firmware_->boot(after_power_cut);
  booted_(status);
}

void Controller::power_off() {
  executor_.power_off();
  firmware_.reset();
  disk_channel_.power_off();
  if (flash_channel_ != nullptr) flash_channel_->power_off();
  host_channel_.power_off();
  memory_.power_off();
}

bool Controller::idle() const {
  return host_channel_.idle() && disk_channel_.idle() && (flash_channel_ == nullptr || flash_channel_->idle()) && firmware_->idle();
}

void Controller::report(MetricSet& metrics, Picoseconds elapsed, Picoseconds now) const {
  executor_.report(metrics, elapsed);
  memory_.report(metrics, now);
  disk_channel_.report(metrics, elapsed);
  if (flash_channel_ != nullptr) flash_channel_->report(metrics);
}

void Controller::reset_statistics() {
  executor_.reset_statistics();
  disk_channel_.reset_statistics();
  if (flash_channel_ != nullptr) flash_channel_->reset_statistics();
}

}  // namespace tessera
