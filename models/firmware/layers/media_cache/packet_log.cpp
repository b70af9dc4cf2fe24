#include "firmware/layers/media_cache/packet_log.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace tessera::media_cache {

namespace {

/// Fields of a header's payload.
enum Word : std::size_t { own_sector, packet_position, sector_in_front, tail_word, counts };
constexpr std::uint64_t count_mask = 0xFFFF;

/// Sectors of the own run and of the one in front, of all data of the packet, and of the packet in front where that is named.
std::uint64_t pack(std::uint64_t own, std::uint64_t in_front, std::uint64_t data, std::uint64_t packet_in_front) {
  return own | in_front << 16 | data << 32 | packet_in_front << 48;
}

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
  const bool named = newest_.run.count != 0 && newest_.position + newest_.sectors == packet.position;
  std::uint32_t packet_in_front = named ? newest_.sectors : 0;  // in the first run's header alone
  LogicalRun in_front = named ? newest_.run : LogicalRun{};
  newest_ = {packet.position, packet.sectors, packet.count == 1 ? packet.runs[0].run : LogicalRun{}};
  const auto header = [&](std::uint64_t position, const LogicalRun& run) {
    return encode({RecordType::packet,
                   position,
                   packet.sectors,
                   {run.first.value(), packet.position, in_front.first.value(), packet.tail,
                    pack(run.count, in_front.count, data, packet_in_front)}});
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
    packet_in_front = 0;
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
  if (ok(status))
    sectors_written_ += packet.sectors;
  else
    co_await void_packet(packet.position, packet.tail);
  co_return status;
}

/// Says of a packet that could not be written that it is none: a boot that cannot read its last two headers would take it for whole. The
/// sectors of the log after it may be bad, too.
Task<void> PacketLog::void_packet(std::uint64_t position, std::uint64_t tail) {
  if (newest_.position == position) newest_ = {};
  for (std::uint32_t attempt = 0; attempt < most_voids; ++attempt) {
    const std::uint64_t at = take(1);
    SectorHeader header = encode({RecordType::packet, at, 1, {position, at, 0, tail, 0}});
    MediaChain chain(MediaClass::dependent);
    chain.write(place(at, 1), {}, StepHint::position, &header);
    const Status status = co_await media_.run(chain);
    if (!ok(status)) continue;
    ++sectors_written_;
    co_return;
  }
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
  std::set<std::uint64_t> unknown;  // positions of sectors that cannot be read
  HeaderScan scan(media_);
  HeaderScan closer(media_);
  std::uint32_t looks = HeaderScan::most_looks_again;
  head_ = first;
  for (std::uint64_t position = first; position < std::min(limit, head_ + gap);) {
    const std::uint64_t at = position % layout_.sectors();
    const std::uint64_t end = std::min(layout_.sectors(), at + (std::min(limit, head_ + gap) - position));
    const std::uint32_t count = co_await scan.read(layout_, at, end);
    for (std::uint32_t i = 0; i < count; ++i) {
      std::optional<LogRecord> record = scan.record(i);
      if (scan.unknown(i)) unknown.insert(position + i);
      // It may be the end of a packet of one run of which the other header cannot be read either.
      if (scan.unknown(i) && unknown.contains(position + i - 1)) record = co_await closer.look_again(place(position + i, 1), looks);
      if (!record || record->type != RecordType::packet || record->sequence != position + i) continue;
      note(*record, first, seen);
      head_ = position + i + 1;  // after what is torn, too, so that no position is used twice
    }
    position += count;
  }
  for (const auto& [position, packet] : seen) {
    if (!whole(position, packet, unknown)) continue;
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

void PacketLog::note(const LogRecord& record, std::uint64_t first, SeenPackets& seen) const {
  Seen& packet = seen[record.payload[packet_position]];
  packet.sectors = record.length;
  packet.tail = record.payload[tail_word];
  packet.data = static_cast<std::uint32_t>(record.payload[counts] >> 32 & count_mask);
  const auto own = static_cast<std::uint32_t>(record.payload[counts] & count_mask);
  const auto in_front = static_cast<std::uint32_t>(record.payload[counts] >> 16 & count_mask);
  if (packet.data == 0) {  // written by void_packet()
    packet.end = true;
    if (record.payload[own_sector] >= first) seen[record.payload[own_sector]].failed = true;
    return;
  }
  const auto offset = static_cast<std::uint32_t>(record.sequence - record.payload[packet_position]);
  const std::uint32_t begin = own == 0 ? packet.data : offset + 1 - own;
  if (own == 0) packet.end = true;
  if (own != 0) packet.runs[begin] = {LogicalSector(record.payload[own_sector]), own};
  if (own != 0 && begin + own == packet.data) packet.last_run = true;
  const FoundPacket::Run run_in_front{LogicalSector(record.payload[sector_in_front]), in_front};
  if (in_front != 0 && begin != 0) packet.runs[begin - in_front] = run_in_front;
  const std::uint64_t sectors = record.payload[counts] >> 48;
  if (sectors == 0 || record.payload[packet_position] < first + sectors) return;
  Seen& named = seen[record.payload[packet_position] - sectors];
  named.sectors = static_cast<std::uint32_t>(sectors);
  named.data = in_front;
  named.runs[0] = run_in_front;
}

/// Unless a sector that was read is without the header that ends the packet or its data.
bool PacketLog::whole(std::uint64_t position, const Seen& packet, const std::set<std::uint64_t>& unknown) {
  if (packet.end) return true;
  if (packet.failed) return false;
  return unknown.contains(position + packet.sectors - 1) && (packet.last_run || unknown.contains(position + packet.data - 1));
}

}  // namespace tessera::media_cache
