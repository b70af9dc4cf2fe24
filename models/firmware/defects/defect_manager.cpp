#include "firmware/defects/defect_manager.hpp"

#include <algorithm>
#include <optional>

#include "firmware/defects/step_part.hpp"

namespace tessera {

namespace {

/// A write whose sectors are read back is good if they can be read, lost ones as lost.
bool holds(Status status) { return status == Status::ok || status == Status::lost; }

/// Of two reads that brought what there is: a sector that cannot be read tells more than one that was destroyed, that more than one that
/// was stored as lost.
Status worse(Status a, Status b) {
  for (const Status status : {Status::media_error, Status::damaged, Status::lost})
    if (a == status || b == status) return status;
  return Status::ok;
}

MediaStep verification(const MediaStep& written) { return {MediaOp::read, StepHint::position, written.run, {}, {}, nullptr}; }

}  // namespace

DefectManager::DefectManager(const DefectsConfig& config, const Ports& ports, const DriveGeometry& geometry)
    : config_(config),
      ports_(ports),
      layout_(geometry),
      remaps_(geometry.remaps),
      table_(ports.media, ports.memory, layout_, geometry.sector_bytes, 1 + config.write_retries),
      sector_(ports.memory.reserve_buffer(MemoryCategory::merge_buffer, 1, "sector under recovery")),
      bytes_(ports.memory.reserve(MemoryCategory::metadata, Bytes(geometry.sector_bytes), "firmware's sector under recovery").bytes) {
  ports_.media.supervise(this);
  arm();
}

DefectManager::~DefectManager() { ports_.media.supervise(nullptr); }

Task<Status> DefectManager::load() {
  const Status status = co_await table_.load();
  started_ = true;
  arm();
  co_return status;
}

std::uint64_t DefectManager::key_of(const MediaStep& step, std::uint32_t offset) const {
  const std::uint32_t sectors = ports_.media.sectors_on(step.run.track);
  const std::uint32_t sector = step.run.first + offset;
  return DefectTable::key(step.run.track, sector < sectors ? sector : sector - sectors);
}

/// Of the first sector in [first, end) by DefectTable::key() of which anything is known.
DefectManager::Known DefectManager::first_known(std::uint64_t first, std::uint64_t end) const {
  Known known{table_.first_in(first, end), remaps_.first_in(first, end)};
  if (known.defect == nullptr || known.factory == nullptr || known.defect->sector == known.factory->sector) return known;
  if (known.defect->sector < known.factory->sector)
    known.factory = nullptr;
  else
    known.defect = nullptr;
  return known;
}

/// The first of the step's sectors from offset `from` on of which anything is known, and its offset.
DefectManager::Known DefectManager::next_known(const MediaStep& step, std::uint32_t from, std::uint32_t& offset) const {
  const std::uint32_t sectors = ports_.media.sectors_on(step.run.track);
  const std::uint64_t track = DefectTable::key(step.run.track, 0);
  const std::uint32_t end = step.run.first + step.run.count;
  if (const std::uint32_t first = step.run.first + from; first < sectors) {
    if (const Known found = first_known(track + first, track + std::min(end, sectors)); found.any()) {
      offset = static_cast<std::uint32_t>(found.sector() - track) - step.run.first;
      return found;
    }
  }
  if (end <= sectors) return {};
  const std::uint32_t wrapped = sectors - step.run.first;  // offset of the track's sector 0
  const Known found = first_known(track + (from > wrapped ? from - wrapped : 0), track + end - sectors);
  if (found.any()) offset = static_cast<std::uint32_t>(found.sector() - track) + wrapped;
  return found;
}

void DefectManager::look_up(const MediaChain& chain) {
  for (std::size_t i = 0; i < chain.steps().size(); ++i) table_.touch(ports_.cpu);
}

bool DefectManager::concerns(const MediaChain& chain) const {
  std::uint32_t offset = 0;
  return std::ranges::any_of(chain.steps(), [&](const MediaStep& step) { return next_known(step, 0, offset).any(); });
}

/// What comes next of a step from offset `from` on: a bad or moved sector, or at most `grain` good ones.
DefectManager::Part DefectManager::next_part(const MediaStep& step, std::uint32_t from, std::uint32_t grain) const {
  std::uint32_t offset = step.run.count;
  const Known known = next_known(step, from, offset);
  if (!known.any() || offset != from) return {from, std::min(grain, offset - from)};
  Part part{from, 1};
  if (known.defect != nullptr) {
    part.spare = known.defect->spare;
    part.pending = known.defect->pending;
  }
  if (known.factory != nullptr) part.factory = &known.factory->to;
  return part;
}

MediaStep DefectManager::step_of(const MediaStep& step, const Part& part) const {
  MediaStep result = part_of_step(step, part.first, part.count, ports_.media);
  if (part.spare != Defect::in_place)
    result.run = layout_.spare(part.spare);
  else if (part.factory != nullptr)
    result.run = {part.factory->track, part.factory->index, 1};
  return result;
}

/// A drive that was formatted and met no error has not looked yet.
Task<void> DefectManager::look_for_table() {
  if (!started_) co_await table_.start_anew();
  started_ = true;
}

Task<Status> DefectManager::carry_out(MediaChain& chain) {
  watching_ = &chain == watched_;
  return carry_out_rest(chain);
}

Task<Status> DefectManager::carry_out_rest(MediaChain& chain) {
  if (chain.status == Status::media_error) co_await look_for_table();
  if (chain.status == Status::media_error && chain.steps()[chain.steps_done].op == MediaOp::write) ++write_faults_;
  // A read into a buffer that failed has marked what it did not bring; everything else is begun again.
  if (chain.status == Status::media_error) {
    const MediaStep& step = chain.steps()[chain.steps_done];
    if (step.op == MediaOp::read && step.data.buffer != nullptr) {
      const Status status = co_await recover_marked(step, {0, step.run.count});
      if (!chain.goes_on(status)) co_return status;
      ++chain.steps_done;
    }
  }
  while (chain.steps_done < chain.steps().size()) {
    const Status status = co_await carry_out_step(chain.steps()[chain.steps_done]);
    if (!chain.goes_on(status)) co_return status;
    ++chain.steps_done;
  }
  co_return Status::ok;
}

Task<Status> DefectManager::carry_out_step(MediaStep step) {
  Status worst = Status::ok;
  Status failed = Status::ok;
  std::uint32_t grain = step.run.count;
  for (std::uint32_t done = 0; done < step.run.count;) {
    std::array<Part, most_parts> parts;
    std::array<std::uint8_t, MediaChain::max_steps> part_of{};  // by step of the chain
    MediaChain chain(MediaClass::recovery);
    std::uint8_t count = 0;
    for (std::uint32_t next = done; count < most_parts && next < step.run.count; next = parts[count++].end()) {
      parts[count] = next_part(step, next, grain);
      const MediaStep part = step_of(step, parts[count]);
      part_of[chain.steps().size()] = count;
      chain.add(part);
      if (step.op == MediaOp::read || parts[count].pending == 0) continue;
      part_of[chain.steps().size()] = count;
      chain.add(verification(part));
    }
    const Status status = co_await ports_.media.run(chain);
    const std::uint8_t good = ok(status) ? count : part_of[chain.steps_done];
    for (const Part& part : std::span(parts).first(good)) {
      if (step.op == MediaOp::write && part.pending != 0) note_verified(key_of(step, part.first));
      if (step.op == MediaOp::read && part.pending == Defect::hopeless) take_hope(key_of(step, part.first));
    }
    const Part stopped = good < count ? parts[good] : Part{step.run.count};
    if (good == count) {
      done = parts[count - 1].end();
    } else if (status == Status::media_error && stopped.count > 1 && (step.op == MediaOp::write || step.data.buffer == nullptr)) {
      done = stopped.first;
      grain = (stopped.count + most_parts - 1) / most_parts;  // look closer
    } else {
      Status outcome = status;
      if (status == Status::media_error) outcome = co_await recover(step, stopped);
      if (step.op == MediaOp::write && outcome == Status::read_only) {
        // The other sectors can be written all the same, but nothing may prove the run whole.
        step.header = nullptr;
        failed = outcome;
      } else if (step.op == MediaOp::write ? !holds(outcome) : !delivered(outcome)) {
        co_return outcome;
      }
      if (step.op == MediaOp::read) worst = worse(worst, outcome);
      done = stopped.end();
      grain = step.run.count;
    }
  }
  co_return ok(failed) ? worst : failed;
}

/// A part that met a media error: one sector, or a read that has marked in its buffer what it did not bring.
Task<Status> DefectManager::recover(MediaStep step, Part part) {
  co_await look_for_table();
  if (step.op == MediaOp::write) co_return co_await write_again(step, part.first);
  if (step.data.buffer == nullptr) co_return co_await read_again(step, part.first);
  co_return co_await recover_marked(step, part);
}

Task<Status> DefectManager::recover_marked(MediaStep step, Part part) {
  Status worst = Status::ok;
  for (std::uint32_t offset = part.first; offset < part.end(); ++offset) {
    if (!step.data.buffer->is_lost(step.data.first + offset)) continue;
    const Status status = co_await read_again(step, offset);
    if (!delivered(status)) co_return status;
    worst = worse(worst, status);
  }
  co_return worst;
}

/// Carries out a step of one sector, and reads it back.
Task<Status> DefectManager::run_single(MediaStep step, bool verify) {
  MediaChain chain(MediaClass::recovery);
  chain.add(step);
  if (verify) chain.add(verification(step));
  co_return co_await ports_.media.run(chain);
}

/// Reads one sector until it comes back. All of it is read, so that it can be moved.
Task<Status> DefectManager::read_again(MediaStep step, std::uint32_t offset) {
  const std::uint64_t sector = key_of(step, offset);
  const Part part = next_part(step, offset, 1);
  const bool hopeless = part.pending == Defect::hopeless;
  MediaStep again = step_of(step, part);
  again.hint = StepHint::position;
  again.headers = {};
  again.header = &header_;
  if (step.data.buffer != nullptr) again.data = sector_.all();
  if (!step.system.empty()) again.system = bytes_;
  std::uint32_t retry = 0;
  const Status status = co_await read_until_it_comes(again, hopeless ? 1 : config_.read_retries, retry);
  if (!delivered(status)) co_return status;
  deliver(step, offset);
  if (status == Status::media_error) {
    ++uncorrectable_;
    if (hopeless) co_return status;
    found_.unreadable += watching_ ? 1 : 0;
    co_await note_pending(sector);
    co_return status;
  }
  if (ok(status)) {
    if (hopeless) take_hope(sector);
    ++recovered_;
    found_.recovered += watching_ ? 1 : 0;
  }
  // A read of headers alone does not know what else the sector holds.
  const bool whole = step.data.buffer != nullptr || !step.system.empty();
  if (whole && ok(status) && retry >= config_.relocate_after && table_.spares_left() > 0) {
    if (watching_) co_await find_content(again);
    again.op = MediaOp::write;
    // It can be read where it is, and stays there if it cannot be moved.
    const Status moved = co_await relocate(sector, again);
    found_.moved += watching_ && ok(moved) ? 1 : 0;
  }
  co_return status;
}

/// Reads a step of one sector until it comes back, `most` times; adds what it took to `reads`.
Task<Status> DefectManager::read_until_it_comes(MediaStep again, std::uint32_t most, std::uint32_t& reads) {
  Status status = Status::media_error;
  for (std::uint32_t i = 0; i < most && status == Status::media_error; ++i) {
    ++reads;
    ++retries_;
    status = co_await run_single(again, false);
  }
  co_return status;
}

/// A sector that was read for nobody holds data or the firmware's own bytes, and is moved as what it is.
Task<void> DefectManager::find_content(MediaStep& again) {
  MediaStep own = again;
  own.data = {};
  own.system = bytes_;
  std::uint32_t reads = 0;
  const Status status = co_await read_until_it_comes(own, config_.read_retries, reads);
  if (ok(status) && std::ranges::any_of(bytes_, [](std::byte byte) { return byte != std::byte{0}; })) again = own;
}

/// Hands the sector that was read again, or the marks of one that cannot be, to whom it was read for.
void DefectManager::deliver(const MediaStep& step, std::uint32_t offset) {
  if (step.data.buffer != nullptr) ports_.memory.copy(sector_.all(), step.data.part(offset, 1));
  if (!step.system.empty()) std::ranges::copy(bytes_, step.system.subspan(offset * bytes_.size(), bytes_.size()).begin());
  if (!step.headers.empty()) step.headers[offset] = header_;
  if (step.header != nullptr && offset + 1 == step.run.count) *step.header = header_;
}

/// Writes one sector, at which a write stopped or which did not hold what was written, or moves it to a spare.
Task<Status> DefectManager::write_again(MediaStep step, std::uint32_t offset) {
  const std::uint64_t sector = key_of(step, offset);
  const Part part = next_part(step, offset, 1);
  const MediaStep again = step_of(step, part);
  take_hope(sector);  // it may hold all of it where only its verification failed
  for (std::uint32_t retry = 0; part.pending == 0 && retry < config_.write_retries; ++retry) {
    ++retries_;
    const Status status = co_await run_single(again, true);
    if (holds(status)) co_return Status::ok;
    if (status != Status::media_error) co_return status;
  }
  const Status moved = co_await relocate(sector, again);
  if (moved != Status::no_space) co_return moved;
  co_await end_writing();
  co_return Status::read_only;
}

/// Writes a sector to the next spare that holds it and makes that durable; `content` writes the sector in place. `no_space` where no
/// spare is left, or no room in the table, or the table cannot be saved: then the sector lies where it lay.
Task<Status> DefectManager::relocate(std::uint64_t sector, MediaStep content) {
  Status status = Status::media_error;
  std::uint32_t spare = 0;
  content.hint = StepHint::position;
  while (!holds(status)) {
    if (table_.spares_left() == 0) co_return Status::no_space;
    spare = table_.take_spare();
    content.run = layout_.spare(spare);
    for (std::uint32_t attempt = 0; attempt <= config_.write_retries && status == Status::media_error; ++attempt)
      status = co_await run_single(content, true);
    if (!holds(status) && status != Status::media_error) co_return status;
  }
  const Defect* const known = table_.find(sector);
  const std::optional<Defect> before = known != nullptr ? std::optional(*known) : std::nullopt;
  if (!table_.set({sector, spare, 0})) co_return Status::no_space;
  const Status saved = co_await table_.save();
  if (!ok(saved)) {  // after a power cut nobody would know
    if (before) {
      static_cast<void>(table_.set(*before));
    } else {
      table_.erase(sector);
    }
    co_return Status::no_space;
  }
  armed_ = true;
  ++relocations_;
  event("relocate", sector);
  co_return Status::ok;
}

/// A sector that never came back: the next write to it is to be verified. Where the table is full it is found again by its next read.
Task<void> DefectManager::note_pending(std::uint64_t sector) {
  const Defect* const known = table_.find(sector);
  const bool durable = known != nullptr && known->pending != 0;
  if (!table_.set({sector, known != nullptr ? known->spare : Defect::in_place, Defect::hopeless}) || durable) co_return;
  armed_ = true;
  event("pending", sector);
  static_cast<void>(co_await table_.save());  // a table that cannot be saved says so when a move needs it
}

/// It came back after all, or holds something else: the next read that fails tries as often as with any other.
void DefectManager::take_hope(std::uint64_t sector) {
  const Defect* const known = table_.find(sector);
  if (known != nullptr && known->pending == Defect::hopeless) static_cast<void>(table_.set({sector, known->spare, Defect::noted_before}));
}

/// The sector holds what was written to it. Not durable by itself: a table that still says pending costs one more verification.
void DefectManager::note_verified(std::uint64_t sector) {
  const Defect* const known = table_.find(sector);
  if (known->spare != Defect::in_place) {
    static_cast<void>(table_.set({sector, known->spare, 0}));
  } else {
    table_.erase(sector);
    arm();
  }
}

Task<void> DefectManager::end_writing() {
  if (table_.read_only()) co_return;
  table_.set_read_only();
  event("read_only", 0);
  static_cast<void>(co_await table_.save());  // otherwise it is found out anew after a power cut
}

void DefectManager::event(const char* kind, std::uint64_t sector) {
  ports_.cpu.event({.kind = kind, .edge = FirmwareEvent::Edge::instant, .subject = sector, .amount = 1});
}

// --- Figures ---

void DefectManager::report(MetricSet& metrics) const {
  const auto defects = table_.defects();
  const auto pending = std::ranges::count_if(defects, [](const Defect& defect) { return defect.pending != 0; });
  const auto moved = std::ranges::count_if(defects, [](const Defect& defect) { return defect.spare != Defect::in_place; });
  metrics.add("defects.pending", static_cast<double>(pending), "1", "sectors that could not be read and were not written since");
  metrics.add("defects.reallocated", static_cast<double>(moved), "1", "sectors whose data lies on a spare");
  metrics.add("defects.spares_left", table_.spares_left(), "1", "spare sectors not taken yet");
  metrics.add("defects.read_only", table_.read_only() ? 1 : 0, "1", "1: a write found no spare, and the drive takes no more writes");
  metrics.count("defects.retries", static_cast<double>(retries_), "1", "sectors read or written once more after an error");
  metrics.count("defects.recovered", static_cast<double>(recovered_), "1", "sectors that came back when they were read again");
  metrics.count("defects.uncorrectable", static_cast<double>(uncorrectable_), "1", "reads of sectors that did not come back");
  metrics.count("defects.write_faults", static_cast<double>(write_faults_), "1",
                "writes that stopped at a sector that could not be written");
  metrics.count("defects.relocations", static_cast<double>(relocations_), "1", "sectors moved to spares");
}

}  // namespace tessera
