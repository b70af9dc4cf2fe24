#include "ahci/ata_device.hpp"

#include <utility>

#include "ahci/ata_identify.hpp"

namespace tessera::ahci {

namespace {

Action refusal(std::uint8_t error) { return {.kind = Action::Kind::refuse, .error = error}; }

Action page(Protocol protocol, std::vector<std::byte> data) {
  return {.kind = Action::Kind::page, .protocol = protocol, .data = std::move(data)};
}

constexpr std::uint8_t lba_bit = 0x40, fua_bit = 0x80;  // of the device register
constexpr std::size_t range_bytes = 8;

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
  standby_ = false;
  switch (command.command) {
    case read_queued:
    case write_queued:
    case read_dma:
    case read_dma_ext:
    case read_sectors:
    case read_sectors_ext:
    case write_dma:
    case write_dma_ext:
    case write_dma_fua_ext:
    case write_sectors:
    case write_sectors_ext: return transfer(command);
    case flush_cache:
    case flush_cache_ext: return {.kind = Action::Kind::flush};
    case standby_immediate: standby_ = true; return {.kind = Action::Kind::flush};
    case standby:
    case idle:
    case idle_immediate: return {};
    case check_power_mode: return {.answer = {.count = 0xff}};  // active
    case identify_device:
      return page(Protocol::pio, identify(config_, {.blocks = blocks_,
                                                    .caches_writes = config_.volatile_cache && caches_writes_,
                                                    .looks_ahead = looks_ahead_,
                                                    .smart = smart_on_}));
    case set_features: return features(command);
    case smart: return smart_page(command);
    case read_log_ext:
    case read_log_dma_ext: return log(command);
    case data_set_management:
      if ((command.features & 1) == 0 || command.count == 0 || command.count > most_trim_blocks) return refusal(error_abort);
      return {.kind = Action::Kind::trim, .protocol = Protocol::dma, .blocks = command.count};
    default: return refusal(error_abort);
  }
}

Action AtaDevice::transfer(const AtaCommand& command) const {
  const std::uint8_t opcode = command.command;
  const bool is_short = opcode == read_dma || opcode == write_dma || opcode == read_sectors || opcode == write_sectors;
  const bool reads =
      opcode == read_queued || opcode == read_dma || opcode == read_dma_ext || opcode == read_sectors || opcode == read_sectors_ext;
  Action action{.kind = reads ? Action::Kind::read : Action::Kind::write, .protocol = Protocol::dma};
  if (command.is_queued()) action.protocol = Protocol::queued;
  if (opcode == read_sectors || opcode == read_sectors_ext || opcode == write_sectors || opcode == write_sectors_ext)
    action.protocol = Protocol::pio;
  if ((command.device & lba_bit) == 0) return refusal(error_abort);  // cylinders and heads
  action.first = is_short ? (command.lba & 0xff'ffff) | std::uint64_t{command.device & 0xfU} << 24 : command.lba;
  const std::uint32_t count = command.is_queued() ? command.features : is_short ? command.count & 0xff : command.count;
  action.blocks = count != 0 ? count : is_short ? 256 : 65'536;
  if (action.first >= blocks_ || action.blocks > blocks_ - action.first) return refusal(error_address);
  const bool asks = opcode == write_dma_fua_ext || (command.is_queued() && (command.device & fua_bit) != 0);
  action.force_unit_access = !reads && (asks || (config_.volatile_cache && !caches_writes_));
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
  enum : std::uint8_t { read_data = 0xd0, read_thresholds = 0xd1, enable = 0xd8, disable = 0xd9, return_status = 0xda };
  constexpr std::uint64_t key = 0xc24f;  // that LBA mid and high have to hold
  const auto feature = static_cast<std::uint8_t>(command.features);
  if ((command.lba >> 8 & 0xffff) != key || (!smart_on_ && feature != enable)) return refusal(error_abort);
  switch (feature) {
    case read_data:
      return page(Protocol::pio,
                  logs_.smart(config_.health ? config_.health() : DriveHealth(), config_.now ? config_.now() : Picoseconds()));
    case read_thresholds: return page(Protocol::pio, Logs::thresholds());
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

/// General purpose logs: the directory, and the error of a queued command.
Action AtaDevice::log(const AtaCommand& command) {
  enum : std::uint8_t { directory = 0x00, queue_error = 0x10 };
  const std::uint64_t number = (command.lba >> 8 & 0xff) | (command.lba >> 24 & 0xff00);
  if (command.count != 1 || number != 0) return refusal(error_abort);
  const Protocol protocol = command.command == read_log_ext ? Protocol::pio : Protocol::dma;
  switch (command.lba & 0xff) {
    case directory: {
      std::vector<std::byte> data(block_bytes);
      put<std::uint16_t>(data, 0, 1);                // version
      put<std::uint16_t>(data, 2 * queue_error, 1);  // pages
      return page(protocol, std::move(data));
    }
    case queue_error: {
      std::vector<std::byte> data = failed_page_.empty() ? queue_error_page(0, false, {}) : failed_page_;
      Action action = page(protocol, std::move(data));
      action.ends_queue = std::exchange(queue_failed_, false);
      failed_page_.clear();
      return action;
    }
    default: return refusal(error_abort);
  }
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
  queue_failed_ = standby_ = false;
  failed_page_.clear();
}

}  // namespace tessera::ahci
