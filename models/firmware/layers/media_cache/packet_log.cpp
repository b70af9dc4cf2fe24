#include "firmware/layers/media_cache/packet_log.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace tessera::media_cache {

std::uint32_t Packet::data_sectors() const {
  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < count; ++i) sum += says == PacketSays::data ? runs[i].run.count : 1;
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
  most_sectors_ =
      static_cast<std::uint32_t>(std::min<std::uint64_t>({2 * std::uint64_t{shortest}, layout_.sectors() / 8, PacketRecord::most_sectors}));
}

void PacketLog::take(Packet& packet, std::uint64_t after) {
  packet.after = after;
  packet.named = newest_end_ == head_ ? newest_ : PacketRecord::Named{};
  packet.position = take(packet.sectors);
  newest_ = packet.count == 1 && packet.says == PacketSays::data ? PacketRecord::Named{packet.sectors, packet.runs[0].run}
                                                                 : PacketRecord::Named{};
  newest_end_ = head_;
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
  std::array<SectorHeader, Packet::most_runs + 1> headers{};
  MediaChain chain(packet.priority);
  std::uint64_t at = packet.position;
  PacketRecord record;
  record.packet = packet.position;
  record.after = packet.after;
  record.sectors = packet.sectors;
  record.data = packet.data_sectors();
  record.tail = packet.tail;
  record.says = packet.says;
  record.named = packet.named;
  for (std::uint32_t i = 0; i < packet.count; ++i) {
    const PacketRun& run = packet.runs[i];
    const std::uint32_t count = record.sectors_of(run.run);
    record.at = at + count - 1;
    record.own = run.run;
    headers[i] = header_of(record);
    for (std::uint32_t done = 0; done < count;) {
      const PhysicalRun piece = place(at, count - done);
      const bool last = done + piece.count == count;
      const DataSpan data = packet.says == PacketSays::data ? run.data.part(done, piece.count) : DataSpan{};
      chain.write(piece, data, StepHint::position, last ? &headers[i] : nullptr);
      done += piece.count;
      at += piece.count;
    }
    record.in_front = run.run;
    record.named = {};
  }
  const std::uint64_t end = packet.position + packet.sectors - 1;
  while (at < end) {
    const PhysicalRun piece = place(at, static_cast<std::uint32_t>(end - at));
    chain.write(piece, {});
    at += piece.count;
  }
  record.at = end;
  record.own = {};
  record.named = packet.named;
  headers[packet.count] = header_of(record);
  chain.write(place(end, 1), {}, StepHint::position, &headers[packet.count]);
  const Status status = co_await media_.run(chain);
  if (ok(status))
    sectors_written_ += packet.sectors;
  else
    co_await void_packet(packet);
  co_return status;
}

