#include "stimuli/arrays/restore_task.hpp"

#include <algorithm>
#include <utility>

namespace tessera {

void RestoreTask::restore(ChunkRange range) {
  range_ = range;
  unreadable_.assign(host_.layout_.width(), false);
  unreadable_[wanted_] = true;
  read();
}

/// A column comes from the other columns and P, or Q where P is missing; P and Q come from the data. What is missing besides needs all the
/// rest of the row.
void RestoreTask::read() {
  const ArrayLayout& layout = host_.layout_;
  const std::vector<bool> gone = missing();
  again_ = false;
  absent_.assign(layout.width(), true);
  std::vector<Step> steps;
  for (std::uint32_t i = 0; i < layout.width() && steps.size() < layout.columns(); ++i) {
    if (gone[i] || unreadable_[i]) continue;
    absent_[i] = false;
    steps.push_back({i, HostOp::read, range_, {}});
  }
  if (steps.size() < layout.columns()) {
    loses_ = true;
    return host_.timeline_.post(host_.timeline_.now(), *this);
  }
  row_content_.assign(layout.width(), Content(bytes(range_.count())));
  reading_ = true;
  begin_stage(std::move(steps), priority_);
}

/// In a turn of its own: many sectors that are lost without a read would be as many calls within each other.
void RestoreTask::on_time(std::uint64_t) {
  loses_ = false;
  lost();
}

RestoreTask::~RestoreTask() {
  if (loses_) host_.timeline_.withdraw(*this);
}

void RestoreTask::took(std::uint32_t member, HostRequest& command) {
  if (!reading_) return took_own(command);
  if (ok(command.status)) {
    row_content_[member] = std::move(command.content);
    return;
  }
  again_ = true;
  unreadable_[member] = true;
}

void RestoreTask::stage_over() {
  if (!std::exchange(reading_, false)) return own_stage_over();
  again_ ? read() : compute();
}

void RestoreTask::compute() {
  const ArrayLayout& layout = host_.layout_;
  const std::uint32_t columns = layout.columns();
  if (layout.has_parity()) {
    host_.charge_parity(range_.count(), columns);
    if (host_.kept_ != 0) {
      recover(row_content_, columns, absent_);
      if (wanted_ >= columns) encode(row_content_, columns, wanted_ - columns);
    }
  } else if (host_.kept_ != 0) {
    row_content_[wanted_] = row_content_[static_cast<std::size_t>(std::ranges::find(absent_, false) - absent_.begin())];
  }
  restored(std::move(row_content_[wanted_]));
}

void RebuildTask::start() {
  piece_ = {0, host_.layout_.chunk_blocks()};
  lock(piece_);
}

void RebuildTask::restored(Content content) {
  const std::optional<std::uint32_t> drive = target();
  if (!drive) return done();  // the spare, or the drive with its spare place, failed meanwhile
  begin_step({wanted_, HostOp::write, piece_, std::move(content), drive}, priority_);
}

/// What no two of the others could read in one sector can still be made sector by sector. One that is lost is an error to whoever reads it.
void RebuildTask::lost() {
  if (piece_.count() > host_.sector_blocks_) {
    piece_ = {0, host_.sector_blocks_};
    return restore(piece_);
  }
  lost_ = true;
  if (const auto drive = target()) host_.bad_.add(row_, *drive, piece_);
  go_on();
}

void RebuildTask::go_on() {
  if (piece_.end == host_.layout_.chunk_blocks() || !target()) return done();
  piece_ = {piece_.end, piece_.end + host_.sector_blocks_};
  restore(piece_);
}

void RebuildTask::done() {
  if (lost_) ++host_.counts_.rows_lost;
  if (goes_on()) {
    host_.record_of(host_.rebuild_->slot).bytes += Bytes(host_.layout_.chunk_blocks() * host_block_bytes);
    sweep_->mark(row_);  // before the lock goes to whoever waits for the row
  }
  const auto self = end();
  if (goes_on()) sweep_->row_done();
}

ChunkRange RepairTask::sector() const {
  const std::uint32_t sector = host_.sector_blocks_;
  return {at_, std::min(place_.end, (at_ / sector + 1) * sector)};
}

/// A place that is known to be bad needs no look.
void RepairTask::next() {
  if (at_ == place_.end || host_.drive_of(row_, wanted_) != drive_) {
    host_.repairs_.erase({row_, drive_});
    const auto self = end();
    return;
  }
  if (host_.bad_.meets(row_, drive_, sector())) return restore(sector());
  look(Stage::probe);
}

void RepairTask::look(Stage stage) {
  stage_ = stage;
  begin_step({.member = wanted_, .op = HostOp::read, .range = sector(), .content = {}, .probes = true}, priority_);
}

void RepairTask::restored(Content content) {
  stage_ = Stage::write;
  if (host_.drive_of(row_, wanted_) != drive_) return next();
  begin_step({wanted_, HostOp::write, sector(), std::move(content)}, priority_);
}

/// The others do not have it either.
void RepairTask::lost() {
  at_ = sector().end;
  next();
}

void RepairTask::own_stage_over() {
  if (stage_ == Stage::probe && !good_) return restore(sector());
  if (stage_ == Stage::write && good_) {
    host_.keep_in_doubt(row_);
    return look(Stage::verify);
  }
  if (stage_ == Stage::verify && good_) ++host_.counts_.rewritten;
  if (stage_ == Stage::verify && !good_ && host_.drive_of(row_, wanted_) == drive_)
    static_cast<void>(host_.judge_write({.row = row_, .member = wanted_, .drive = drive_, .range = sector()}));
  at_ = sector().end;
  next();
}

}  // namespace tessera
