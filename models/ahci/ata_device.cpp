#include "ahci/ata_device.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tessera::ahci {

namespace {

Action refusal(std::uint8_t error) { return {.kind = Action::Kind::refuse, .error = error}; }

Action page(Protocol protocol, std::vector<std::byte> data) {
  return {.kind = Action::Kind::page, .protocol = protocol, .data = std::move(data)};
}

constexpr std::uint8_t lba_bit = 0x40, fua_bit = 0x80;  // of the device register
constexpr std::size_t range_bytes = 8;

/// A command that transfers blocks.
struct Transfer {
  std::uint8_t opcode;
  Action::Kind kind;
  Protocol protocol;
  bool is_short = false;  ///< 28 bits
  bool multiple = false;
  bool forced = false;
};
constexpr Transfer transfers[] = {
    {read_queued, Action::Kind::read, Protocol::queued},
    {write_queued, Action::Kind::write, Protocol::queued},
    {read_dma, Action::Kind::read, Protocol::dma, true},
    {read_dma_ext, Action::Kind::read, Protocol::dma},
    {read_sectors, Action::Kind::read, Protocol::pio, true},
    {read_sectors_ext, Action::Kind::read, Protocol::pio},
    {read_multiple, Action::Kind::read, Protocol::pio, true, true},
    {read_multiple_ext, Action::Kind::read, Protocol::pio, false, true},
    {read_verify, Action::Kind::verify, Protocol::none, true},
    {read_verify_ext, Action::Kind::verify, Protocol::none},
    {write_dma, Action::Kind::write, Protocol::dma, true},
    {write_dma_ext, Action::Kind::write, Protocol::dma},
    {write_dma_fua_ext, Action::Kind::write, Protocol::dma, false, false, true},
    {write_sectors, Action::Kind::write, Protocol::pio, true},
    {write_sectors_ext, Action::Kind::write, Protocol::pio},
    {write_multiple, Action::Kind::write, Protocol::pio, true, true},
    {write_multiple_ext, Action::Kind::write, Protocol::pio, false, true},
    {write_multiple_fua_ext, Action::Kind::write, Protocol::pio, false, true, true},
};

}  // namespace

Action AtaDevice::take(const AtaCommand& command, std::uint32_t queued) {
  logs_.seen(command, now());
  const bool reads_queue_log = (command.command == read_log_ext || command.command == read_log_dma_ext) && (command.lba & 0xff) == 0x10;
  if (queue_failed_ && !reads_queue_log) return refusal(error_abort);
  // A tag twice or too high, or a command of the other kind while the queue holds some.
  const bool wrong_tag = command.is_queued() && (command.tag() >= config_.queue_depth || (queued >> command.tag() & 1) != 0);
  if (wrong_tag || (queued != 0 && !command.is_queued())) {
    Action action = refusal(error_abort);
    action.ends_queue = true;
    return action;
  }
  if (command.command != check_power_mode) standby_ = false;
  const auto general = [&](Protocol protocol) {
    return LogPages{.address = static_cast<std::uint8_t>(command.lba),
                    .first = (command.lba >> 8 & 0xff) | (command.lba >> 24 & 0xff00),
                    .count = command.count,
                    .protocol = protocol};
  };
  switch (command.command) {
    case flush_cache:
    case flush_cache_ext: return {.kind = Action::Kind::flush};
    case standby_immediate:
    case standby: return stand_by();
    case sleep: {
      Action action = stand_by();
      action.sleeps = true;
      return action;
    }
    case idle:
    case idle_immediate: return turn();
    case check_power_mode: {
      constexpr std::uint16_t standby_mode = 0x00, active_or_idle = 0xff;
      return {.answer = {.count = in_standby() ? standby_mode : active_or_idle}};
    }
    case execute_device_diagnostic: reset(); return {.answer = signature()};
    case identify_device: return page(Protocol::pio, identify(config_, state()));
    case set_features: return features(command);
    case set_multiple_mode: return multiple_mode(command.count & 0xff);
    case smart: return smart_page(command);
    case read_log_ext: return log(general(Protocol::pio));
    case read_log_dma_ext: return log(general(Protocol::dma));
    case write_log_ext: return log_to_write(general(Protocol::pio));
    case write_log_dma_ext: return log_to_write(general(Protocol::dma));
    case data_set_management:
      if ((command.features & 1) == 0 || command.count == 0 || command.count > most_trim_blocks) return refusal(error_abort);
      rests_ = false;
      return {.kind = Action::Kind::trim, .protocol = Protocol::dma, .blocks = command.count};
    default: return transfer(command);
  }
}

