#include "ahci/ata_general_logs.hpp"

#include <algorithm>
#include <bit>
#include <span>

#include "ahci/ata_logs.hpp"

namespace tessera::ahci {

namespace {

constexpr std::uint64_t bit(unsigned number) { return std::uint64_t{1} << number; }
constexpr std::uint64_t valid = bit(63);

enum IdentifyPage : std::uint8_t {
  list_page = 0x00,
  copy_page = 0x01,
  capacity_page = 0x02,
  capabilities_page = 0x03,
  settings_page = 0x04,
  strings_page = 0x05,
  sata_page = 0x08
};
constexpr std::uint8_t identify_pages_listed[] = {list_page,     copy_page,    capacity_page, capabilities_page,
                                                  settings_page, strings_page, sata_page};

/// One page of log 30h, in words of 64 bits.
class Page {
 public:
  Page(std::vector<std::byte>& log, IdentifyPage number) : page_(std::span(log).subspan(number * block_bytes, block_bytes)) {
    constexpr std::uint64_t revision = 1;
    if (number != copy_page) set(0, valid | std::uint64_t{number} << 16 | revision);
  }
  void set(std::size_t at, std::uint64_t value) { put<std::uint64_t>(page_, at, value); }
  void set_byte(std::size_t at, std::uint8_t value) { put<std::uint8_t>(page_, at, value); }
  /// Words of IDENTIFY DEVICE.
  void copy(std::size_t at, std::span<const std::byte> identified, std::size_t word, std::size_t words) {
    std::ranges::copy(identified.subspan(2 * word, 2 * words), page_.begin() + static_cast<std::ptrdiff_t>(at));
  }

 private:
  std::span<std::byte> page_;
};

void describe_list(Page page) {
  page.set_byte(8, std::size(identify_pages_listed));
  for (std::size_t i = 0; i < std::size(identify_pages_listed); ++i) page.set_byte(9 + i, identify_pages_listed[i]);
}

void describe_capacity(Page page, const Config& config, const DeviceState& state) {
  const auto exponent = static_cast<unsigned>(std::countr_zero(config.physical_sector / static_cast<std::uint32_t>(block_bytes)));
  page.set(8, valid | state.blocks);
  page.set(16, valid | (exponent != 0 ? bit(62) : 0) | std::uint64_t{exponent} << 16);
  page.set(24, valid | block_bytes / 2);  // a logical sector in words
}

void describe_capabilities(Page page, const Config& config, std::span<const std::byte> identified) {
  const std::uint64_t trim = config.zeros_after_trim ? bit(39) | bit(31) : 0;  // DRAT, RZAT
  // 28-bit commands, NOP, look-ahead, write cache, SMART, FLUSH CACHE EXT, 48 bits, writes with FUA, logs, error logs, logs by DMA.
  page.set(8, valid | trim | bit(32) | bit(29) | bit(25) | (config.volatile_cache ? bit(24) : 0) | bit(23) | bit(22) | bit(20) | bit(12) |
                  bit(11) | bit(7) | bit(2));
  page.set(24, valid | config.rotation_rpm);
  page.set(32, valid | 2);  // 3.5 inches
  for (std::size_t i = 0; i < 4; ++i)
    page.copy(56 + 2 * i, identified, 111 - i, 1);  // world wide name, whose words lie the other way round
  page.set(64, valid);
  page.set(72, valid | std::uint64_t{most_trim_blocks} << 16 | 1);
  if (config.drive_managed_zones) page.set(104, valid | 2);  // ACS-4
  page.set(136, valid | (config.queue_depth - 1));
}

void describe_settings(Page page, const DeviceState& state) {
  page.set(8, valid | (state.caches_writes ? bit(13) : 0) | (state.looks_ahead ? bit(7) : 0) | (state.smart ? bit(6) : 0));
}

void describe_strings(Page page, std::span<const std::byte> identified) {
  page.copy(8, identified, 10, 10);   // serial number
  page.copy(32, identified, 23, 4);   // revision
  page.copy(48, identified, 27, 20);  // model
}

void describe_sata(Page page, const Config& config, const DeviceState& state) {
  page.set(8, valid | bit(23) | bit(7) | ((1U << config.link_generation) - 1));  // settings stay; NCQ; the link's generations up to this
  page.set(16, valid | (state.preserves ? bit(8) : 0) | state.generation);
}

}  // namespace

std::uint32_t pages_of_log(LogSet set, std::uint8_t address) {
  switch (address) {
    case directory_log: return 1;
    case error_summary_log: return set == LogSet::smart ? 1 : 0;
    case error_log:
    case queue_error_log: return set == LogSet::general ? 1 : 0;
    case device_statistics_log: return Logs::statistics_pages;
    case identify_log: return sata_page + 1;
    default: return is_host_log(address) ? 16 : 0;
  }
}

std::vector<std::byte> log_directory(LogSet set) {
  std::vector<std::byte> page(block_bytes);
  for (std::size_t address = 1; address < block_bytes / 2; ++address)
    put<std::uint16_t>(page, 2 * address, static_cast<std::uint16_t>(pages_of_log(set, static_cast<std::uint8_t>(address))));
  put<std::uint16_t>(page, 0, 1);  // version
  return page;
}

std::vector<std::byte> identify_pages(const Config& config, const DeviceState& state) {
  std::vector<std::byte> log(pages_of_log(LogSet::general, identify_log) * block_bytes);
  const std::vector<std::byte> identified = identify(config, state);
  describe_list(Page(log, list_page));
  Page(log, copy_page).copy(0, identified, 0, block_bytes / 2);
  describe_capacity(Page(log, capacity_page), config, state);
  describe_capabilities(Page(log, capabilities_page), config, identified);
  describe_settings(Page(log, settings_page), state);
  describe_strings(Page(log, strings_page), identified);
  describe_sata(Page(log, sata_page), config, state);
  return log;
}

}  // namespace tessera::ahci
