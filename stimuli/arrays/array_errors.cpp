// What an array's host makes of errors: the place is written again from the others, kept as a bad one, or the drive is thrown out.
//
// As Linux md does: a read error is answered from the rest of the row and the sectors written again (drivers/md/raid1.c, fix_read_error;
// raid5.c, R5_ReadError), until there are too many (raid1-10.c, exceed_read_errors); a write error makes the place a bad one where
// bad-block lists are kept and have room, and else fails the drive (raid1.c, handle_write_finished). A drive without which data would be
// lost stays, as in md's mirrors (raid1_error) and in ZFS (vdev_dtl_required): its bad places are remembered, however many, so that nobody
// takes for the row's what is not.
#include <algorithm>

#include "stimuli/arrays/array_host.hpp"
#include "stimuli/arrays/restore_task.hpp"

namespace tessera {

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
  if (!layout_.redundant() || command.status == Status::aborted) return;
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

}  // namespace tessera
