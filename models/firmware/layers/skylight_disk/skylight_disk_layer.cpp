#include "firmware/layers/skylight_disk/skylight_disk_layer.hpp"

#include <algorithm>
#include <optional>

namespace tessera {

SkylightDisk::SkylightDisk(const Ports& ports, const SkylightDiskConfig& config, const DriveGeometry& geometry, const FormatPlan& plan)
    : ZoneBufferLayer(ports, config.zones, geometry, plan),
      hash_(config.hash),
      zone_slots_(static_cast<std::uint32_t>(config.buffer_zone_sectors(buffer_.slots(), geometry.sector_bytes))),
      states_(ports.memory, MemoryCategory::metadata, buffer_.slots() / zone_slots_, "buffer zones") {}

/// Fibonacci hashing: the middle bits of the product with 2^64 / golden ratio.
std::uint32_t SkylightDisk::buffer_zone_of(std::uint32_t zone) const {
  const std::uint64_t hashed = hash_ == ZoneHash::modulo ? zone : zone * 0x9E3779B97F4A7C15U >> 32;
  return static_cast<std::uint32_t>(hashed % buffer_zones());
}

/// Fills what is left of the buffer zone; a write that finds it full cleans it first and keeps it to itself.
Task<Status> SkylightDisk::write_piece(ZoneRun run, DataSpan data, const Request& request) {
  const std::uint32_t buffer_zone = buffer_zone_of(run.zone);
  std::optional<NumberLocks::Lock> guard;
  LockMode mode = LockMode::shared;
  for (std::uint32_t done = 0; done < run.count;) {
    guard.reset();
    guard.emplace(locks_, NumberRange::of(buffer_zone), mode);
    NumberLocks::Lock& lock = *guard;
    co_await lock;
    if (states_.read(buffer_zone).head == zone_slots_ && mode == LockMode::shared) {
      mode = LockMode::exclusive;
      continue;
    }
    if (states_.read(buffer_zone).head == zone_slots_) {
      const Status cleaned = co_await clean(buffer_zone);
      if (!ok(cleaned)) co_return cleaned;
    }
    const ZoneRun part{run.zone, run.offset + done, std::min(run.count - done, zone_slots_ - states_.read(buffer_zone).head)};
    const DataSpan part_data = data.part(done, part.count);
    const Status status = co_await append(part, part_data, request.priority);
    if (!ok(status)) co_return status;
    done += part.count;
  }
  co_return Status::ok;
}

/// An update takes a new slot, although the buffer could be overwritten.
Task<Status> SkylightDisk::append(ZoneRun run, DataSpan data, MediaClass priority) {
  const std::uint32_t buffer_zone = buffer_zone_of(run.zone);
  BufferZone& state = states_.write(buffer_zone);
  const auto placements = placements_.take();
  placements->clear();
  for (std::uint32_t i = 0; i < run.count; ++i) placements->push_back({first_slot(buffer_zone) + state.head + i, state.epoch});
  state.head += run.count;
  statistics_.sectors_written += run.count;
  const auto slots = slots_.take();
  const LogicalRun sectors = store_.logical(run);
  const Status status = co_await owners_.find(sectors, *slots);
  if (!ok(status)) co_return status;
  statistics_.updates += run.count - static_cast<std::uint64_t>(std::ranges::count(*slots, SlotOwners::none));
  const Placements& to = *placements;
  co_return co_await store(run, data, to, priority);
}

/// Every write-back makes its zone's copies void before the buffer zone's slots are used again.
Task<Status> SkylightDisk::clean(std::uint32_t buffer_zone) {
  const Picoseconds begin = ports_.cpu.now();
  ports_.cpu.event({"clean", FirmwareEvent::Edge::begin, buffer_zone, zone_slots_});
  statistics_.dirty_zones.record(owners_.dirty_zones());
  ports_.cpu.scan(zone_slots_);
  for (std::uint32_t slot = first_slot(buffer_zone); slot < first_slot(buffer_zone) + zone_slots_; ++slot) {
    if (!owners_.in_use(slot)) continue;
    const Status status = co_await evict(store_.zone_of(owners_.sector_of(slot)));
    if (!ok(status)) co_return status;
  }
  BufferZone& state = states_.write(buffer_zone);
  state.head = 0;
  ++state.epoch;
  ports_.cpu.event({"clean", FirmwareEvent::Edge::end, buffer_zone, zone_slots_});
  statistics_.cleaning.record(ports_.cpu.now() - begin);
  co_return Status::ok;
}

/// A buffer zone is as full as its newest epoch shows; slots of older ones were written back. A record that cannot be read may be of a
/// newer epoch than all others: then the buffer zone is full, so that nothing is written in an epoch that a later boot finds past.
void SkylightDisk::restore_space(std::vector<FoundSlot>& found, std::span<const std::uint32_t> unreadable) {
  for (const FoundSlot& slot : found) {
    BufferZone& state = states_.peek(slot.slot / zone_slots_);
    state.epoch = std::max(state.epoch, static_cast<std::uint32_t>(slot.record.tag));
  }
  std::erase_if(found, [this](const FoundSlot& slot) {
    BufferZone& state = states_.peek(slot.slot / zone_slots_);
    if (slot.record.tag != state.epoch) return true;
    state.head = std::max(state.head, slot.slot % zone_slots_ + 1);
    return false;
  });
  for (const std::uint32_t slot : unreadable) states_.peek(slot / zone_slots_).head = zone_slots_;
}

// --- Figures ---

void SkylightDisk::report(MetricSet& metrics) const {
  report_common(metrics, Bytes(std::uint64_t{8} * buffer_.slots()), Bytes(states_.size() * sizeof(BufferZone)));
}

}  // namespace tessera
