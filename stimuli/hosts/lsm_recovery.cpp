// The host with a log-structured merge tree after a power cut. In this order it reads: the zones' write pointers; the manifest that is
// valid, whose last sector may have been torn, from whichever copy can be read; and all records of the log whose tables are in no file, up
// to the first that is not whole. Then it writes a manifest of what it found, and what the log held becomes a file.
//
// What manifest and log hold, the model keeps next to the drive, cut off at the write pointers that the drive reports. Where the drive
// keeps content, each header of the log that is read must be the one that was written.
#include <algorithm>
#include <cstring>
#include <utility>

#include "stimuli/hosts/lsm_host.hpp"

namespace tessera {

void LsmHost::power_lost() {
  timeline_.withdraw(*this);
  commands_.power_lost();
  application_.power_lost();
  std::ranges::fill(requests_, Request());
  changes_.clear();
  syncs_.clear();
  pending_.clear();
  forced_ = order_;
  records_in_flight_ = 0;
  active_ = {};
  immutable_.clear();
  flush_job_ = {};
  compaction_ = {};
  collection_ = {};
  edits_.clear();
  manifest_busy_ = false;
  recovery_.reset();
  stalled_.set(false, timeline_.now());
  rounds_.power_lost();
  log_alarm_ = false;
  if (!drive_.volatile_cache) return;
  for (Record& record : log_) record.done = record.done && record.sequence <= durable_record_;
}

void LsmHost::recover(std::function<void(Status)> recovered) {
  recovery_ = std::make_unique<Recovery>();
  recovery_->done = std::move(recovered);
  recovery_->begin = timeline_.now();
  commands_.send(HostOp::zone_report, {HostBlock(0), report_pages(drive_.zones)}, CommandPriority::foreground,
                 [this](HostRequest& report) { zones_reported(report); });
}

void LsmHost::zones_reported(const HostRequest& report) {
  if (!ok(report.status)) return std::exchange(recovery_, nullptr)->done(report.status);
  TESSERA_CHECK(report.zones.size() == drive_.zones, "the drive did not report all of its zones");
  if (std::ranges::any_of(report.zones, takes_no_writes)) commands_.refuse();
  for (std::uint32_t number = layout_.first_manifest_zone; number < drive_.zones; ++number) {
    const ZoneDescriptor& told = report.zones[number];
    const bool full = told.condition == ZoneCondition::full;
    const std::uint64_t blocks = told.condition == ZoneCondition::empty ? 0 : full ? told.blocks : told.pointer - told.start;
    const auto pointer = static_cast<std::uint32_t>(blocks / drive_.sector_blocks);
    (number < layout_.first_data_zone ? recovery_->manifest_pointers : recovery_->pointers).push_back(pointer);
  }
  read_manifest();
}

/// All but an edit whose write the cut may have torn, and a sector of the other zone: it could have been the newer one.
void LsmHost::read_manifest() {
  const Manifest& manifest = manifests_[manifest_];
  TESSERA_CHECK(manifest.valid, "the host with a merge tree has no valid manifest");
  if (!edit_sector_) written_edits_.clear();
  const std::uint32_t end = edit_sector_.value_or(manifest.pointer);
  const std::uint32_t other = 1 - manifest_;
  for (std::uint32_t copy = 0; copy < lsm_copies; ++copy)
    if (recovery_->manifest_pointers[other * lsm_copies + copy] != 0) recovery_->reads.push_back({other, copy, 0, 1, true});
  for (std::uint32_t at = manifest.first; at < end;) {
    const std::uint32_t copy = copy_with(manifest_, at, 0);
    TESSERA_CHECK(copy != lsm_copies, "the drive lost a manifest that it had acknowledged");
    const std::uint32_t there = recovery_->manifest_pointers[manifest_ * lsm_copies + copy];
    const std::uint32_t sectors = std::min({layout_.record_sectors, end - at, there - at});
    recovery_->reads.push_back({manifest_, copy, at, sectors, false});
    at += sectors;
  }
  read_next_of_manifest();
}

/// The first copy, from this one on, that was written as far as this sector: an edit may be in one alone.
std::uint32_t LsmHost::copy_with(std::uint32_t manifest, std::uint32_t sector, std::uint32_t copy) const {
  while (copy < lsm_copies && recovery_->manifest_pointers[manifest * lsm_copies + copy] <= sector) ++copy;
  return copy;
}

void LsmHost::read_next_of_manifest() {
  if (recovery_->reads.empty()) return read_last_edit(0);
  const RecoveryRead next = recovery_->reads.front();
  recovery_->reads.pop_front();
  ++counts_.host.recovery_reads;
  const HostRun blocks = manifest_blocks(next.manifest, next.copy, next.sector, next.sectors);
  commands_.read_surely(blocks, CommandPriority::foreground, [this, next](HostRequest& command) {
    if (ok(command.status) || next.may_fail) return read_next_of_manifest();
    const std::uint32_t other = copy_with(next.manifest, next.sector, next.copy + 1);
    if (next.sectors == 1 && other == lsm_copies) return std::exchange(recovery_, nullptr)->done(command.status);
    if (next.sectors == 1)
      recovery_->reads.push_front({next.manifest, other, next.sector, 1, false});
    else
      for (std::uint32_t sector = next.sectors; sector > 0; --sector)
        recovery_->reads.push_front({next.manifest, next.copy, next.sector + sector - 1, 1, false});
    read_next_of_manifest();
  });
}

/// It counts if some copy of it can be read, from this one on; nothing of it was told to anybody.
void LsmHost::read_last_edit(std::uint32_t copy) {
  if (!edit_sector_) return read_log();
  copy = copy_with(manifest_, *edit_sector_, copy);
  if (copy == lsm_copies) {
    manifests_[manifest_].pointer = *edit_sector_;
    edit_sector_.reset();
    written_edits_.clear();
    return read_log();
  }
  ++counts_.host.recovery_reads;
  const HostRun blocks = manifest_blocks(manifest_, copy, *edit_sector_, 1);
  commands_.read_surely(blocks, CommandPriority::foreground, [this, copy](HostRequest& command) {
    if (!ok(command.status)) return read_last_edit(copy + 1);
    edit_sector_.reset();
    for (const Edit& edit : std::exchange(written_edits_, {})) {
      for (const LsmChange& change : edit.changes) static_cast<void>(tree_.apply(change));
      flushed_ = std::max(flushed_, edit.flushed.value_or(0));
    }
    read_log();
  });
}

/// Record after record, whole: it holds what the table held.
void LsmHost::read_log() {
  std::erase_if(log_, [this](const Record& record) { return record.generation <= flushed_; });
  if (recovery_->record == log_.size()) return rebuild();
  Record& record = log_[recovery_->record];
  const std::uint32_t pointer = recovery_->pointers[zones_.zone_of(record.at.place)];
  if (record.at.place % layout_.zone_sectors + record.at.sectors > pointer) {
    TESSERA_CHECK(!record.done, "the drive lost a record of the log that it had acknowledged");
    log_.erase(log_.begin() + static_cast<std::ptrdiff_t>(recovery_->record), log_.end());
    return rebuild();
  }
  ++counts_.host.recovery_reads;
  recovery_->unread.assign(record.at.sectors, false);
  commands_.read_surely(blocks_of(record.at), CommandPriority::foreground, [this](HostRequest& command) {
    if (ok(command.status)) return record_read(command.content);
    recovery_->content.clear();
    recovery_->unread.clear();
    read_record_sector();
  });
}

/// A record that cannot be read whole was torn, if nobody was told that it is there; else of its writes those are lost that cannot be read.
/// Without its header, which is there twice, it says nothing.
void LsmHost::read_record_sector() {
  const Record& record = log_[recovery_->record];
  const std::size_t sector = recovery_->unread.size();
  if (sector == record.at.sectors) {
    const std::size_t copies = sector - record.header;
    for (std::size_t of_header = 0; record.copied() && of_header < record.header; ++of_header)
      if (recovery_->unread[of_header] && recovery_->unread[copies + of_header])
        return std::exchange(recovery_, nullptr)->done(Status::media_error);
    return record_read(recovery_->content);
  }
  ++counts_.host.recovery_reads;
  commands_.read_surely(blocks_of({record.at.place + sector, 1}), CommandPriority::foreground, [this, sector](HostRequest& command) {
    const Record& read = log_[recovery_->record];
    if (!ok(command.status) && !read.done) {
      log_.erase(log_.begin() + static_cast<std::ptrdiff_t>(recovery_->record), log_.end());
      return rebuild();
    }
    recovery_->unread.push_back(!ok(command.status));
    recovery_->content.insert(recovery_->content.end(), command.content.begin(), command.content.end());
    read_record_sector();
  });
}

void LsmHost::record_read(const std::vector<std::byte>& content) {
  Record& record = log_[recovery_->record];
  const std::size_t bytes = view_.bytes();
  const std::size_t header = recovery_->unread.front() ? record.at.sectors - record.header : 0;
  if (bytes != 0 && !recovery_->unread[header]) {
    std::uint64_t found = 0;
    std::memcpy(&found, content.data() + header * bytes, sizeof found);
    TESSERA_CHECK(found == header_tag(record.sequence), "the drive returned another record than the host with a merge tree wrote there");
  }
  record.done = true;
  durable_record_ = std::max(durable_record_, record.sequence);
  ++counts_.replayed;
  std::size_t sector = record.header;
  Table& table = recovery_->table;
  for (const auto& [key, deleted] : record.keys) {
    ++cpu_.sectors;
    Value& value = table.values[key];
    value = {deleted, false, {}};
    if (deleted) continue;
    const auto data = content.begin() + static_cast<std::ptrdiff_t>(sector * bytes);
    value.lost = recovery_->unread[sector++];
    counts_.lost += value.lost ? 1 : 0;
    if (!value.lost) value.content.assign(data, data + static_cast<std::ptrdiff_t>(bytes));
  }
  table.generation = record.generation;
  ++recovery_->record;
  read_log();
}

/// What no manifest and no log names is dead. Zones with room go on where they ended, one for each lifetime; the drive finishes the others.
void LsmHost::rebuild() {
  for (std::uint32_t number = 0; number < layout_.data_zones; ++number) zones_.restore(number, recovery_->pointers[number]);
  for (std::uint32_t level = 0; level < lsm_levels; ++level)
    for (const LsmFilePtr& file : tree_.level(level))
      for (const LsmExtent& extent : file->extents) zones_.keep(extent, false);
  for (const Record& record : log_) zones_.keep(record.at, true);
  zones_.reopen();
  for (std::uint32_t number = 0; number < layout_.data_zones; ++number) {
    const LsmZone& zone = zones_.zone(number);
    if (zone.use != LsmZoneUse::filled || zone.live == 0 || zone.pointer == layout_.zone_sectors) continue;
    commands_.send(HostOp::zone_finish, blocks_of({zones_.first_place(number), 0}), CommandPriority::background, [](HostRequest&) {});
  }
  active_.generation = std::max(flushed_, recovery_->table.generation) + 1;
  if (!recovery_->table.values.empty()) immutable_.push_back(std::move(recovery_->table));
  tree_changed_ = true;
  manifest_busy_ = true;
  if (commands_.refused()) return end_recovery();
  write_snapshot([this] {
    manifest_busy_ = false;
    end_recovery();
  });
}

void LsmHost::end_recovery() {
  counts_.host.recovery_time += timeline_.now() - recovery_->begin;
  application_.busy_until_now();
  std::exchange(recovery_, nullptr)->done(Status::ok);
  proceed();
}

}  // namespace tessera
