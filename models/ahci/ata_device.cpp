#include "ahci/ata_device.hpp"

#include <algorithm>
#include <utility>

#include "ahci/ata_general_logs.hpp"

namespace tessera::ahci {

namespace {

Action refusal(std::uint8_t error) { return {.kind = Action::Kind::refuse, .error = error}; }

Action page(Protocol protocol, std::vector<std::byte> data) {
  return {.kind = Action::Kind::page, .protocol = protocol, .data = std::move(data)};
}

constexpr std::uint8_t lba_bit = 0x40, fua_bit = 0x80;  // of the device register
constexpr std::size_t range_bytes = 8;

/// The first page of a log that READ or WRITE LOG EXT names.
std::uint64_t page_of(const AtaCommand& command) { return (command.lba >> 8 & 0xff) | (command.lba >> 24 & 0xff00); }

}  // namespace

Action AtaDevice::take(const AtaCommand& command, std::uint32_t queued) {
  const bool reads_queue_log = (command.command == read_log_ext || command.command == read_log_dma_ext) && (command.lba & 0xff) == 0x10;
  if (queue_failed_ && !reads_queue_log) return refusal(error_abort);
  // A tag twice, or a command of the other kind while the queue holds some.
  if (queued != 0 && (!command.is_queued() || (queued >> command.tag() & 1) != 0)) {
    Action action = refusal(error_abort);
    action.ends_queue = true;
    return action;
  }
  if (command.command != check_power_mode) standby_ = false;
  switch (command.command) {
    case read_queued:
    case write_queued:
    case read_dma:
    case read_dma_ext:
    case read_sectors:
    case read_sectors_ext:
    case read_verify:
    case read_verify_ext:
    case write_dma:
    case write_dma_ext:
    case write_dma_fua_ext:
    case write_sectors:
    case write_sectors_ext: return transfer(command);
    case flush_cache:
    case flush_cache_ext: return {.kind = Action::Kind::flush};
    case standby_immediate:
    case standby: return stand_by(command.command == standby_immediate);
    case sleep: {
      if (!config_.spindle.exists()) return refusal(error_abort);
      Action action = stand_by(true);
      action.sleeps = true;
      return action;
    }
    case idle:
    case idle_immediate:
      if (config_.spindle.exists()) config_.spindle.start();
      return {};
    case check_power_mode: {
      constexpr std::uint16_t in_standby = 0x00, active_or_idle = 0xff;
      const bool stopped = config_.spindle.exists() && config_.spindle.stopped();
      return {.answer = {.count = stopped ? in_standby : active_or_idle}};
    }
    case execute_device_diagnostic: reset(); return {.answer = signature()};
    case identify_device: return page(Protocol::pio, identify(config_, state()));
    case set_features: return features(command);
    case smart: return smart_page(command);
    case read_log_ext:
    case read_log_dma_ext: return log(command);
    case write_log_ext:
    case write_log_dma_ext: return log_to_write(command);
    case data_set_management:
      if ((command.features & 1) == 0 || command.count == 0 || command.count > most_trim_blocks) return refusal(error_abort);
      return {.kind = Action::Kind::trim, .protocol = Protocol::dma, .blocks = command.count};
    default: return refusal(error_abort);
  }
}

Action AtaDevice::transfer(const AtaCommand& command) const {
  const std::uint8_t opcode = command.command;
  const bool is_short =
      opcode == read_dma || opcode == write_dma || opcode == read_sectors || opcode == write_sectors || opcode == read_verify;
  const bool verifies = opcode == read_verify || opcode == read_verify_ext;
  const bool reads =
      opcode == read_queued || opcode == read_dma || opcode == read_dma_ext || opcode == read_sectors || opcode == read_sectors_ext;
  Action action{.kind = verifies ? Action::Kind::verify : reads ? Action::Kind::read : Action::Kind::write, .protocol = Protocol::dma};
  if (verifies) action.protocol = Protocol::none;
  if (command.is_queued()) action.protocol = Protocol::queued;
  if (opcode == read_sectors || opcode == read_sectors_ext || opcode == write_sectors || opcode == write_sectors_ext)
    action.protocol = Protocol::pio;
  if ((command.device & lba_bit) == 0) return refusal(error_abort);  // cylinders and heads
  action.first = is_short ? (command.lba & 0xff'ffff) | std::uint64_t{command.device & 0xfU} << 24 : command.lba;
  const std::uint32_t count = command.is_queued() ? command.features : is_short ? command.count & 0xff : command.count;
  action.blocks = count != 0 ? count : is_short ? 256 : 65'536;
  if (action.first >= blocks_ || action.blocks > blocks_ - action.first) return refusal(error_address);
  const bool asks = opcode == write_dma_fua_ext || (command.is_queued() && (command.device & fua_bit) != 0);
  action.force_unit_access = action.kind == Action::Kind::write && (asks || (config_.volatile_cache && !caches_writes_));
  return action;
}

Action AtaDevice::features(const AtaCommand& command) {
  enum : std::uint8_t { cache_on = 0x02, transfer_mode = 0x03, look_ahead_off = 0x55, cache_off = 0x82, look_ahead_on = 0xaa };
  switch (command.features & 0xff) {
    case cache_on: caches_writes_ = true; return {};
    case cache_off: caches_writes_ = false; return {.kind = Action::Kind::flush};
    case look_ahead_on: looks_ahead_ = true; return {};
    case look_ahead_off: looks_ahead_ = false; return {};
    case transfer_mode: return {};  // of a parallel bus
    default: return refusal(error_abort);
  }
}

Action AtaDevice::smart_page(const AtaCommand& command) {
  enum : std::uint8_t { read_data = 0xd0, read_thresholds = 0xd1, autosave = 0xd2, enable = 0xd8, disable = 0xd9, return_status = 0xda };
  constexpr std::uint64_t key = 0xc24f;  // that LBA mid and high have to hold
  const auto feature = static_cast<std::uint8_t>(command.features);
  if ((command.lba >> 8 & 0xffff) != key || (!smart_on_ && feature != enable)) return refusal(error_abort);
  switch (feature) {
    case read_data:
      return page(Protocol::pio,
                  logs_.smart(config_.health ? config_.health() : DriveHealth(), config_.now ? config_.now() : Picoseconds()));
    case read_thresholds: return page(Protocol::pio, Logs::thresholds());
    case autosave: {  // the counters keep themselves either way
      constexpr std::uint8_t on = 0xf1, off = 0x00;
      const auto wanted = static_cast<std::uint8_t>(command.count);
      return wanted == on || wanted == off ? Action() : refusal(error_abort);
    }
    case enable:
    case disable: smart_on_ = feature == enable; return {};
    case return_status: {
      constexpr std::uint64_t exceeded = 0x2cf4;
      const bool fails = Logs::threshold_exceeded(config_.health ? config_.health() : DriveHealth());
      return {.answer = {.lba = (fails ? exceeded : key) << 8}};
    }
    default: return refusal(error_abort);
  }
}

/// The host announces the end of power, or wants the spindle to stop.
Action AtaDevice::stand_by(bool at_once) {
  const bool stops = config_.spindle.exists();
  if (!at_once && !stops) return {};  // the standby timer is the drive's own
  standby_ = true;
  return {.kind = Action::Kind::flush, .stops_spindle = stops};
}

void AtaDevice::completed(const Action& action) {
  if (action.stops_spindle) config_.spindle.stop();
  if (action.sleeps) asleep_ = true;
  if (action.kind == Action::Kind::read || action.kind == Action::Kind::write)
    logs_.transferred(action.kind == Action::Kind::read, action.blocks);
}

DeviceState AtaDevice::state() const {
  return {.blocks = blocks_, .caches_writes = config_.volatile_cache && caches_writes_, .looks_ahead = looks_ahead_, .smart = smart_on_};
}

/// General purpose logs. That of a queued command's error ends the queue's.
Action AtaDevice::log(const AtaCommand& command) {
  const auto address = static_cast<std::uint8_t>(command.lba & 0xff);
  const std::uint64_t first = page_of(command), pages = pages_of_log(address);
  if (command.count == 0 || first + command.count > pages) return refusal(error_abort);
  const Protocol protocol = command.command == read_log_ext ? Protocol::pio : Protocol::dma;
  if (address == queue_error_log) {
    std::vector<std::byte> data = failed_page_.empty() ? queue_error_page(0, false, {}) : failed_page_;
    Action action = page(protocol, std::move(data));
    action.ends_queue = std::exchange(queue_failed_, false);
    failed_page_.clear();
    return action;
  }
  const std::vector<std::byte> content = log_content(address);
  const auto begin = content.begin() + static_cast<std::ptrdiff_t>(first * block_bytes);
  return page(protocol, {begin, begin + static_cast<std::ptrdiff_t>(command.count * block_bytes)});
}

std::vector<std::byte> AtaDevice::log_content(std::uint8_t address) const {
  switch (address) {
    case directory_log: return log_directory();
    case device_statistics_log: return logs_.statistics(config_.now ? config_.now() : Picoseconds());
    case identify_log: return identify_pages(config_, state());
    default: {
      const auto written = host_logs_.find(address);
      return written == host_logs_.end() ? std::vector<std::byte>(pages_of_log(address) * block_bytes) : written->second;
    }
  }
}

/// WRITE LOG EXT takes the logs that are the host's.
Action AtaDevice::log_to_write(const AtaCommand& command) const {
  const auto address = static_cast<std::uint8_t>(command.lba & 0xff);
  const std::uint64_t first = page_of(command);
  if (!is_host_log(address) || command.count == 0 || first + command.count > pages_of_log(address)) return refusal(error_abort);
  return {.kind = Action::Kind::log,
          .protocol = command.command == write_log_ext ? Protocol::pio : Protocol::dma,
          .first = first,
          .blocks = command.count,
          .log_address = address};
}

void AtaDevice::write_log(const Action& action, std::span<const std::byte> data) {
  std::vector<std::byte>& content = host_logs_[action.log_address];
  content.resize(pages_of_log(action.log_address) * block_bytes);
  std::ranges::copy(data, content.begin() + static_cast<std::ptrdiff_t>(action.first * block_bytes));
}

void AtaDevice::queue_failed(std::uint32_t tag, bool queued, const TaskFile& file) {
  queue_failed_ = true;
  failed_page_ = queue_error_page(tag, queued, file);
}

std::optional<std::vector<TrimRange>> AtaDevice::ranges(std::span<const std::byte> data) const {
  std::vector<TrimRange> ranges;
  for (std::size_t at = 0; at < data.size(); at += range_bytes) {
    const auto entry = get<std::uint64_t>(data, at);
    const TrimRange range{entry & 0xffff'ffff'ffff, static_cast<std::uint32_t>(entry >> 48)};
    if (range.blocks == 0) continue;
    if (range.first >= blocks_ || range.blocks > blocks_ - range.first) return std::nullopt;
    ranges.push_back(range);
  }
  return ranges;
}

void AtaDevice::power_on() { logs_.power_on(); }

void AtaDevice::power_off() {
  if (!standby_) logs_.unsafe_shutdown();
  caches_writes_ = looks_ahead_ = true;
  queue_failed_ = standby_ = asleep_ = false;
  failed_page_.clear();
}

}  // namespace tessera::ahci
