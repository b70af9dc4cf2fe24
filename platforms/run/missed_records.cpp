#include "platforms/run/missed_records.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "firmware/logs/log_record.hpp"

namespace tessera {

namespace {

std::optional<LogRecord> journalled(const SectorHeader& header) {
  const std::optional<LogRecord> record = decode(header);
  return record && record->type == RecordType::data ? record : std::nullopt;
}

std::uint64_t era_of(const LogRecord& record) { return record.payload[3]; }

/// A record, and how many of its sectors could not be read.
struct Unread {
  LogicalRun run{};
  std::uint32_t sectors = 0;
};

}  // namespace

std::vector<MissedPacket> missed_records(const MediaDevice& device) {
  std::map<std::uint64_t, Unread> unread;  // by sequence number
  std::uint64_t era = 0;
  device.content().each_header([&](const TrackSector&, const SectorHeader& header) {
    if (const auto record = journalled(header)) era = std::max(era, era_of(*record));
  });
  for (const TrackSector& place : device.unread()) {
    SectorHeader header;
    device.content().read_header(place.track, place.sector, header);
    const auto record = journalled(header);
    if (!record || era_of(*record) != era) continue;
    Unread& of = unread[record->sequence];
    of.run = {LogicalSector(record->payload[0]), record->length};
    ++of.sectors;
  }
  std::erase_if(unread, [](const auto& record) { return record.second.sectors != record.second.run.count + 1; });
  std::vector<MissedPacket> missed;
  if (unread.empty()) return missed;
  std::uint64_t newest = 0;  // of which a sector can be read
  std::set<std::uint64_t> named;
  device.content().each_header([&](const TrackSector& place, const SectorHeader& header) {
    const auto record = device.unread().contains(place) ? std::nullopt : journalled(header);
    if (!record || era_of(*record) != era) return;
    newest = std::max(newest, record->sequence);
    if (record->payload[2] != 0) named.insert(record->sequence - record->payload[2] - 1);
  });
  for (const auto& [sequence, record] : unread)
    if (sequence > newest && !named.contains(sequence)) missed.push_back({sequence, era, record.run});
  return missed;
}

}  // namespace tessera
