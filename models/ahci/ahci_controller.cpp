#include "ahci/ahci_controller.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace tessera::ahci {

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
    set_task_file(AtaDevice::signature());
    signature_ = 0x0000'0101;
    return true;
  }
  // The first register FIS shows in PxTFD and PxSIG at once, and is stored when there is a place for it.
  if (link_ == Link::signature && fis_enable_) {
    link_ = Link::up;
    send_fis(received_d2h, d2h_fis(AtaDevice::signature(), false));
    return true;
  }
  if (start_ && !running_ && may_run()) {
    running_ = true;
    return true;
  }
  return false;
}

bool Controller::may_run() const { return link_ == Link::up && fis_enable_ && !busy(); }

/// The link comes up, no faster than PxSCTL.SPD allows: a drive holds BSY until it is ready.
void Controller::connect() {
  link_ = Link::starting;
  task_file_ = status_busy;
  const std::uint32_t limit = link_control_ >> 4 & 0xf;
  speed_ = limit == 0 ? config_.link_generation : std::min(limit, config_.link_generation);
  device_.hard_reset(speed_);
  errors_ |= error_exchanged | error_phy;
  look_at_interrupts();
}

/// ST was cleared.
void Controller::stop() {
  start_ = running_ = halted_ = false;
  active_ = issued_ = current_ = next_slot_ = 0;
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
  raised_ = enabled_ = errors_ = link_control_ = kept_bits_ = 0;
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

// --- Registers and interrupts (AHCI 1.3.1, 3) ---

constexpr std::uint64_t upper = 0xffff'ffff'0000'0000, lower = 0xffff'ffff;

/// 64-bit addresses, NCQ, AHCI alone, CLO, one port.
std::uint32_t Controller::capabilities() const {
  return 1U << 31 | 1U << 30 | 1U << 24 | config_.link_generation << 20 | 1U << 18 | 1U << 15 | (config_.queue_depth - 1) << 8;
}

std::uint32_t Controller::port_interrupts() const {
  return raised_ | ((errors_ & error_exchanged) != 0 ? int_connect : 0U) | ((errors_ & error_phy) != 0 ? int_phy : 0U);
}

std::uint32_t Controller::command_register() const {
  return (start_ ? cmd_start : 0U) | cmd_spin_up | cmd_power_on | (fis_enable_ ? cmd_fis_enable | cmd_fis_running : 0U) | current_ << 8 |
         (running_ ? cmd_running : 0U) | kept_bits_;
}

std::uint32_t Controller::link_status() const {
  if ((link_control_ & 0xf) == link_off) return link_off;
  if (link_ == Link::none) return link_none;
  return link_up | speed_ << 4 | 1U << 8;  // active
}

std::uint64_t Controller::read_register(std::uint64_t offset, std::uint32_t bytes) const {
  return bytes == 8 ? read_word(offset) | std::uint64_t{read_word(offset + 4)} << 32 : read_word(offset);
}

std::uint32_t Controller::read_word(std::uint64_t offset) const {
  switch (offset) {
    case reg_cap: return capabilities();
    case reg_ghc: return ghc_ahci | (interrupts_on_ ? ghc_interrupts : 0U) | (reset_wanted_ ? ghc_reset : 0U);
    case reg_is: return is_ ? 1 : 0;
    case reg_pi: return 1;
    case reg_vs: return version;
    case reg_msi_address: return static_cast<std::uint32_t>(message_address_);
    case reg_msi_address + 4: return static_cast<std::uint32_t>(message_address_ >> 32);
    case reg_msi_data: return message_data_;
    case reg_msi_control: return uses_messages_ ? 1 : 0;
    case reg_clb: return static_cast<std::uint32_t>(list_);
    case reg_clb + 4: return static_cast<std::uint32_t>(list_ >> 32);
    case reg_fb: return static_cast<std::uint32_t>(received_);
    case reg_fb + 4: return static_cast<std::uint32_t>(received_ >> 32);
    case reg_pis: return port_interrupts();
    case reg_pie: return enabled_;
    case reg_cmd: return command_register();
    case reg_tfd: return task_file_;
    case reg_sig: return signature_;
    case reg_ssts: return link_status();
    case reg_sctl: return link_control_;
    case reg_serr: return errors_;
    case reg_sact: return active_;
    case reg_ci: return issued_;
    default: return 0;
  }
}

void Controller::write_register(std::uint64_t offset, std::uint64_t value, std::uint32_t bytes) {
  write_word(offset, static_cast<std::uint32_t>(value));
  if (bytes == 8) write_word(offset + 4, static_cast<std::uint32_t>(value >> 32));
}

void Controller::write_word(std::uint64_t offset, std::uint32_t value) {
  constexpr std::uint64_t list_base = ~std::uint64_t{0x3ff}, received_base = ~std::uint64_t{0xff};
  const std::uint32_t slots = config_.queue_depth == 32 ? ~0U : (1U << config_.queue_depth) - 1;
  switch (offset) {
    case reg_ghc:
      if ((value & ghc_reset) != 0) reset_wanted_ = true;
      interrupts_on_ = (value & ghc_interrupts) != 0;
      if (interrupts_on_ && is_) message_due_ = true;
      break;
    case reg_is:
      if ((value & 1) != 0) is_ = false;
      break;
    case reg_msi_address: message_address_ = ((message_address_ & upper) | value) & ~std::uint64_t{3}; break;
    case reg_msi_address + 4: message_address_ = (message_address_ & lower) | std::uint64_t{value} << 32; break;
    case reg_msi_data: message_data_ = value; break;
    case reg_msi_control: uses_messages_ = (value & 1) != 0; break;
    case reg_clb: list_ = ((list_ & upper) | value) & list_base; break;
    case reg_clb + 4: list_ = (list_ & lower) | std::uint64_t{value} << 32; break;
    case reg_fb: received_ = ((received_ & upper) | value) & received_base; break;
    case reg_fb + 4: received_ = (received_ & lower) | std::uint64_t{value} << 32; break;
    case reg_pis: raised_ &= ~value; break;
    case reg_pie: enabled_ = value & int_all; break;
    case reg_cmd: write_command_register(value); break;
    case reg_sctl: write_link_control(value); break;
    case reg_serr: errors_ &= ~value; break;
    case reg_sact:
      if (start_) active_ |= value & slots;
      break;
    case reg_ci:
      if (start_) issued_ |= value & slots;
      break;
    default: return;
  }
  look_at_interrupts();
}

void Controller::write_command_register(std::uint32_t value) {
  kept_bits_ = value & cmd_kept;
  fis_enable_ = (value & cmd_fis_enable) != 0;
  if ((value & cmd_override) != 0) task_file_ &= ~std::uint32_t{status_busy | status_request};
  const bool start = (value & cmd_start) != 0;
  if (start_ && !start) stop();
  start_ = start;
}

/// COMRESET while DET is 1; the link comes up when it is 0 again.
void Controller::write_link_control(std::uint32_t value) {
  const std::uint32_t before = std::exchange(link_control_, value & 0xfff) & 0xf, now = value & 0xf;
  if (before == now) return;
  if (now == link_reset || now == link_off) {
    give_up_commands();
    in_software_reset_ = false;
    if (std::exchange(link_, Link::none) != Link::none) errors_ |= error_phy;
    task_file_ = 0x7f;
  } else if (now == link_none && has_power_cycles_) {
    connect();
  }
}

void Controller::raise(std::uint32_t bits) {
  raised_ |= bits;
  look_at_interrupts();
}

/// IS follows the port, the line follows IS; a message is due when IS is set.
void Controller::look_at_interrupts() {
  if ((port_interrupts() & enabled_) != 0 && !std::exchange(is_, true) && interrupts_on_) message_due_ = true;
  const bool wanted = interrupts_on_ && is_ && !uses_messages_;
  if (wanted != asserted_) platform_.line(wanted);
  asserted_ = wanted;
}

bool Controller::send_message() {
  if (!std::exchange(message_due_, false) || !uses_messages_) return false;
  std::byte data[4];
  put<std::uint32_t>(data, 0, message_data_);
  if (memory_.write(message_address_, data)) platform_.message(0);
  return true;
}

// --- The way of a command through the port (AHCI 1.3.1, 5): fetch, data, FISes, completion ---

namespace {

constexpr std::uint32_t trim_range_blocks = 65'535;  // the most of one, so a transfer is below 4 GiB
constexpr std::size_t fis_bytes = 20;

}  // namespace

/// One command, of the next slot in turn.
bool Controller::fetch() {
  if (!running_ || halted_ || busy() || issued_ == 0) return false;
  const std::uint32_t epoch = epoch_;
  const auto turn = static_cast<int>(next_slot_ % 32);
  const std::uint32_t slot =
      (static_cast<std::uint32_t>(std::countr_zero(std::rotr(issued_, turn))) + static_cast<std::uint32_t>(turn)) % 32;
  current_ = slot;
  next_slot_ = slot + 1;
  const auto entry = std::make_shared<Command>();
  Command& command = *entry;
  command.slot = slot;
  command.header = list_ + slot * header_bytes;
  std::byte header[header_bytes], fis[fis_bytes];
  bool reached = memory_.read(command.header, header);
  if (epoch != epoch_) return true;
  const auto flags = get<std::uint32_t>(header, 0);
  command.regions = flags >> 16;
  command.table = get<std::uint64_t>(header, 8) & ~std::uint64_t{0x7f};
  reached = reached && memory_.read(command.table, fis);
  if (epoch != epoch_) return true;
  if (!reached) {
    halt(int_host_bus);
    return true;
  }
  const bool has_length = (flags & header_length) >= fis_bytes / 4 && (flags & header_length) <= 16;
  if (!has_length || get<std::uint8_t>(fis, 0) != fis_h2d) {
    halt(int_interface);
    return true;
  }
  receive(entry, fis, flags);
  return true;
}

/// The register FIS is at the drive.
void Controller::receive(const std::shared_ptr<Command>& command, std::span<const std::byte> fis, std::uint32_t header) {
  command->request = decode(fis);
  if (!command->request.is_command) return control(*command, header);
  task_file_ = status_busy;
  if (device_.asleep()) return;  // for ever, but for a reset
  command->action = device_.take(command->request, queued_);
  if (command->action.kind == Action::Kind::refuse) return refuse(*command);
  if (command->action.protocol == Protocol::queued) command->tag = command->request.tag();
  command->number = next_number_++;
  commands_.emplace(command->number, command);
  begin(*command);
}

/// The control register: the reset bit set, and cleared. The drive answers the latter alone: BSY stays unless the header clears it.
void Controller::control(Command& command, std::uint32_t header) {
  constexpr std::uint8_t reset_bit = 4;
  const bool resets = (command.request.control & reset_bit) != 0;
  const std::uint32_t epoch = epoch_;
  task_file_ = status_busy;
  if (std::exchange(in_software_reset_, resets) && !resets) {
    const TaskFile file = AtaDevice::signature();
    if (!send_fis(received_d2h, d2h_fis(file, false)) || epoch != epoch_) return;
    set_task_file(file);
    issued_ &= ~(1U << command.slot);
    return;
  }
  if (resets) {
    device_.reset();
    give_up_commands();
  }
  if ((header & header_clear_busy) == 0) return;
  task_file_ &= ~std::uint32_t{status_busy};
  issued_ &= ~(1U << command.slot);
}

/// Before it was accepted: by a register FIS, queued or not.
void Controller::refuse(Command& command) {
  const Action& action = command.action;
  if ((command.request.is_queued() || action.ends_queue) && !device_.queue_has_failed()) {
    device_.queue_failed(command.request.tag(), command.request.is_queued(),
                         {.status = status_ready | status_error, .error = action.error, .lba = command.request.lba});
    queued_ = 0;
  }
  fail(command, action.error, false);
}

/// What the drive does about a command before its data.
void Controller::begin(Command& command) {
  const Action& action = command.action;
  const std::uint32_t epoch = epoch_;
  if (action.protocol == Protocol::queued) {  // accepted: the next one may come
    const TaskFile file;
    if (!send_fis(received_d2h, d2h_fis(file, false)) || epoch != epoch_) return;
    set_task_file(file);
    issued_ &= ~(1U << command.slot);
    queued_ |= 1U << command.tag;
  }
  if (action.protocol != Protocol::none && !find_regions(command)) return;
  if (epoch != epoch_) return;
  if (action.from_host() && !take_from_host(command)) return;
  begin_transfers(command);
}

/// Where the command's data lies.
bool Controller::find_regions(Command& command) {
  const std::uint32_t epoch = epoch_;
  std::vector<std::byte> table(command.regions * region_bytes);
  const bool reached = table.empty() || memory_.read(command.table + regions_at, table);
  if (epoch != epoch_) return false;
  if (!reached) {
    halt(int_host_bus);
    return false;
  }
  std::uint64_t left = command.action.bytes();
  for (std::size_t at = 0; at < table.size() && left > 0; at += region_bytes) {
    const auto flags = get<std::uint32_t>(table, at + 12);
    // From 0, and of an even number of bytes: bit 0 counts as set.
    const std::uint32_t region = ((flags & 0x3f'ffff) | 1) + 1;
    const auto bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(region, left));
    command.segments.push_back({get<std::uint64_t>(table, at) & ~std::uint64_t{1}, bytes});
    command.interrupts |= flags >> 31 != 0 && bytes == region;
    left -= bytes;
  }
  if (left == 0) return true;
  // More than the regions hold: the rest of a read is dropped; a write's drive waits for ever.
  if (command.action.to_host()) {
    raise(int_overflow);
    return true;
  }
  halt(int_overflow);
  return false;
}

/// The data of a write or a trim.
bool Controller::take_from_host(Command& command) {
  const std::uint32_t epoch = epoch_;
  const std::uint32_t bytes = command.action.bytes();
  if (command.action.protocol == Protocol::queued && !send_fis(received_dma_setup, dma_setup_fis(command.tag, false, bytes))) return false;
  if (epoch != epoch_) return false;
  if (!set_up_pio(command, false, bytes)) return false;
  command.data.resize(bytes);
  const bool reached = gather(memory_, command.segments, command.data);
  if (epoch != epoch_) return false;
  if (!reached) halt(int_host_bus);
  // The set-up FIS of the first piece does not ask for an interrupt, the others do.
  else if (command.action.protocol == Protocol::pio && bytes > command.action.piece_bytes())
    raise(int_pio);
  return reached;
}

/// The set-up FISes of a PIO command, one a piece of its data: the drive is busy after each but the last that it sends.
bool Controller::set_up_pio(const Command& command, bool to_host, std::uint32_t bytes) {
  if (command.action.protocol != Protocol::pio) return true;
  const std::uint32_t epoch = epoch_, most = command.action.piece_bytes();
  const TaskFile asks{.status = status_idle | status_request, .count = 1};
  for (std::uint32_t at = 0; at < bytes; at += most) {
    const bool ends = to_host && bytes - at <= most;
    const auto fis =
        pio_setup_fis(asks, to_host, to_host || at != 0, ends ? status_idle : std::uint8_t{status_busy}, std::min(most, bytes - at));
    if (!send_fis(received_pio_setup, fis) || epoch != epoch_) return false;
  }
  return true;
}

void Controller::begin_transfers(Command& command) {
  const Action& action = command.action;
  switch (action.kind) {
    case Action::Kind::read:
    case Action::Kind::verify:
      command.data.resize(action.bytes());
      submit(command, BlockOp::read, action.first, action.blocks, false);
      return;
    case Action::Kind::write: submit(command, BlockOp::write, action.first, action.blocks, action.force_unit_access); return;
    case Action::Kind::flush: submit(command, BlockOp::flush, 0, 0, false); return;
    case Action::Kind::trim: {
      const auto ranges = device_.ranges(command.data);
      if (!ranges) {
        commands_.erase(command.number);
        return fail(command, error_address, false);
      }
      for (const TrimRange& range : *ranges) submit(command, BlockOp::trim, range.first, std::min(range.blocks, trim_range_blocks), false);
      if (ranges->empty()) finished_.push_back(command.number);
      return;
    }
    case Action::Kind::log:
      device_.write_log(action, command.data);
      finished_.push_back(command.number);
      return;
    case Action::Kind::done:
    case Action::Kind::page:
    case Action::Kind::refuse: finished_.push_back(command.number); return;
  }
}

void Controller::submit(Command& command, BlockOp op, std::uint64_t first, std::uint32_t blocks, bool fua) {
  ++command.transfers;
  drive_.submit({.op = op,
                 .offset = first * block_bytes,
                 .bytes = static_cast<std::uint32_t>(blocks * block_bytes),
                 .data = op == BlockOp::read || op == BlockOp::write ? command.data.data() : nullptr,
                 .force_unit_access = fua,
                 .command = command.number});
}

void Controller::ended(const BlockTransfer& transfer, bool ok) {
  const auto at = commands_.find(transfer.command);
  if (at == commands_.end()) return;
  Command& command = *at->second;
  if (!ok) command.failed = true;
  if (--command.transfers != 0) return;
  if (command.given_up)
    commands_.erase(at);
  else if (!look_for_block(command, ok))
    finished_.push_back(transfer.command);
}

/// A failed read says which block is the first that cannot be read: the drive reads halves of what is left until one is.
bool Controller::look_for_block(Command& command, bool ok) {
  if (!command.failed || !command.action.reads()) return false;
  const std::uint32_t half = (command.suspects + 1) / 2;
  if (command.suspects == 0) {
    command.suspects = command.action.blocks;
  } else {
    command.suspects = ok ? command.suspects - half : half;
    command.suspect += ok ? half : 0;
  }
  if (command.suspects <= 1) return false;
  submit(command, BlockOp::read, command.action.first + command.suspect, (command.suspects + 1) / 2, false);
  return true;
}

bool Controller::complete_one() {
  if (halted_ || finished_.empty()) return false;
  const auto entry = commands_.at(finished_.front());
  finished_.pop_front();
  Command& command = *entry;
  commands_.erase(command.number);
  const bool reads = command.action.reads();
  if (command.failed)
    fail(command, reads ? error_data : error_abort, !reads);
  else
    complete(command);
  return true;
}

/// Without error: a read's data, then the status.
void Controller::complete(Command& command) {
  const Action& action = command.action;
  const std::uint32_t epoch = epoch_;
  device_.completed(action);
  if (action.ends_queue) {  // the log of a failed queue was read
    if (!send_fis(received_device_bits, device_bits_fis(status_idle, 0, ~0U, false)) || epoch != epoch_) return;
    active_ = 0;
  }
  if (action.to_host()) give_to_host(command);
  if (epoch != epoch_ || halted_) return;
  if (command.interrupts) raise(int_descriptor);
  if (action.protocol == Protocol::queued) {
    const std::uint32_t tag = 1U << command.tag;
    if (!send_fis(received_device_bits, device_bits_fis(status_idle, 0, tag, true)) || epoch != epoch_) return;
    queued_ &= ~tag;
    active_ &= ~tag;
    raise(int_device_bits);
    return;
  }
  std::uint32_t moved = 0;
  for (const HostSegment& segment : command.segments) moved += segment.bytes;
  std::byte count[4];
  put<std::uint32_t>(count, 0, moved);
  const bool counted = memory_.write(command.header + header_count_at, count);
  if (epoch != epoch_) return;
  if (!counted) return halt(int_host_bus);
  const bool ends_with_data = action.protocol == Protocol::pio && action.to_host();  // whose set-up FIS said the status
  if (!ends_with_data && (!send_fis(received_d2h, d2h_fis(action.answer, true)) || epoch != epoch_)) return;
  set_task_file(action.answer);
  issued_ &= ~(1U << command.slot);
  raise(ends_with_data ? int_pio : int_d2h);
}

void Controller::give_to_host(Command& command) {
  const Action& action = command.action;
  const std::uint32_t epoch = epoch_;
  const auto& data = action.kind == Action::Kind::page ? action.data : command.data;
  const auto bytes = static_cast<std::uint32_t>(data.size());
  if (action.protocol == Protocol::queued && !send_fis(received_dma_setup, dma_setup_fis(command.tag, true, bytes))) return;
  if (epoch != epoch_) return;
  if (!set_up_pio(command, true, bytes)) return;
  const bool reached = scatter(memory_, command.segments, data);
  if (epoch == epoch_ && !reached) halt(int_host_bus);
}

/// The slot stays in PxCI, and the port stops until the host clears ST.
void Controller::fail(Command& command, std::uint8_t error, bool fault) {
  TaskFile file{.status = static_cast<std::uint8_t>(status_ready | status_error | (fault ? status_fault : 0)),
                .error = error,
                .device = command.request.device,
                .count = command.request.count,
                .lba = command.request.lba};
  if (command.action.reads()) {
    file.lba = command.action.first + command.suspect;
    if (command.action.is_short) {
      file.device = static_cast<std::uint8_t>((file.device & 0xf0U) | file.lba >> 24);
      file.lba &= 0xff'ffff;
    }
  }
  if (command.failed) device_.failed(command.request, file);
  if (command.action.protocol == Protocol::queued) return fail_queue(command, file);
  const std::uint32_t epoch = epoch_;
  if (!send_fis(received_d2h, d2h_fis(file, true)) || epoch != epoch_) return;
  set_task_file(file);
  current_ = command.slot;
  halt(int_d2h | int_task_file);
}

/// An error among queued commands: the drive gives up all of them.
void Controller::fail_queue(Command& command, const TaskFile& file) {
  const std::uint32_t epoch = epoch_;
  device_.queue_failed(command.request.tag(), command.request.is_queued(), file);
  if (!send_fis(received_device_bits, device_bits_fis(file.status, file.error, 0, true)) || epoch != epoch_) return;
  set_task_file(file);
  current_ = command.slot;
  queued_ = 0;
  halt(int_device_bits | int_task_file);
}

/// False, and the port stops, where the platform refuses it.
bool Controller::send_fis(std::uint32_t place, const std::vector<std::byte>& fis) {
  const std::uint32_t epoch = epoch_;
  if (!fis_enable_ || memory_.write(received_ + place, fis)) return true;
  if (epoch == epoch_) halt(int_host_bus);
  return false;
}

}  // namespace tessera::ahci
