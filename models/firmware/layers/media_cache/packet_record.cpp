#include "firmware/layers/media_cache/packet_record.hpp"

namespace tessera::media_cache {

namespace {

/// Fields of a header's payload. The end of a packet has no run of its own: there the first is of the packet in front.
enum Word : std::size_t { own_sector, origin, sector_in_front, tail_word, counts };

/// The checkpoint, and how far behind the packet's first sector the header is: less than a packet's sectors.
std::uint64_t origin_of(const PacketRecord& record) { return record.after << 16 | (record.at - record.packet); }

/// Sectors of the own run and of the one in front, of all data of the packet, and of the packet in front where that is named.
std::uint64_t pack(std::uint64_t own, std::uint64_t in_front, std::uint64_t data, std::uint64_t packet_in_front) {
  return own | in_front << 16 | data << 32 | packet_in_front << 48;
}

/// The sectors of a packet, and what it says of its runs.
std::uint32_t length_of(const PacketRecord& record) { return record.sectors | static_cast<std::uint32_t>(record.says) << 16; }

std::uint32_t count_in(std::uint64_t packed, std::uint32_t shift) {
  return static_cast<std::uint32_t>(packed >> shift & PacketRecord::most_sectors);
}

}  // namespace

SectorHeader header_of(const PacketRecord& record) {
  if (record.says_failed()) return encode({RecordType::packet, record.at, 1, {record.failed, origin_of(record), 0, record.tail, 0}});
  const bool ends = record.ends();
  const LogicalRun own = ends ? record.named.run : record.own;
  const LogicalRun in_front = ends || record.named.sectors == 0 ? record.in_front : record.named.run;
  return encode({RecordType::packet,
                 record.at,
                 length_of(record),
                 {own.first.value(), origin_of(record), in_front.first.value(), record.tail,
                  pack(own.count, in_front.count, record.data, record.named.sectors)}});
}

std::optional<PacketRecord> packet_record(const LogRecord& record) {
  if (record.type != RecordType::packet) return std::nullopt;
  const std::uint64_t packed = record.payload[counts];
  PacketRecord said;
  said.at = record.sequence;
  said.after = record.payload[origin] >> 16;
  said.packet = said.at - (record.payload[origin] & PacketRecord::most_sectors);
  said.sectors = record.length & PacketRecord::most_sectors;
  said.says = static_cast<PacketSays>(record.length >> 16);
  said.data = count_in(packed, 32);
  said.tail = record.payload[tail_word];
  if (said.says_failed()) {
    said.failed = record.payload[own_sector];
    return said;
  }
  const LogicalRun own{LogicalSector(record.payload[own_sector]), count_in(packed, 0)};
  const LogicalRun in_front{LogicalSector(record.payload[sector_in_front]), count_in(packed, 16)};
  said.named.sectors = count_in(packed, 48);
  if (said.ends()) {
    said.named.run = own;
    said.in_front = in_front;
  } else {
    said.own = own;
    (said.named.sectors != 0 ? said.named.run : said.in_front) = in_front;
  }
  return said;
}

}  // namespace tessera::media_cache
