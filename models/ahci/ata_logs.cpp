#include "ahci/ata_logs.hpp"

#include <algorithm>

#include "ahci/ata_identify.hpp"

namespace tessera::ahci {

namespace {

constexpr std::uint8_t spare_threshold = 10;  // percent of the spares: ours

/// An attribute: what it is, how good its value is (100: as new), below which value it fails, and the number behind the value.
struct Attribute {
  std::uint8_t id = 0;
  bool warns = false;
  std::uint8_t value = 100;
  std::uint8_t threshold = 0;
  std::uint64_t raw = 0;
};

constexpr std::size_t attribute_bytes = 12;
constexpr std::size_t first_attribute = 2;

}  // namespace

std::vector<std::byte> queue_error_page(std::uint32_t tag, bool queued, const TaskFile& file) {
  std::vector<std::byte> page(block_bytes);
  put<std::uint8_t>(page, 0, static_cast<std::uint8_t>(tag | (queued ? 0 : 0x80U)));
  put<std::uint8_t>(page, 2, file.status);
  put<std::uint8_t>(page, 3, file.error);
  put_address(page, file);
  put_checksum(page);
  return page;
}

std::vector<std::byte> Logs::smart(const DriveHealth& health, Picoseconds now) const {
  const Attribute attributes[] = {
      {.id = 5, .warns = true, .value = health.spare_percent, .threshold = spare_threshold, .raw = health.relocations},
      {.id = 9, .raw = now.value() / (3600 * ps_per_second)},  // hours
      {.id = 12, .raw = power_cycles_},
      {.id = 192, .raw = unsafe_shutdowns_},
      {.id = 194, .raw = static_cast<std::uint64_t>(health.kelvin) - 273},  // degrees Celsius
      {.id = 198, .raw = std::max(failures_, health.media_errors)},
      {.id = 240, .raw = health.busy.value() / (3600 * ps_per_second)},  // hours in which the heads worked
      {.id = 241, .raw = blocks_written_},
      {.id = 242, .raw = blocks_read_},
  };
  std::vector<std::byte> page(block_bytes);
  put<std::uint16_t>(page, 0, 0x0010);  // revision
  std::size_t at = first_attribute;
  for (const Attribute& attribute : attributes) {
    put<std::uint8_t>(page, at, attribute.id);
    put<std::uint16_t>(page, at + 1, attribute.warns ? 0x0033 : 0x0032);  // updated on line; keeps itself; counts events
    put<std::uint8_t>(page, at + 3, attribute.value);
    put<std::uint8_t>(page, at + 4, attribute.value);
    put<std::uint32_t>(page, at + 5, static_cast<std::uint32_t>(attribute.raw));
    put<std::uint16_t>(page, at + 9, static_cast<std::uint16_t>(attribute.raw >> 32));
    at += attribute_bytes;
  }
  put<std::uint16_t>(page, 368, 0x0003);  // saves its data before standby and by itself
  put_checksum(page);
  return page;
}

std::vector<std::byte> Logs::statistics(Picoseconds now) const {
  constexpr std::uint64_t supported = std::uint64_t{1} << 63, valid = std::uint64_t{1} << 62, revision = 1;
  std::vector<std::byte> pages(2 * block_bytes);
  put<std::uint64_t>(pages, 0, revision);
  put<std::uint8_t>(pages, 8, 2);  // pages: 00h
  put<std::uint8_t>(pages, 10, 1);
  const auto set = [&](std::size_t at, std::uint64_t value) { put<std::uint64_t>(pages, block_bytes + at, value | supported | valid); };
  put<std::uint64_t>(pages, block_bytes, 1U << 16 | revision);
  set(8, power_cycles_);
  set(16, now.value() / (3600 * ps_per_second));  // hours
  set(24, blocks_written_);
  set(32, writes_);
  set(40, blocks_read_);
  set(48, reads_);
  return pages;
}

std::vector<std::byte> Logs::thresholds() {
  std::vector<std::byte> page(block_bytes);
  put<std::uint16_t>(page, 0, 0x0010);
  put<std::uint8_t>(page, first_attribute, 5);
  put<std::uint8_t>(page, first_attribute + 1, spare_threshold);
  put_checksum(page);
  return page;
}

bool Logs::threshold_exceeded(const DriveHealth& health) { return health.spare_percent <= spare_threshold; }

}  // namespace tessera::ahci
