#include "stimuli/arrays/trim_task.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "stimuli/arrays/row_tasks.hpp"

namespace tessera {

TrimTask::TrimTask(ArrayHost& host, std::uint32_t tag, const ArrayParts& parts)
    : ArrayTask(host, parts.front().row), tag_(tag), last_(parts.back().row) {
  for (const ArrayPart& part : parts) {
    if (cuts_.empty() || cuts_.back().row != part.row) cuts_.push_back({part.row, {}});
    cuts_.back().parts.push_back(part);
  }
}

/// One drive alone orders what meets there itself.
void TrimTask::start() {
  if (!host_.layout_.redundant()) return locked_in();
  lock({0, static_cast<std::uint32_t>(rows()) * host_.layout_.chunk_blocks()});
}

bool TrimTask::goes_to_drives(const Cut& cut) const {
  if (!host_.layout_.has_parity()) return true;
  std::uint64_t blocks = 0;
  for (const ArrayPart& part : cut.parts) blocks += part.count;
  const bool whole = blocks == std::uint64_t{host_.layout_.columns()} * host_.layout_.chunk_blocks();
  const bool journalled = host_.journal_.place() != JournalPlace::none;
  return whole && !journalled && host_.trims_to_zeros_ && std::ranges::count(host_.missing_in(cut.row), true) == 0;
}

void TrimTask::locked_in() {
  std::uint64_t asked = 0;
  std::uint64_t passed = 0;
  for (const Cut& cut : cuts_)
    for (const ArrayPart& part : cut.parts) asked += part.count;
  std::erase_if(cuts_, [this](const Cut& cut) { return !goes_to_drives(cut); });
  for (const Cut& cut : cuts_)
    for (const ArrayPart& part : cut.parts) passed += part.count;
  host_.counts_.trimmed_bytes += passed * host_block_bytes;
  host_.counts_.untrimmed_bytes += (asked - passed) * host_block_bytes;
  std::vector<Step> steps = commands();
  if (steps.empty()) return done(cuts_.empty() ? Status::ok : Status::media_error);
  sent_ = true;
  begin_stage(std::move(steps), CommandPriority::foreground);
}

/// What of neighbouring rows lies side by side on a drive is one command.
std::vector<ArrayTask::Step> TrimTask::commands() {
  const ArrayLayout& layout = host_.layout_;
  std::map<std::uint32_t, std::vector<HostRun>> runs;  // by drive
  const auto add = [&](ArrayRow row, std::uint32_t member, ChunkRange range) {
    const std::optional<std::uint32_t> drive = host_.drive_of(row, member);
    if (!drive) {
      if (!layout.redundant()) status_ = Status::media_error;  // nobody stands for it
      return;
    }
    const HostBlock place = layout.place_of(row, member, host_.slot_of_drive(*drive, layout.slot_of(row, member)));
    runs[*drive].push_back({place + range.begin, range.count()});
  };
  for (const Cut& cut : cuts_) {
    const auto all_members = [&](ChunkRange range) {
      for (std::uint32_t member = 0; member < layout.width(); ++member) add(cut.row, member, range);
    };
    if (host_.kept_ != 0 && layout.redundant()) (host_.trims_to_zeros_ ? host_.written_ : host_.unlike_).insert(cut.row.value());
    if (layout.has_parity())
      all_members({0, layout.chunk_blocks()});
    else if (layout.redundant())
      all_members({cut.parts.front().begin, cut.parts.front().end()});
    else
      for (const ArrayPart& part : cut.parts) add(cut.row, part.column, {part.begin, part.end()});
  }
  std::vector<Step> steps;
  for (auto& [drive, of_drive] : runs) {
    std::ranges::sort(of_drive, {}, &HostRun::first);
    for (const HostRun run : of_drive) {
      if (!steps.empty() && steps.back().drive == drive && steps.back().blocks->end() == run.first)
        steps.back().blocks->count += run.count;
      else
        steps.push_back({0, HostOp::trim, {}, {}, drive, run, host_.durable(tag_)});
    }
  }
  return steps;
}

/// A drive that fails it has kept what was there, as md has it; of a row that is a difference.
void TrimTask::took(std::uint32_t, HostRequest& command) {
  if (ok(command.status)) return;
  if (host_.layout_.redundant())
    differ_ = differ_ || command.status != Status::aborted;
  else
    status_ = command.status == Status::aborted ? Status::media_error : command.status;
}

void TrimTask::stage_over() { differ_ ? put_right() : done(status_); }

void TrimTask::keep_in_doubt() {
  if (host_.durable(tag_)) return;
  for (const Cut& cut : cuts_) host_.keep_in_doubt(cut.row);
}

/// The rows are compared, and parity or copies made to fit the data.
void TrimTask::put_right() {
  auto left = std::make_shared<std::size_t>(cuts_.size());
  ArrayHost& host = host_;
  keep_in_doubt();
  const std::vector<Cut> cuts = std::move(cuts_);
  const auto self = end();
  const auto compared = [&host, left, tag = tag_, life = life_](bool, bool) mutable {
    if (--*left > 0) return;
    life.account(LifePhase::error_recovery, host.timeline_.now(), Cause::recovery);
    host.part_done(tag, 0, Status::ok, life);
  };
  for (const Cut& cut : cuts) host.start(std::make_unique<CheckTask>(host, cut.row, true, CommandPriority::foreground, compared));
}

void TrimTask::done(Status status) {
  if (sent_) keep_in_doubt();
  const auto self = end();
  host_.part_done(tag_, 0, status, life_);
}

}  // namespace tessera
