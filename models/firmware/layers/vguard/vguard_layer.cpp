#include "firmware/layers/vguard/vguard_layer.hpp"

#include <algorithm>

#include "firmware/layout/plan_regions.hpp"
#include "firmware/logs/header_scan.hpp"
#include "firmware/logs/log_record.hpp"

namespace tessera {

namespace {

enum List : std::uint32_t { free_list, used_list, lists };

/// Kept for cleaning, which makes a guard before it gives the first slot back.
constexpr std::uint32_t kept_free = 1;

}  // namespace

Vguard::Vguard(const Ports& ports, const VguardConfig& config, const DriveGeometry& geometry, const FormatPlan& plan)
    : ports_(ports),
      layout_(geometry, regions_named(plan, "data"), ports.media, tracks_in_order(config.band_tracks)),
      cache_(geometry, regions_named(plan, "cache"), ports.media, ConventionalLayout::Reserve::none),
      slot_sectors_(longest_track(geometry) + 1),
      slots_(static_cast<Slot>(cache_.sectors() / slot_sectors_)),
      holds_data_(ports.memory, MemoryCategory::metadata, layout_.tracks(), "tracks that hold data"),
      slot_by_track_(ports.memory, MemoryCategory::metadata, slots_, "slots of cached tracks"),
      track_by_slot_(ports.memory, MemoryCategory::metadata, slots_, "tracks of the cache's slots", Survival::dumped),
      lists_(ports.memory, MemoryCategory::metadata, slots_, lists, "free and used slots"),
      free_slots_(slots_),
      free_gauge_(ports.cpu, {"guard.free_slots", "1", "free slots of the cache of guarded tracks"}, slots_),
      locks_(ports.cpu),
      cleaning_(ports.cpu),
      copying_(ports.cpu),
      copy_(ports.memory.reserve_buffer(MemoryCategory::merge_buffer, longest_track(geometry), "a track on its way to the cache")) {
  TESSERA_CHECK(slots_ > kept_free, "a cache of guarded tracks is too small");
  for (Slot slot = 0; slot < slots_; ++slot) lists_.push_back(free_list, slot);
}

// --- Host requests ---

Task<Status> Vguard::read(LogicalRun run, DataSpan data) {
  for (std::uint32_t done = 0; done < run.count;) {
    const Piece piece = layout_.piece({run.first + done, run.count - done});
    const DataSpan part = data.part(done, piece.run.count);
    auto lock = locks_.shared({piece.track, piece.track + 1});
    co_await lock;
    const Slot slot = slot_of(piece.track);
    MediaChain chain(MediaClass::host);
    if (slot == none) {
      chain.read(piece.run, part);
    } else {
      add_slot_steps(chain, MediaOp::read, slot, piece.run.first, part);
    }
    const Status status = co_await ports_.media.run(chain);
    if (!ok(status)) co_return status;
    (slot == none ? read_in_place_ : read_cached_) += piece.run.count;
    done += piece.run.count;
  }
  co_return Status::ok;
}

Task<Status> Vguard::write(LogicalRun run, DataSpan data, WriteOptions options) {
  const MediaClass priority = options.background ? MediaClass::background : MediaClass::host;
  for (std::uint32_t done = 0; done < run.count;) {
    const Piece piece = layout_.piece({run.first + done, run.count - done});
    const DataSpan part = data.part(done, piece.run.count);
    const Status status = co_await write_piece(piece, part, priority);
    if (!ok(status)) co_return status;
    done += piece.run.count;
  }
  co_return Status::ok;
}

Task<Status> Vguard::write_piece(Piece piece, DataSpan data, MediaClass priority) {
  for (;;) {
    auto lock = locks_.exclusive(reach_of(piece.track));
    co_await lock;
    const Slot slot = slot_of(piece.track);
    const bool guard_needed = slot == none && endangers_next(piece.track);
    if (guard_needed && free_slots_ <= kept_free) {
      lock.unlock();  // cleaning locks a band, perhaps this one
      const Status cleaned = co_await clean();
      if (!ok(cleaned)) co_return cleaned;
      continue;
    }
    if (guard_needed) {
      const Status guarded = co_await make_guard(piece.track + 1);
      if (!ok(guarded)) co_return guarded;
    }
    MediaChain chain(priority);
    if (slot == none) {
      holds_data_.set(piece.track);
      chain.write(piece.run, data);
    } else {
      add_slot_steps(chain, MediaOp::write, slot, piece.run.first, data);
    }
    if (slot != none) written_cached_ += piece.run.count;
    co_return co_await ports_.media.run(chain);
  }
}

// A completed write is on the platter.
Task<Status> Vguard::flush() { co_return Status::ok; }
Task<Status> Vguard::trim(LogicalRun) { co_return Status::ok; }

// --- Guards ---

/// Whether a write in place would destroy data: that of the next track in the band, unless it is in the cache.
bool Vguard::endangers_next(std::uint64_t track) const {
  return has_next(track) && slot_of(track + 1) == none && holds_data_.test(track + 1);
}

/// Moves a track to the cache. The record behind it is written last: found means complete, and only then is the old place given up.
Task<Status> Vguard::make_guard(std::uint64_t track) {
  const Slot slot = lists_.front(free_list);
  take(slot, track);
  auto turn = copying_.exclusive({});
  co_await turn;

  const PhysicalRun run = layout_.whole(track).run;
  const DataSpan data = copy_.part(0, run.count);
  SectorHeader record = encode({RecordType::slot, 0, slot_sectors_, {track}});
  MediaChain chain(MediaClass::dependent, LostSectors::carry);
  chain.read(run, data, StepHint::whole_track);
  add_slot_steps(chain, MediaOp::write, slot, 0, data);
  chain.write(record_place(slot), {}, StepHint::position, &record);
  const Status status = co_await ports_.media.run(chain);
  if (!ok(status)) {
    give_back(slot);
    co_return status;
  }
  hold(slot, track);
  ++guards_;
  co_return Status::ok;
}

/// Writes a cached track in place again; the next one must not be in danger. The record goes last: until then the slot counts.
Task<Status> Vguard::put_back(std::uint64_t track) {
  auto turn = copying_.exclusive({});
  co_await turn;
  const Slot slot = slot_of(track);
  const PhysicalRun run = layout_.whole(track).run;
  const DataSpan data = copy_.part(0, run.count);
  SectorHeader record = encode({RecordType::voided, 0, 1, {}});
  MediaChain chain(MediaClass::dependent, LostSectors::carry);
  add_slot_steps(chain, MediaOp::read, slot, 0, data);
  chain.write(run, data, StepHint::whole_track);
  chain.write(record_place(slot), {}, StepHint::position, &record);
  const Status status = co_await ports_.media.run(chain);
  if (!ok(status)) co_return status;
  slot_by_track_.erase(track);
  track_by_slot_.write(slot).holds = 0;
  give_back(slot);
  ++put_back_;
  co_return Status::ok;
}

/// Makes room: all cached tracks of the band that was cached first go back in place.
Task<Status> Vguard::clean() {
  auto turn = cleaning_.exclusive({});
  co_await turn;
  if (free_slots_ > kept_free) co_return Status::ok;  // somebody else has cleaned meanwhile
  if (free_slots_ == 0) {                             // the cleaning before did not come to its end
    const Status ended = co_await end_cleaning();
    if (!ok(ended)) co_return ended;
  }
  const std::uint64_t band = track_by_slot_.read(lists_.front(used_list)).track / layout_.band_tracks();
  const Picoseconds begun = ports_.cpu.now();
  ports_.cpu.event({"clean", FirmwareEvent::Edge::begin, band, 0});
  const std::uint64_t before = put_back_;
  const Status status = co_await clean_band(band);
  ports_.cpu.event({"clean", FirmwareEvent::Edge::end, band, put_back_ - before});
  cleanings_.record(ports_.cpu.now() - begun);
  co_return status;
}

/// A cleaning ended, by a cut or an error, between the guard that took the last slot and the track that it was made for: that one is
/// put back.
Task<Status> Vguard::end_cleaning() {
  for (Slot slot = 0; slot < slots_; ++slot) {
    const std::uint64_t track = track_by_slot_.read(slot).track;
    auto lock = locks_.exclusive(reach_of(track));
    co_await lock;
    if (slot_of(track) != slot || endangers_next(track)) continue;
    co_return co_await put_back(track);
  }
  co_return Status::corrupt;
}

/// Outwards in, so that each track that is put back has a guard behind it; where it has none, the next track is cached first, and put
/// back in its turn. So the band never holds data that a cut could destroy.
Task<Status> Vguard::clean_band(std::uint64_t band) {
  const std::uint64_t first = band * layout_.band_tracks();
  const std::uint64_t end = first + layout_.band_tracks();
  auto lock = locks_.exclusive({first, end});
  co_await lock;
  for (std::uint64_t track = first; track < end; ++track) {
    if (slot_of(track) == none) continue;
    if (endangers_next(track)) {
      const Status guarded = co_await make_guard(track + 1);
      if (!ok(guarded)) co_return guarded;
    }
    const Status done = co_await put_back(track);
    if (!ok(done)) co_return done;
  }
  co_return Status::ok;
}

// --- The cache: slots of a track and its record ---

Vguard::Slot Vguard::slot_of(std::uint64_t track) const {
  ports_.cpu.hash();
  return slot_by_track_.find(track);
}

/// From here on the slot is the track's.
void Vguard::take(Slot slot, std::uint64_t track) {
  track_by_slot_.write(slot) = {track, 0};
  lists_.remove(slot);
  lists_.push_back(used_list, slot);
  free_gauge_.set(--free_slots_);
}

/// From here on the track is in it.
void Vguard::hold(Slot slot, std::uint64_t track) {
  track_by_slot_.write(slot).holds = 1;
  slot_by_track_.insert(track, slot);
}

void Vguard::give_back(Slot slot) {
  lists_.remove(slot);
  lists_.push_back(free_list, slot);
  free_gauge_.set(++free_slots_);
}

void Vguard::add_slot_steps(MediaChain& chain, MediaOp op, Slot slot, std::uint32_t first, DataSpan data) const {
  const LogicalSector start(std::uint64_t{slot} * slot_sectors_ + first);
  for (std::uint32_t done = 0; done < data.count;) {
    const PhysicalRun piece = cache_.piece({start + done, data.count - done});
    chain.add({op, StepHint::position, piece, data.part(done, piece.count), {}, nullptr});
    done += piece.count;
  }
}

PhysicalRun Vguard::record_place(Slot slot) const {
  return cache_.piece({LogicalSector((std::uint64_t{slot} + 1) * slot_sectors_ - 1), 1});
}

// --- Boot ---

Task<Status> Vguard::format() { co_return Status::ok; }

Task<Status> Vguard::recover() {
  // Which tracks hold data was only known in DRAM; to assume that all do is safe.
  holds_data_.set_below(holds_data_.size());
  HeaderScan scan(ports_.media);
  std::array<PhysicalRun, HeaderScan::most> places{};
  for (Slot first = 0; first < slots_; first += HeaderScan::most) {
    const std::uint32_t count = std::min(HeaderScan::most, slots_ - first);
    for (std::uint32_t i = 0; i < count; ++i) places[i] = record_place(first + i);
    const std::span<const PhysicalRun> records(places.data(), count);
    co_await scan.read(records);
    for (std::uint32_t i = 0; i < count; ++i) {
      const Cached dumped = track_by_slot_.peek(first + i);
      const std::optional<LogRecord> record = scan.record(i);
      // Where the record cannot be read, the dumped table knows: without it an old copy in place would be taken for the track.
      const bool holds = record ? record->type == RecordType::slot : dumped.holds != 0;
      track_by_slot_.peek(first + i).holds = 0;
      if (!holds) continue;
      const std::uint64_t track = record ? record->payload[0] : dumped.track;
      take(first + i, track);
      hold(first + i, track);
    }
  }
  co_return Status::ok;
}

void Vguard::prefill(std::uint64_t sectors) {
  if (sectors != 0) holds_data_.set_below(layout_.piece({LogicalSector(sectors - 1), 1}).track + 1);
}

}  // namespace tessera
