#pragma once
// What the out-of-band area of a cached page holds: whose page it is, when it was written, and a part of the mapping table.
// Programming the page is the commit: data, mapping and checksum reach the flash together or not at all.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/address.hpp"
#include "firmware/ports/flash_port.hpp"

namespace tessera {

/// What the out-of-band area has for each sector, as a message says it: "a page has 64", "a page has 552 for each of its 4 sectors".
[[nodiscard]] std::string out_of_band_room(const FlashShape& shape);

/// Header of an out-of-band image.
struct OobHeader {
  enum class Kind : std::uint16_t {
    data = 1,    ///< the page holds sector `lsn`
    mapping = 2  ///< the page holds nothing but the sub-table of the group that `lsn` starts
  };
  LogicalSector lsn;
  std::uint64_t seq = 0;  ///< order of programming over the whole drive, from 1
  Kind kind = Kind::data;
};

/// Images of a header and `slots` page numbers of `slot_bytes` each, little endian, with a CRC-32 over all of it:
/// crc 4, kind 2, magic 2, lsn 8, seq 8, then the slots.
class OobCodec {
 public:
  static constexpr std::uint32_t header_size = 24;
  /// A slot without a page.
  static constexpr std::uint32_t no_page = 0xffff'ffff;

  /// `slot_bytes` is 2 or 4; with 2, page numbers must stay below 65,535.
  OobCodec(std::uint32_t slots, std::uint32_t slot_bytes) : slots_(slots), slot_bytes_(slot_bytes) {}

  [[nodiscard]] std::uint32_t slots() const { return slots_; }
  [[nodiscard]] std::uint32_t bytes() const { return header_size + slots_ * slot_bytes_; }

  /// `pages` has slots() entries, `image` bytes() bytes.
  void encode(const OobHeader& header, std::span<const std::uint32_t> pages, std::span<std::byte> image) const;

  /// Header and slots of an image; false where checksum, magic or kind do not match (torn, foreign or never written).
  /// An empty `pages` leaves the slots out.
  [[nodiscard]] bool decode(std::span<const std::byte> image, OobHeader& header, std::span<std::uint32_t> pages) const;

 private:
  std::uint32_t slots_, slot_bytes_;
};

}  // namespace tessera
