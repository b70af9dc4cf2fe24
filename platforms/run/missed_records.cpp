#include "platforms/run/missed_records.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "firmware/logs/journal_record.hpp"

namespace tessera {

namespace {

/// A record, and those of its sectors that could not be read.
struct UnreadRecord {
  LogicalRun run{};
  std::vector<TrackSector> sectors{};
};

}  // namespace

std::vector<MissedPacket> missed_records(const MediaDevice& device) {
  std::map<std::uint64_t, UnreadRecord> unread;  // by sequence number
  std::uint64_t era = 0;
  device.content().each_header([&](const TrackSector&, const SectorHeader& header) {
    if (const auto record = journal_record(header)) era = std::max(era, record->era);
  });
  for (const TrackSector& place : device.unread()) {
    SectorHeader header;
    device.content().read_header(place.track, place.sector, header);
    const auto record = journal_record(header);
    if (!record || record->era != era) continue;
    UnreadRecord& of = unread[record->sequence];
    of.run = record->run;
    of.sectors.push_back(place);
  }
  std::erase_if(unread, [](const auto& record) { return record.second.sectors.size() != record.second.run.count + 1; });
  std::vector<MissedPacket> missed;
  if (unread.empty()) return missed;
  std::uint64_t newest = 0;  // past the number of the newest record of which a sector can be read
  std::set<std::uint64_t> named;
  device.content().each_header([&](const TrackSector& place, const SectorHeader& header) {
    const auto record = device.unread().contains(place) ? std::nullopt : journal_record(header);
    if (!record || record->era != era) return;
    newest = std::max(newest, record->sequence + 1);
    std::uint64_t sequence = record->sequence;
    for (const LogicalRun& run : record->in_front) {
      if (run.count == 0) break;
      named.insert(sequence -= sectors_in_journal(run));
    }
  });
  for (const auto& [sequence, record] : unread)
    if (sequence >= newest && !named.contains(sequence)) missed.push_back({sequence, era, record.run, record.sectors});
  return missed;
}

}  // namespace tessera