Action AtaDevice::transfer(const AtaCommand& command) {
  const auto* const found = std::ranges::find(transfers, command.command, &Transfer::opcode);
  if (found == std::end(transfers) || (found->multiple && settings_.multiple == 0)) return refusal(error_abort);
  if ((command.device & lba_bit) == 0) return refusal(error_abort);  // cylinders and heads
  Action action{
      .kind = found->kind, .protocol = found->protocol, .piece = found->multiple ? settings_.multiple : 1, .is_short = found->is_short};
  action.first = found->is_short ? (command.lba & 0xff'ffff) | std::uint64_t{command.device & 0xfU} << 24 : command.lba;
  const std::uint32_t count = command.is_queued() ? command.features : found->is_short ? command.count & 0xff : command.count;
  action.blocks = count != 0 ? count : found->is_short ? 256 : 65'536;
  if (action.first >= blocks_ || action.blocks > blocks_ - action.first) return refusal(error_address);
  const bool asks = found->forced || (command.is_queued() && (command.device & fua_bit) != 0);
  action.force_unit_access = action.kind == Action::Kind::write && (asks || (config_.volatile_cache && !settings_.caches_writes));
  rests_ = false;
  return action;
}

Action AtaDevice::features(const AtaCommand& command) {
  enum : std::uint8_t {
    cache_on = 0x02,
    mode = 0x03,
    sata_on = 0x10,
    look_ahead_off = 0x55,
    cache_off = 0x82,
    sata_off = 0x90,
    look_ahead_on = 0xaa
  };
  constexpr std::uint8_t preservation = 0x06;
  const auto feature = static_cast<std::uint8_t>(command.features), detail = static_cast<std::uint8_t>(command.count);
  switch (feature) {
    case cache_on:
    case cache_off:
      if (!config_.volatile_cache) return refusal(error_abort);
      settings_.caches_writes = feature == cache_on;
      return feature == cache_on ? Action() : Action{.kind = Action::Kind::flush};
    case look_ahead_on:
    case look_ahead_off: settings_.looks_ahead = feature == look_ahead_on; return {};
    case mode: return transfer_mode(detail);
    case sata_on:
    case sata_off:
      if (detail != preservation) return refusal(error_abort);
      preserves_ = feature == sata_on;
      return {};
    default: return refusal(error_abort);
  }
}

/// Of a parallel bus: PIO 0 to 4, multiword DMA 0 to 2, Ultra DMA 0 to 6. No effect but in IDENTIFY DEVICE.
Action AtaDevice::transfer_mode(std::uint8_t mode) {
  const unsigned kind = mode >> 3, number = mode & 7;
  if (mode <= 1 || (kind == 1 && number <= 4)) return {};
  if ((kind != 4 || number > 2) && (kind != 8 || number > 6)) return refusal(error_abort);
  settings_.transfer_mode = mode;
  return {};
}

Action AtaDevice::multiple_mode(std::uint32_t blocks) {
  if (blocks > most_multiple || (blocks & (blocks - 1)) != 0) return refusal(error_abort);
  settings_.multiple = blocks;
  return {};
}

Action AtaDevice::smart_page(const AtaCommand& command) {
  enum : std::uint8_t {
    read_data = 0xd0,
    read_thresholds = 0xd1,
    autosave = 0xd2,
    read_log = 0xd5,
    write_log = 0xd6,
    enable = 0xd8,
    disable = 0xd9,
    return_status = 0xda
  };
  constexpr std::uint64_t key = 0xc24f;  // that LBA mid and high have to hold
  const auto feature = static_cast<std::uint8_t>(command.features);
  if ((command.lba >> 8 & 0xffff) != key || (!smart_on_ && feature != enable)) return refusal(error_abort);
  const LogPages pages{.set = LogSet::smart, .address = static_cast<std::uint8_t>(command.lba), .count = command.count & 0xffU};
  switch (feature) {
    case read_data: return page(Protocol::pio, logs_.smart(health(), now()));
    case read_thresholds: return page(Protocol::pio, logs_.thresholds());
    case autosave: {  // the counters keep themselves either way
      constexpr std::uint8_t on = 0xf1, off = 0x00;
      const auto wanted = static_cast<std::uint8_t>(command.count);
      return wanted == on || wanted == off ? Action() : refusal(error_abort);
    }
    case read_log: return log(pages);
    case write_log: return log_to_write(pages);
    case enable:
    case disable: smart_on_ = feature == enable; return {};
    case return_status: {
      constexpr std::uint64_t exceeded = 0x2cf4;
      return {.answer = {.lba = (Logs::threshold_exceeded(health()) ? exceeded : key) << 8}};
    }
    default: return refusal(error_abort);
  }
}

/// The host announces the end of power, or wants the spindle to stop. The standby timer that it may set is the drive's own.
Action AtaDevice::stand_by() {
  standby_ = true;
  return {.kind = Action::Kind::flush, .stops_spindle = true};
}

Action AtaDevice::turn() {
  rests_ = false;
  if (config_.spindle.exists()) config_.spindle.start();
  return {};
}

void AtaDevice::completed(const Action& action) {
  if (action.stops_spindle) {
    rests_ = true;
    if (config_.spindle.exists()) config_.spindle.stop();
  }
  if (action.sleeps) asleep_ = true;
  if (action.kind == Action::Kind::read || action.kind == Action::Kind::write)
    logs_.transferred(action.kind == Action::Kind::read, action.blocks);
}

void AtaDevice::hard_reset(std::uint32_t generation) {
  reset();
  generation_ = generation;
  if (!preserves_) settings_ = {};
}

DeviceState AtaDevice::state() const {
  DeviceState state{settings_, blocks_, generation_, preserves_, smart_on_};
  state.caches_writes = config_.volatile_cache && settings_.caches_writes;
  return state;
}

/// The log of a queued command's error ends that of the queue.
Action AtaDevice::log(const LogPages& pages) {
  if (pages.count == 0 || pages.first + pages.count > pages_of_log(pages.set, pages.address)) return refusal(error_abort);
  if (pages.address == queue_error_log) {
    std::vector<std::byte> data = failed_page_.empty() ? queue_error_page(0, false, {}) : failed_page_;
    Action action = page(pages.protocol, std::move(data));
    action.ends_queue = std::exchange(queue_failed_, false);
    failed_page_.clear();
    return action;
  }
  const std::vector<std::byte> content = log_content(pages.set, pages.address);
  const auto begin = content.begin() + static_cast<std::ptrdiff_t>(pages.first * block_bytes);
  return page(pages.protocol, {begin, begin + static_cast<std::ptrdiff_t>(pages.count * block_bytes)});
}

std::vector<std::byte> AtaDevice::log_content(LogSet set, std::uint8_t address) const {
  switch (address) {
    case directory_log: return log_directory(set);
    case error_summary_log: return logs_.error_summary();
    case error_log: return logs_.errors();
    case device_statistics_log: return logs_.statistics(health(), now());
    case identify_log: return identify_pages(config_, state());
    default: {
      const auto written = host_logs_.find(address);
      return written == host_logs_.end() ? std::vector<std::byte>(pages_of_log(set, address) * block_bytes) : written->second;
    }
  }
}

/// The host writes the logs that are its own.
Action AtaDevice::log_to_write(const LogPages& pages) const {
  if (!is_host_log(pages.address) || pages.count == 0 || pages.first + pages.count > pages_of_log(pages.set, pages.address))
    return refusal(error_abort);
  return {.kind = Action::Kind::log, .protocol = pages.protocol, .first = pages.first, .blocks = pages.count, .log_address = pages.address};
}

void AtaDevice::write_log(const Action& action, std::span<const std::byte> data) {
  std::vector<std::byte>& content = host_logs_[action.log_address];
  content.resize(pages_of_log(LogSet::general, action.log_address) * block_bytes);
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

void AtaDevice::power_on() { logs_.power_on(now()); }

void AtaDevice::power_off() {
  if (!standby_) logs_.unsafe_shutdown();
  settings_ = {};
  preserves_ = true;
  queue_failed_ = standby_ = asleep_ = rests_ = false;
  failed_page_.clear();
}

}  // namespace tessera::ahci
