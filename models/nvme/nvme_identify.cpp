#include "nvme/nvme_identify.hpp"

#include <algorithm>
#include <string_view>

#include "nvme/nvme_logs.hpp"
#include "nvme/nvme_wire.hpp"

namespace tessera::nvme {

namespace {

using Page = std::vector<std::byte>;

/// ASCII, filled up with spaces.
void put_text(Page& page, std::size_t at, std::size_t size, std::string_view text) {
  for (std::size_t i = 0; i < size; ++i) put<char>(page, at + i, i < text.size() ? text[i] : ' ');
}

/// EUI-64 of a namespace, the most significant byte first.
void put_eui64(Page& page, std::size_t at, const Config& config, std::uint32_t number) {
  std::uint64_t eui = 0xcbf2'9ce4'8422'2325;  // FNV-1a
  for (const char letter : config.serial) eui = (eui ^ static_cast<unsigned char>(letter)) * 0x100'0000'01b3;
  eui = (eui ^ number) * 0x100'0000'01b3;
  for (std::size_t i = 0; i < sizeof eui; ++i) put<std::uint8_t>(page, at + i, static_cast<std::uint8_t>(eui >> (56 - 8 * i)));
}

}  // namespace

std::vector<Namespace> namespaces_of(const Config& config, std::uint64_t capacity) {
  if (config.namespaces.empty()) return {{0, capacity / block_bytes}};
  std::vector<Namespace> spaces;
  std::uint64_t at = 0;
  for (const Bytes size : config.namespaces) {
    const std::uint64_t left = capacity - std::min(capacity, at);
    const std::uint64_t bytes = std::min(size.value(), left) / block_bytes * block_bytes;
    spaces.push_back({at, bytes / block_bytes});
    at += bytes;
  }
  return spaces;
}

std::vector<std::byte> identify_controller(const Config& config, std::uint32_t namespaces) {
  Page page(page_of_data);
  put_text(page, 4, 20, config.serial);
  put_text(page, 24, 40, config.model);
  put_text(page, 64, 8, config.revision);
  put<std::uint8_t>(page, 77, config.transfer_pages);  // MDTS
  put<std::uint16_t>(page, 78, 1);                     // CNTLID
  put<std::uint32_t>(page, 80, version);
  put<std::uint8_t>(page, 111, io_controller);
  put<std::uint8_t>(page, 258, most_aborts - 1);        // ACL, from 0
  put<std::uint8_t>(page, 259, most_events - 1);        // AERL, from 0
  put<std::uint8_t>(page, 260, 0x03);                   // FRMW: one slot, read only
  put<std::uint8_t>(page, 261, 0x04);                   // LPA: log pages from an offset on, of any length
  put<std::uint8_t>(page, 262, Logs::most_errors - 1);  // ELPE, from 0
  put<std::uint16_t>(page, 266, 343);                   // WCTEMP: 70 degrees Celsius
  put<std::uint16_t>(page, 268, 353);                   // CCTEMP
  put<std::uint8_t>(page, 512, 0x66);                   // SQES: 64 B
  put<std::uint8_t>(page, 513, 0x44);                   // CQES: 16 B
  put<std::uint32_t>(page, 516, namespaces);
  put<std::uint16_t>(page, 520, 0x001c);                                           // ONCS: dataset management, write zeroes, select
  put<std::uint8_t>(page, 525, 0x06 | (config.volatile_cache ? 1 : 0));            // VWC: FLUSH of every namespace is supported
  put<std::uint32_t>(page, 536, 0x0001'0001);                                      // SGLS: supported, without alignment; bit bucket
  const std::string name = "nqn.2014-08.org.nvmexpress:tessera:" + config.serial;  // SUBNQN, ended by zeros
  for (std::size_t i = 0; i < name.size(); ++i) put<char>(page, 768 + i, name[i]);
  put<std::uint16_t>(page, 2048, 1000);  // power state 0: 10 W, in hundredths
  return page;
}

std::vector<std::byte> identify_namespace(const Config& config, std::uint32_t number, const Namespace& space) {
  Page page(page_of_data);
  put<std::uint64_t>(page, 0, space.blocks);                       // NSZE
  put<std::uint64_t>(page, 8, space.blocks);                       // NCAP
  put<std::uint64_t>(page, 16, space.blocks);                      // NUSE
  put<std::uint8_t>(page, 24, 0x10);                               // NSFEAT: NPWG and the like mean something
  if (config.zeros_after_trim) put<std::uint8_t>(page, 33, 0x01);  // DLFEAT: deallocated blocks read as zeros
  put<std::uint16_t>(page, 64, 7);                                 // NPWG, from 0: writes of 4 KiB at their place need no read before
  put<std::uint16_t>(page, 66, 7);                                 // NPWA
  put<std::uint16_t>(page, 68, 7);                                 // NPDG
  put<std::uint16_t>(page, 70, 7);                                 // NPDA
  put<std::uint16_t>(page, 72, 7);                                 // NOWS
  put_eui64(page, 120, config, number);
  put<std::uint32_t>(page, 128, 9U << 16);  // LBAF0: 2^9 B, no metadata
  return page;
}

std::vector<std::byte> active_namespaces(const std::vector<Namespace>& spaces, std::uint32_t after) {
  Page page(page_of_data);
  std::size_t at = 0;
  for (std::uint32_t number = after + 1; number <= spaces.size() && at < page.size(); ++number) {
    if (spaces[number - 1].blocks == 0) continue;
    put<std::uint32_t>(page, at, number);
    at += sizeof(std::uint32_t);
  }
  return page;
}

std::vector<std::byte> namespace_descriptors(const Config& config, std::uint32_t number) {
  Page page(page_of_data);
  put<std::uint8_t>(page, 0, 1);  // NIDT: EUI-64
  put<std::uint8_t>(page, 1, 8);
  put_eui64(page, 4, config, number);
  return page;
}

}  // namespace tessera::nvme
