#include "firmware/interlaced/move_backup.hpp"

#include <algorithm>

#include "firmware/shared/header_scan.hpp"

namespace tessera {

MoveBackup::MoveBackup(MediaPort& media, const DriveGeometry& geometry, const FormatPlan& regions)
    : media_(media), layout_(geometry, regions, media, ConventionalLayout::Reserve::none) {}

PhysicalRun MoveBackup::piece(std::uint32_t first, std::uint32_t end) const { return layout_.piece({LogicalSector(first), end - first}); }

SectorHeader MoveBackup::header(const Record& record) {
  return encode({RecordType::track_move, record.move, record.sectors, {record.words[0], record.words[1], record.words[2], 0, 0}});
}

Task<std::optional<MoveBackup::Record>> MoveBackup::find() {
  std::optional<Record> newest;
  HeaderScan scan(media_);
  std::array<PhysicalRun, HeaderScan::most> sectors{};
  for (std::uint64_t begin = 0; begin < layout_.sectors(); begin += HeaderScan::most) {
    const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(HeaderScan::most, layout_.sectors() - begin));
    for (std::uint32_t i = 0; i < count; ++i) sectors[i] = layout_.piece({LogicalSector(begin + i), 1});
    co_await scan.read(sectors, count);
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::optional<LogRecord> record = scan.record(i);
      if (!record || record->type != RecordType::track_move || (newest && record->sequence <= newest->move)) continue;
      newest = Record{record->sequence, record->length, {record->payload[0], record->payload[1], record->payload[2]}};
    }
  }
  co_return newest;
}

}  // namespace tessera
