#include "nvme/nvme_logs.hpp"

#include <algorithm>

namespace tessera::nvme {

namespace {

constexpr std::size_t error_bytes = 64;
constexpr std::size_t smart_bytes = 512;
constexpr std::uint64_t blocks_per_unit = 1000;  // a data unit is a thousand blocks of 512 B, rounded up

std::uint64_t data_units(std::uint64_t blocks) { return (blocks + blocks_per_unit - 1) / blocks_per_unit; }

}  // namespace

void Logs::failed(std::uint16_t sq, const NvmeCommand& command, Outcome outcome) {
  if (outcome.status == NvmeStatus::write_fault || outcome.status == NvmeStatus::unrecovered_read_error) ++media_errors_;
  const bool has_block = sq != 0 && (command.opcode == io_read || command.opcode == io_write || command.opcode == io_write_zeroes);
  add({.sq = sq,
       .command = command.id,
       .outcome = outcome,
       .block = has_block ? command.first_block() : 0,
       .namespace_id = command.namespace_id});
}

void Logs::add(ErrorEntry entry) {
  entry.count = ++error_count_;
  errors_.push_front(entry);
  if (errors_.size() > most_errors) errors_.pop_back();
}

void Logs::transferred(bool read, std::uint64_t blocks) {
  (read ? blocks_read_ : blocks_written_) += blocks;
  ++(read ? reads_ : writes_);
}

std::vector<std::byte> Logs::errors() const {
  std::vector<std::byte> page(most_errors * error_bytes);
  std::size_t at = 0;
  for (const ErrorEntry& error : errors_) {
    put<std::uint64_t>(page, at, error.count);
    put<std::uint16_t>(page, at + 8, error.sq);
    put<std::uint16_t>(page, at + 10, error.command);
    put<std::uint16_t>(page, at + 12, static_cast<std::uint16_t>(status_field(error.outcome.status) << 1));  // bit 0: phase tag
    put<std::uint16_t>(page, at + 14, error.outcome.location);
    put<std::uint64_t>(page, at + 16, error.block);
    put<std::uint32_t>(page, at + 24, error.namespace_id);
    at += error_bytes;
  }
  return page;
}

std::vector<std::byte> Logs::smart(const DriveHealth& health, Picoseconds now, std::uint8_t warnings) const {
  std::vector<std::byte> page(smart_bytes);
  put<std::uint8_t>(page, 0, warnings);
  put<std::uint16_t>(page, 1, health.kelvin);
  put<std::uint8_t>(page, 3, health.spare_percent);
  put<std::uint8_t>(page, 4, spare_threshold);
  put<std::uint8_t>(page, 5, health.used_percent);
  // Counters of 16 B, whose upper halves stay 0.
  const auto counter = [&page](std::size_t at, std::uint64_t value) { put<std::uint64_t>(page, at, value); };
  counter(32, data_units(blocks_read_));
  counter(48, data_units(blocks_written_));
  counter(64, reads_);
  counter(80, writes_);
  counter(96, health.busy.value() / (60 * ps_per_second));  // minutes
  counter(112, power_cycles_);
  counter(128, now.value() / (3600 * ps_per_second));  // hours
  counter(144, unsafe_shutdowns_);
  counter(160, std::max(media_errors_, health.media_errors));
  counter(176, error_count_);
  return page;
}

std::vector<std::byte> Logs::firmware(const Config& config) {
  std::vector<std::byte> page(512);
  put<std::uint8_t>(page, 0, 1);  // slot 1 is active
  for (std::size_t i = 0; i < 8; ++i) put<char>(page, 8 + i, i < config.revision.size() ? config.revision[i] : ' ');
  return page;
}

}  // namespace tessera::nvme
