// The log-structured host: zones are read, what is live in them is written again, and they are reset.
#include <algorithm>
#include <utility>

#include "stimuli/hosts/log_host.hpp"

namespace tessera {

namespace {

constexpr std::uint32_t reads_at_once = 2;    // of the cleaner: one at the heads, the next one waiting
constexpr std::uint32_t records_at_once = 2;  // of the cleaner
constexpr std::uint32_t widest_gap = 16;      // dead sectors that a read goes over rather than to end: 64 KiB pass the heads in 0.3 ms

}  // namespace

void LogHost::clean() {
  if (!cleaning_.zone) {
    const bool in_idle_time = !must_clean();
    if (in_idle_time && !(!ended_ && application_.idle() && zones_.free_zones() < config_.clean_idle_below)) return;
    const auto victim = choose_victim(zones_.zones(), layout_, config_.cleaning, timeline_.now());
    cpu_.sectors += layout_.data_zones;
    if (!victim || (in_idle_time && !pays_in_idle_time(*victim))) return;
    cleaning_ = {};
    cleaning_.zone = victim;
    cleaning_.in_idle_time = in_idle_time;
    cleaning_.begin = timeline_.now();
    zones_.zone(*victim).use = LogZoneUse::cleaned;
  }
  read_live();
  move_live();
  reset_cleaned();
}

/// Idle time is no reason to move a zone that is as full as the drive allows: that would go on for ever.
bool LogHost::pays_in_idle_time(std::uint32_t zone) const {
  const double full = static_cast<double>(layout_.zone_sectors) * (layout_.record_sectors - 1) / layout_.record_sectors;
  return zones_.zone(zone).live <= (1 - config_.over_provisioning / 2) * full;
}

void LogHost::read_live() {
  const std::uint32_t number = *cleaning_.zone;
  LogZone& zone = zones_.zone(number);
  const std::uint32_t gap = zone.doubtful ? 0 : widest_gap;
  const LogPlace base = zones_.first_place(number);
  while (cleaning_.reads < reads_at_once && cleaning_.read.size() < records_at_once * layout_.record_sectors) {
    std::uint32_t first = cleaning_.next;
    while (first < zone.pointer && !zones_.live(base + first)) ++first;
    if (first == zone.pointer) {
      cleaning_.next = first;
      return;
    }
    std::uint32_t end = first + 1;  // of the run: past the last live sector
    for (std::uint32_t at = end; at < std::min(zone.pointer, first + layout_.record_sectors) && at <= end + gap; ++at)
      if (zones_.live(base + at)) end = at + 1;
    cpu_.sectors += end - cleaning_.next;
    cleaning_.next = end;
    read_of(number, first, end - first);
  }
}

void LogHost::read_of(std::uint32_t number, std::uint32_t first, std::uint32_t sectors) {
  ++cleaning_.reads;
  ++zones_.zone(number).reads;
  commands_.read_surely(drive_blocks(zones_.first_place(number) + first, sectors), CommandPriority::background,
                        [this, number, first](HostRequest& command) { live_read(number, first, command); });
}

/// A run that cannot be read is read by its sectors; one of these that cannot is lost. A zone that kept it could never be reset, and a few
/// of them would leave no room for anything.
void LogHost::live_read(std::uint32_t number, std::uint32_t first, HostRequest& command) {
  --cleaning_.reads;
  --zones_.zone(number).reads;
  const std::uint32_t sectors = command.blocks.count / drive_.sector_blocks;
  for (std::uint32_t i = 0; i < sectors; ++i) {
    const LogPlace place = zones_.first_place(number) + first + i;
    if (!zones_.live(place)) continue;
    if (!ok(command.status) && sectors > 1) {
      read_of(number, first + i, 1);
      continue;
    }
    if (!ok(command.status)) {
      cleaning_.lost.push_back({zones_.owner(place), place, {}});
      continue;
    }
    const auto begin = command.content.begin() + static_cast<std::ptrdiff_t>(i * view_.bytes());
    cleaning_.read.push_back({zones_.owner(place), place, {begin, begin + static_cast<std::ptrdiff_t>(view_.bytes())}});
  }
  proceed();
}

/// In whole records, but for the last one of the zone. What was overwritten since it was read is left out.
void LogHost::move_live() {
  LogZone& zone = zones_.zone(*cleaning_.zone);
  const auto all_read = [&] { return cleaning_.next == zone.pointer && cleaning_.reads == 0; };
  while (in_flight_[cleaner] < records_at_once && !cleaning_.barrier) {
    const auto obsolete = [this](const Moved& moved) { return zones_.place(moved.sector) != moved.from; };
    std::erase_if(cleaning_.read, obsolete);
    std::erase_if(cleaning_.lost, obsolete);
    if (cleaning_.read.size() < layout_.record_sectors - 1 && !all_read()) return;
    if (cleaning_.read.empty() && cleaning_.lost.empty()) {
      cleaning_.barrier = sequence_;
      cleaning_.trims = all_trims_;
      return;
    }
    if (!room_in(cleaner)) return;
    const std::uint32_t room = layout_.zone_sectors - zones_.zone(*open_[cleaner]).pointer;
    const std::size_t count = std::min<std::size_t>(cleaning_.read.size(), std::min(room, layout_.record_sectors) - 1);
    std::vector<LogSector> sectors;
    std::vector<std::byte> content(view_.bytes());
    for (std::size_t i = 0; i < count; ++i) {
      Moved& moved = cleaning_.read[i];
      sectors.push_back(moved.sector);
      content.insert(content.end(), moved.content.begin(), moved.content.end());
      buffer_.copy(moved.sector, sequence_ + 1, std::move(moved.content));
    }
    cleaning_.read.erase(cleaning_.read.begin(), cleaning_.read.begin() + static_cast<std::ptrdiff_t>(count));
    counts_.copies += count;
    send_record(cleaner, sectors, std::move(content), {{}, take_lost()}, {}, zone.youngest);
    read_live();
  }
}

/// As many as a record may have sectors of data.
std::vector<LogSector> LogHost::take_lost() {
  std::vector<LogSector> taken;
  for (; !cleaning_.lost.empty() && taken.size() < layout_.record_sectors - 1; cleaning_.lost.pop_back())
    taken.push_back(cleaning_.lost.back().sector);
  counts_.lost += taken.size();
  return taken;
}

/// Once what replaced the zone's data is on the drive, and nothing is read from it any more. What was trimmed of it is replaced by nothing,
/// and the record of a TRIM goes with its zone: a boot would find older copies in other zones, but for a checkpoint.
void LogHost::reset_cleaned() {
  if (!cleaning_.barrier || cleaning_.resetting || !on_drive(*cleaning_.barrier) || zones_.zone(*cleaning_.zone).reads != 0) return;
  if (kept_trims_ < cleaning_.trims) return;
  cleaning_.resetting = true;
  const HostRun zone = drive_blocks(zones_.first_place(*cleaning_.zone), 0);
  commands_.settle(CommandPriority::background, [this, zone] {
    commands_.send(HostOp::zone_reset, zone, CommandPriority::background, [this](HostRequest&) {
      zones_.set_free(*cleaning_.zone);
      ++counts_.host.resets;
      counts_.host.cleaned(timeline_.now() - cleaning_.begin, cleaning_.in_idle_time);
      cleaning_ = {};
      proceed();
    });
  });
}

}  // namespace tessera
