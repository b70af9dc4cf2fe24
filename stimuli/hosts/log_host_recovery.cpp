// The log-structured host after a power cut. All that it had in memory is gone. In this order it reads: the zones' write pointers, the
// checkpoint that is valid, the last record of each zone written since (whose write may have been torn), and the headers of all records
// since; then it writes a checkpoint, so that the next boot need not do that again. One read at a time: a header says where the next one
// is.
//
// What headers and checkpoints hold, the model keeps next to the drive, cut off at the write pointers that the drive reports. Where the
// drive keeps content, each header that is read must be the one that was written.
#include <algorithm>
#include <cstring>
#include <utility>

#include "stimuli/hosts/log_host.hpp"

namespace tessera {

/// What marks the sector as the header of this record: no block of the application has such a tag.
std::uint64_t LogHost::header_tag(std::uint64_t sequence) const { return std::uint64_t{1} << 61 | sequence; }

void LogHost::power_lost() {
  timeline_.withdraw(*this);
  commands_.power_lost();
  application_.power_lost();
  buffer_.clear();
  std::ranges::fill(requests_, Request());
  writes_.clear();
  flushes_.clear();
  trims_.clear();
  trims_forced_ = false;
  forced_ = buffer_.order();
  for (std::size_t stream = 0; stream < streams; ++stream) {
    open_[stream].reset();
    in_flight_[stream] = 0;
  }
  under_way_.clear();
  if (drive_.volatile_cache) zones_.set_done_up_to(durable_record_);
  cleaning_ = {};
  checkpoint_ = {};
  recovery_.reset();
  stalled_.set(false, timeline_.now());
  rounds_.power_lost();
  dirty_alarm_ = false;
}

void LogHost::recover(std::function<void(Status)> recovered) {
  recovery_ = std::make_unique<Recovery>();
  recovery_->done = std::move(recovered);
  recovery_->begin = timeline_.now();
  recovery_->image = images_[1].valid && (!images_[0].valid || images_[1].sequence > images_[0].sequence) ? 1 : 0;
  TESSERA_CHECK(images_[recovery_->image].valid, "the log-structured host has no valid checkpoint");
  commands_.send(HostOp::zone_report, {HostBlock(0), report_pages(drive_.zones)}, CommandPriority::foreground,
                 [this](HostRequest& report) { zones_reported(report); });
}

void LogHost::zones_reported(const HostRequest& report) {
  if (!ok(report.status)) return std::exchange(recovery_, nullptr)->done(report.status);
  TESSERA_CHECK(report.zones.size() == drive_.zones, "the drive did not report all of its zones");
  if (std::ranges::any_of(report.zones, takes_no_writes)) commands_.refuse();
  for (std::uint32_t number = 0; number < layout_.data_zones; ++number) {
    const ZoneDescriptor& told = report.zones[layout_.first_data_zone + number];
    const bool full = told.condition == ZoneCondition::full;
    const std::uint64_t blocks = told.condition == ZoneCondition::empty ? 0 : full ? told.blocks : told.pointer - told.start;
    zones_.cut_off(number, static_cast<std::uint32_t>(blocks / drive_.sector_blocks));
    if (!drive_.in_order) zones_.drop_unacknowledged(number);
  }
  for (const std::uint32_t area : {0u, 1u})
    recovery_->reads.push_back({area_blocks(area, layout_.image_sectors - 1, 1), 0, area != recovery_->image});
  for (std::uint64_t at = 0; at + 1 < layout_.image_sectors;) {
    const HostRun rest = area_blocks(recovery_->image, at, layout_.record_sectors);
    const std::uint64_t in_zone = layout_.zone_sectors - rest.first.value() / drive_.sector_blocks % layout_.zone_sectors;
    const auto sectors = static_cast<std::uint32_t>(
        std::min<std::uint64_t>({layout_.image_sectors - 1 - at, in_zone, std::uint64_t{layout_.record_sectors}}));
    recovery_->reads.push_back({area_blocks(recovery_->image, at, sectors), 0, false});
    at += sectors;
  }
  recovery_->then = [this] { verify_ends(); };
  read_next_of_recovery();
}

void LogHost::read_next_of_recovery() {
  if (recovery_->reads.empty()) return std::exchange(recovery_->then, nullptr)();
  const RecoveryRead next = recovery_->reads.front();
  recovery_->reads.pop_front();
  ++counts_.host.recovery_reads;
  commands_.read_surely(next.blocks, CommandPriority::foreground, [this, next](HostRequest& command) {
    if (!ok(command.status) && !next.may_fail) return std::exchange(recovery_, nullptr)->done(command.status);
    if (next.tag != 0 && !command.content.empty()) {
      std::uint64_t found = 0;
      std::memcpy(&found, command.content.data(), sizeof found);
      TESSERA_CHECK(found == next.tag, "the drive returned another header than the log-structured host wrote there");
    }
    read_next_of_recovery();
  });
}

/// From the end of a zone backwards. Of a record that the drive has not acknowledged, what cannot be read at the end was torn, or written
/// in one go with what was, and nobody was told that it is there; of any other it is lost.
void LogHost::verify_ends() {
  const std::uint64_t known = images_[recovery_->image].sequence;
  std::uint32_t& zone = recovery_->zone;
  while (zone < layout_.data_zones && (zones_.records(zone).empty() || zones_.records(zone).back().sequence <= known)) ++zone;
  if (zone < layout_.data_zones) {
    const LogRecord& last = zones_.records(zone).back();
    ++counts_.host.recovery_reads;
    commands_.read_surely(drive_blocks(zones_.first_place(zone) + last.first, last.sectors), CommandPriority::foreground,
                          [this](HostRequest& command) {
                            const LogRecord& read = zones_.records(recovery_->zone).back();
                            if (!ok(command.status) && !read.done) return look_for_end(read.sectors);
                            ++recovery_->zone;
                            verify_ends();
                          });
    return;
  }
  for (std::uint32_t number = 0; number < layout_.data_zones; ++number) {
    const std::vector<LogRecord>& records = zones_.records(number);
    const LogPlace base = zones_.first_place(number);
    if (records.empty() && zones_.zone(number).pointer != 0) recovery_->reads.push_back({drive_blocks(base, 1), 0, true});
    for (std::size_t i = 0; i < records.size(); ++i)
      if (i == 0 || records[i].sequence > known)
        recovery_->reads.push_back({drive_blocks(base + records[i].first, 1), header_tag(records[i].sequence), false});
  }
  recovery_->then = [this] { rebuild(); };
  read_next_of_recovery();
}

/// The last sector of the record that can be read, of the first `sectors`: what comes before it was written, and is lost where it cannot be
/// read. A record without its header tells nothing.
void LogHost::look_for_end(std::uint32_t sectors) {
  const std::uint32_t zone = recovery_->zone;
  const LogRecord& last = zones_.records(zone).back();
  if (sectors == 0) {
    zones_.cut_last_record(zone, 0);
    return verify_ends();
  }
  ++counts_.host.recovery_reads;
  commands_.read_surely(drive_blocks(zones_.first_place(zone) + last.first + sectors - 1, 1), CommandPriority::foreground,
                        [this, sectors](HostRequest& command) {
                          if (!ok(command.status)) return look_for_end(sectors - 1);
                          zones_.cut_last_record(recovery_->zone, sectors);
                          ++recovery_->zone;
                          verify_ends();
                        });
}

void LogHost::rebuild() {
  const Image& image = images_[recovery_->image];
  const std::uint64_t replayed = zones_.rebuild(image.map, image.sequence, sequence_);
  counts_.replayed += replayed;
  next_area_ = 1 - recovery_->image;
  for (std::uint32_t number = 0; number < layout_.data_zones; ++number) {
    if (zones_.zone(number).use != LogZoneUse::open) continue;
    std::optional<std::uint32_t>& stream = open_[application] ? open_[cleaner] : open_[application];
    if (stream || layout_.zone_sectors - zones_.zone(number).pointer < 2)
      zones_.zone(number).use = LogZoneUse::filled;
    else
      stream = number;
  }
  if (commands_.refused()) return end_recovery();
  begin_checkpoint([this] { end_recovery(); });
  write_checkpoint();
}

void LogHost::end_recovery() {
  counts_.host.recovery_time += timeline_.now() - recovery_->begin;
  application_.busy_until_now();
  std::exchange(recovery_, nullptr)->done(Status::ok);
}

}  // namespace tessera
