#include "ahci/ata_identify.hpp"

#include <algorithm>
#include <bit>
#include <string_view>

#include "ahci/ata_wire.hpp"

namespace tessera::ahci {

namespace {

class Words {
 public:
  explicit Words(std::vector<std::byte>& page) : page_(page) {}
  void set(std::size_t word, std::uint64_t value) { put<std::uint16_t>(page_, 2 * word, static_cast<std::uint16_t>(value)); }
  void set_wide(std::size_t word, std::size_t count, std::uint64_t value) {
    for (std::size_t i = 0; i < count; ++i) set(word + i, value >> 16 * i);
  }
  /// ASCII, filled up with spaces, the first letter of each word in its upper half.
  void set_text(std::size_t word, std::size_t count, std::string_view text) {
    for (std::size_t i = 0; i < 2 * count; ++i) put<char>(page_, 2 * word + (i ^ 1), i < text.size() ? text[i] : ' ');
  }

 private:
  std::vector<std::byte>& page_;
};

constexpr std::uint8_t ultra_dma = 0x40;  // a transfer mode from here on; multiword DMA below

/// NAA 5, made of the serial number (FNV-1a).
std::uint64_t world_wide_name(std::string_view serial) {
  std::uint64_t name = 0xcbf2'9ce4'8422'2325;
  for (const char letter : serial) name = (name ^ static_cast<unsigned char>(letter)) * 0x100'0000'01b3;
  return (name >> 4) | 0x5000'0000'0000'0000;
}

}  // namespace

void put_checksum(std::vector<std::byte>& page) {
  std::uint8_t sum = 0;
  for (std::size_t i = 0; i + 1 < page.size(); ++i) sum = static_cast<std::uint8_t>(sum + std::to_integer<unsigned>(page[i]));
  page.back() = std::byte(static_cast<std::uint8_t>(0 - sum));
}

std::vector<std::byte> identify(const Config& config, const DeviceState& state) {
  std::vector<std::byte> page(block_bytes);
  Words words(page);
  words.set(0, 0x0040);  // not removable
  words.set(2, 0xc837);  // complete, and turns without being asked to
  words.set_text(10, 10, config.serial);
  words.set_text(23, 4, config.revision);
  words.set_text(27, 20, config.model);
  words.set(47, 0x8000 | most_multiple);
  words.set(48, 0x4000);  // no Trusted Computing
  words.set(49, 0x0f00);  // LBA, DMA, IORDY; the standby timer is the drive's own
  words.set(50, 0x4000);
  words.set(53, 0x0006);  // words 64 to 70 and 88 are valid
  words.set(59, state.multiple != 0 ? 0x0100 | state.multiple : 0);
  words.set_wide(60, 2, std::min<std::uint64_t>(state.blocks, 0x0fff'ffff));
  const unsigned selected = 0x100U << (state.transfer_mode & 7);
  words.set(63, 0x0007 | (state.transfer_mode < ultra_dma ? selected : 0));
  words.set(64, 0x0003);
  for (std::size_t word = 65; word <= 68; ++word) words.set(word, 120);  // ns a cycle
  // What was trimmed reads the same each time (DRAT), and as zeros (RZAT); ZONED (ACS-4): 10b is drive-managed.
  words.set(69, (config.zeros_after_trim ? 1U << 14 | 1U << 5 : 0) | (config.drive_managed_zones ? 2U : 0));
  words.set(75, config.queue_depth - 1);
  words.set(76, 1U << 8 | ((2U << config.link_generation) - 2));  // NCQ, and the link's generations up to this
  words.set(77, state.generation << 1);
  words.set(78, 1U << 6);  // settings stay over a COMRESET
  words.set(79, state.preserves ? 1U << 6 : 0);
  words.set(80, 0x07e0);  // ATA/ATAPI-5 to ACS-3
  const unsigned cache = config.volatile_cache ? 1U << 5 : 0;
  constexpr unsigned power = 1U << 3;
  words.set(82, 1U << 14 | 1U << 6 | cache | power | 1);    // NOP, look-ahead, write cache, power management, SMART
  words.set(83, 0x4000 | 1U << 13 | 1U << 12 | 1U << 10);   // FLUSH CACHE EXT, FLUSH CACHE, 48 bits
  words.set(84, 0x4000 | 1U << 8 | 1U << 6 | 1U << 5 | 1);  // world wide name, writes with FUA, general purpose logs, SMART error logs
  words.set(85, 1U << 14 | (state.looks_ahead ? 1U << 6 : 0) | (state.caches_writes ? 1U << 5 : 0) | power | (state.smart ? 1 : 0));
  words.set(86, 1U << 15 | 1U << 13 | 1U << 12 | 1U << 10);
  words.set(87, 0x4000 | 1U << 8 | 1U << 6 | 1U << 5 | 1);
  words.set(88, 0x007f | (state.transfer_mode >= ultra_dma ? selected : 0));
  words.set_wide(100, 4, state.blocks);
  words.set(105, most_trim_blocks);
  const auto exponent = static_cast<unsigned>(std::countr_zero(config.physical_sector / static_cast<std::uint32_t>(block_bytes)));
  words.set(106, 0x4000 | (exponent != 0 ? 1U << 13 : 0) | exponent);
  const std::uint64_t name = world_wide_name(config.serial);
  for (std::size_t i = 0; i < 4; ++i) words.set(108 + i, name >> (48 - 16 * i));
  words.set(119, 0x4000 | 1U << 3);  // READ and WRITE LOG DMA EXT
  words.set(120, 0x4000 | 1U << 3);
  words.set(168, 2);       // 3.5 inches
  words.set(169, 1);       // TRIM
  words.set(209, 0x4000);  // block 0 begins a physical sector
  words.set(217, config.rotation_rpm);
  words.set(222, 0x107e);  // serial, up to SATA 3.1
  words.set(255, 0xa5);
  put_checksum(page);
  return page;
}

}  // namespace tessera::ahci
