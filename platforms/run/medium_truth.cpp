#include "platforms/run/medium_truth.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "firmware/layers/media_cache/packet_record.hpp"
#include "firmware/logs/journal_record.hpp"
#include "stimuli/scoreboard/block_content.hpp"
#include "stimuli/scoreboard/version_tag.hpp"

namespace tessera {

namespace {

using media_cache::PacketRecord;

std::optional<PacketRecord> packet_in(const SectorHeader& header) {
  const std::optional<LogRecord> record = decode(header);
  const std::optional<PacketRecord> said = record ? media_cache::packet_record(*record) : std::nullopt;
  return said && !said->says_failed() ? said : std::nullopt;
}

/// A packet of one run of which headers could not be read.
struct Unread {
  LogicalRun run{};  ///< of no sectors: the run's own header could
  bool end = false;
  std::vector<TrackSector> sectors{};
};

/// Those of a checkpoint, by position.
std::map<std::uint64_t, Unread> unread_packets(const MediaDevice& device, std::uint64_t after) {
  std::map<std::uint64_t, Unread> packets;
  for (const TrackSector& place : device.unread()) {
    SectorHeader header;
    device.content().read_header(place.track, place.sector, header);
    const auto said = packet_in(header);
    if (!said || said->after != after) continue;
    if (said->ends()) packets[said->packet].end = true;
    if (!said->ends() && said->sectors_of(said->own) == said->data) packets[said->packet].run = said->own;
    packets[said->packet].sectors.push_back(place);
  }
  std::erase_if(packets, [](const auto& packet) { return packet.second.run.count == 0 || !packet.second.end; });
  return packets;
}

/// A record, and those of its sectors that could not be read.
struct UnreadRecord {
  LogicalRun run{};
  std::vector<TrackSector> sectors{};
};

}  // namespace

std::vector<MissedPacket> missed_packets(const MediaDevice& device) {
  std::vector<MissedPacket> missed;
  if (device.unread().empty()) return missed;
  std::uint64_t after = 0;
  device.content().each_header([&](const TrackSector&, const SectorHeader& header) {
    if (const auto said = packet_in(header)) after = std::max(after, said->after);
  });
  const std::map<std::uint64_t, Unread> packets = unread_packets(device, after);
  if (packets.empty()) return missed;
  std::uint64_t newest = 0;  // past the position of the newest packet that is whole and can be read
  std::set<std::uint64_t> named;
  device.content().each_header([&](const TrackSector& place, const SectorHeader& header) {
    const auto said = device.unread().contains(place) ? std::nullopt : packet_in(header);
    if (!said || said->after != after) return;
    if (said->ends()) newest = std::max(newest, said->packet + 1);
    if (said->named.sectors != 0) named.insert(said->packet - said->named.sectors);
  });
  for (const auto& [position, packet] : packets)
    if (position >= newest && !named.contains(position)) missed.push_back({position, after, packet.run, packet.sectors});
  return missed;
}

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

std::vector<HostRun> blocks_in(const MediaDevice& device, const MissedPacket& missed) {
  const std::size_t blocks = device.content().shape().blocks();
  std::vector<std::byte> held(device.content().shape().kept());
  std::vector<HostRun> runs;
  for (const TrackSector& place : missed.sectors) {
    if (!ok(device.content().read(place.track, place.sector, 1, held))) continue;
    const std::size_t kept = held.size() / blocks;
    for (std::size_t at = 0; kept != 0 && at < held.size(); at += kept)
      if (const auto tag = read_block(ConstContentSpan(held).subspan(at, kept)); tag && names_block(*tag))
        runs.push_back({block_of(*tag), 1});
  }
  return runs;
}

std::vector<ReadDoubt> founded_doubts(const MediaDevice& device, const std::vector<ReadDoubt>& said) {
  std::vector<ReadDoubt> founded;
  std::ranges::copy_if(said, std::back_inserter(founded), [&](const ReadDoubt& doubt) {
    const PhysicalRun& end = doubt.places.back();
    const TrackSector last{device.geometry().linear(end.track), end.first + end.count - 1};
    return device.unread().contains(last) || device.content().status(last.track, last.sector) == Status::lost;
  });
  return founded;
}

void tell_doubted(const MediaDevice& device, const ReadDoubt& doubt, FaultListener& listener) {
  std::vector<std::byte> held(device.content().shape().kept());
  for (const PhysicalRun& run : doubt.places)
    for (std::uint32_t sector = run.first; sector < run.first + run.count; ++sector)
      if (ok(device.content().read(device.geometry().linear(run.track), sector, 1, held))) listener.destroyed(held);
}

}  // namespace tessera
