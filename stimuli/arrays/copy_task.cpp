#include "stimuli/arrays/copy_task.hpp"

#include <utility>

namespace tessera {

CopyTask::CopyTask(ArrayHost& host, std::uint32_t tag, const ArrayPart& part) : ArrayTask(host, part.row), tag_(tag), part_(part) {}

/// One drive alone orders what meets there itself.
void CopyTask::start() {
  if (host_.layout_.redundant()) return lock({part_.begin, part_.end()});
  begin_writing();
  begin_step(step(part_.column), CommandPriority::foreground);
}

void CopyTask::locked_in() {
  const std::vector<bool> gone = missing();
  std::vector<Step> steps;
  for (std::uint32_t member = 0; member < gone.size(); ++member)
    if (!gone[member]) steps.push_back(step(member));
  if (steps.empty()) return done(Status::media_error);
  begin_writing();
  begin_stage(std::move(steps), CommandPriority::foreground);
}

void CopyTask::begin_writing() {
  writes_ = true;
  if (host_.kept_ != 0) host_.written_.insert(row_.value());
}

ArrayTask::Step CopyTask::step(std::uint32_t member) const {
  const auto given = ConstContentSpan(host_.open_[tag_].request->content);
  Step step{member, HostOp::write, {part_.begin, part_.end()}, {}, {}, {}, host_.durable(tag_)};
  if (host_.kept_ == 0) return step;
  const auto mine = given.subspan(bytes(part_.offset), bytes(part_.count));
  step.content.assign(mine.begin(), mine.end());
  return step;
}

/// What a drive did not write, because it failed or because the place is bad, the other copies stand for.
void CopyTask::took(std::uint32_t, HostRequest& command) {
  if (!ok(command.status) && !host_.layout_.redundant()) status_ = command.status;
}

/// What more is missing of than the array survives is not written, whatever the drives that are left say.
void CopyTask::done(Status status) {
  if (ok(status) && host_.layout_.redundant() && host_.beyond_rescue(row_, {part_.begin, part_.end()})) status = Status::media_error;
  if (writes_ && !host_.durable(tag_)) host_.keep_in_doubt(row_);
  const auto self = end();
  host_.part_done(tag_, part_.offset, status, life_);
}

}  // namespace tessera
