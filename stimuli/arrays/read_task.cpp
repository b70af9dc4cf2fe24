#include "stimuli/arrays/read_task.hpp"

#include <algorithm>

namespace tessera {

ReadTask::ReadTask(ArrayHost& host, std::uint32_t tag, const ArrayPart& part) : ArrayTask(host, part.row), tag_(tag), part_(part) {}

/// What the drive itself holds needs no lock: reads and writes that meet there are the drive's to order.
void ReadTask::start() {
  const ArrayLayout& layout = host_.layout_;
  const bool one_holds_it = layout.has_parity() || !layout.redundant();
  if (!one_holds_it || !host_.drive_of(row_, part_.column)) return read();
  begin_step({part_.column, HostOp::read, {part_.begin, part_.end()}, {}}, CommandPriority::foreground);
}

void ReadTask::read() {
  const std::vector<bool> gone = missing();
  unread_.resize(gone.size());
  for (std::size_t member = 0; member < gone.size(); ++member) unread_[member] = unread_[member] || gone[member];
  if (host_.layout_.redundant() && !host_.layout_.has_parity()) return read_copy();
  if (unread_[part_.column]) return read_rest();
  begin_step({part_.column, HostOp::read, {part_.begin, part_.end()}, {}}, CommandPriority::foreground);
}

/// The copy whose drive has the fewest commands; of several the one that was last nearest, as Linux md's raid1 chooses among idle disks.
void ReadTask::read_copy() {
  std::optional<std::uint32_t> best;
  std::pair<std::size_t, std::uint64_t> least;
  for (std::uint32_t member = 0; member < unread_.size(); ++member) {
    if (unread_[member]) continue;
    const DriveQueue& queue = *host_.queues_[*host_.drive_of(row_, member)];
    const HostBlock at = host_.layout_.place_of(row_, member) + part_.begin;
    const std::uint64_t away = queue.position() > at ? queue.position() - at : at - queue.position();
    if (const std::pair load{queue.length(), away}; !best || load < least) {
      best = member;
      least = load;
    }
  }
  if (!best) return by_sectors();
  begin_step({*best, HostOp::read, {part_.begin, part_.end()}, {}}, CommandPriority::foreground);
}

/// Data and parity must not change between the reads.
void ReadTask::read_rest() {
  const ArrayLayout& layout = host_.layout_;
  if (static_cast<std::uint32_t>(std::ranges::count(unread_, true)) > layout.parities()) return by_sectors();
  if (!locked_) {
    locked_ = true;
    return lock({part_.begin, part_.end()});
  }
  decodes_ = true;
  row_content_.assign(layout.width(), Content(bytes(part_.count)));
  std::vector<Step> steps;
  for (std::uint32_t member = 0; member < unread_.size(); ++member)
    if (!unread_[member]) steps.push_back({member, HostOp::read, {part_.begin, part_.end()}, {}});
  begin_stage(std::move(steps), CommandPriority::foreground);
}

/// What cannot be read as a whole may be read sector by sector, from other drives.
void ReadTask::by_sectors() {
  const std::uint32_t sector = host_.sector_blocks_;
  if (part_.count <= sector || host_.beyond_rescue(row_, {part_.begin, part_.end()})) return done(Status::media_error);
  std::vector<std::unique_ptr<ReadTask>> pieces;
  for (std::uint32_t begin = part_.begin; begin < part_.end(); begin = (begin / sector + 1) * sector) {
    pieces.push_back(std::make_unique<ReadTask>(host_, tag_, part_.within(begin, (begin / sector + 1) * sector)));
    pieces.back()->life_ = life_;
  }
  host_.open_[tag_].parts += static_cast<std::uint32_t>(pieces.size()) - 1;
  ArrayHost& host = host_;
  const auto self = end();
  for (auto& piece : pieces) host.start(std::move(piece));
}

void ReadTask::took(std::uint32_t member, HostRequest& command) {
  if (!ok(command.status)) {
    unread_.resize(host_.layout_.width());
    unread_[member] = true;
    status_ = command.status;
  } else if (decodes_) {
    row_content_[member] = std::move(command.content);
  } else {
    give(command.content);
  }
}

void ReadTask::stage_over() {
  if (!ok(status_)) {  // another way, while there is one
    decodes_ = false;
    if (!host_.layout_.redundant()) return done(status_ == Status::aborted ? Status::media_error : status_);
    status_ = Status::ok;
    return read();
  }
  if (decodes_) {
    ++host_.counts_.degraded_reads;
    host_.charge_parity(part_.count, host_.layout_.columns());
    if (host_.kept_ != 0) {
      recover(row_content_, host_.layout_.columns(), unread_);
      give(row_content_[part_.column]);
    }
  }
  done(Status::ok);
}

void ReadTask::give(const Content& content) {
  Content& whole = host_.open_[tag_].request->content;
  if (!content.empty() && !whole.empty()) std::ranges::copy(content, whole.begin() + static_cast<std::ptrdiff_t>(bytes(part_.offset)));
}

void ReadTask::done(Status status) {
  host_.counts_.unreadable += ok(status) ? 0 : 1;
  const auto self = end();
  host_.part_done(tag_, part_.offset, status, life_);
}

}  // namespace tessera
