#include "firmware/zones/zone_buffer_layer.hpp"

#include <algorithm>

#include "firmware/layers/layer_statistics.hpp"
#include "firmware/layout/plan_regions.hpp"
#include "firmware/zones/zone_plan.hpp"

namespace tessera {

ZoneBufferLayer::ZoneBufferLayer(const Ports& ports, const ZoneConfig& config, const DriveGeometry& geometry, const FormatPlan& plan,
                                 ZoneNotes* notes, SlotOwners::ZoneLists lists)
    : ports_(ports),
      store_(ports, config, geometry, plan, notes),
      buffer_(ports, geometry, regions_named(plan, "buffer"), static_cast<std::uint32_t>(buffer_sectors(config, geometry, plan))),
      owners_(ports,
              config.map.kind == MapKind::hash
                  ? nullptr
                  : make_sector_map(config.map, ports, geometry, regions_named(plan, "map"), store_.user_sectors(), buffer_.slots()),
              buffer_.slots(), store_.zones(), store_.zone_sectors(), lists),
      writes_(owners_, buffer_),
      locks_(ports.cpu),
      evictions_(ports.cpu),
      victims_(buffer_) {}

// Reads

Task<Status> ZoneBufferLayer::read(LogicalRun run, DataSpan data) {
  for (std::uint32_t done = 0; done < run.count;) {
    const ZoneRun piece = store_.piece({run.first + done, run.count - done});
    const DataSpan part = data.part(done, piece.count);
    const Status status = co_await read_piece(piece, part);
    if (!ok(status)) co_return status;
    done += piece.count;
  }
  co_return Status::ok;
}

/// The buffer first, then the zone.
Task<Status> ZoneBufferLayer::read_piece(ZoneRun run, DataSpan data) {
  auto guard = locks_.shared(NumberRange::of(guard_of(run.zone)));
  co_await guard;
  const auto plan = read_plans_.take();
  plan->buffered.clear();
  plan->native.clear();
  const LogicalRun sectors = store_.logical(run);
  Status status = co_await owners_.find(sectors, plan->slots);
  if (!ok(status)) co_return status;
  for (std::uint32_t i = 0; i < run.count; ++i) {
    const std::uint32_t slot = plan->slots[i];
    if (slot == SlotOwners::none) {
      if (!plan->native.empty() && plan->native.back().first + plan->native.back().count == i)
        ++plan->native.back().count;
      else
        plan->native.push_back({i, 1});
      continue;
    }
    ++statistics_.reads_buffer;
    SlotRun* const last = plan->buffered.empty() ? nullptr : &plan->buffered.back();
    if (last != nullptr && last->first + last->data.count == slot && last->data.first + last->data.count == data.first + i)
      ++last->data.count;
    else
      plan->buffered.push_back({slot, data.part(i, 1)});
  }
  const std::span<const SlotRun> buffered(plan->buffered);
  status = co_await buffer_.read(buffered, MediaClass::host);
  for (std::size_t i = 0; ok(status) && i < plan->native.size(); ++i) {
    const ReadPlan::Native native = plan->native[i];
    statistics_.reads_zone += native.count;
    const ZoneRun part{run.zone, run.offset + native.first, native.count};
    const DataSpan into = data.part(native.first, native.count);
    status = co_await store_.read(part, into);
  }
  co_return status;
}

// Writes

Task<Status> ZoneBufferLayer::write(LogicalRun run, DataSpan data, WriteOptions options) {
  const MediaClass priority = options.background ? MediaClass::background : MediaClass::host;
  const Request request{options.tag, priority, predicts_hot(run.count)};
  for (std::uint32_t done = 0; done < run.count;) {
    const ZoneRun piece = store_.piece({run.first + done, std::min(run.count - done, largest_write())});
    const DataSpan part = data.part(done, piece.count);
    const Status status = co_await write_piece(piece, part, request);
    if (!ok(status)) co_return status;
    done += piece.count;
  }
  co_return Status::ok;
}

Task<Status> ZoneBufferLayer::store(ZoneRun run, DataSpan data, const Placements& placements, MediaClass priority) {
  Status status = Status::ok;
  std::uint32_t done = 0;
  while (ok(status) && done < run.count) {
    std::uint32_t count = 1;
    while (done + count < run.count && placements[done + count].slot == placements[done].slot + count) ++count;
    const ZoneRun part{run.zone, run.offset + done, count};
    const DataSpan part_data = data.part(done, count);
    const std::span<const Placement> part_placements(&placements[done], count);
    status = co_await store_run(part, part_data, part_placements, priority);
    if (ok(status)) done += count;
  }
  if (ok(status)) co_return status;
  const std::span<const Placement> failed(&placements[done], run.count - done);
  co_await abandoned(run.zone, failed);
  for (const Placement& placement : failed)
    if (!owners_.in_use(placement.slot)) released(placement.slot);
  co_return status;
}

/// To slots next to one another.
Task<Status> ZoneBufferLayer::store_run(ZoneRun run, DataSpan data, std::span<const Placement> placements, MediaClass priority) {
  const auto records = records_.take();
  records->clear();
  const LogicalRun sectors = store_.logical(run);
  const std::uint32_t first_slot = placements.front().slot;
  writes_.begin(first_slot, sectors);
  for (std::uint32_t i = 0; i < run.count; ++i)
    records->push_back({sectors.first + i, buffer_.take_sequence(), placements[i].tag, writes_.names_for(i)});
  const std::span<const SlotRecord> written(*records);
  Status status = co_await buffer_.write(first_slot, written, data, priority);
  for (std::uint32_t done = 0; ok(status) && done < run.count;) {
    const LogicalRun piece = owners_.piece({sectors.first + done, run.count - done});
    status = co_await owners_.pin(piece);
    if (!ok(status)) break;
    for (const std::uint32_t end = done + piece.count; done < end; ++done) enter(placements[done].slot, sectors.first + done, run.zone);
    owners_.unpin(piece);
  }
  writes_.end(first_slot);
  co_return status;
}

/// `slot` was written with a new copy of `sector`.
void ZoneBufferLayer::enter(std::uint32_t slot, LogicalSector sector, std::uint32_t zone) {
  stored(slot);
  const std::uint32_t old = owners_.slot_of(sector);
  if (old == slot) return;
  if (old != SlotOwners::none) {
    owners_.remove(old);
    released(old);
  }
  owners_.put(slot, sector, zone);
}

Task<Status> ZoneBufferLayer::evict(std::uint32_t zone) {
  auto turn = evictions_.exclusive({});
  co_await turn;
  victims_.clear();
  for (std::uint32_t slot = owners_.first_of(zone); slot != SlotOwners::none; slot = owners_.after(slot))
    if (leaves(slot)) victims_.add({store_.offset_of(owners_.sector_of(slot)), slot});
  victims_.sort();
  const SlotWrites::Leaving unnamed(writes_, store_.sectors_of(zone));
  // Nobody writes sectors of the zone now, so no copy that is still to come has one of these numbers.
  const ZoneStore::WriteBack job{zone, void_up_to()};
  const Status status = co_await store_.write_back(job, victims_);
  if (!ok(status)) co_return status;
  const auto slots = slots_.take();
  slots->clear();
  for (const Victim& victim : victims_.victims()) slots->push_back(victim.slot);
  const std::span<const std::uint32_t> leaving(*slots);
  co_return co_await give_up(leaving);
}

/// Slots whose content is void; ascending by their sectors, whose zone is held alone. What stays in the map after an error holds what
/// its zone holds.
Task<Status> ZoneBufferLayer::give_up(std::span<const std::uint32_t> slots) {
  const Status status = co_await owners_.remove(slots);
  for (const std::uint32_t slot : slots)
    if (ok(status) || !owners_.in_use(slot)) released(slot);
  co_return status;
}

/// What the buffer holds stays its sector's newest copy. In the zones neither that sector's older copy nor one that was trimmed is needed.
Task<Status> ZoneBufferLayer::trim(LogicalRun run) {
  for (std::uint32_t done = 0; done < run.count;) {
    const ZoneRun piece = store_.piece({run.first + done, run.count - done});
    auto guard = locks_.exclusive(NumberRange::of(guard_of(piece.zone)));
    co_await guard;
    co_await store_.trim(piece);
    done += piece.count;
  }
  co_return Status::ok;
}

// Boot: of the copies of a sector that are newer than its zone's last write-back, the newest counts.

Task<Status> ZoneBufferLayer::recover() {
  class Collector final : public BufferRegion::Finder {
   public:
    explicit Collector(std::uint32_t all) : names(all) {}
    void found(std::uint32_t slot, const SlotRecord& record) override {
      slots.push_back({slot, record});
      names.add(record.sequence, record.names);
    }
    void unknown(std::uint32_t slot) override { unreadable.push_back(slot); }
    std::vector<FoundSlot> slots;
    std::vector<std::uint32_t> unreadable;
    HeardNames names;
  };
  Status status = co_await store_.recover();
  if (!ok(status)) co_return status;
  Collector collector(buffer_.slots());
  co_await buffer_.scan(collector);
  buffer_.skip_sequences(store_.newest_watermark());
  std::vector<bool> known(buffer_.slots());
  for (const FoundSlot& found : collector.slots) known[found.slot] = true;
  // The dumped table knows which slots held something. What other records name may have left its slot since, for its zone or a new copy.
  const bool told_by_dump = owners_.begin_restore();
  const std::vector<SlotOwners::Owner> unreadable = owners_.without_record(known);
  for (const SlotOwners::Owner& owner : unreadable) known[owner.slot] = true;
  std::vector<FoundSlot> told;
  if (!told_by_dump) told = named(collector.slots, collector.unreadable, collector.names);
  std::erase_if(told, [&known](const FoundSlot& slot) { return known[slot.slot]; });
  const std::span<const std::uint32_t> unknown(collector.unreadable);
  restore_space(collector.slots, unknown);
  add_unreadable(collector.slots, unreadable);
  add_named(collector.slots, std::move(told));
  status = co_await restore_owners(collector.slots);
  if (!ok(status)) co_return status;
  std::ranges::sort(collector.slots, {}, [](const FoundSlot& found) { return found.record.sequence; });
  status = co_await restored(collector.slots, unknown);
  co_return status;
}

/// A slot that cannot be read stays the owner of its sector, which is lost until it is written again: older copies do not count.
void ZoneBufferLayer::add_unreadable(std::vector<FoundSlot>& found, const std::vector<SlotOwners::Owner>& unreadable) {
  std::vector<FoundSlot> added;
  added.reserve(unreadable.size());
  for (const SlotOwners::Owner& owner : unreadable)
    added.push_back({owner.slot, SlotRecord{owner.sector, buffer_.take_sequence(), restore_unreadable(owner, found)}});
  found.insert(found.end(), added.begin(), added.end());
}

/// Slots that cannot be read and that the dumped table does not tell of, but other records do: as new as what tells of them. Records that
/// do not count any more still tell that a sector has left its slot.
std::vector<ZoneBufferLayer::FoundSlot> ZoneBufferLayer::named(const std::vector<FoundSlot>& found,
                                                               const std::vector<std::uint32_t>& unknown, const HeardNames& names) const {
  std::vector<FoundSlot> slots;
  for (const std::uint32_t slot : unknown) {
    const std::optional<HeardNames::Name> name = names.of(slot);
    if (!name) continue;
    const auto newer = [&name](const FoundSlot& other) {
      return other.record.sector == name->sector && other.record.sequence > name->sequence;
    };
    const bool left = name->sequence <= store_.watermark(store_.zone_of(name->sector)) || std::ranges::any_of(found, newer);
    if (!left) slots.push_back({slot, SlotRecord{name->sector, name->sequence}});
  }
  return slots;
}

/// They stay the owners of their sectors, too.
void ZoneBufferLayer::add_named(std::vector<FoundSlot>& found, std::vector<FoundSlot> named) {
  for (FoundSlot& slot : named) {
    if (!may_hold(slot.slot, slot.record.sequence)) continue;
    slot.record.tag = restore_unreadable({slot.slot, slot.record.sector}, found);
    found.push_back(slot);
  }
}

/// In the order of the sectors, so that each piece of the map is needed once.
Task<Status> ZoneBufferLayer::restore_owners(std::vector<FoundSlot>& found) {
  const auto newest_first = [](const FoundSlot& a, const FoundSlot& b) {
    return a.record.sector != b.record.sector ? a.record.sector < b.record.sector : a.record.sequence > b.record.sequence;
  };
  std::ranges::sort(found, newest_first);
  std::vector<FoundSlot> newest;
  for (const FoundSlot& slot : found) {
    if (!newest.empty() && newest.back().record.sector == slot.record.sector) continue;
    if (age(slot.record) > store_.watermark(store_.zone_of(slot.record.sector))) newest.push_back(slot);
  }
  for (std::size_t i = 0; i < newest.size();) {
    const LogicalSector first = newest[i].record.sector;
    const LogicalRun piece = owners_.piece({first, static_cast<std::uint32_t>(newest.back().record.sector - first + 1)});
    const Status status = co_await owners_.pin(piece);
    if (!ok(status)) co_return status;
    for (; i < newest.size() && newest[i].record.sector < piece.end(); ++i)
      owners_.put(newest[i].slot, newest[i].record.sector, store_.zone_of(newest[i].record.sector));
    owners_.unpin(piece);
  }
  std::vector<bool> put(owners_.slots());
  for (const FoundSlot& slot : newest) put[slot.slot] = true;
  owners_.end_restore(put);
  co_return Status::ok;
}

// --- Figures ---

BandLevels ZoneBufferLayer::band_levels() const {
  BandLevels levels(store_.zones());
  for (std::uint32_t zone = 0; zone < levels.size(); ++zone)
    levels[zone] = {store_.zone_sectors(), store_.peek(zone).write_pointer, owners_.held(zone)};
  return levels;
}

void ZoneBufferLayer::report_common(MetricSet& metrics, Bytes paper_bytes, Bytes own) const {
  store_.report(metrics);
  statistics_.report(metrics);
  owners_.report(metrics);
  metrics.count("buffer.sectors", static_cast<double>(buffer_.sectors_written()), "sectors", "sectors written to the buffer");
  metrics.add("buffer.used", static_cast<double>(owners_.used()), "sectors", "sectors that the buffer holds");
  const double host = static_cast<double>(statistics_.sectors_written);
  const auto media = static_cast<double>(buffer_.sectors_written() + store_.statistics().written + store_.log_sectors());
  const auto padding = static_cast<double>(store_.statistics().padding);
  metrics.add("wa.padded", host == 0 ? std::nullopt : std::optional(media / host), "1",
              "sectors written to buffer, zones and log over sectors written by the host");
  metrics.add("wa.unpadded", host == 0 ? std::nullopt : std::optional((media - padding) / host), "1", "as wa.padded, but without padding");
  metrics.count("log.sectors", static_cast<double>(store_.log_sectors()), "sectors", "sectors of the merge log and its checkpoints");
  report_mapping_memory(metrics, paper_bytes, store_.bytes() + owners_.bytes() + own);
  metrics.add("meta.ram_bytes_zones", static_cast<double>(store_.bytes().value()), "B",
              "of the mapping memory really taken, states of the zones and bitmaps of their padding, which no buffer's size changes");
}

}  // namespace tessera
