#include "stimuli/hosts/log_zones.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/wide.hpp"

namespace tessera {

LogZones::LogZones(const LogLayout& layout)
    : layout_(layout),
      map_(layout.user_sectors, nowhere),
      zones_(layout.data_zones),
      owners_(layout.data_zones),
      records_(layout.data_zones),
      free_(layout.data_zones) {}

std::vector<std::uint32_t>& LogZones::owners_of(std::uint32_t zone) {
  if (owners_[zone].empty()) owners_[zone].assign(layout_.zone_sectors, nowhere);
  return owners_[zone];
}

std::uint32_t LogZones::owner(std::uint32_t place) const {
  const auto& owners = owners_[zone_of(place)];
  return owners.empty() ? nowhere : owners[place % layout_.zone_sectors];
}

bool LogZones::live(std::uint32_t place) const {
  const std::uint32_t sector = owner(place);
  return sector != nowhere && map_[sector] == place;
}

void LogZones::move(std::uint32_t sector, std::uint32_t place) {
  std::uint32_t& entry = map_[sector];
  if (entry < lost_place) --zones_[zone_of(entry)].live;
  entry = place;
  if (entry < lost_place) ++zones_[zone_of(entry)].live;
}

std::uint32_t LogZones::open_first_free() {
  const auto found = std::ranges::find(zones_, LogZoneUse::free, &LogZone::use);
  TESSERA_CHECK(found != zones_.end(), "the log has no free zone");
  found->use = LogZoneUse::open;
  --free_;
  return static_cast<std::uint32_t>(found - zones_.begin());
}

void LogZones::set_free(std::uint32_t zone) {
  TESSERA_CHECK(zones_[zone].live == 0, "a zone with live sectors was reset");
  zones_[zone] = {};
  records_[zone].clear();
  std::ranges::fill(owners_[zone], nowhere);
  ++free_;
}

LogRecord& LogZones::append(std::uint32_t number, std::uint64_t sequence, std::span<const std::uint32_t> owners, std::uint32_t fill) {
  LogZone& zone = zones_[number];
  const auto sectors = static_cast<std::uint32_t>(1 + owners.size() + fill);
  TESSERA_CHECK(zone.pointer + sectors <= layout_.zone_sectors, "a record goes beyond its zone");
  if (zone.pointer == 0) zone.first_record = sequence;
  std::ranges::copy(owners, owners_of(number).begin() + zone.pointer + 1);
  LogRecord& record = records_[number].emplace_back();
  record.sequence = sequence;
  record.first = zone.pointer;
  record.sectors = sectors;
  zone.pointer += sectors;
  return record;
}

void LogZones::prefill(std::uint64_t sectors, std::uint32_t zones) {
  const std::uint64_t places = std::uint64_t{zones} * layout_.zone_sectors;
  const std::uint64_t run = layout_.record_sectors;
  const std::uint64_t needed = (sectors + run - 1) / run;
  const std::uint64_t there = places / run;
  TESSERA_CHECK(needed <= there, "more is prefilled than the zones hold");
  std::uint64_t sector = 0;
  for (std::uint64_t i = 0; i < there && sector < sectors; ++i) {
    if ((i + 1) * needed / there == i * needed / there) continue;  // a dead record
    for (std::uint64_t at = i * run; at < (i + 1) * run && sector < sectors; ++at, ++sector) {
      const auto place = static_cast<std::uint32_t>(at);
      owners_of(zone_of(place))[at % layout_.zone_sectors] = static_cast<std::uint32_t>(sector);
      move(static_cast<std::uint32_t>(sector), place);
    }
  }
  for (std::uint32_t zone = 0; zone < zones; ++zone) {
    zones_[zone].use = LogZoneUse::filled;
    zones_[zone].pointer = layout_.zone_sectors;
  }
  free_ = layout_.data_zones - zones;
}

void LogZones::cut_off(std::uint32_t number, std::uint32_t pointer) {
  LogZone& zone = zones_[number];
  zone.reads = zone.writes = zone.live = 0;
  zone.pointer = pointer;
  zone.use = pointer == 0 ? LogZoneUse::free : pointer == layout_.zone_sectors ? LogZoneUse::filled : LogZoneUse::open;
  std::vector<LogRecord>& records = records_[number];
  while (!records.empty() && records.back().first >= pointer) records.pop_back();
  if (!records.empty()) records.back().sectors = std::min(records.back().sectors, pointer - records.back().first);
  if (!owners_[number].empty()) std::fill(owners_[number].begin() + pointer, owners_[number].end(), nowhere);
  if (pointer == 0) zone = {};
}

void LogZones::cut_last_record(std::uint32_t number, std::uint32_t sectors) {
  LogRecord& last = records_[number].back();
  const auto first = owners_of(number).begin() + last.first;
  std::fill(first + sectors, first + last.sectors, nowhere);
  last.sectors = sectors;
  if (sectors == 0) records_[number].pop_back();
  zones_[number].doubtful = true;
}

/// A zone that was reset after the checkpoint has nothing that the checkpoint knows of.
std::uint64_t LogZones::rebuild(const std::vector<std::uint32_t>& map, std::uint64_t sequence, std::uint64_t& last) {
  map_ = map;
  for (std::uint32_t& place : map_)
    if (place < lost_place && (zones_[zone_of(place)].pointer == 0 || zones_[zone_of(place)].first_record > sequence)) place = nowhere;
  std::vector<std::pair<std::uint32_t, const LogRecord*>> newer;
  last = sequence;
  for (std::uint32_t zone = 0; zone < zones_.size(); ++zone)
    for (const LogRecord& record : records_[zone])
      if (record.sequence > sequence) newer.emplace_back(zone, &record);
  std::ranges::sort(newer, {}, [](const auto& entry) { return entry.second->sequence; });
  for (const auto& [zone, record] : newer) {
    for (const TrimmedRun& run : record->trims) std::fill_n(map_.begin() + run.first, run.count, nowhere);
    for (const std::uint32_t sector : record->lost) map_[sector] = lost_place;
    for (std::uint32_t place = first_place(zone) + record->first; place < first_place(zone) + record->end(); ++place)
      if (const std::uint32_t sector = owner(place); sector != nowhere) map_[sector] = place;
    last = record->sequence;
  }
  for (const std::uint32_t place : map_)
    if (place < lost_place) ++zones_[zone_of(place)].live;
  free_ = static_cast<std::uint32_t>(std::ranges::count(zones_, LogZoneUse::free, &LogZone::use));
  return newer.size();
}

namespace {

/// Whether cleaning `a` pays more than cleaning `b`: (1 - u) age / (1 + u), multiplied out.
bool pays_more(const LogZone& a, const LogZone& b, std::uint32_t zone_sectors, Picoseconds now) {
  constexpr std::uint64_t microsecond = 1'000'000;  // so that the products stay within 128 bits
  const auto gain = [&](const LogZone& zone, const LogZone& other) {
    const std::uint64_t age = (now - std::min(now, zone.youngest)).value() / microsecond;
    return wide_product(age, (zone_sectors - zone.live) * (std::uint64_t{zone_sectors} + other.live));
  };
  return gain(a, b) > gain(b, a);
}

}  // namespace

std::optional<std::uint32_t> choose_victim(std::span<const LogZone> zones, const LogLayout& layout, LogCleaning cleaning, Picoseconds now) {
  const std::uint32_t zone_sectors = layout.zone_sectors;
  std::optional<std::uint32_t> best;
  for (std::uint32_t i = 0; i < zones.size(); ++i) {
    const LogZone& zone = zones[i];
    if (zone.use != LogZoneUse::filled || zone.writes != 0) continue;
    if (zone.live == 0) return i;
    if (!layout.frees(zone.live)) continue;
    const bool better =
        !best || (cleaning == LogCleaning::greedy ? zone.live < zones[*best].live : pays_more(zone, zones[*best], zone_sectors, now));
    if (better) best = i;
  }
  return best;
}

}  // namespace tessera
