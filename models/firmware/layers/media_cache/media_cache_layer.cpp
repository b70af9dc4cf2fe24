#include "firmware/layers/media_cache/media_cache_layer.hpp"

#include <algorithm>

#include "firmware/layers/layer_statistics.hpp"

namespace tessera::media_cache {

MediaCache::MediaCache(const Ports& ports, const MediaCacheConfig& config, const DriveGeometry& geometry, const FormatPlan& plan)
    : config_(config),
      ports_(ports),
      packet_sectors_(MediaCacheConfig::sectors_of(config.packet, geometry.sector_bytes)),
      least_packet_(static_cast<std::uint32_t>(config.least_packet.value() / geometry.sector_bytes)),
      stream_sectors_(static_cast<std::uint32_t>(config.stream.value() / geometry.sector_bytes)),
      map_limit_(config.map_limit(geometry)),
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
      stream_order_(ports.cpu),
      buffer_use_(ports.cpu),
      progress_(ports.cpu),
      cached_(ports.cpu) {
  packet_sectors_ = std::min(packet_sectors_, log_.most_sectors() - 1);
  least_packet_ = std::min(least_packet_, log_.most_sectors());
  if (config_.merge_to != MergeTo::spare)
    merge_area_.emplace(ports, config_, geometry, regions_named(plan, "merge"), bands_.most_sectors());
}

// --- Reads and trims ---

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
    while (done < run.count && chain.steps().size() < MediaChain::max_steps) {
      const LogicalSector at = run.first + done;
      while (next < found->size() && (*found)[next].end() <= at) ++next;
      const Extent* const extent = next < found->size() ? &(*found)[next] : nullptr;
      const bool cached = extent != nullptr && extent->first <= at;
      const LogicalSector until = cached ? extent->end() : extent != nullptr ? extent->first : run.end();
      const auto count = static_cast<std::uint32_t>(until - at);
      const PhysicalRun place = cached ? log_.place(extent->position + (at - extent->first), count) : bands_.place({at, count});
      chain.read(place, data.part(done, place.count));
      (cached ? read_log_ : read_bands_) += place.count;
      done += place.count;
    }
    const Status status = co_await ports_.media.run(chain);
    if (!ok(status)) co_return status;
  }
  co_return Status::ok;
}

