// The dm-zoned-like host: the power fails, and the tables are found again: the newest whole set of metadata, and the write pointers. What
// lies below a pointer and is not valid was written after that set: it stays dead until its zone is reset.
#include <algorithm>
#include <cstring>
#include <utility>

#include "stimuli/hosts/dmz_host.hpp"

namespace tessera {

void DmzHost::power_lost() {
  timeline_.withdraw(*this);
  commands_.power_lost();
  application_.power_lost();
  std::ranges::fill(requests_, Request());
  changing_.clear();
  waiting_.clear();
  parts_.clear();
  std::ranges::fill(writes_, 0U);
  freed_.clear();
  released_.clear();
  wait_for_flush_.clear();
  reclaim_ = {};
  reclaiming_low_ = false;
  flush_ = {};
  flush_wanted_ = false;
  recovery_.reset();
  stalled_.set(false, timeline_.now());
  rounds_.power_lost();
  flush_alarm_ = false;
}

void DmzHost::recover(std::function<void(Status)> recovered) {
  recovery_ = std::make_unique<Recovery>();
  recovery_->done = std::move(recovered);
  recovery_->begin = timeline_.now();
  recovery_->from = sets_[1].valid && (!sets_[0].valid || sets_[1].generation > sets_[0].generation) ? 1 : 0;
  const Set& set = sets_[recovery_->from];
  TESSERA_CHECK(set.valid && set.generation == stored_, "no whole set holds the newest metadata of the dm-zoned-like host");
  commands_.send(HostOp::zone_report, {HostBlock(0), report_pages(drive_.zones)}, CommandPriority::foreground,
                 [this](HostRequest& report) { zones_reported(report); });
}

void DmzHost::zones_reported(const HostRequest& report) {
  if (!ok(report.status)) return std::exchange(recovery_, nullptr)->done(report.status);
  TESSERA_CHECK(report.zones.size() == drive_.zones, "the drive did not report all of its zones");
  if (std::ranges::any_of(report.zones, takes_no_writes)) commands_.refuse();
  for (const ZoneDescriptor& told : report.zones) {
    const bool sequential = told.type != ZoneType::conventional;
    const std::uint64_t blocks = !sequential || told.condition == ZoneCondition::empty ? 0
                                 : told.condition == ZoneCondition::full               ? told.blocks
                                                                                       : told.pointer - told.start;
    recovery_->pointers.push_back(static_cast<std::uint32_t>(blocks / drive_.sector_blocks));
  }
  const std::uint32_t from = recovery_->from;
  recovery_->reads.push_back({1 - from, {0, 1}, true});  // its superblock was perhaps being written
  for (std::uint32_t at = 0; at < layout_.set_sectors();) {
    const std::uint32_t count = piece_of_set(at, layout_.set_sectors() - at);
    recovery_->reads.push_back({from, {at, count}, false});
    at += count;
  }
  read_next_of_recovery();
}

/// What cannot be read of the set is read by its sectors, and these from the other set, where that is as new.
void DmzHost::read_next_of_recovery() {
  if (recovery_->reads.empty()) {
    released_ = tables_.restore(recovery_->pointers);
    if (commands_.refused()) return end_recovery();
    return mend_set();
  }
  const RecoveryRead next = recovery_->reads.front();
  recovery_->reads.pop_front();
  ++counts_.host.recovery_reads;
  commands_.read_surely(set_blocks(next.set, next.run), CommandPriority::foreground, [this, next](HostRequest& command) {
    const bool read = ok(command.status);
    if (!read && !next.may_fail) {
      const Set& other = sets_[1 - recovery_->from];
      const bool elsewhere = next.set == recovery_->from && other.valid && other.generation == stored_;
      if (next.run.count == 1 && !elsewhere) return std::exchange(recovery_, nullptr)->done(command.status);
      if (next.run.count == 1) {
        recovery_->unread.push_back(next.run.first);
        recovery_->reads.push_front({1 - next.set, next.run, false});
      }
      for (std::uint32_t i = next.run.count; next.run.count > 1 && i-- > 0;)
        recovery_->reads.push_front({next.set, {next.run.first + i, 1}, false});
    }
    if (read && next.run.first == 0 && !next.may_fail && stored_ != 0 && !command.content.empty()) {
      std::uint64_t found = 0;
      std::memcpy(&found, command.content.data(), sizeof found);
      TESSERA_CHECK(found == superblock_tag(stored_), "the drive returned another superblock than the dm-zoned-like host wrote there");
    }
    read_next_of_recovery();
  });
}

/// Sectors of the set that counts are written again from the other one, while that is whole.
void DmzHost::mend_set() {
  std::deque<std::uint32_t>& unread = recovery_->unread;
  if (unread.empty()) return rewrite_set(1);
  const std::uint32_t sector = unread.front();
  unread.pop_front();
  const auto next = [this](HostRequest&) { mend_set(); };
  if (sector == 0) return write_superblock(recovery_->from, stored_, next);
  ++counts_.metadata;
  commands_.send(HostOp::write, set_blocks(recovery_->from, {sector, 1}), CommandPriority::foreground, next);
}

/// The other set becomes the same, from its block `at` on: nobody knows which of its blocks a flush had reached.
void DmzHost::rewrite_set(std::uint32_t at) {
  const std::uint32_t set = 1 - recovery_->from;
  sets_[set].valid = false;
  if (at < layout_.set_sectors()) {
    const std::uint32_t count = piece_of_set(at, layout_.set_sectors() - at);
    counts_.metadata += count;
    return commands_.send(HostOp::write, set_blocks(set, {at, count}), CommandPriority::foreground,
                          [this, at, count](HostRequest&) { rewrite_set(at + count); });
  }
  write_superblock(set, sets_[recovery_->from].generation, [this](HostRequest&) { end_recovery(); });
}

void DmzHost::end_recovery() {
  counts_.host.recovery_time += timeline_.now() - recovery_->begin;
  application_.busy_until_now();
  std::exchange(recovery_, nullptr)->done(Status::ok);
  proceed();
}

}  // namespace tessera
