#include "firmware/logs/log_record.hpp"

#include <cstring>
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

std::uint32_t checksum(const SectorHeader& header) { return crc32(std::span(header).first(header_bytes - sizeof(std::uint32_t))); }

}  // namespace

SectorHeader encode(const LogRecord& record) {
  const Image image{magic, record.type, record.sequence, record.payload, record.length, 0};
  SectorHeader header;
  std::memcpy(header.data(), &image, sizeof(image));
  const std::uint32_t crc = checksum(header);
  std::memcpy(header.data() + header_bytes - sizeof(crc), &crc, sizeof(crc));
  return header;
}

std::optional<LogRecord> decode(const SectorHeader& header) {
  Image image;
  std::memcpy(&image, header.data(), sizeof(image));
  if (image.magic != magic || image.crc != checksum(header)) return std::nullopt;
  return LogRecord{image.type, image.sequence, image.length, image.payload};
}

}  // namespace tessera
