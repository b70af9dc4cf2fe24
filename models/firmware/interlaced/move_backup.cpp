#include "firmware/interlaced/move_backup.hpp"

#include <algorithm>

namespace tessera {

MoveBackup::MoveBackup(MediaPort& media, const DriveGeometry& geometry, const FormatPlan& regions)
    : media_(media), layout_(geometry, regions, media, ConventionalLayout::Reserve::none) {}

PhysicalRun MoveBackup::piece(std::uint32_t first, std::uint32_t end) const { return layout_.piece({LogicalSector(first), end - first}); }

SectorHeader MoveBackup::header(const Record& record) {
  return encode({RecordType::track_move, record.move, record.sectors, {record.words[0], record.words[1], record.words[2], 0, 0}});
}

/// A save that a cut ended may have left sectors with other records of the same number behind.
Task<std::optional<MoveBackup::Found>> MoveBackup::find(std::uint64_t move) {
  std::vector<SectorHeader> candidates;
  HeaderScan scan(media_);
  std::uint32_t count = 0;
  for (std::uint64_t begin = 0; begin < layout_.sectors(); begin += count) {
    count = co_await scan.read(layout_, begin, layout_.sectors());
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::optional<LogRecord> record = scan.record(i);
      if (!record || record->type != RecordType::track_move || record->sequence != move || record->length > layout_.sectors()) continue;
      const SectorHeader header = encode(*record);
      if (std::ranges::find(candidates, header) == candidates.end()) candidates.push_back(header);
    }
  }
  for (const SectorHeader& header : candidates) {
    const LogRecord record = *decode(header);
    Carriers saved;
    for (std::uint32_t done = 0; done < record.length;) {
      const PhysicalRun run = piece(done, record.length);
      co_await count_carriers(media_, run, header, saved);
      done += run.count;
    }
    if (!saved.perhaps_all()) continue;
    const MoveWords words{record.payload[0], record.payload[1], record.payload[2]};
    co_return Found{{record.sequence, record.length, words}, !saved.all()};
  }
  co_return std::nullopt;
}

}  // namespace tessera
