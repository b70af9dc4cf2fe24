#include "firmware/layers/media_cache/packet_log.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace tessera::media_cache {

namespace {

/// Fields of a header's payload.
enum Word : std::size_t { own_sector, packet_position, sector_in_front, tail_word, counts };
constexpr std::uint64_t count_mask = 0xFFFF;

/// Sectors of the own run and of the one in front, and of all data of the packet.
std::uint64_t pack(std::uint64_t own, std::uint64_t in_front, std::uint64_t data) { return own | in_front << 16 | data << 32; }

}  // namespace

std::uint32_t Packet::data_sectors() const {
  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < count; ++i) sum += runs[i].run.count;
  return sum;
}

PacketLog::PacketLog(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& regions)
    : media_(ports.media), layout_(geometry, regions, ports.media, ConventionalLayout::Reserve::none) {
  std::uint32_t shortest = layout_.piece({LogicalSector(0), ~std::uint32_t{0}}).count;
  for (std::uint64_t at = 0; at < layout_.sectors();) {
    const std::uint32_t track = layout_.piece({LogicalSector(at), ~std::uint32_t{0}}).count;
    if (at + track < layout_.sectors()) shortest = std::min(shortest, track);
    at += track;
  }
  most_sectors_ = static_cast<std::uint32_t>(std::min<std::uint64_t>({2 * std::uint64_t{shortest}, layout_.sectors() / 8, count_mask}));
}

std::uint64_t PacketLog::take(std::uint32_t sectors) {
  TESSERA_CHECK(sectors <= most_sectors_, "a packet is too long for its log");
  const std::uint64_t position = head_;
  head_ += sectors;
  return position;
}

PhysicalRun PacketLog::place(std::uint64_t position, std::uint32_t count) const {
  const std::uint64_t at = position % layout_.sectors();
  return layout_.piece({LogicalSector(at), static_cast<std::uint32_t>(std::min<std::uint64_t>(count, layout_.sectors() - at))});
}

Task<Status> PacketLog::write(const Packet& packet) {
  const std::uint32_t data = packet.data_sectors();
  std::array<SectorHeader, Packet::most_runs + 1> headers{};
  MediaChain chain(packet.priority);
  std::uint64_t at = packet.position;
  LogicalRun in_front{};
  const auto header = [&](std::uint64_t position, const LogicalRun& run) {
    return encode({RecordType::packet,
                   position,
                   packet.sectors,
                   {run.first.value(), packet.position, in_front.first.value(), packet.tail, pack(run.count, in_front.count, data)}});
  };
  for (std::uint32_t i = 0; i < packet.count; ++i) {
    const PacketRun& run = packet.runs[i];
    headers[i] = header(at + run.run.count - 1, run.run);
    for (std::uint32_t done = 0; done < run.run.count;) {
      const PhysicalRun piece = place(at, run.run.count - done);
      const bool last = done + piece.count == run.run.count;
      chain.write(piece, run.data.part(done, piece.count), StepHint::position, last ? &headers[i] : nullptr);
      done += piece.count;
      at += piece.count;
    }
    in_front = run.run;
  }
  const std::uint64_t end = packet.position + packet.sectors - 1;
  while (at < end) {
    const PhysicalRun piece = place(at, static_cast<std::uint32_t>(end - at));
    chain.write(piece, {});
    at += piece.count;
  }
  headers[packet.count] = header(end, {});
  chain.write(place(end, 1), {}, StepHint::position, &headers[packet.count]);
  const Status status = co_await media_.run(chain);
  if (ok(status)) sectors_written_ += packet.sectors;
  co_return status;
}

Task<Status> PacketLog::verify(const Packet& packet) {
  MediaChain chain(packet.priority);
  for (std::uint32_t done = 0; done < packet.sectors;) {
    const PhysicalRun piece = place(packet.position + done, packet.sectors - done);
    chain.read(piece, {});
    done += piece.count;
  }
  co_return co_await media_.run(chain);
}

Task<Status> PacketLog::recover(std::uint64_t first, std::uint64_t limit, std::uint64_t gap, std::vector<FoundPacket>& packets) {
  SeenPackets seen;
  HeaderScan scan(media_);
  head_ = first;
  for (std::uint64_t position = first; position < std::min(limit, head_ + gap);) {
    const std::uint64_t at = position % layout_.sectors();
    const std::uint64_t end = std::min(layout_.sectors(), at + (std::min(limit, head_ + gap) - position));
    const std::uint32_t count = co_await scan.read(layout_, at, end);
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::optional<LogRecord> record = scan.record(i);
      if (!record || record->type != RecordType::packet || record->sequence != position + i) continue;
      note(*record, seen);
      head_ = position + i + 1;  // behind what is torn, too, so that no position is used twice
    }
    position += count;
  }
  for (const auto& [position, packet] : seen) {
    const bool counts = co_await whole(position, packet);
    if (!counts) continue;
    FoundPacket& found = packets.emplace_back();
    found.position = position;
    found.tail = packet.tail;
    std::uint32_t named = 0;
    for (const auto& [offset, run] : packet.runs) {
      if (offset != named) break;
      found.runs.push_back(run);
      named += run.count;
    }
    if (named != packet.data) co_return Status::corrupt;
    head_ = std::max(head_, position + packet.sectors);
  }
  co_return Status::ok;
}

void PacketLog::note(const LogRecord& record, SeenPackets& seen) const {
  Seen& packet = seen[record.payload[packet_position]];
  packet.sectors = record.length;
  packet.tail = record.payload[tail_word];
  packet.data = static_cast<std::uint32_t>(record.payload[counts] >> 32 & count_mask);
  const auto own = static_cast<std::uint32_t>(record.payload[counts] & count_mask);
  const auto in_front = static_cast<std::uint32_t>(record.payload[counts] >> 16 & count_mask);
  const auto offset = static_cast<std::uint32_t>(record.sequence - record.payload[packet_position]);
  const std::uint32_t begin = own == 0 ? packet.data : offset + 1 - own;
  if (own == 0) packet.end = true;
  if (own != 0) packet.runs[begin] = {LogicalSector(record.payload[own_sector]), own};
  if (own != 0 && begin + own == packet.data) packet.last_run = true;
  if (in_front != 0) packet.runs[begin - in_front] = {LogicalSector(record.payload[sector_in_front]), in_front};
}

/// With its end, or with all of its data where the end cannot be read.
Task<bool> PacketLog::whole(std::uint64_t position, const Seen& packet) {
  if (packet.end) co_return true;
  if (!packet.last_run) co_return false;
  const PhysicalRun end = place(position + packet.sectors - 1, 1);
  co_return co_await cannot_be_read(media_, end);
}

}  // namespace tessera::media_cache
