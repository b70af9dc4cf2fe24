#include "stimuli/arrays/array_host.hpp"

#include <algorithm>
#include <utility>

#include "stimuli/arrays/copy_task.hpp"
#include "stimuli/arrays/read_task.hpp"
#include "stimuli/arrays/restore_task.hpp"
#include "stimuli/arrays/row_tasks.hpp"
#include "stimuli/arrays/trim_task.hpp"
#include "stimuli/arrays/write_task.hpp"
#include "stimuli/hosts/command_life.hpp"

namespace tessera {

ArrayHost::ArrayHost(const ArrayHostConfig& config, const ArrayLayout& layout, std::uint32_t sector_blocks, Timeline& timeline,
                     const std::vector<ArrayDrive>& drives, ContentMode content)
    : config_(config),
      layout_(layout),
      timeline_(timeline),
      kept_(kept_per_block(content)),
      sector_blocks_(sector_blocks),
      gone_(layout.drives()),
      journal_(config.journal, layout.width(), layout.chunk_blocks(), sector_blocks),
      open_(config.requests),
      read_errors_(drives.size()) {
  const std::uint32_t background = std::max(config.rebuild.pace.depth, config.scrub.pace.depth);
  for (const ArrayDrive& drive : drives) forgets_.push_back(drive.forgets);
  caches_forget_ = std::ranges::any_of(drives, &ArrayDrive::forgets);
  trims_to_zeros_ = std::ranges::all_of(drives, &ArrayDrive::zeros_after_trim);
  for (const ArrayDrive& drive : drives) queues_.push_back(std::make_unique<DriveQueue>(timeline, *drive.link, drive.tags, background));
  for (std::uint32_t drive = 0; drive < drives.size(); ++drive) (drive < layout.drives() ? drive_in_ : spares_).push_back(drive);
}

ArrayHost::~ArrayHost() { timeline_.withdraw(*this); }

void ArrayHost::issue(HostRequest& request) {
  ++outstanding_;
  was_busy_ = true;
  Open& open = open_[request.tag];
  open = {.request = &request, .parts = 1};
  if (request.op == HostOp::flush) return flush(request.tag);
  if (!moves_data(request.op) && request.op != HostOp::trim) {  // zones there are none
    open.status = Status::unsupported;
    return finish(open);
  }
  // All parts are counted before the first is started: it may end at once.
  const ArrayParts parts = layout_.parts(ArrayBlock(request.blocks.first.value()), request.blocks.count);
  const std::uint32_t tag = request.tag;
  if (request.op == HostOp::trim) return start(std::make_unique<TrimTask>(*this, tag, parts));
  open.parts = static_cast<std::uint32_t>(parts.size());
  if (request.op == HostOp::read) {
    for (const ArrayPart& part : parts) start(std::make_unique<ReadTask>(*this, tag, part));
  } else if (!layout_.has_parity()) {
    for (const ArrayPart& part : parts) start(std::make_unique<CopyTask>(*this, tag, part));
  } else {
    open.parts = static_cast<std::uint32_t>(parts.back().row.value() - parts.front().row.value() + 1);
    for (auto from = parts.begin(); from != parts.end();) {
      const auto to = std::find_if(from, parts.end(), [&](const ArrayPart& part) { return part.row != from->row; });
      start(std::make_unique<WriteTask>(*this, tag, std::vector<ArrayPart>(from, to)));
      from = to;
    }
  }
}

void ArrayHost::abort(HostRequest&) { TESSERA_CHECK(false, "the host of an array gives no request up"); }

void ArrayHost::start(std::unique_ptr<ArrayTask> task) {
  task->index = tasks_.size();
  tasks_.emplace_back(std::move(task))->start();
}

std::unique_ptr<ArrayTask> ArrayHost::end(const ArrayTask& task) {
  const std::size_t index = task.index;
  std::swap(tasks_[index], tasks_.back());
  tasks_[index]->index = index;
  auto ended = std::move(tasks_.back());
  tasks_.pop_back();
  return ended;
}

void ArrayHost::part_done(std::uint32_t tag, std::uint32_t offset, Status status, const RequestLife& life) {
  Open& open = open_[tag];
  if (!ok(status) && offset < open.failed_at) {
    open.status = status;
    open.failed_at = offset;
  }
  if (--open.parts > 0) return;
  append(open.request->life, life);  // that of the part which came last
  finish(open);
}

void ArrayHost::finish(Open& open) {
  --outstanding_;
  open.request->status = open.status;
  receiver_(*open.request);
}

/// What a failed drive held lies in a spare place of its line. That of a drive which failed later is followed to the next: each has another
/// number, so it ends.
std::optional<std::uint32_t> ArrayHost::drive_of(ArrayRow row, std::uint32_t member) const {
  DriveSlot slot = layout_.slot_of(row, member);
  while (const std::optional<Gone>& gone = gone_[slot.value()]) {
    if (!is_rebuilt(row, slot)) return std::nullopt;
    if (!gone->spare_place) return rebuild_->spare;
    slot = layout_.spare_for(row, member, *gone->spare_place);
  }
  return drive_in_[slot.value()];
}

DriveSlot ArrayHost::slot_of_drive(std::uint32_t drive, DriveSlot own) const {
  if (!layout_.shape().hashed() || drive_in_[own.value()] == drive) return own;
  if (rebuild_ && rebuild_->spare == drive) return rebuild_->slot;
  const auto at = std::ranges::find(drive_in_, drive);
  return at == drive_in_.end() ? own : DriveSlot(static_cast<std::uint64_t>(at - drive_in_.begin()));
}

std::vector<bool> ArrayHost::missing_in(ArrayRow row) const {
  std::vector<bool> missing(layout_.width());
  if (gone_slots_ == 0) return missing;
  for (std::uint32_t member = 0; member < missing.size(); ++member) missing[member] = !drive_of(row, member);
  return missing;
}

bool ArrayHost::busy_since_asked() { return std::exchange(was_busy_, outstanding_ > 0) || outstanding_ > 0; }

void ArrayHost::set_thrown_out_listener(std::function<void(std::uint32_t, DriveFault)> listener) {
  thrown_out_listener_ = std::move(listener);
  if (config_.time_out == Picoseconds(0)) return;
  for (std::uint32_t drive = 0; drive < queues_.size(); ++drive)
    queues_[drive]->watch(config_.time_out, [this, drive] { throw_out(drive, DriveFault::silent); });
}

void ArrayHost::on_time(std::uint64_t) {
  if (serves_ && !rebuild_) begin_rebuild();
}

void ArrayHost::keep_in_doubt(ArrayRow row) {
  ++writes_ended_;
  if (caches_forget_ && layout_.redundant()) unflushed_[row.value()] = writes_ended_;
}

void ArrayHost::start_scrub() {
  scrub_ = std::make_shared<RowSweep>(timeline_, config_.scrub.pace, layout_,
                                      RowSweep::Hooks{[this] { return busy_since_asked(); },
                                                      [this](ArrayRow row) {
                                                        start(std::make_unique<CheckTask>(*this, row, true, CommandPriority::background,
                                                                                          [this, row](bool fits, bool compared) {
                                                                                            counts_.rows_compared += compared ? 1 : 0;
                                                                                            counts_.rows_differing += fits ? 0 : 1;
                                                                                            scrub_->mark(row);
                                                                                            scrub_->row_done();
                                                                                          }));
                                                      },
                                                      [this] { finished_sweep_ = std::move(scrub_); }});
  if (serves_) scrub_->start();
}

double ArrayHost::sweep_done() const {
  if (rebuild_) return rebuild_->sweep->share_done();
  return scrub_ != nullptr && waiting_rebuilds_.empty() ? scrub_->share_done() : 0;
}

/// All that has ended before is flushed on all drives, and on the spare of a rebuild.
void ArrayHost::flush(std::uint32_t tag) {
  std::vector<std::uint32_t> drives;
  for (std::uint32_t slot = 0; slot < layout_.drives(); ++slot)
    if (!gone_[slot]) drives.push_back(drive_in_[slot]);
  if (rebuild_ && rebuild_->spare) drives.push_back(*rebuild_->spare);
  start(std::make_unique<FlushTask>(*this, drives, CommandPriority::foreground,
                                    [this, tag, covered = writes_ended_](Status status, const RequestLife& life) {
                                      if (ok(status))
                                        std::erase_if(unflushed_, [covered](const auto& row) { return row.second <= covered; });
                                      part_done(tag, 0, status, life);
                                    }));
}

/// A rebuild keeps what it has done as of its last checkpoint: md has it in its superblock.
void ArrayHost::power_lost() {
  serves_ = false;
  timeline_.withdraw(*this);
  for (const auto& task : tasks_)
    for (std::uint64_t row = 0; task->writes_row() && row < task->rows(); ++row) in_doubt_.push_back(task->row() + row);
  for (const auto& [row, write] : unflushed_) in_doubt_.emplace_back(row);
  unflushed_.clear();
  std::ranges::sort(in_doubt_);
  in_doubt_.erase(std::unique(in_doubt_.begin(), in_doubt_.end()), in_doubt_.end());
  for (const auto& queue : queues_) queue->forget();
  locks_.clear();
  tasks_.clear();
  repairs_.clear();
  outstanding_ = 0;
  if (rebuild_) rebuild_->sweep->interrupt();
  if (scrub_ != nullptr) scrub_->interrupt();
}

/// Which rows were being written, a bitmap says, as md's write-intent bitmap does more coarsely; it costs nothing here. With a drive
/// missing nothing can be compared: what it held of such a row is computed from what may not belong together.
void ArrayHost::recover(std::function<void()> recovered) {
  const std::vector<ArrayRow> rows = layout_.redundant() ? std::exchange(in_doubt_, {}) : std::vector<ArrayRow>();
  counts_.rows_in_doubt += rows.size();
  const bool copies = !layout_.has_parity();  // of which one is as good as another
  const auto count = [this, copies](bool, bool compared) { ++(compared || copies ? counts_.rows_put_right : counts_.rows_left_wrong); };
  const auto go_on = [this, recovered = std::move(recovered)] {
    serves_ = true;
    if (rebuild_)
      rebuild_->sweep->start();
    else
      begin_rebuild();
    if (scrub_ != nullptr) scrub_->start();
    recovered();
  };
  replay(journal_.left_by_power_cut(), [this, rows, count, go_on] { check_rows(rows, true, count, go_on); });
}

/// One record after the other.
void ArrayHost::replay(std::vector<std::uint32_t> records, std::function<void()> ended) {
  if (records.empty()) return ended();
  const std::uint32_t record = records.back();
  records.pop_back();
  ++counts_.rows_replayed;
  start(std::make_unique<ReplayTask>(*this, record,
                                     [this, records = std::move(records), ended = std::move(ended)] { replay(records, ended); }));
}

void ArrayHost::audit(std::function<void(RowAudit)> ended) {
  std::vector<ArrayRow> rows;
  if (layout_.redundant())
    for (const std::uint64_t row : written_)
      if (!unlike_.contains(row)) rows.emplace_back(row);
  audit_ = {};
  const auto count = [this](bool fits, bool compared) {
    audit_.differing += fits ? 0 : 1;
    audit_.incomplete += compared ? 0 : 1;
  };
  check_rows(std::move(rows), false, count, [this, ended = std::move(ended)] { ended(audit_); });
}

void ArrayHost::check_rows(std::vector<ArrayRow> rows, bool repair, std::function<void(bool, bool)> each, std::function<void()> ended) {
  checks_ = {std::move(rows), 0, 0, repair, std::move(each), std::move(ended)};
  go_on_checking();
}

void ArrayHost::go_on_checking() {
  constexpr std::size_t at_once = 8;
  if (std::exchange(checks_.going, true)) return;  // a row that could not be compared ended at once
  while (checks_.open < at_once && checks_.next < checks_.rows.size()) {
    ++checks_.open;
    start(std::make_unique<CheckTask>(*this, checks_.rows[checks_.next++], checks_.repair, CommandPriority::foreground,
                                      [this](bool fits, bool compared) {
                                        checks_.each(fits, compared);
                                        --checks_.open;
                                        go_on_checking();
                                      }));
  }
  checks_.going = false;
  if (checks_.open == 0) std::exchange(checks_.ended, nullptr)();
}

void ArrayHost::reset_statistics() {
  counts_ = {};
  for (const auto& queue : queues_) queue->reset_statistics();
}

void ArrayHost::end_warmup() {
  counts_ = counts_.of_rows();
  for (const auto& queue : queues_) queue->end_warmup();
}

// --- Errors of drives ---

// What an array's host makes of errors: the place is written again from the others, kept as a bad one, or the drive is thrown out.
//
// As Linux md does: a read error is answered from the rest of the row and the sectors written again (drivers/md/raid1.c, fix_read_error;
// raid5.c, R5_ReadError), until there are too many (raid1-10.c, exceed_read_errors); a write error makes the place a bad one where
// bad-block lists are kept and have room, and else fails the drive (raid1.c, handle_write_finished). A drive without which data would be
// lost stays, as in md's mirrors (raid1_error) and in ZFS (vdev_dtl_required): its bad places are remembered, however many, so that nobody
// takes for the row's what is not.

using namespace literals;

/// Most is missing of a block at which some bad place begins, or of any other.
bool ArrayHost::beyond_rescue(ArrayRow row, ChunkRange range, std::optional<std::uint32_t> without) const {
  if (gone_slots_ == 0 && bad_.empty() && !without) return false;
  std::vector<std::uint32_t> there;
  for (std::uint32_t member = 0; member < layout_.width(); ++member)
    if (const auto drive = drive_of(row, member); drive && drive != without) there.push_back(*drive);
  const auto absent = static_cast<std::uint32_t>(layout_.width() - there.size());
  if (absent > layout_.survives()) return true;
  if (bad_.empty()) return false;
  for (const std::uint32_t drive : there)
    for (const ChunkRange place : bad_.of(row, drive)) {
      const std::uint32_t block = std::max(place.begin, range.begin);
      if (block >= std::min(place.end, range.end)) continue;
      const auto bad = std::ranges::count_if(there, [&](std::uint32_t other) { return bad_.meets(row, other, {block, block + 1}); });
      if (absent + static_cast<std::uint32_t>(bad) > layout_.survives()) return true;
    }
  return false;
}

/// A rebuild that goes on protects nothing yet, and what is lost already needs nobody.
bool ArrayHost::needs(std::uint32_t drive) const {
  const auto at = std::ranges::find(drive_in_, drive);
  if (at != drive_in_.end()) {
    const auto own = static_cast<std::size_t>(at - drive_in_.begin());
    std::uint32_t unprotected = 1;
    for (std::size_t slot = 0; slot < gone_.size(); ++slot) unprotected += slot != own && gone_[slot] && !gone_[slot]->rebuilt ? 1 : 0;
    if (unprotected > layout_.survives()) return true;
  }
  const ChunkRange whole{0, layout_.chunk_blocks()};
  return std::ranges::any_of(bad_.places(), [&](const auto& place) {
    const ArrayRow row = place.first.first;
    return place.first.second != drive && !beyond_rescue(row, whole) && beyond_rescue(row, whole, drive);
  });
}

void ArrayHost::judge(const SentCommand& sent, HostRequest& command) {
  if (!layout_.redundant() || command.status == Status::aborted || command.op == HostOp::trim) return;
  const bool reads = command.op == HostOp::read;
  if (!ok(command.status)) {
    ++(reads ? counts_.read_errors : counts_.write_errors);
    command.status = reads ? judge_read(sent) : judge_write(sent);
  } else if (!reads && !bad_.empty()) {
    bad_.remove(sent.row, sent.drive, sent.range);
  }
}

Status ArrayHost::judge_read(const SentCommand& sent) {
  ReadErrors& errors = read_errors_[sent.drive];
  const std::uint64_t hours = (timeline_.now() - errors.last) / 3600_s;
  errors.count = hours < 64 ? errors.count >> hours : 0;
  errors.last = timeline_.now();
  if (++errors.count > config_.max_read_errors && !needs(sent.drive)) {
    throw_out(sent.drive, DriveFault::read_errors);
    return Status::aborted;
  }
  if (!sent.range.empty() && repairs_.emplace(sent.row, sent.drive).second)
    start(std::make_unique<RepairTask>(*this, sent.row, sent.member, sent.drive, sent.range));
  return Status::media_error;
}

Status ArrayHost::judge_write(const SentCommand& sent) {
  const bool of_row = !sent.range.empty();
  if (of_row) bad_.add(sent.row, sent.drive, sent.range);
  if ((!of_row || bad_.ranges(sent.drive) > config_.bad_blocks) && !needs(sent.drive)) {
    throw_out(sent.drive, DriveFault::write_error);
    return Status::aborted;
  }
  if (!of_row) return Status::media_error;
  // Which of its sectors could not be written, and whether the others can.
  if (sent.range.count() > sector_blocks_ && repairs_.emplace(sent.row, sent.drive).second)
    start(std::make_unique<RepairTask>(*this, sent.row, sent.member, sent.drive, sent.range));
  return Status::aborted;
}

void ArrayHost::throw_out(std::uint32_t drive, DriveFault why) {
  thrown_out_listener_(drive, why);
  drive_failed(drive);
}

// --- Drives that fail, spares and rebuilds ---

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

/// One that is free, that waits for its rebuild, or on which one goes on.
void ArrayHost::spare_failed(std::uint32_t spare) {
  std::optional<DriveSlot> slot;
  if (std::erase(spares_, spare) == 0) {
    const auto waiting = std::ranges::find_if(waiting_rebuilds_, [this, spare](DriveSlot of) { return record_of(of).spare == spare; });
    const bool waits = waiting != waiting_rebuilds_.end();
    TESSERA_CHECK(waits || (rebuild_ && rebuild_->spare == spare), "a drive failed that has nothing to do with the array");
    slot = waits ? *waiting : rebuild_->slot;
    if (waits)
      waiting_rebuilds_.erase(waiting);
    else
      give_rebuild_up();
  }
  bad_.forget(spare);
  queues_[spare]->fail();
  if (slot && !spares_.empty()) ask_for_rebuild(*slot);
}

/// Spare places come before spare drives: all drives write to them.
void ArrayHost::drive_failed(std::uint32_t drive) {
  const auto at = std::ranges::find(drive_in_, drive);
  if (at == drive_in_.end()) return spare_failed(drive);
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

// --- Figures ---

void ArrayHost::report(MetricSet& metrics) const {
  const auto count = [&metrics](const char* name, std::uint64_t value, const char* description) {
    metrics.add(name, static_cast<double>(value), "1", description);
  };
  count("array.commands", counts_.commands, "commands sent to the drives");
  if (layout_.has_parity()) {
    count("array.writes.whole_row", counts_.whole_rows, "writes of parts of a row that needed no reads");
    count("array.writes.read_modify", counts_.read_modifies, "writes that read old data and old parity");
    count("array.writes.reconstruct", counts_.reconstructs, "writes that read the data which stays");
    count("array.writes.decode", counts_.decodes, "writes that computed missing data first");
    count("array.writes.no_parity", counts_.without_parity, "writes of rows whose parity was all missing");
  }
  if (counts_.trimmed_bytes + counts_.untrimmed_bytes != 0) {
    metrics.add("array.trims.passed", static_cast<double>(counts_.trimmed_bytes), "B", "data of TRIMs that went to the drives");
    metrics.add(
        "array.trims.ended", static_cast<double>(counts_.untrimmed_bytes), "B",
        "data of TRIMs that the drives still hold: parts of rows with parity, and rows that a drive is missing of, that have a journal or "
        "whose drives do not promise zeros");
  }
  count("array.reads.degraded", counts_.degraded_reads, "parts of reads that were computed from the other drives");
  count("array.unreadable", counts_.unreadable, "parts of reads for which too much was missing");
  if (layout_.redundant()) {
    count("array.errors.read", counts_.read_errors, "reads that drives failed");
    count("array.errors.write", counts_.write_errors, "writes and FLUSHes that drives failed");
    count("array.errors.rewritten", counts_.rewritten, "sectors that were written again after a read error");
    count("array.bad_blocks", bad_.ranges(), "places that no drive reads until a write of them succeeds, at the end");
  }
  if (config_.scrub.enabled) {
    count("array.scrub.rows", counts_.rows_compared, "rows that the scrub compared");
    count("array.scrub.differing", counts_.rows_differing, "of these, rows whose parity or copies did not fit the data");
  }
  if (config_.journal.place != JournalPlace::none) {
    count("array.journal.records", counts_.journal_records, "writes of rows that went through the journal");
    metrics.add("array.journal.bytes", static_cast<double>(counts_.journal_bytes), "B", "new data and parity in its records");
    count("array.journal.replayed", counts_.rows_replayed, "records that were written to their rows again after a power cut");
  }
  count("array.doubt.rows", counts_.rows_in_doubt, "rows whose write a power cut ended between data and parity, or between copies");
  count("array.doubt.put_right", counts_.rows_put_right, "of these, rows whose parity or copies were made to fit the data");
  count("array.doubt.left", counts_.rows_left_wrong,
        "of these, rows with a drive missing: data of it that nobody wrote to may be lost (the write hole)");
  const double seconds = static_cast<double>(counts_.parity_bytes) / static_cast<double>(config_.cpu.parity_rate.value());
  metrics.add("array.cpu.parity", seconds, "s", "processor time for P and Q, at array.cpu.parity_rate");
  metrics.add("array.cpu.commands", config_.cpu.command * counts_.commands, "processor time for commands, at array.cpu.command each");
  count("array.memory.parity_bytes", counts_.parity_bytes, "bytes that went through host memory for P and Q");
  if (rebuilds_.empty()) return;
  Picoseconds time;
  Bytes bytes;
  bool all = true;
  for (const RebuildRecord& record : rebuilds_) {
    all = all && record.ended != Picoseconds(0);
    if (record.ended != Picoseconds(0)) time += record.ended - record.began;
    bytes += record.bytes;
  }
  count("array.rebuild.rows_lost", counts_.rows_lost,
        "rows of which a rebuild could not make some sector anew: the host gets an error there");
  metrics.add("array.rebuild.bytes", static_cast<double>(bytes.value()), "B", "written to spares by rebuilds");
  const double rebuild_seconds = static_cast<double>(time.value()) * 1e-12;
  metrics.add("array.rebuild.time", all ? std::optional(rebuild_seconds) : std::nullopt, "s",
              "from the start of each rebuild to its end, in sum; undefined where one did not end");
  metrics.add("array.rebuild.rate",
              all && rebuild_seconds > 0 ? std::optional(static_cast<double>(bytes.value()) / rebuild_seconds) : std::nullopt, "B/s",
              "written to spares per second of rebuild");
}

}  // namespace tessera
