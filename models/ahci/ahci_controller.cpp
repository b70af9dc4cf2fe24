#include "ahci/ahci_controller.hpp"

#include <bit>
#include <string>
#include <utility>

#include "base/error.hpp"

namespace tessera::ahci {

namespace {

const Config& checked(const Config& config) {
  if (config.queue_depth < 1 || config.queue_depth > 32)
    throw InputError("an AHCI controller of " + std::to_string(config.queue_depth) + " command slots; expected 1 to 32");
  if (config.link_generation < 1 || config.link_generation > 3)
    throw InputError("a Serial ATA link of generation " + std::to_string(config.link_generation) + "; expected 1 to 3");
  if (config.rotation_rpm != 0 && (config.rotation_rpm < 1025 || config.rotation_rpm > 65534))
    throw InputError("a Serial ATA drive of " + std::to_string(config.rotation_rpm) +
                     " rpm; expected 1,025 to 65,534, or 0 (not reported)");
  if (config.physical_sector < block_bytes || !std::has_single_bit(config.physical_sector))
    throw InputError("a Serial ATA drive with sectors of " + std::to_string(config.physical_sector) +
                     " B; expected a power of two from 512 on");
  return config;
}

}  // namespace

Controller::Controller(Config config, HostMemory& memory, BlockDrive& drive, Interrupts& interrupts)
    : config_(checked(config)), memory_(memory), drive_(drive), platform_(interrupts), device_(config_) {}

bool Controller::work() {
  if (!powered_) return false;
  return change_state() || send_message() || complete_one() || fetch();
}

bool Controller::change_state() {
  if (std::exchange(reset_wanted_, false)) {
    reset(false);
    return true;
  }
  if (link_ == Link::starting) {
    const std::uint64_t capacity = drive_.capacity();
    if (capacity == 0) return false;
    device_.set_blocks(capacity / block_bytes);
    link_ = Link::signature;
    return true;
  }
  // The register FIS of a drive that is ready waits on the link until there is a place for it.
  if (link_ == Link::signature && fis_enable_) {
    link_ = Link::up;
    const TaskFile file = AtaDevice::signature();
    const std::uint32_t epoch = epoch_;
    if (!send_fis(received_d2h, d2h_fis(file, false)) || epoch != epoch_) return true;
    set_task_file(file);
    signature_ = 0x0000'0101;
    return true;
  }
  if (start_ && !running_ && may_run()) {
    running_ = true;
    return true;
  }
  return false;
}

bool Controller::may_run() const { return link_ == Link::up && fis_enable_ && !busy(); }

/// The link comes up: a drive holds BSY until it is ready.
void Controller::connect() {
  link_ = Link::starting;
  task_file_ = status_busy;
  device_.reset();
  errors_ |= error_exchanged;
  look_at_interrupts();
}

/// ST was cleared.
void Controller::stop() {
  start_ = running_ = halted_ = false;
  active_ = issued_ = current_ = 0;
  give_up_commands();
}

void Controller::give_up_commands() {
  ++epoch_;
  queued_ = 0;
  finished_.clear();
  for (auto at = commands_.begin(); at != commands_.end();) {
    at->second->given_up = true;
    at->second->transfers -= drive_.waiting(at->first);
    drive_.withdraw(at->first);
    at = at->second->transfers == 0 ? commands_.erase(at) : std::next(at);
  }
}

/// Of the HBA. Where lists lie stays, but for a loss of power.
void Controller::reset(bool power) {
  stop();
  interrupts_on_ = is_ = message_due_ = false;
  raised_ = enabled_ = errors_ = link_control_ = 0;
  fis_enable_ = false;
  task_file_ = 0x7f;
  signature_ = 0xffff'ffff;
  link_ = Link::none;
  in_software_reset_ = false;
  if (power) {
    commands_.clear();
    list_ = received_ = message_address_ = message_data_ = 0;
    uses_messages_ = false;
  } else if (has_power_cycles_) {
    connect();
  }
  look_at_interrupts();
}

/// An error that the host has to clear ST for.
void Controller::halt(std::uint32_t why) {
  halted_ = true;
  raise(why);
}

void Controller::power_off() {
  if (!std::exchange(powered_, false)) return;
  device_.power_off();
  reset_wanted_ = false;
  reset(true);
}

/// A restart of the firmware alone is no power cycle.
void Controller::power_on() {
  if (powered_ && has_power_cycles_) return;
  powered_ = has_power_cycles_ = true;
  device_.power_on();
  connect();
}

}  // namespace tessera::ahci