/// Says of a packet that could not be written that it is none: a boot that cannot read its last two headers would take it for whole. The
/// sectors of the log after it may be bad, too.
Task<void> PacketLog::void_packet(const Packet& packet) {
  if (newest_end_ - newest_.sectors == packet.position) newest_ = {};
  for (std::uint32_t attempt = 0; attempt < most_voids; ++attempt) {
    const std::uint64_t at = take(1);
    PacketRecord record;
    record.at = at;
    record.packet = at;
    record.after = packet.after;
    record.tail = packet.tail;
    record.failed = packet.position;
    SectorHeader header = header_of(record);
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

/// The headers that packets have left, and the positions of sectors that cannot be read. Ends where neither can lie any more.
Task<void> PacketLog::scan(Search search, SeenPackets& seen, std::set<std::uint64_t>& unknown) {
  HeaderScan scan(media_);
  HeaderScan closer(media_);
  std::uint32_t looks = HeaderScan::most_looks_again;
  head_ = search.first;
  std::uint64_t until = std::min(search.limit, head_ + search.gap);
  for (std::uint64_t position = search.first; position < until;) {
    const std::uint64_t at = position % layout_.sectors();
    const std::uint64_t end = std::min(layout_.sectors(), at + (until - position));
    const std::uint32_t count = co_await scan.read(layout_, at, end);
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint64_t here = position + i;
      std::optional<LogRecord> record = scan.record(i);
      // It may be the end of a packet of one run of which the other header cannot be read either.
      if (scan.unknown(i) && unknown.lower_bound(head_) != unknown.end()) record = co_await closer.look_again(place(here, 1), looks);
      if (scan.unknown(i)) unknown.insert(here);
      const std::optional<PacketRecord> said = record ? packet_record(*record) : std::nullopt;
      const bool counts = said && said->at == here && said->after == search.after;
      if (counts || scan.unknown(i)) until = std::min(search.limit, here + 1 + search.gap);
      if (!counts) continue;
      note(*said, search.first, seen);
      head_ = here + 1;  // after what is torn, too, so that no position is used twice
    }
    position += count;
  }
}

Task<Status> PacketLog::recover(Search search, std::vector<FoundPacket>& packets) {
  SeenPackets seen;
  std::set<std::uint64_t> unknown;
  co_await scan(search, seen, unknown);
  if (untold(search.first, seen, unknown)) co_return Status::corrupt;
  for (const auto& [position, packet] : seen) {
    if (!whole(position, packet, unknown)) continue;
    in_doubt_ = in_doubt_ || !packet.end;
    FoundPacket& found = packets.emplace_back();
    found.position = position;
    found.sectors = packet.sectors;
    found.tail = packet.tail;
    found.says = packet.says;
    found.proven = packet.end || packet.last_run;
    std::uint32_t named = 0;
    for (const auto& [offset, run] : packet.runs) {
      if (offset != named) break;
      found.runs.push_back(run);
      named += packet.says == PacketSays::data ? run.count : 1;
    }
    if (named != packet.data) co_return Status::corrupt;
    head_ = std::max(head_, position + packet.sectors);
    newest_ = found.runs.size() == 1 && found.says == PacketSays::data ? PacketRecord::Named{found.sectors, found.runs[0]}
                                                                       : PacketRecord::Named{};
    newest_end_ = position + packet.sectors;
  }
  in_doubt_ = in_doubt_ || unknown.lower_bound(head_) != unknown.end();
  co_return Status::ok;
}

bool PacketLog::skip_to(std::uint64_t position) {
  if (position <= head_) return false;
  head_ = position;
  return true;
}

void PacketLog::note(const PacketRecord& record, std::uint64_t first, SeenPackets& seen) {
  Seen& packet = seen[record.packet];
  packet.sectors = record.sectors;
  packet.tail = record.tail;
  packet.data = record.data;
  packet.says = record.says;
  if (record.says_failed()) {
    packet.end = true;
    if (record.failed < first) return;
    Seen& failed = seen[record.failed];
    failed.failed = true;
    failed.sectors = static_cast<std::uint32_t>(record.packet - record.failed);  // those that were tried for this record are among them
    return;
  }
  const std::uint32_t begin = record.ends() ? record.data : record.offset();
  if (record.ends())
    packet.end = true;
  else
    packet.runs[begin] = record.own;
  if (!record.ends() && begin + record.sectors_of(record.own) == packet.data) packet.last_run = true;
  if (record.in_front.count != 0) packet.runs[begin - record.sectors_of(record.in_front)] = record.in_front;
  const PacketRecord::Named& named = record.named;
  if (named.sectors == 0 || record.packet < first + named.sectors) return;
  Seen& before = seen[record.packet - named.sectors];
  before.sectors = named.sectors;
  before.data = named.run.count;
  before.runs[0] = named.run;
}

/// A packet that was written to its end has its last header right in front of the next one.
bool PacketLog::untold(std::uint64_t first, const SeenPackets& seen, const std::set<std::uint64_t>& unknown) {
  std::uint64_t told = first;
  for (const auto& [position, packet] : seen) {
    if (position > told && unknown.contains(position - 1)) return true;
    told = std::max(told, position + packet.sectors);
  }
  return false;
}

/// Unless a sector that was read is without the header that ends the packet or its data.
bool PacketLog::whole(std::uint64_t position, const Seen& packet, const std::set<std::uint64_t>& unknown) {
  if (packet.end) return true;
  if (packet.failed) return false;
  return unknown.contains(position + packet.sectors - 1) && (packet.last_run || unknown.contains(position + packet.data - 1));
}

}  // namespace tessera::media_cache
