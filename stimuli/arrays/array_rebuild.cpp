// What an array's host does about drives that fail: spare places, spares and the rebuild onto them.
#include <algorithm>
#include <utility>

#include "stimuli/arrays/array_host.hpp"
#include "stimuli/arrays/restore_task.hpp"
#include "stimuli/arrays/row_tasks.hpp"

namespace tessera {

bool ArrayHost::is_rebuilt(ArrayRow row, DriveSlot slot) const {
  return gone_[slot.value()]->rebuilt || (rebuild_ && rebuild_->slot == slot && rebuild_->sweep->done(row));
}

std::optional<std::uint32_t> ArrayHost::rebuild_target(ArrayRow row, std::uint32_t member) const {
  DriveSlot slot = layout_.slot_of(row, member);
  while (const std::optional<Gone>& gone = gone_[slot.value()]) {
    if (rebuild_->slot == slot && rebuild_->spare) return rebuild_->spare;
    if (!gone->spare_place) return std::nullopt;
    slot = layout_.spare_for(row, member, *gone->spare_place);
  }
  return drive_in_[slot.value()];
}

std::optional<std::uint32_t> ArrayHost::member_held_by(ArrayRow row, DriveSlot slot) const {
  for (std::uint32_t member = 0; member < layout_.width(); ++member) {
    DriveSlot holder = layout_.slot_of(row, member);
    while (holder != slot && gone_[holder.value()] && gone_[holder.value()]->spare_place)
      holder = layout_.spare_for(row, member, *gone_[holder.value()]->spare_place);
    if (holder == slot) return member;
  }
  return std::nullopt;
}

/// The last one: a drive that a slot was rebuilt on may fail in its turn.
RebuildRecord& ArrayHost::record_of(DriveSlot slot) {
  return *std::ranges::find(rebuilds_.rbegin(), rebuilds_.rend(), slot, &RebuildRecord::slot);
}

/// Spare places come before spare drives: all drives write to them.
void ArrayHost::drive_failed(std::uint32_t drive) {
  const auto at = std::ranges::find(drive_in_, drive);
  if (at == drive_in_.end()) {
    TESSERA_CHECK(rebuild_ && rebuild_->spare == drive, "a drive failed that has nothing to do with the array");
    const DriveSlot slot = rebuild_->slot;
    give_rebuild_up();
    bad_.forget(drive);
    queues_[drive]->fail();
    if (!spares_.empty()) ask_for_rebuild(slot);
    return;
  }
  const DriveSlot slot(static_cast<std::uint64_t>(at - drive_in_.begin()));
  Gone& gone = gone_[slot.value()].emplace();
  ++gone_slots_;
  bad_.forget(drive);
  queues_[drive]->fail();
  if (!layout_.redundant()) return;
  const bool on_places = spare_places_taken_ < layout_.shape().spare_places;
  if (!on_places && spares_.empty()) return;
  if (on_places) gone.spare_place = spare_places_taken_++;
  rebuilds_.push_back({slot, std::nullopt, timeline_.now(), {}, {}, {}});
  ask_for_rebuild(slot);
}

/// On spare places, if the slot has them, or on the next spare.
void ArrayHost::ask_for_rebuild(DriveSlot slot) {
  if (!gone_[slot.value()]->spare_place) {
    record_of(slot).spare = spares_.front();
    spares_.erase(spares_.begin());
  }
  waiting_rebuilds_.push_back(slot);
  timeline_.post(timeline_.now() + config_.rebuild.delay, *this);
}

/// Its tasks find that they belong to no rebuild that goes on.
void ArrayHost::give_rebuild_up() {
  rebuild_->sweep->interrupt();
  rebuild_.reset();
  if (!waiting_rebuilds_.empty()) timeline_.post(timeline_.now(), *this);
}

/// One after the other, in order of the failures.
void ArrayHost::begin_rebuild() {
  if (waiting_rebuilds_.empty()) return;
  const DriveSlot slot = waiting_rebuilds_.front();
  waiting_rebuilds_.erase(waiting_rebuilds_.begin());
  RebuildRecord& record = record_of(slot);
  record.began = timeline_.now();
  if (rebuild_listener_) rebuild_listener_(true);
  rebuild_.emplace(Rebuild{slot, record.spare, nullptr});
  std::function<void()> checkpoint;
  if (!rebuilt_on_caches().empty()) checkpoint = [this] { checkpoint_rebuild(); };
  rebuild_->sweep = std::make_shared<RowSweep>(timeline_, config_.rebuild.pace, layout_,
                                               RowSweep::Hooks{[this] { return busy_since_asked(); },
                                                               [this](ArrayRow row) {
                                                                 const std::uint32_t member = *member_held_by(row, rebuild_->slot);
                                                                 start(std::make_unique<RebuildTask>(*this, row, member, rebuild_->sweep));
                                                               },
                                                               [this] { end_rebuild(); },
                                                               [this](ArrayRow row) {
                                                                 const auto member = member_held_by(row, rebuild_->slot);
                                                                 return member && rebuild_target(row, *member);
                                                               },
                                                               std::move(checkpoint)},
                                               config_.rebuild.checkpoint);
  rebuild_->sweep->start();
}

std::vector<std::uint32_t> ArrayHost::rebuilt_on_caches() const {
  std::vector<std::uint32_t> drives;
  if (rebuild_->spare) drives.push_back(*rebuild_->spare);
  for (std::size_t slot = 0; !rebuild_->spare && slot < gone_.size(); ++slot)
    if (!gone_[slot]) drives.push_back(drive_in_[slot]);
  std::erase_if(drives, [this](std::uint32_t drive) { return !forgets_[drive]; });
  return drives;
}

/// As md does before it notes in its superblock how far a recovery has come. Only of this rebuild: it may have been given up meanwhile.
void ArrayHost::checkpoint_rebuild() {
  std::vector<std::uint32_t> drives = rebuilt_on_caches();
  if (drives.empty()) return rebuild_->sweep->flushed(true);
  start(std::make_unique<FlushTask>(*this, std::move(drives), CommandPriority::background,
                                    [this, sweep = rebuild_->sweep](Status status, const RequestLife&) {
                                      if (rebuild_ && rebuild_->sweep == sweep) sweep->flushed(ok(status));
                                    }));
}

void ArrayHost::end_rebuild() {
  record_of(rebuild_->slot).ended = timeline_.now();
  std::optional<Gone>& gone = gone_[rebuild_->slot.value()];
  gone->rebuilt = true;
  if (rebuild_->spare) {
    drive_in_[rebuild_->slot.value()] = *rebuild_->spare;
    gone.reset();
    --gone_slots_;
  }
  finished_sweep_ = std::move(rebuild_->sweep);  // which has called
  rebuild_.reset();
  if (!waiting_rebuilds_.empty()) return timeline_.post(timeline_.now(), *this);
  if (rebuild_listener_) rebuild_listener_(false);
}

}  // namespace tessera
