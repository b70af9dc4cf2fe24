#include "firmware/flash/oob.hpp"

#include <cstring>

#include "base/check.hpp"
#include "firmware/logs/crc32.hpp"

// Images are little endian, as every core this firmware is meant for.
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);

namespace tessera {

namespace {

constexpr std::uint16_t magic = 0x424f;  // "OB"

struct Prefix {
  std::uint32_t crc;  ///< of all that follows
  std::uint16_t kind;
  std::uint16_t magic;
  std::uint64_t lsn;
  std::uint64_t seq;
};
static_assert(sizeof(Prefix) == OobCodec::header_size);

}  // namespace

std::string out_of_band_room(const FlashShape& shape) {
  return "a page has " + std::to_string(shape.subpage_oob_bytes()) +
         (shape.subpages == 1 ? "" : " for each of its " + std::to_string(shape.subpages) + " sectors");
}

void OobCodec::encode(const OobHeader& header, std::span<const std::uint32_t> pages, std::span<std::byte> image) const {
  TESSERA_CHECK(pages.size() == slots_ && image.size() == bytes(), "an out-of-band image has the wrong size");
  std::byte* const body = image.data() + header_size;
  if (slot_bytes_ == sizeof(std::uint32_t)) {
    if (!pages.empty()) std::memcpy(body, pages.data(), pages.size_bytes());
  } else {
    for (std::size_t i = 0; i < pages.size(); ++i) {
      const auto narrow = static_cast<std::uint16_t>(pages[i]);  // no_page becomes 0xffff
      std::memcpy(body + i * sizeof(narrow), &narrow, sizeof(narrow));
    }
  }
  Prefix prefix{0, static_cast<std::uint16_t>(header.kind), magic, header.lsn.value(), header.seq};
  std::memcpy(image.data(), &prefix, sizeof(prefix));
  prefix.crc = crc32(image.subspan(sizeof(prefix.crc)));
  std::memcpy(image.data(), &prefix.crc, sizeof(prefix.crc));
}

bool OobCodec::decode(std::span<const std::byte> image, OobHeader& header, std::span<std::uint32_t> pages) const {
  TESSERA_CHECK(image.size() == bytes(), "an out-of-band image has the wrong size");
  Prefix prefix;
  std::memcpy(&prefix, image.data(), sizeof(prefix));
  if (prefix.magic != magic || prefix.crc != crc32(image.subspan(sizeof(prefix.crc)))) return false;
  const auto kind = static_cast<OobHeader::Kind>(prefix.kind);
  if (kind != OobHeader::Kind::data && kind != OobHeader::Kind::mapping) return false;
  header = {LogicalSector(prefix.lsn), prefix.seq, kind};
  const std::byte* const body = image.data() + header_size;
  if (slot_bytes_ == sizeof(std::uint32_t)) {
    if (!pages.empty()) std::memcpy(pages.data(), body, pages.size_bytes());
    return true;
  }
  for (std::size_t i = 0; i < pages.size(); ++i) {
    std::uint16_t narrow = 0;
    std::memcpy(&narrow, body + i * sizeof(narrow), sizeof(narrow));
    pages[i] = narrow == 0xffff ? no_page : narrow;
  }
  return true;
}

}  // namespace tessera
