// What stays in the log although it is the oldest there: of a band that has little in the log it is written to the head once more, as a
// packet costs a turn and the band's merge a second.
#include "firmware/layers/media_cache/media_cache_layer.hpp"

#include <algorithm>

namespace tessera::media_cache {

namespace {
constexpr std::uint64_t most_percent = 90;  // ours: of what is in use; above that a move frees next to nothing
}  // namespace

/// While no more than `stay_mark` percent of what the log has in use, and of the map, is needed, or where the band has less than the mean
/// of all that have any there; and while that wins more than the longest packet, so that nothing goes round and round.
bool MediaCache::stays(const Extent& extent) {
  if (config_.stay_mark == 0) return false;
  const std::uint64_t used = log_.head() - tail();
  const std::uint64_t needed = map_.sectors();
  const auto above = [&](std::uint64_t percent) {
    return needed * 100 > used * percent || std::uint64_t{map_.size()} * 100 > std::uint64_t{map_limit_} * percent;
  };
  if (map_full() || used - needed < log_.most_sectors() || above(most_percent)) return false;
  if (!above(config_.stay_mark)) return true;
  const Band band = bands_.band_of(extent.first);
  extents_.clear();
  const LogicalRun whole{band.first, band.sectors};
  map_.find(band.number, whole, extents_);
  std::uint64_t held = 0;
  for (const Extent& each : extents_) held += each.hole ? 0 : each.count;
  return held * map_.cached_bands() < needed;
}

/// Nothing else is on its way to the log meanwhile, so that a boot, too, finds what was written later behind what was moved. No stream
/// and no merge uses the buffer. All writes wait for it, so it goes before what is done in the background. Nothing is moved where there is
/// no room, or where it cannot be written.
Task<Status> MediaCache::move_oldest() {
  if (checkpoint_due()) {
    const Status status = co_await checkpoint();
    if (!ok(status)) co_return status;
  }
  auto alone = log_use_.exclusive({});
  co_await alone;
  Packet packet = select_move();
  const std::uint64_t kept_from = std::min(durable_tail_, checkpoint_.log().head);
  if (packet.count == 0 || log_.head() + packet.sectors - kept_from > log_.sectors()) co_return Status::ok;
  Status status = co_await read_collected(packet.priority);
  if (!ok(status)) co_return status;
  status = co_await append(packet);
  if (!ok(status)) co_return Status::ok;
  co_await enter_moved(packet);
  ++moves_;
  moved_ += packet.data_sectors();
  show_levels();
  co_return Status::ok;
}

/// One of the drive's own packets, at the log's head, while no other is on its way there.
Task<Status> MediaCache::append(Packet& packet) {
  packet.tail = tail();
  log_.take(packet, checkpoint_.generation());
  extents_since_ += 2 * packet.count;
  shares_since_ += config_.packet_writes;
  const Status status = co_await log_.write(packet);
  if (ok(status))
    durable_tail_ = std::max(durable_tail_, packet.tail);
  else
    hole_ = true;
  co_return status;
}

/// The oldest extents that stay, as many as share a packet, and where they are collected.
Packet MediaCache::select_move() {
  Packet packet;
  packet.priority = MediaClass::dependent;
  const auto found = found_.take();
  found->clear();
  map_.find_oldest(Packet::most_runs, *found);
  collected_.clear();
  const std::uint32_t most = std::min(packet_sectors_, buffer_.sectors());
  if (most < Packet::most_runs) return packet;  // the ends of such packets would take what is won
  std::uint32_t at = 0;
  for (const Extent& extent : *found) {
    if (at + extent.count > most || !stays(extent)) break;
    packet.runs[packet.count++] = {{extent.first, extent.count}, buffer_.part(at, extent.count)};
    collected_.push_back({extent, at});
    at += extent.count;
  }
  packet.sectors = at + 1;
  return packet;
}

/// What was not written meanwhile; no read may look where it was any more.
Task<void> MediaCache::enter_moved(const Packet& packet) {
  BandLocks locks;
  co_await lock_bands(packet, readers_, LockMode::exclusive, locks);
  const auto found = found_.take();
  std::uint64_t position = packet.position;
  for (std::uint32_t i = 0; i < packet.count; ++i) {
    const auto& [old, at] = collected_[i];
    found->clear();
    map_.find(bands_.band_of(old.first).number, packet.runs[i].run, *found);
    for (const Extent& still : *found)
      if (!still.hole && still.position - old.position == still.first - old.first)
        enter({still.first, position + (still.first - old.first), still.count});
    position += old.count;
  }
}

}  // namespace tessera::media_cache
