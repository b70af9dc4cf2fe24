#include "firmware/backup/backup_region.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace tessera {

namespace {

/// Where the tracks of a layout begin, and its end.
std::vector<std::uint64_t> tracks_of(const ConventionalLayout& layout) {
  std::vector<std::uint64_t> begins;
  for (std::uint64_t at = 0; at < layout.sectors(); at += layout.piece({LogicalSector(at), ~std::uint32_t{0}}).count) begins.push_back(at);
  begins.push_back(layout.sectors());
  return begins;
}

}  // namespace

std::uint64_t BackupRegion::radii_needed(const DriveGeometry& geometry, std::uint32_t radius, const Shape& shape) {
  const std::uint32_t track = geometry.zone_of(radius).sectors_per_track;
  const std::uint64_t tracks = shape.slots * std::max<std::uint64_t>(3, (shape.sectors + track - 1) / track + 1);
  return (tracks + geometry.surfaces - 1) / geometry.surfaces;
}

BackupRegion::BackupRegion(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& regions, const Shape& shape,
                           const char* staging)
    : cpu_(ports.cpu),
      layout_(geometry, regions, ports.media, ConventionalLayout::Reserve::none),
      used_gauge_(ports.cpu, {"backup.slots_used", "1", "backup slots that read-modify-writes hold"}, 0) {
  const std::vector<std::uint64_t> tracks = tracks_of(layout_);
  const std::size_t count = tracks.size() - 1;
  for (std::uint32_t i = 0; i < shape.slots; ++i) {
    const std::uint64_t first = tracks[count * i / shape.slots];
    const std::uint64_t end = tracks[count * (i + 1) / shape.slots];
    DataBuffer buffer = ports.memory.reserve_buffer(MemoryCategory::merge_buffer, shape.sectors, staging);
    places_.push_back({BackupSlot(ports.media, {layout_, first, end - first}, numbers_, std::move(buffer))});
  }
}

// --- Turns ---

BackupRegion::Turn::Turn(BackupRegion& region, BackupSlot* wanted) : region_(&region), wanted_(wanted), slot_(region.take(wanted)) {}

BackupRegion::Turn::Turn(Turn&& other) noexcept
    : region_(other.region_), wanted_(other.wanted_), slot_(std::exchange(other.slot_, nullptr)) {
  TESSERA_CHECK(!other.queued_, "a waiting turn was moved");
}

void BackupRegion::Turn::await_suspend(std::coroutine_handle<> task) {
  wait_.task = task;
  region_->enqueue(*this);
}

void BackupRegion::Turn::end() {
  if (queued_) region_->dequeue(*this);
  if (slot_ != nullptr) region_->give_back(*std::exchange(slot_, nullptr));
}

/// A free slot, the first of them, or the wanted one if it is free: nobody waits for a free one.
BackupSlot* BackupRegion::take(const BackupSlot* wanted) {
  for (Place& place : places_) {
    if (!place.free || (wanted != nullptr && wanted != &place.slot)) continue;
    place.free = false;
    used_gauge_.rise(1);
    return &place.slot;
  }
  return nullptr;
}

void BackupRegion::enqueue(Turn& turn) {
  ++waits_;
  turn.queued_ = true;
  Turn** last = &first_;
  while (*last != nullptr) last = &(*last)->later_;
  *last = &turn;
  cpu_.suspend(turn.wait_, LifePhase::backup);
}

void BackupRegion::dequeue(const Turn& turn) {
  Turn** link = &first_;
  while (*link != &turn) link = &(*link)->later_;
  *link = turn.later_;
}

/// To the first in the queue that takes it.
void BackupRegion::give_back(BackupSlot& slot) {
  Turn* next = first_;
  while (next != nullptr && !next->takes(&slot)) next = next->later_;
  if (next != nullptr) {
    dequeue(*next);
    next->queued_ = false;
    next->slot_ = &slot;
    cpu_.make_ready(next->wait_);
    return;
  }
  std::ranges::find_if(places_, [&slot](const Place& place) { return &place.slot == &slot; })->free = true;
  used_gauge_.fall(1);
}

// --- Records ---

BackupSlot* BackupRegion::describing(std::span<const PhysicalRun> runs) {
  const auto found = std::ranges::find_if(places_, [runs](const Place& place) { return place.slot.describes(runs); });
  return found == places_.end() ? nullptr : &found->slot;
}

Task<Status> BackupRegion::forget(std::span<const PhysicalRun> runs, const BackupSlot* kept) {
  for (Place& place : places_) {
    if (&place.slot == kept || !place.slot.describes(runs)) continue;
    Turn turn = at(place.slot);
    co_await turn;
    if (!place.slot.describes(runs)) continue;  // superseded meanwhile
    const Status status = co_await place.slot.void_record();
    if (!ok(status)) co_return status;
  }
  co_return Status::ok;
}

/// What can be read of the saved runs needs no restoring: it was not destroyed, or is back, or is newer. So a record that is not in
/// force, because a newer one or the sector that voids it cannot be read, does no harm, nor does one that a cut left incomplete. Newest
/// first: then what it describes can be read when the turn of such an older one comes.
Task<Status> BackupRegion::recover() {
  std::vector<BackupSlot*> newest_first;
  for (Place& place : places_) {
    co_await place.slot.find_newest();
    newest_first.push_back(&place.slot);
  }
  std::ranges::stable_sort(newest_first, std::greater(), &BackupSlot::newest_number);
  for (BackupSlot* const slot : newest_first) {
    const Status status = co_await slot->restore();
    if (!ok(status)) co_return status;
  }
  co_return Status::ok;
}

// --- Figures ---

void BackupRegion::report(MetricSet& metrics) const {
  std::uint64_t sectors = 0;
  std::uint64_t voids = 0;
  for (const Place& place : places_) {
    sectors += place.slot.sectors_written();
    voids += place.slot.voids();
  }
  metrics.count("backup.sectors", static_cast<double>(sectors), "sectors", "sectors written to the backup region");
  metrics.count("backup.voids", static_cast<double>(voids), "1", "backup records that were voided");
  metrics.count("backup.waits", static_cast<double>(waits_), "1", "writes that waited for a backup slot");
}

}  // namespace tessera
