#include "firmware/layers/vguard/vguard_layer.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "firmware/layers/layer_statistics.hpp"
#include "firmware/layout/plan_regions.hpp"
#include "firmware/locks/shared_locks.hpp"
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
      layout_(geometry, regions_named(plan, "data"), ports.media, tracks_in_order(config.band_tracks), nullptr, SurfaceOrder::in_turn),
      cache_(geometry, regions_named(plan, "cache"), ports.media, ConventionalLayout::Reserve::none),
      slot_sectors_(longest_track(geometry) + records),
      slots_(static_cast<Slot>(cache_.sectors() / slot_sectors_)),
      holds_data_(ports.memory, MemoryCategory::metadata, layout_.tracks(), "tracks that hold data"),
      slot_by_track_(ports.memory, MemoryCategory::metadata, slots_, "slots of cached tracks"),
      track_by_slot_(ports.memory, MemoryCategory::metadata, slots_ + 1, "tracks of the cache's slots", Survival::dumped),
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

/// Tracks in place are one chain: a second one would come after the next read's, a turn late.
Task<Status> Vguard::read_in_order(LogicalRun run, DataSpan data, EarlySectors* early) {
  for (std::uint32_t done = 0; done < run.count;) {
    SharedLocks locks(locks_);
    std::array<Piece, decltype(locks)::most> pieces{};
    std::size_t count = 0;
    for (std::uint32_t end = done; end < run.count && !locks.full(); end += pieces[count++].run.count) {
      pieces[count] = layout_.piece({run.first + end, run.count - end});
      const std::uint64_t track = number_of(pieces[count]);
      locks.add({track, track + 1});
    }
    for (auto* lock = locks.first(); lock != nullptr; lock = locks.next()) co_await *lock;
    MediaChain chain(MediaClass::host);
    std::uint32_t in_place = 0;
    std::uint32_t cached = 0;
    for (std::size_t i = 0; i < count && cached == 0; ++i) {
      const PhysicalRun& place = pieces[i].run;
      const Slot slot = slot_of(number_of(pieces[i]));
      if (slot != none && !chain.empty()) break;  // its steps may be many
      const DataSpan part = data.part(done + in_place, place.count);
      if (slot == none) {
        EarlySectors* const kept = done + in_place == 0 && early != nullptr && early->limit(pieces[i].before) ? early : nullptr;
        chain.add({MediaOp::read, StepHint::position, place, part, {}, nullptr, {}, kept});
        in_place += place.count;
      } else {
        add_slot_steps(chain, MediaOp::read, slot, place.first, part);
        cached = place.count;
      }
    }
    const Status status = co_await ports_.media.run(chain);
    if (!ok(status)) co_return status;
    read_in_place_ += in_place;
    read_cached_ += cached;
    done += in_place + cached;
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
  const std::uint64_t track = number_of(piece);
  for (;;) {
    auto lock = locks_.exclusive(reach_of(track));
    co_await lock;
    const Slot slot = slot_of(track);
    const bool guard_needed = slot == none && endangers_next(track);
    if (guard_needed && free_slots_ <= kept_free) {
      lock.unlock();  // cleaning locks a band, perhaps this one
      const Status cleaned = co_await clean();
      if (!ok(cleaned)) co_return cleaned;
      continue;
    }
    if (guard_needed) {
      const Status guarded = co_await make_guard(track + 1);
      if (!ok(guarded)) co_return guarded;
    }
    MediaChain chain(priority);
    if (slot == none) {
      holds_data_.set(track);
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

// --- Guards ---

/// Whether a write in place would destroy data: that of the next track in the band, unless it is in the cache.
bool Vguard::endangers_next(std::uint64_t track) const {
  return has_next(track) && slot_of(track + 1) == none && holds_data_.test(track + 1);
}

/// Moves a track to the cache. The records after it are written last: found means complete, and only then is the old place given up.
Task<Status> Vguard::make_guard(std::uint64_t track) {
  const Slot slot = lists_.front(free_list);
  take(slot, track);
  auto turn = copying_.exclusive({});
  co_await turn;

  const PhysicalRun run = whole(track);
  const DataSpan data = copy_.part(0, run.count);
  SectorHeader record = record_of(track);
  MediaChain chain(MediaClass::dependent, LostSectors::carry);
  chain.read(run, data, StepHint::whole_track);
  add_slot_steps(chain, MediaOp::write, slot, 0, data);
  add_records(chain, slot, record);
  const Status status = co_await run_to_records(chain, slot, no_record());
  if (!ok(status)) {
    give_back(slot);
    co_return status;
  }
  hold(slot, track);
  ++guards_;
  co_return Status::ok;
}

/// Writes a cached track in place again; the next one must not be in danger. The records go last: until then the slot counts.
Task<Status> Vguard::put_back(std::uint64_t track) {
  auto turn = copying_.exclusive({});
  co_await turn;
  const Slot slot = slot_of(track);
  const PhysicalRun run = whole(track);
  const DataSpan data = copy_.part(0, run.count);
  SectorHeader record = no_record();
  MediaChain chain(MediaClass::dependent, LostSectors::carry);
  add_slot_steps(chain, MediaOp::read, slot, 0, data);
  chain.write(run, data, StepHint::whole_track);
  add_records(chain, slot, record);
  const Status status = co_await run_to_records(chain, slot, record_of(track));
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

// --- The cache: slots of a track and its record, twice ---

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

SectorHeader Vguard::record_of(std::uint64_t track) const { return encode({RecordType::slot, 0, slot_sectors_, {track}}); }

SectorHeader Vguard::no_record() { return encode({RecordType::voided, 0, 1, {}}); }

PhysicalRun Vguard::record_place(Slot slot, std::uint32_t copy) const {
  return cache_.piece({LogicalSector((std::uint64_t{slot} + 1) * slot_sectors_ - records + copy), 1});
}

void Vguard::add_records(MediaChain& chain, Slot slot, SectorHeader& record) const {
  for (std::uint32_t copy = 0; copy < records; ++copy) chain.write(record_place(slot, copy), {}, StepHint::position, &record);
}

/// Runs a chain that ends with both copies of a slot's record. A boot asks the second where it cannot read the first, so the two must
/// agree: where the second cannot be written, the first takes back what it `said`. Where it cannot do that either, it counts.
Task<Status> Vguard::run_to_records(MediaChain& chain, Slot slot, SectorHeader said) {
  const Status status = co_await ports_.media.run(chain);
  if (ok(status) || chain.steps_done + std::size_t{1} != chain.steps().size()) co_return status;
  MediaChain back(MediaClass::dependent);
  back.write(record_place(slot, 0), {}, StepHint::position, &said);
  const Status taken_back = co_await ports_.media.run(back);
  co_return ok(taken_back) ? status : Status::ok;
}

// --- Boot ---

Task<Status> Vguard::format() {
  track_by_slot_.peek(slots_) = survives;
  co_return Status::ok;
}

Task<Status> Vguard::recover() {
  // Which tracks hold data was only known in DRAM; to assume that all do is safe.
  holds_data_.set_below(holds_data_.size());
  FoundRecords found;
  for (Slot first = 0; first < slots_; first += FoundRecords::at_once) co_await find_records(first, found);
  // The dumped table knows. Without it an old copy in place would be taken for the track.
  if (!found.unknown.empty() && track_by_slot_.peek(slots_) != survives) co_return Status::corrupt;
  for (const Slot slot : found.unknown) restore(slot, track_by_slot_.peek(slot));
  track_by_slot_.peek(slots_) = survives;
  // Before anything is done that one copy alone says.
  for (const Slot slot : found.not_twice) {
    const Cached cached = track_by_slot_.peek(slot);
    SectorHeader record = cached.holds != 0 ? record_of(cached.track) : no_record();
    MediaChain chain;
    add_records(chain, slot, record);
    static_cast<void>(co_await ports_.media.run(chain));  // what cannot be written is read again by the next boot
  }
  co_return Status::ok;
}

/// Of some slots from `first` on, as the first copy of their records says that can be read.
Task<void> Vguard::find_records(Slot first, FoundRecords& found) {
  std::array<PhysicalRun, FoundRecords::at_once * records> places{};
  const std::uint32_t count = std::min<std::uint32_t>(FoundRecords::at_once, slots_ - first);
  for (std::uint32_t i = 0; i < count * records; ++i) places[i] = record_place(first + i / records, i % records);
  HeaderScan scan(ports_.media);
  const std::span<const PhysicalRun> copies(places.data(), count * records);
  co_await scan.read(copies);
  const auto says = [&scan](std::uint32_t copy) {
    const std::optional<LogRecord> record = scan.record(copy);
    const bool holds = record && record->type == RecordType::slot;
    return Cached{holds ? record->payload[0] : 0, holds ? 1U : 0U};
  };
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t one = i * records;
    const std::uint32_t other = one + 1;
    if (scan.unknown(one) && scan.unknown(other))
      found.unknown.push_back(first + i);
    else
      restore(first + i, says(scan.unknown(one) ? other : one));
    if (scan.unknown(one) || scan.unknown(other) || says(one) != says(other)) found.not_twice.push_back(first + i);
  }
}

void Vguard::restore(Slot slot, Cached cached) {
  track_by_slot_.peek(slot).holds = 0;
  if (cached.holds == 0) return;
  take(slot, cached.track);
  hold(slot, cached.track);
}

void Vguard::prefill(std::uint64_t sectors) {
  const std::uint64_t tracks = sectors == 0 ? 0 : layout_.piece({LogicalSector(sectors - 1), 1}).track + 1;
  for (std::uint64_t track = 0; track < tracks; ++track) holds_data_.set_uncharged(number_of(layout_.whole(track)));
}

// --- Figures ---

void Vguard::report(MetricSet& metrics) const {
  const auto sectors = [&metrics](const char* name, std::uint64_t value, const char* what) {
    metrics.count(name, static_cast<double>(value), "sectors", what);
  };
  sectors("hit.write.cache", written_cached_, "sectors written to tracks that were in the cache");
  sectors("hit.read.cache", read_cached_, "sectors read from the cache");
  sectors("hit.read.media", read_in_place_, "sectors read from their bands");
  metrics.count("guard.count", static_cast<double>(guards_), "1", "tracks moved to the cache because the one in front was written");
  metrics.count("guard.put_back", static_cast<double>(put_back_), "1", "tracks written in place again");
  report_cleanings(metrics, cleanings_, "cleanings: bands whose cached tracks were put back");
  const Bytes bitmap((holds_data_.size() + 63) / 64 * 8);
  const Bytes tracks(track_by_slot_.size() * sizeof(Cached));
  metrics.add("meta.ram_bytes_actual", static_cast<double>((bitmap + slot_by_track_.bytes() + tracks + lists_.bytes()).value()), "B",
              "mapping memory that is really taken");
}

}  // namespace tessera