// A trimmed sector leaves the map without a record: after a power cut an old content of it may be there again.
Task<Status> MediaCache::trim(LogicalRun run) {
  for (std::uint32_t done = 0; done < run.count;) {
    const LogicalRun piece = bands_.piece({run.first + done, run.count - done});
    const Band band = bands_.band_of(piece.first);
    for (;;) {
      const Status room = co_await make_room();  // an extent of which the middle goes becomes two
      if (!ok(room)) co_return room;
      auto lock = writers_.shared(NumberRange::of(band.number));
      co_await lock;
      if (!has_room()) continue;
      ++extents_since_;
      map_.erase(band.number, piece);
      show_levels();
      break;
    }
    done += piece.count;
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
    durable_tail_ = log.tail;
    writes_since_ = 0;
    extents_since_ = map_.size() - std::min(map_.size(), map_limit_);
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
  status = co_await log_.recover(first, first + log_.sectors(), std::uint64_t{most_leaders + 1} * log_.most_sectors(), packets);
  if (!ok(status)) co_return status;
  durable_tail_ = checkpoint_.log().tail;
  for (const FoundPacket& packet : packets) durable_tail_ = std::max(durable_tail_, packet.tail);
  while (map_.size() != 0 && map_.oldest().position < durable_tail_) forget(map_.oldest());
  for (const FoundPacket& packet : packets) {
    std::uint64_t position = packet.position;
    for (const FoundPacket::Run& run : packet.runs) {
      enter({run.first, position, run.count});
      position += run.count;
      extents_since_ += 2;
    }
    ++writes_since_;
  }
  co_return Status::ok;
}

/// Takes what lies in front of the tail out of the map.
void MediaCache::forget(const Extent& extent) {
  const auto gone = static_cast<std::uint32_t>(std::min<std::uint64_t>(extent.count, durable_tail_ - extent.position));
  map_.erase(bands_.band_of(extent.first).number, {extent.first, gone});
}

void MediaCache::enter(const Extent& extent) {
  const auto gone = static_cast<std::uint32_t>(
      extent.position >= durable_tail_ ? 0 : std::min<std::uint64_t>(extent.count, durable_tail_ - extent.position));
  if (gone == extent.count) return;
  map_.assign(bands_.band_of(extent.first).number, {extent.first + gone, extent.position + gone, extent.count - gone});
}

/// The band that a cut may have left half rewritten, once more; the copy holds all that was in danger.
Task<Status> MediaCache::restore_image() {
  co_await merge_area_->recover();
  const std::optional<LogicalRun> image = merge_area_->image();
  if (image && merge_area_->newest() > checkpoint_.log().images) {
    for (std::uint32_t done = 0; done < image->count;) {
      const DataSpan data = buffer_.part(0, std::min(buffer_.sectors(), image->count - done));
      Status status = co_await merge_area_->read(done, data, MediaClass::host);
      if (!ok(status)) co_return status;
      const LogicalRun part{image->first + done, data.count};
      status = co_await bands_.transfer(MediaOp::write, part, data, MediaClass::host, LostSectors::carry);
      if (!ok(status)) co_return status;
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

BandLevels MediaCache::band_levels_with(const std::vector<LogicalSector>& cached_in_front) const {
  BandLevels levels = bands_.levels();
  std::vector<bool> counted(user_sectors());
  const auto count = [&](LogicalRun run) {
    BandLevel& level = levels[bands_.band_of(run.first).number];
    for (std::uint64_t sector = run.first.value(); sector < run.end().value(); ++sector) {
      level.cached += counted[sector] ? 0 : 1;
      counted[sector] = true;
    }
  };
  for (const LogicalSector sector : cached_in_front) count({sector, 1});
  map_.peek_each([&](const Extent& extent) { count({extent.first, extent.count}); });
  return levels;
}

void MediaCache::report(MetricSet& metrics) const {
  report_work(metrics);
  report_mapping_memory(metrics, paper_map_bytes(), map_bytes());
}

void MediaCache::report_work(MetricSet& metrics) const {
  const auto count = [&metrics](const char* name, std::uint64_t value, const char* unit, const char* what) {
    metrics.count(name, static_cast<double>(value), unit, what);
  };
  count("packet.count", packets_, "1", "packets written to the log of the media cache");
  count("packet.shared", shared_packets_, "1", "packets that took more than one write");
  count("packet.writes", writes_, "1", "writes that went to the log");
  if (config_.stay_mark != 0) {
    count("packet.moves", moves_, "1", "further packets, of what was the oldest in the log and stays there");
    count("packet.moved", moved_, "sectors", "sectors that were the oldest in the log and stay there");
  }
  count("packet.sectors", log_.sectors_written(), "sectors", "sectors of packets, with padding and ends");
  count("map.checkpoints", checkpoints_.count(), "1", "times that the map was written down");
  report_times(metrics, "map.checkpoint_time", checkpoints_, "checkpoint of the map");
  count("map.checkpoint_sectors", checkpoint_.sectors_written(), "sectors", "sectors of checkpoints of the map");
  count("map.extents", map_.size(), "1", "extents in the map of the media cache");
  count("stream.count", stream_writes_, "1", "writes to bands directly, past the log");
  count("stream.sectors", streamed_, "sectors", "sectors that went to their bands directly");
  count("hit.read.log", read_log_, "sectors", "sectors read from the log of the media cache");
  count("hit.read.media", read_bands_, "sectors", "sectors read from their bands");
  report_cleanings(metrics, cleanings_, "cleanings of the log's tail");
  count("cleaning.idle", idle_cleanings_, "1", "of the cleanings those for which the host left time");
  report_read_modify_writes(metrics, band_cleanings_, "bands that were merged and rewritten", "time in which bands were cleaned");
  const MergePart parts[] = {{"band_read", merge_times_.band_read, "reading what the bands held"},
                             {"log_read", merge_times_.log_read, "collecting extents from the log"},
                             {"copy", merge_times_.copy, "writing copies of bands, and reading them again where they have several phases"},
                             {"band_write", merge_times_.band_write, "writing the bands"}};
  report_merge_times(metrics, band_cleanings_.total(), parts, "locks and tables");
  report_dirty_bands(metrics, dirty_bands_);
  count("merge.phases", phases_, "1", "parts of bands that were merged, each as large as the buffer holds");
  count("merge.collected", collected_extents_, "1", "extents that were collected from the log");
  if (merge_area_)
    count("merge.sectors", merge_area_->sectors_written(), "sectors", "sectors of the copies that are written before a band is");
  if (bands_.to_spare()) {
    count("merge.moves", band_moves_, "1", "bands that went to a spare one");
    count("places.sectors", bands_.sectors_written(), "sectors", "sectors of the log that says where bands lie");
  }
}

}  // namespace tessera::media_cache
