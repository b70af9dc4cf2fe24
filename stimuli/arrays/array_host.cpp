#include "stimuli/arrays/array_host.hpp"

#include <algorithm>
#include <utility>

#include "stimuli/arrays/copy_task.hpp"
#include "stimuli/arrays/read_task.hpp"
#include "stimuli/arrays/row_tasks.hpp"
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
  if (!moves_data(request.op)) {  // TRIM: the drives behind parity must keep their data, so it goes no further. Zones there are none.
    open.status = request.op == HostOp::trim ? Status::ok : Status::unsupported;
    return finish(open);
  }
  // All parts are counted before the first is started: it may end at once.
  const ArrayParts parts = layout_.parts(ArrayBlock(request.blocks.first.value()), request.blocks.count);
  const std::uint32_t tag = request.tag;
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
    if (task->writes_row()) in_doubt_.push_back(task->row());
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
    for (const std::uint64_t row : written_) rows.emplace_back(row);
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

}  // namespace tessera
