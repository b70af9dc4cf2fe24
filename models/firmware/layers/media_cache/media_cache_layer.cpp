#include "firmware/layers/media_cache/media_cache_layer.hpp"

#include <algorithm>

namespace tessera::media_cache {

MediaCache::MediaCache(const Ports& ports, const MediaCacheConfig& config, const DriveGeometry& geometry, const FormatPlan& plan,
                       BandZones* zones)
    : config_(config),
      ports_(ports),
      zones_(zones),
      packet_sectors_(MediaCacheConfig::sectors_of(config.packet, geometry.sector_bytes)),
      sector_blocks_(geometry.sector_bytes / host_block_bytes),
      least_packet_(static_cast<std::uint32_t>(config.least_packet.value() / geometry.sector_bytes)),
      synced_share_(static_cast<std::uint32_t>(config.synced_share.value() / geometry.sector_bytes)),
      stream_sectors_(static_cast<std::uint32_t>(config.stream.value() / geometry.sector_bytes)),
      map_limit_(config.map_limit(geometry)),
      reserve_(config.reserve(geometry)),
      bands_(ports, config_, geometry, regions_named(plan, "data"), regions_named(plan, "places")),
      map_(ports.memory, ports.cpu, bands_.bands(), config.map_capacity(geometry)),
      log_(ports, geometry, regions_named(plan, "cache")),
      checkpoint_(ports, config, geometry, regions_named(plan, "map"), map_, bands_),
      buffer_(ports.memory.reserve_buffer(
          MemoryCategory::merge_buffer,
          std::min(MediaCacheConfig::sectors_of(config.merge_buffer, geometry.sector_bytes), bands_.most_sectors()), "merges of bands")),
      writers_(ports.cpu),
      readers_(ports.cpu),
      log_use_(ports.cpu),
      cleaning_(ports.cpu),
      policy_(ports.policy_or(shown_)),
      zone_writes_(ports.cpu),
      stream_order_(ports.cpu),
      buffer_use_(ports.cpu),
      progress_(ports.cpu),
      room_(ports.cpu),
      cached_(ports.cpu),
      entries_(reserve_),
      log_room_(std::min<std::uint64_t>(reserve_, log_.sectors() / 4)) {
  packet_sectors_ = std::min(packet_sectors_, log_.most_sectors() - 1);
  least_packet_ = std::min(least_packet_, log_.most_sectors());
  if (config_.merge_to != MergeTo::spare)
    merge_area_.emplace(ports, config_, geometry, regions_named(plan, "merge"), bands_.most_sectors());
}

// --- Reads ---

Task<Status> MediaCache::read_as(MediaClass priority, LogicalRun run, DataSpan data) {
  for (std::uint32_t done = 0; done < run.count;) {
    const LogicalRun piece = bands_.piece({run.first + done, run.count - done});
    const Band band = bands_.band_of(piece.first);
    const DataSpan part = data.part(done, piece.count);
    const Status status = co_await read_piece(priority, band, piece, part);
    if (!ok(status)) co_return status;
    done += piece.count;
  }
  co_return Status::ok;
}

/// Where a merge under way has destroyed the band, in its copy.
PhysicalRun MediaCache::band_place(LogicalRun run) const {
  const bool carried = carried_.count != 0 && run.first >= carried_.first && run.first < carried_.end();
  if (carried) return merge_area_->place({run.first, static_cast<std::uint32_t>(std::min(run.end(), carried_.end()) - run.first)});
  return bands_.place(run);
}

/// What the log holds from there, the rest from the band.
Task<Status> MediaCache::read_piece(MediaClass priority, const Band& band, LogicalRun run, DataSpan data) {
  auto lock = readers_.shared(NumberRange::of(band.number));
  co_await lock;
  const auto found = found_.take();
  found->clear();
  map_.find(band.number, run, *found);
  MediaChain chain(priority);
  std::size_t next = 0;
  for (std::uint32_t done = 0; done < run.count;) {
    chain.clear();
    const LogicalSector first = run.first + done;
    while (done < run.count && chain.steps().size() < MediaChain::max_steps) {
      const LogicalSector at = run.first + done;
      while (next < found->size() && (*found)[next].end() <= at) ++next;
      const Extent* const extent = next < found->size() ? &(*found)[next] : nullptr;
      const bool cached = extent != nullptr && extent->first <= at;
      const LogicalSector until = cached ? extent->end() : extent != nullptr ? extent->first : run.end();
      const auto count = static_cast<std::uint32_t>(until - at);
      if (cached && extent->hole) {
        if (!chain.steps().empty()) break;  // so that its steps lie side by side
        ports_.memory.clear(data.part(done, count));
        done += count;
        break;
      }
      const PhysicalRun place = cached ? log_.place(extent->position + (at - extent->first), count) : band_place({at, count});
      chain.read(place, data.part(done, place.count));
      (cached ? read_log_ : read_bands_) += place.count;
      done += place.count;
    }
    if (chain.steps().empty()) continue;
    Status status = co_await ports_.media.run(chain);
    if (met_destroyed(chain)) status = co_await read_singly(chain, first);
    if (!ok(status)) co_return status;
  }
  co_return Status::ok;
}

// --- Boot ---

Task<Status> MediaCache::format() {
  const Status status = co_await bands_.format();
  if (!ok(status)) co_return status;
  const MapCheckpoint::Log empty{};
  co_return co_await checkpoint_.write(empty);
}

Task<Status> MediaCache::recover() {
  Status status = co_await bands_.recover();
  if (!ok(status)) co_return status;
  status = co_await restore_map();
  if (!ok(status)) co_return status;
  if (merge_area_) {
    status = co_await restore_image();
    if (!ok(status)) co_return status;
  }
  const MapCheckpoint::Log log{log_.head(), tail(), images_done_};
  const bool repaired = co_await checkpoint_.repair(log);
  if (repaired) {
    hole_ = false;
    durable_tail_ = log.tail;
    shares_since_ = 0;
    extents_since_ = map_.size() - std::min(map_.size(), map_limit_ + reserve_);
  }
  if (zones_ == nullptr) {
    status = co_await lose_unproven();
    if (!ok(status)) co_return status;
  }
  show_levels();
  co_return Status::ok;
}

/// The last checkpoint, then what the log holds behind it. What lies in front of the newest tail was cleaned, and may have been
/// overwritten.
Task<Status> MediaCache::restore_map() {
  Status status = co_await checkpoint_.recover();
  if (!ok(status)) co_return status;
  const std::uint64_t first = checkpoint_.log().head;
  std::vector<FoundPacket> packets;
  const PacketLog::Search search{
      .first = first,
      .after = checkpoint_.generation(),
      .limit = first + log_.sectors(),
      .gap = std::uint64_t{most_leaders + 1} * log_.most_sectors(),
  };
  status = co_await log_.recover(search, packets);
  if (!ok(status)) co_return status;
  durable_tail_ = checkpoint_.log().tail;
  for (const FoundPacket& packet : packets) durable_tail_ = std::max(durable_tail_, packet.tail);
  while (map_.logged() != 0 && map_.oldest().position < durable_tail_) forget(map_.oldest());
  for (const FoundPacket& packet : packets) {
    std::uint64_t position = packet.position;
    if (!packet.proven && packet.says == PacketSays::data) note_unproven(packet);
    for (const LogicalRun& run : packet.runs) {
      switch (packet.says) {
        case PacketSays::data: enter({run.first, position, run.count}); break;
        case PacketSays::trimmed: enter_hole(run, packet.position); break;
        case PacketSays::in_band: map_.erase(bands_.band_of(run.first).number, run); break;
      }
      position += run.count;
      extents_since_ += 2;
    }
    shares_since_ += config_.packet_writes;
  }
  hole_ = !log_.may_go_on();
  if (zones_ != nullptr)
    drop_void();
  else if (map_.holes() != 0)
    restore_holes();
  co_return Status::ok;
}

void MediaCache::note_unproven(const FoundPacket& packet) {
  std::uint64_t position = packet.position;
  for (const LogicalRun& run : packet.runs) {
    ReadDoubt& doubt = doubts_.emplace_back();
    doubt.blocks = {HostBlock(run.first.value() * sector_blocks_), run.count * sector_blocks_};
    for (std::uint32_t done = 0; done < run.count; done += doubt.places.back().count)
      doubt.places.push_back(log_.place(position + done, run.count - done));
    doubt.places.push_back(log_.place(packet.position + packet.sectors - 1, 1));
    unproven_.push_back({run.first, position, run.count});
    position += run.count;
  }
}

/// Of what they brought, that which no later packet replaced.
Task<Status> MediaCache::lose_unproven() {
  std::vector<LogicalRun> lost;
  for (const Extent& extent : unproven_) {
    const auto found = found_.take();
    found->clear();
    map_.find(bands_.band_of(extent.first).number, {extent.first, extent.count}, *found);
    for (const Extent& newest : *found)
      if (!newest.hole && newest.position - extent.position == newest.first - extent.first) lost.push_back({newest.first, newest.count});
  }
  for (const LogicalRun run : lost) {
    const Status status = co_await lose(run);
    if (!ok(status)) co_return status;
  }
  co_return Status::ok;
}

/// Takes what lies in front of the tail out of the map.
void MediaCache::forget(const Extent& extent) {
  const auto gone = static_cast<std::uint32_t>(std::min<std::uint64_t>(extent.count, durable_tail_ - extent.position));
  map_.erase(bands_.band_of(extent.first).number, {extent.first, gone});
}

/// Of what lies in front of the tail the band has the data, and no hole is there.
void MediaCache::enter(const Extent& extent) {
  const auto gone = static_cast<std::uint32_t>(
      extent.position >= durable_tail_ ? 0 : std::min<std::uint64_t>(extent.count, durable_tail_ - extent.position));
  if (gone != 0 && map_.holes() != 0) map_.erase(bands_.band_of(extent.first).number, {extent.first, gone});
  if (gone == extent.count) return;
  map_.assign(bands_.band_of(extent.first).number, {extent.first + gone, extent.position + gone, extent.count - gone});
}

/// The band that a cut may have left half rewritten, once more; the copy holds all that was in danger. A sector that cannot be written
/// keeps no other from it, and no drive from being read.
Task<Status> MediaCache::restore_image() {
  const Status found = co_await merge_area_->recover();
  if (!ok(found)) co_return found;
  const std::optional<LogicalRun> image = merge_area_->image();
  if (image && merge_area_->newest() > checkpoint_.log().images && merge_area_->kept() != 0) {
    const Status status = co_await go_on_with(*image);
    if (!ok(status)) co_return status;
  } else if (image && merge_area_->newest() > checkpoint_.log().images) {
    for (std::uint32_t done = 0; done < image->count;) {
      const DataSpan data = buffer_.part(0, std::min(buffer_.sectors(), image->count - done));
      const Status status = co_await merge_area_->read(done, data, MediaClass::host);
      if (!ok(status)) co_return status;
      const LogicalRun part{image->first + done, data.count};
      static_cast<void>(co_await bands_.transfer(MediaOp::write, part, data, MediaClass::host, LostSectors::carry));
      done += data.count;
    }
  }
  images_done_ = merge_area_->newest();
  co_return Status::ok;
}

// --- Statistics ---

void MediaCache::show_levels() {
  extents_gauge_.set(map_.size());
  log_used_ = log_.head() - tail();
  log_gauge_.set(log_used_);
}

}  // namespace tessera::media_cache
