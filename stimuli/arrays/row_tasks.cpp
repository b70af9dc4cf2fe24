#include "stimuli/arrays/row_tasks.hpp"

#include <algorithm>
#include <utility>

namespace tessera {

RebuildTask::RebuildTask(ArrayHost& host, ArrayRow row, std::uint32_t member, std::shared_ptr<RowSweep> sweep)
    : ArrayTask(host, row), sweep_(std::move(sweep)), wanted_(member) {
  unreadable_.resize(host.layout_.width());
}

void RebuildTask::start() { lock({0, host_.layout_.chunk_blocks()}); }

/// A column comes from the other columns and P, or Q where P is missing; P and Q come from the data. What is missing besides needs all the
/// rest of the row.
void RebuildTask::read() {
  const ArrayLayout& layout = host_.layout_;
  const std::vector<bool> gone = missing();
  const auto there = [&](std::uint32_t member) { return !gone[member] && !unreadable_[member]; };
  again_ = false;
  absent_.assign(layout.width(), true);
  std::vector<Step> steps;
  for (std::uint32_t i = 0; i < layout.width() && steps.size() < layout.columns(); ++i) {
    if (!there(i)) continue;
    absent_[i] = false;
    steps.push_back({i, HostOp::read, {0, layout.chunk_blocks()}, {}});
  }
  if (steps.size() < layout.columns()) {
    failed_ = true;
    return done();
  }
  row_content_.assign(layout.width(), Content(bytes(layout.chunk_blocks())));
  begin_stage(std::move(steps), CommandPriority::background);
}

void RebuildTask::took(std::uint32_t member, HostRequest& command) {
  if (writes_) {
    failed_ = failed_ || (!ok(command.status) && command.status != Status::aborted);  // a spare place's drive failed: nothing is lost
  } else if (!ok(command.status)) {
    again_ = true;
    unreadable_[member] = true;
  } else {
    row_content_[member] = std::move(command.content);
  }
}

void RebuildTask::stage_over() {
  if (writes_) return done();
  again_ ? read() : write();
}

void RebuildTask::write() {
  const ArrayLayout& layout = host_.layout_;
  const std::uint32_t columns = layout.columns();
  if (layout.has_parity()) {
    host_.charge_parity(layout.chunk_blocks(), columns);
    if (host_.kept_ != 0) {
      recover(row_content_, columns, absent_);
      if (wanted_ >= columns) encode(row_content_, columns, wanted_ - columns);
    }
  } else if (host_.kept_ != 0) {
    row_content_[wanted_] = row_content_[static_cast<std::size_t>(std::ranges::find(absent_, false) - absent_.begin())];
  }
  writes_ = true;
  const std::optional<std::uint32_t> target = goes_on() ? host_.rebuild_target(row_, wanted_) : std::nullopt;
  if (!target) return done();  // the spare, or the drive with its spare place, failed meanwhile
  begin_step({wanted_, HostOp::write, {0, layout.chunk_blocks()}, std::move(row_content_[wanted_]), target, {}, host_.caches_forget_},
             CommandPriority::background);
}

/// A row that cannot be made anew is lost; the rebuild goes on with the next.
void RebuildTask::done() {
  if (failed_) ++host_.counts_.rows_lost;
  if (goes_on()) {
    host_.record_of(host_.rebuild_->slot).bytes += Bytes(host_.layout_.chunk_blocks() * host_block_bytes);
    sweep_->mark(row_);  // before the lock goes to whoever waits for the row
  }
  const auto self = end();
  if (goes_on()) sweep_->row_done();
}

CheckTask::CheckTask(ArrayHost& host, ArrayRow row, bool repair, CommandPriority priority, std::function<void(bool, bool)> ended)
    : ArrayTask(host, row), repair_(repair), priority_(priority), ended_(std::move(ended)) {}

void CheckTask::start() { lock({0, host_.layout_.chunk_blocks()}); }

void CheckTask::locked_in() {
  const ArrayLayout& layout = host_.layout_;
  const std::vector<bool> gone = missing();
  const auto there = static_cast<std::uint32_t>(std::ranges::count(gone, false));
  again_ = false;
  compared_ = layout.has_parity() ? there == layout.width() : there > 1;
  if (!compared_) return done();
  row_content_.assign(layout.width(), {});
  std::vector<Step> steps;
  for (std::uint32_t member = 0; member < gone.size(); ++member)
    if (!gone[member]) steps.push_back({member, HostOp::read, {0, layout.chunk_blocks()}, {}});
  begin_stage(std::move(steps), priority_);
}

void CheckTask::took(std::uint32_t member, HostRequest& command) {
  if (!ok(command.status)) {
    compared_ = false;
    again_ = again_ || command.status == Status::aborted;
  } else if (!writes_) {
    row_content_[member] = std::move(command.content);
  }
}

void CheckTask::stage_over() {
  if (again_ && !writes_) return locked_in();  // a drive failed meanwhile
  if (writes_ || !compared_ || host_.kept_ == 0) return done();
  const ArrayLayout& layout = host_.layout_;
  std::vector<std::uint32_t> differing;
  const auto compare = [&](std::uint32_t member, Content right) {
    if (row_content_[member] == right) return;
    row_content_[member] = std::move(right);
    differing.push_back(member);
  };
  if (layout.has_parity()) {
    host_.charge_parity(layout.chunk_blocks(), layout.columns() * layout.parities());
    RowContent made = row_content_;
    for (std::uint32_t parity = 0; parity < layout.parities(); ++parity) {
      encode(made, layout.columns(), parity);
      compare(layout.columns() + parity, std::move(made[layout.columns() + parity]));
    }
  } else {
    const auto first = std::ranges::find_if(row_content_, [](const Content& content) { return !content.empty(); });
    for (std::uint32_t member = 0; member < row_content_.size(); ++member)
      if (!row_content_[member].empty()) compare(member, *first);
  }
  fits_ = differing.empty();
  if (fits_ || !repair_) return done();
  write(differing);
}

void CheckTask::write(const std::vector<std::uint32_t>& differing) {
  writes_ = true;
  std::vector<Step> steps;
  steps.reserve(differing.size());
  for (const std::uint32_t member : differing)
    steps.push_back(
        {member, HostOp::write, {0, host_.layout_.chunk_blocks()}, std::move(row_content_[member]), {}, {}, host_.caches_forget_});
  begin_stage(std::move(steps), priority_);
}

void CheckTask::done() {
  const auto self = end();
  ended_(fits_, compared_);
}

ReplayTask::ReplayTask(ArrayHost& host, std::uint32_t record, std::function<void()> ended)
    : ArrayTask(host, host.journal_[record].row), record_(record), ended_(std::move(ended)), writes_(host.journal_[record].writes) {}

void ReplayTask::start() {
  if (host_.journal_.on_drives())
    read();
  else
    write();
}

/// Of a row whose parity is missing nothing is replayed: its data contradicts nothing.
void ReplayTask::read() {
  const ArrayLayout& layout = host_.layout_;
  const std::vector<bool> gone = missing();
  while (tried_ < layout.parities() && gone[layout.columns() + tried_]) ++tried_;
  if (tried_ == layout.parities()) return done();
  begin_step({layout.columns() + tried_, HostOp::read, {}, {}, {}, host_.journal_.place_of(record_)}, CommandPriority::foreground);
}

void ReplayTask::took(std::uint32_t, HostRequest& command) {
  if (writing_) return;
  read_ = ok(command.status);
  if (!read_ || host_.kept_ == 0) return;
  auto from = command.content.end() -
              static_cast<std::ptrdiff_t>(host_.journal_.size(record_).value() / host_block_bytes * host_.kept_);  // after the header
  for (MemberWrite& write : writes_) {
    write.content.assign(from, from + static_cast<std::ptrdiff_t>(bytes(write.range.count())));
    from += static_cast<std::ptrdiff_t>(bytes(write.range.count()));
  }
}

void ReplayTask::stage_over() {
  if (writing_) return done();
  if (read_) return write();
  ++tried_;
  read();
}

void ReplayTask::write() {
  writing_ = true;
  const std::vector<bool> gone = missing();
  std::vector<Step> steps;
  for (MemberWrite& write : writes_)
    if (!gone[write.member]) steps.push_back({write.member, HostOp::write, write.range, std::move(write.content)});
  if (steps.empty()) return done();
  begin_stage(std::move(steps), CommandPriority::foreground);
}

void ReplayTask::done() {
  const auto self = end();
  host_.journal_.release(record_);
  ended_();
}

void FlushTask::start() {
  covered_ = host_.writes_ended_;
  std::vector<Step> steps;
  for (std::uint32_t slot = 0; slot < host_.layout_.drives(); ++slot)
    if (!host_.gone_[slot]) steps.push_back({slot, HostOp::flush, {}, {}, host_.drive_in_[slot]});
  if (host_.rebuild_ && host_.rebuild_->spare) steps.push_back({0, HostOp::flush, {}, {}, host_.rebuild_->spare});
  if (!steps.empty()) return begin_stage(std::move(steps), CommandPriority::foreground);
  status_ = Status::media_error;
  stage_over();
}

/// A drive that failed has nothing to flush: the others stand for it.
void FlushTask::took(std::uint32_t, HostRequest& command) {
  if (!ok(command.status) && command.status != Status::aborted) status_ = command.status;
}

void FlushTask::stage_over() {
  if (ok(status_)) std::erase_if(host_.unflushed_, [this](const auto& row) { return row.second <= covered_; });
  const auto self = end();
  host_.part_done(tag_, status_, life_);
}

}  // namespace tessera
