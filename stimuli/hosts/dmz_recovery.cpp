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
  for (const ZoneDescriptor& told : report.zones) {
    const bool sequential = told.type != ZoneType::conventional;
    const std::uint64_t blocks = !sequential || told.condition == ZoneCondition::empty ? 0
                                 : told.condition == ZoneCondition::full               ? told.blocks
                                                                                       : told.pointer - told.start;
    recovery_->pointers.push_back(static_cast<std::uint32_t>(blocks / drive_.sector_blocks));
  }
  const std::uint32_t from = recovery_->from;
  recovery_->reads.push_back({set_blocks(1 - from, {0, 1}), true, 0});  // its superblock was perhaps being written
  for (std::uint32_t at = 0; at < layout_.set_sectors();) {
    const std::uint32_t count = piece_of_set(at, layout_.set_sectors() - at);
    recovery_->reads.push_back({set_blocks(from, {at, count}), false, at == 0 ? superblock_tag(stored_) : 0});
    at += count;
  }
  read_next_of_recovery();
}

void DmzHost::read_next_of_recovery() {
  if (recovery_->reads.empty()) {
    released_ = tables_.restore(recovery_->pointers);
    return rewrite_set(1);
  }
  const RecoveryRead next = recovery_->reads.front();
  recovery_->reads.pop_front();
  ++counts_.host.recovery_reads;
  commands_.read_surely(next.blocks, CommandPriority::foreground, [this, next](HostRequest& command) {
    if (!ok(command.status) && !next.may_fail) return std::exchange(recovery_, nullptr)->done(command.status);
    if (next.tag != 0 && stored_ != 0 && !command.content.empty()) {
      std::uint64_t found = 0;
      std::memcpy(&found, command.content.data(), sizeof found);
      TESSERA_CHECK(found == next.tag, "the drive returned another superblock than the dm-zoned-like host wrote there");
    }
    read_next_of_recovery();
  });
}

/// The other set becomes the same, from its block `at` on: nobody knows which of its blocks a flush had reached.
void DmzHost::rewrite_set(std::uint32_t at) {
  const std::uint32_t set = 1 - recovery_->from;
  sets_[set].valid = false;
  if (at < layout_.set_sectors()) {
    const std::uint32_t count = piece_of_set(at, layout_.set_sectors() - at);
    counts_.metadata += count;
    return commands_.send(HostOp::write, set_blocks(set, {at, count}), CommandPriority::foreground,
                          [this, at, count](HostRequest& command) {
                            TESSERA_CHECK(ok(command.status), "the drive refused a set of metadata of the dm-zoned-like host");
                            rewrite_set(at + count);
                          });
  }
  write_superblock(set, sets_[recovery_->from].generation, [this](HostRequest&) {
    counts_.host.recovery_time += timeline_.now() - recovery_->begin;
    application_.busy_until_now();
    std::exchange(recovery_, nullptr)->done(Status::ok);
    proceed();
  });
}

}  // namespace tessera
