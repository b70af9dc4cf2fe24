// The way of a command through the port (AHCI 1.3.1, 5): fetch, data, FISes, completion.
#include <algorithm>
#include <bit>
#include <utility>

#include "ahci/ahci_controller.hpp"

namespace tessera::ahci {

namespace {

constexpr std::uint32_t trim_range_blocks = 65'535;  // the most of one, so a transfer is below 4 GiB
constexpr std::size_t fis_bytes = 20;

}  // namespace

/// One command, of the next slot in turn.
bool Controller::fetch() {
  if (!running_ || halted_ || busy() || issued_ == 0) return false;
  const std::uint32_t epoch = epoch_;
  const auto turn = static_cast<int>((current_ + 1) % 32);
  const std::uint32_t slot =
      (static_cast<std::uint32_t>(std::countr_zero(std::rotr(issued_, turn))) + static_cast<std::uint32_t>(turn)) % 32;
  current_ = slot;
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

/// The control register: the reset bit set, and cleared.
void Controller::control(Command& command, std::uint32_t header) {
  constexpr std::uint8_t reset_bit = 4;
  const bool resets = (command.request.control & reset_bit) != 0;
  const std::uint32_t epoch = epoch_;
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
    task_file_ = status_busy;
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
    const auto bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>((flags & 0x3f'ffff) + 1, left));
    command.segments.push_back({get<std::uint64_t>(table, at) & ~std::uint64_t{1}, bytes});
    command.interrupts |= flags >> 31 != 0;
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
  const TaskFile asks{.status = status_idle | status_request, .count = 1};
  for (std::uint32_t block = 0; command.action.protocol == Protocol::pio && block < command.action.blocks; ++block)
    if (!send_fis(received_pio_setup, pio_setup_fis(asks, false, block != 0, status_busy)) || epoch != epoch_) return false;
  command.data.resize(bytes);
  const bool reached = gather(memory_, command.segments, command.data);
  if (epoch != epoch_) return false;
  if (!reached) halt(int_host_bus);
  return reached;
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
  else
    finished_.push_back(transfer.command);
}

bool Controller::complete_one() {
  if (halted_ || finished_.empty()) return false;
  const auto entry = commands_.at(finished_.front());
  finished_.pop_front();
  Command& command = *entry;
  commands_.erase(command.number);
  if (command.failed) {
    device_.failed();
    const bool reads = command.action.kind == Action::Kind::read || command.action.kind == Action::Kind::verify;
    fail(command, reads ? error_data : error_abort, !reads);
  } else {
    complete(command);
  }
  return true;
}

/// Without error: a read's data, then the status.
void Controller::complete(Command& command) {
  const Action& action = command.action;
  const std::uint32_t epoch = epoch_;
  device_.completed(action);
  if (action.ends_queue) {  // the log of a failed queue was read
    if (!send_fis(received_device_bits, device_bits_fis(status_ready, 0, ~0U, false)) || epoch != epoch_) return;
    active_ = 0;
  }
  if (action.to_host()) give_to_host(command);
  if (epoch != epoch_ || halted_) return;
  if (command.interrupts) raise(int_descriptor);
  if (action.protocol == Protocol::queued) {
    const std::uint32_t tag = 1U << command.tag;
    if (!send_fis(received_device_bits, device_bits_fis(status_ready, 0, tag, true)) || epoch != epoch_) return;
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
  const TaskFile asks{.status = status_idle | status_request, .count = 1};
  for (std::size_t at = 0; action.protocol == Protocol::pio && at < data.size(); at += block_bytes)
    if (!send_fis(received_pio_setup, pio_setup_fis(asks, true, true, status_idle)) || epoch != epoch_) return;
  const bool reached = scatter(memory_, command.segments, data);
  if (epoch == epoch_ && !reached) halt(int_host_bus);
}

/// The slot stays in PxCI, and the port stops until the host clears ST.
void Controller::fail(Command& command, std::uint8_t error, bool fault) {
  const TaskFile file{.status = static_cast<std::uint8_t>(status_ready | status_error | (fault ? status_fault : 0)),
                      .error = error,
                      .device = command.request.device,
                      .count = command.request.count,
                      .lba = command.request.lba};
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
