#include "stimuli/arrays/row_tasks.hpp"

#include <algorithm>
#include <utility>

namespace tessera {

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
  unreadable_.clear();
  std::vector<Step> steps;
  for (std::uint32_t member = 0; member < gone.size(); ++member)
    if (!gone[member]) steps.push_back({member, HostOp::read, {0, layout.chunk_blocks()}, {}});
  begin_stage(std::move(steps), priority_);
}

void CheckTask::took(std::uint32_t member, HostRequest& command) {
  if (writes_) return;
  if (ok(command.status)) {
    row_content_[member] = std::move(command.content);
    return;
  }
  compared_ = false;
  if (command.status == Status::aborted)
    again_ = true;
  else
    unreadable_.push_back(member);
}

void CheckTask::stage_over() {
  if (writes_) return done();
  if (again_) return locked_in();  // a drive failed meanwhile
  const ArrayLayout& layout = host_.layout_;
  if (host_.kept_ == 0 || (layout.has_parity() && !compared_)) return done();
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
    if (first == row_content_.end()) return done();
    for (std::uint32_t member = 0; member < row_content_.size(); ++member)
      if (!row_content_[member].empty()) compare(member, *first);
  }
  fits_ = differing.empty();
  if (repair_ && !layout.has_parity()) {  // what an unreadable copy holds besides may differ
    const Content first = *std::ranges::find_if(row_content_, [](const Content& content) { return !content.empty(); });
    for (const std::uint32_t member : unreadable_) row_content_[member] = first;
    differing.insert(differing.end(), unreadable_.begin(), unreadable_.end());
  }
  if (differing.empty() || !repair_) return done();
  write(differing);
}

void CheckTask::write(const std::vector<std::uint32_t>& differing) {
  writes_ = true;
  std::vector<Step> steps;
  steps.reserve(differing.size());
  for (const std::uint32_t member : differing)
    steps.push_back({member, HostOp::write, {0, host_.layout_.chunk_blocks()}, std::move(row_content_[member])});
  begin_stage(std::move(steps), priority_);
}

/// What it wrote stays in doubt until a FLUSH: another power cut may come first.
void CheckTask::done() {
  if (writes_) host_.keep_in_doubt(row_);
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
  std::vector<Step> steps;
  for (std::uint32_t i = 0; i < drives_.size(); ++i) steps.push_back({i, HostOp::flush, {}, {}, drives_[i]});
  if (!steps.empty()) return begin_stage(std::move(steps), priority_);
  status_ = Status::media_error;
  stage_over();
}

/// A drive that failed has nothing to flush: the others stand for it. Of several errors that of the first drive counts.
void FlushTask::took(std::uint32_t number, HostRequest& command) {
  if (ok(command.status) || command.status == Status::aborted || number >= failed_) return;
  status_ = command.status;
  failed_ = number;
}

void FlushTask::stage_over() {
  const auto self = end();
  ended_(status_, life_);
}

}  // namespace tessera
