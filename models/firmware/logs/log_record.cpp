#include "firmware/logs/log_record.hpp"

#include <bit>
#include <cstddef>
#include <type_traits>

#include "firmware/logs/crc32.hpp"

namespace tessera {

namespace {

constexpr std::uint32_t magic = 0x54534C52;  // "TSLR"

/// The bytes as they lie in the header; both ends of the way are the same drive, so its own byte order is kept.
struct Image {
  std::uint32_t magic;
  RecordType type;
  std::uint64_t sequence;
  std::array<std::uint64_t, 5> payload;
  std::uint32_t length;
  std::uint32_t crc;
};
static_assert(sizeof(Image) == header_bytes && std::has_unique_object_representations_v<Image>);

std::uint32_t checksum(const Image& image) { return crc32(std::as_bytes(std::span(&image, 1)).first(offsetof(Image, crc))); }

}  // namespace

SectorHeader encode(const LogRecord& record) {
  Image image{magic, record.type, record.sequence, record.payload, record.length, 0};
  image.crc = checksum(image);
  return std::bit_cast<SectorHeader>(image);
}

std::optional<LogRecord> decode(const SectorHeader& header) {
  const auto image = std::bit_cast<Image>(header);
  if (image.magic != magic || image.crc != checksum(image)) return std::nullopt;
  return LogRecord{image.type, image.sequence, image.length, image.payload};
}

}  // namespace tessera
