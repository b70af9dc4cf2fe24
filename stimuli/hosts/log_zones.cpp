#include "stimuli/hosts/log_zones.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/wide.hpp"

namespace tessera {

LogZones::LogZones(const LogLayout& layout)
    : layout_(layout), zones_(layout.data_zones), owners_(layout.data_zones), records_(layout.data_zones), free_(layout.data_zones) {}

std::vector<LogSector>& LogZones::owners_of(std::uint32_t zone) {
  if (owners_[zone].empty()) owners_[zone].assign(layout_.zone_sectors, nowhere);
  return owners_[zone];
}

LogSector LogZones::owner(LogPlace place) const {
  const std::uint32_t zone = zone_of(place);
  if (zones_[zone].prefilled) return map_.prefill().owner(place);
  return owners_[zone].empty() ? nowhere : owners_[zone][place % layout_.zone_sectors];
}

bool LogZones::live(LogPlace place) const {
  const LogSector sector = owner(place);
  return sector != nowhere && map_.place(sector) == place;
}

void LogZones::move(LogSector sector, LogPlace place) {
  if (const LogPlace old = map_.place(sector); old < lost_place) --zones_[zone_of(old)].live;
  map_.set(sector, place);
  if (place < lost_place) ++zones_[zone_of(place)].live;
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

LogRecord& LogZones::append(std::uint32_t number, std::uint64_t sequence, std::span<const LogSector> owners, std::uint32_t fill) {
  LogZone& zone = zones_[number];
  const auto sectors = static_cast<std::uint32_t>(1 + owners.size() + fill);
  TESSERA_CHECK(zone.pointer + sectors <= layout_.zone_sectors, "a record goes beyond its zone");
  if (records_[number].empty()) zone.first_record = sequence;  // also after what a cut left without a record
  std::ranges::copy(owners, owners_of(number).begin() + zone.pointer + 1);
  LogRecord& record = records_[number].emplace_back();
  record.sequence = sequence;
  record.first = zone.pointer;
  record.sectors = sectors;
  zone.pointer += sectors;
  return record;
}

void LogZones::set_done(std::uint32_t zone, std::uint64_t sequence) {
  const auto found = std::ranges::find(records_[zone].rbegin(), records_[zone].rend(), sequence, &LogRecord::sequence);
  TESSERA_CHECK(found != records_[zone].rend(), "the drive acknowledged a record that its zone has not");
  found->done = true;
}

void LogZones::set_done_up_to(std::uint64_t sequence) {
  for (std::vector<LogRecord>& records : records_)
    for (LogRecord& record : records) record.done = record.done && record.sequence <= sequence;
}

/// Sectors that lay in it after mkfs and use.
std::uint32_t LogZones::prefilled_in(std::uint32_t zone) const {
  const LogPrefill& law = map_.prefill();
  return static_cast<std::uint32_t>(law.before(first_place(zone + 1)) - law.before(first_place(zone)));
}

void LogZones::prefill(std::uint64_t sectors, std::uint32_t zones) {
  const std::uint64_t run = layout_.record_sectors;
  const LogPrefill law{sectors, run, (sectors + run - 1) / run, std::uint64_t{zones} * layout_.zone_sectors / run};
  TESSERA_CHECK(law.needed <= law.there, "more is prefilled than the zones hold");
  map_ = LogMap(law);
  for (std::uint32_t number = 0; number < zones; ++number) {
    LogZone& zone = zones_[number];
    zone.use = LogZoneUse::filled;
    zone.prefilled = true;
    zone.pointer = layout_.zone_sectors;
    zone.live = prefilled_in(number);
  }
  prefilled_ = zones;
  free_ = layout_.data_zones - zones;
}

void LogZones::cut_off(std::uint32_t number, std::uint32_t pointer) {
  LogZone& zone = zones_[number];
  zone.reads = zone.writes = zone.live = 0;
  zone.pointer = pointer;
  zone.use = pointer == 0 ? LogZoneUse::free : pointer == layout_.zone_sectors ? LogZoneUse::filled : LogZoneUse::open;
  std::vector<LogRecord>& records = records_[number];
  const auto acknowledged = std::ranges::find(records.rbegin(), records.rend(), true, &LogRecord::done);
  TESSERA_CHECK(pointer == 0 || acknowledged == records.rend() || acknowledged->end() <= pointer,
                "the drive lost a record that it had acknowledged");
  while (!records.empty() && records.back().first >= pointer) records.pop_back();
  if (!records.empty()) records.back().sectors = std::min(records.back().sectors, pointer - records.back().first);
  if (!owners_[number].empty()) std::fill(owners_[number].begin() + pointer, owners_[number].end(), nowhere);
  if (pointer == 0) zone = {};
}

void LogZones::drop_unacknowledged(std::uint32_t number) {
  for (const LogRecord& record : records_[number]) {
    if (record.done) continue;
    const auto first = owners_of(number).begin() + record.first;
    std::fill(first, first + record.sectors, nowhere);
    zones_[number].doubtful = true;
  }
  std::erase_if(records_[number], [](const LogRecord& record) { return !record.done; });
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
std::uint64_t LogZones::rebuild(const LogMap& map, std::uint64_t sequence, std::uint64_t& last) {
  map_ = map;
  const auto reset_since = [&](std::uint32_t zone) { return zones_[zone].pointer == 0 || zones_[zone].first_record > sequence; };
  map_.change_pages(
      [&](LogSector, LogPlace place) { return place < lost_place && reset_since(zone_of(place)) ? LogPlace{nowhere} : place; });
  for (std::uint32_t zone = 0; zone < prefilled_; ++zone) {
    if (!reset_since(zone)) continue;
    for (LogPlace place = first_place(zone); place < first_place(zone + 1); ++place)
      if (const LogSector sector = map_.prefill().owner(place); sector != nowhere && map_.place(sector) == place) map_.set(sector, nowhere);
  }
  std::vector<std::pair<std::uint32_t, const LogRecord*>> newer;
  last = sequence;
  for (std::uint32_t zone = 0; zone < zones_.size(); ++zone)
    for (const LogRecord& record : records_[zone])
      if (record.sequence > sequence) newer.emplace_back(zone, &record);
  std::ranges::sort(newer, {}, [](const auto& entry) { return entry.second->sequence; });
  for (const auto& [zone, record] : newer) {
    for (const TrimmedRun& run : record->trims)
      for (LogSector sector = run.first; sector < run.first + run.count; ++sector)
        if (map_.place(sector) != nowhere) map_.set(sector, nowhere);
    for (const LogSector sector : record->lost) map_.set(sector, lost_place);
    for (LogPlace place = first_place(zone) + record->first; place < first_place(zone) + record->end(); ++place)
      if (const LogSector sector = owner(place); sector != nowhere) map_.set(sector, place);
    last = record->sequence;
  }
  for (std::uint32_t zone = 0; zone < prefilled_; ++zone) zones_[zone].live = prefilled_in(zone);
  map_.change_pages([&](LogSector sector, LogPlace place) {
    if (const LogPlace first = map_.prefill().place(sector); first != nowhere) --zones_[zone_of(first)].live;
    if (place < lost_place) ++zones_[zone_of(place)].live;
    return place;
  });
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
