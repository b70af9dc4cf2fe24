#include "nvme/nvme_controller.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"

namespace tessera::nvme {

namespace {

constexpr std::uint32_t most_io_queues = 63;     // whose doorbells end before the MSI-X table
constexpr std::uint32_t most_page_exponent = 4;  // CAP.MPSMAX: 64 KiB
constexpr std::uint32_t start_timeout = 60;      // CAP.TO, in 500 ms: a drive that recovers
constexpr std::uint32_t ready_bit = 1, fatal_bit = 2;
constexpr std::uint32_t shutdown_complete = 2;    // CSTS.SHST
constexpr std::size_t slots = 256 + admin_slots;  // commands in the controller at once

const Config& checked(const Config& config) {
  if (config.io_queues < 1 || config.io_queues > most_io_queues)
    throw InputError("an NVMe controller of " + std::to_string(config.io_queues) + " I/O queues; expected 1 to " +
                     std::to_string(most_io_queues));
  if (config.queue_entries == 1) throw InputError("NVMe queues of 1 entry; expected 2 to 65,536 (0)");
  if (config.vectors > 256) throw InputError("an NVMe controller of " + std::to_string(config.vectors) + " vectors; expected 0 to 256");
  if (config.transfer_pages < 1 || config.transfer_pages > 13)
    throw InputError("NVMe transfers of 2^" + std::to_string(config.transfer_pages) + " pages; expected an exponent of 1 to 13");
  return config;
}

}  // namespace

Controller::Controller(Config config, HostMemory& memory, BlockDrive& drive, Interrupts& interrupts)
    : config_(checked(config)),
      memory_(memory),
      drive_(drive),
      features_(config_.io_queues, config_.volatile_cache, std::max<std::uint32_t>(config_.vectors, 1)),
      interrupts_(config_.vectors, memory, interrupts),
      sqs_(config_.io_queues + 1),
      cqs_(config_.io_queues + 1),
      commands_(slots) {
  for (auto index = static_cast<std::uint32_t>(slots); index > 0; --index) free_.push_back(index - 1);
}

/// Contiguous queues, 4 B between doorbells, the NVM command set, pages of 4 to 64 KiB.
std::uint64_t Controller::capabilities() const {
  const std::uint64_t entries = static_cast<std::uint16_t>(config_.queue_entries - 1);  // from 0
  return entries | std::uint64_t{1} << 16 | std::uint64_t{start_timeout} << 24 | std::uint64_t{1} << 37 |
         std::uint64_t{most_page_exponent} << 52;
}

std::uint32_t Controller::status_register() const {
  return (ready_ ? ready_bit : 0) | (state_ == State::failed ? fatal_bit : 0) | shutdown_ << 2;
}

std::uint64_t Controller::read_register(std::uint64_t offset, std::uint32_t bytes) const {
  if (bytes == 8) return read_register(offset, 4) | read_register(offset + 4, 4) << 32;
  if (offset >= reg_msix_pending && offset < reg_end) return interrupts_.read_pending(offset - reg_msix_pending);
  if (offset >= reg_msix_table) return interrupts_.read_table(offset - reg_msix_table);
  switch (offset) {
    case reg_cap: return capabilities() & 0xffff'ffff;
    case reg_cap + 4: return capabilities() >> 32;
    case reg_vs: return version;
    case reg_intms:
    case reg_intmc: return interrupts_.masks();
    case reg_cc: return cc_;
    case reg_csts: return status_register();
    case reg_aqa: return aqa_;
    case reg_asq: return asq_ & 0xffff'ffff;
    case reg_asq + 4: return asq_ >> 32;
    case reg_acq: return acq_ & 0xffff'ffff;
    case reg_acq + 4: return acq_ >> 32;
    default: return 0;
  }
}

void Controller::write_register(std::uint64_t offset, std::uint64_t value, std::uint32_t bytes) {
  write_word(offset, static_cast<std::uint32_t>(value));
  if (bytes == 8) write_word(offset + 4, static_cast<std::uint32_t>(value >> 32));
}

void Controller::write_word(std::uint64_t offset, std::uint32_t value) {
  constexpr std::uint64_t upper = 0xffff'ffff'0000'0000, lower = 0xffff'ffff;
  constexpr std::uint64_t base = ~std::uint64_t{page_of_data - 1};
  if (offset >= reg_msix_pending) return;
  if (offset >= reg_msix_table) return interrupts_.write_table(offset - reg_msix_table, value);
  if (offset >= reg_doorbells) return ring_doorbell(offset - reg_doorbells, value);
  switch (offset) {
    case reg_intms: return interrupts_.mask(value, cqs_);
    case reg_intmc: return interrupts_.unmask(value, cqs_);
    case reg_cc: {
      constexpr std::uint32_t implemented = 0x00ff'fff1, shutdown = 3U << 14;
      const bool shuts_down = (cc_ & shutdown) != 0;
      cc_ = value & implemented;
      announced_ = announced_ || (cc_ & shutdown) != 0;
      if (state_ == State::disabled && (cc_ & shutdown) == 0) shutdown_ = 0;
      // CSTS.RDY stays until work() has ended the queues: a host that waits for it cannot enable a controller that is not reset.
      if (enabled() || state_ == State::disabled) return;
      state_ = State::stopping;
      if (shuts_down) cc_ &= ~shutdown;  // the reset ends that too
      return;
    }
    case reg_aqa: aqa_ = value & 0x0fff'0fff; return;
    case reg_asq: asq_ = ((asq_ & upper) | value) & base; return;
    case reg_asq + 4: asq_ = (asq_ & lower) | std::uint64_t{value} << 32; return;
    case reg_acq: acq_ = ((acq_ & upper) | value) & base; return;
    case reg_acq + 4: acq_ = (acq_ & lower) | std::uint64_t{value} << 32; return;
    default: return;
  }
}

void Controller::ring_doorbell(std::uint64_t offset, std::uint32_t value) {
  constexpr std::uint8_t error_type = 0, invalid_register = 0, invalid_value = 1, error_log = 1;
  const auto refuse = [this](std::uint8_t information, NvmeStatus status) {
    logs_.failed(status);
    event(error_type, information, error_log);
  };
  if (state_ != State::ready) return;  // "undefined" without queues
  const std::uint64_t queue = offset / 8;
  const bool of_completions = offset % 8 != 0;
  const bool exists = queue < sqs_.size() && (of_completions ? cqs_[queue].exists : sqs_[queue].exists);
  if (!exists) return refuse(invalid_register, NvmeStatus::invalid_queue_identifier);
  if (!(of_completions ? cqs_[queue].may_move_to(value) : sqs_[queue].may_move_to(value)))
    return refuse(invalid_value, NvmeStatus::invalid_field);
  if (!of_completions) {
    sqs_[queue].tail = value;
    return;
  }
  cqs_[queue].head = value;
  interrupts_.look_at(cqs_);
}

bool Controller::work() {
  if (std::exchange(cut_, false)) end_queues(true);
  if (!powered_) return false;
  if (change_state()) return true;
  if (state_ != State::ready) return false;
  if (shutdown_ == shutdown_complete) return interrupts_.send();  // the host's memory is left alone
  return interrupts_.send() || answer_event() || complete_one() || shut_down() || fetch();
}

/// Follows CC.EN.
bool Controller::change_state() {
  switch (state_) {
    case State::disabled:
      if (!enabled()) return shut_down();
      start();
      return true;
    case State::starting: {
      const std::uint64_t capacity = drive_.capacity();
      if (capacity == 0) return false;
      namespaces_ = namespaces_of(config_, capacity);
      state_ = State::ready;
      ready_ = true;
      return true;
    }
    case State::failed: return shut_down();
    case State::ready: return false;
    case State::stopping:
      give_up_commands();
      if (busy()) return false;
      end_queues(false);
      return true;
  }
  return false;
}

/// What of CC and AQA a controller cannot run with ends in a fatal status.
bool Controller::may_start() const {
  const bool nvm_commands = (cc_ >> 4 & 7) == 0, round_robin = (cc_ >> 11 & 7) == 0;
  return nvm_commands && round_robin && (cc_ >> 7 & 0xf) <= most_page_exponent && (aqa_ & 0xfff) != 0 && (aqa_ >> 16) != 0;
}

void Controller::start() {
  shutdown_ = 0;
  announced_ = (cc_ >> 14 & 3) != 0;
  if (!may_start()) return fail();
  sqs_[0] = {.exists = true, .base = asq_, .size = (aqa_ & 0xfff) + 1};
  cqs_[0] = {.exists = true, .base = acq_, .size = (aqa_ >> 16) + 1, .interrupts = true, .users = 1};
  state_ = State::starting;
}

/// A controller without queues. Transfers that are still at the drive are forgotten.
void Controller::end_queues(bool power) {
  for (SubmissionQueue& queue : sqs_) queue = {};
  for (CompletionQueue& queue : cqs_) queue = {};
  for (Command& command : commands_) command = {};
  free_.clear();
  for (auto index = static_cast<std::uint32_t>(commands_.size()); index > 0; --index) free_.push_back(index - 1);
  finished_.clear();
  deletions_.clear();
  held_events_.clear();
  events_.clear();
  masked_events_ = told_warnings_ = 0;
  next_look_ = {};
  if (power) forgotten_.clear();
  next_sq_ = 0;
  transfers_ = 0;
  ++generation_;
  features_.reset();
  interrupts_.reset(power);
  shutdown_ = 0;
  shutdown_flushes_ = ready_ = queues_allocated_ = queues_created_ = false;
  state_ = State::disabled;
}

/// What nobody waits for any more. Reads that the drive has are forgotten; what it has of writes may change its blocks until it ends.
void Controller::give_up_commands() {
  for (std::uint32_t index = 0; index < commands_.size(); ++index) {
    Command& command = commands_[index];
    if (command.transfers == 0) continue;
    give_up(command);
    if (command.entry.opcode != io_read || command.transfers == 0) continue;
    transfers_ -= std::exchange(command.transfers, 0);
    forgotten_[std::uint64_t{generation_} << 32 | index] = std::move(command.data);
  }
}

/// Takes back what waits in front of the drive, and asks it to end what it has.
void Controller::give_up(Command& command) {
  const std::uint32_t index = index_of(command), waiting = drive_.waiting(index);
  drive_.withdraw(index);
  command.transfers -= waiting;
  transfers_ -= waiting;
  command.failed = command.failed || waiting != 0 || command.reads_media;
  if (!std::exchange(command.aborted, true) && command.transfers != 0) drive_.abort(index, generation_);
}

/// Follows CC.SHN: a normal shutdown serves what was fetched and flushes the drive, an abrupt one gives up what it can. Neither waits for
/// completions that the host leaves no space for.
bool Controller::shut_down() {
  constexpr std::uint32_t normal = 1, processing = 1;
  const std::uint32_t wanted = cc_ >> 14 & 3;
  if (wanted == 0 || shutdown_ == shutdown_complete) return false;
  if (shutdown_ == 0) {
    shutdown_ = processing;
    shutdown_flushes_ = wanted == normal;
    if (!shutdown_flushes_) give_up_commands();
  }
  if (busy()) return false;
  if (std::exchange(shutdown_flushes_, false)) {
    ++transfers_;
    drive_.submit({.op = BlockOp::flush, .command = no_command, .generation = generation_});
  } else {
    shutdown_ = shutdown_complete;
  }
  return true;
}

/// A step that is under way finds the host's memory out of reach; what it holds is cleared up when it has ended.
void Controller::power_off() {
  if (!std::exchange(powered_, false)) return;
  if (!std::exchange(announced_, false)) logs_.unsafe_shutdown();
  cc_ = aqa_ = 0;
  asq_ = acq_ = 0;
  state_ = State::disabled;
  ready_ = false;
  cut_ = true;
}

/// A restart of the firmware alone is no power cycle.
void Controller::power_on() {
  if (powered_ && logs_.has_power_cycles()) return;
  powered_ = true;
  logs_.power_on();
}

}  // namespace tessera::nvme
