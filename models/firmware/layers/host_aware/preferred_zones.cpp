#include "firmware/layers/host_aware/preferred_zones.hpp"

#include <algorithm>

namespace tessera::host_aware {

PreferredZones::PreferredZones(MemoryPort& memory, CpuPort& cpu, std::uint32_t zones, std::uint32_t zone_sectors,
                               std::uint32_t optimal_open)
    : zone_sectors_(zone_sectors),
      optimal_open_(optimal_open),
      cpu_(cpu),
      table_(memory, MemoryCategory::metadata, zones, "zones and their write pointers"),
      open_gauge_(cpu, {"zones.open", "1", "sequential zones that are open"}, 0) {}

ZoneCondition PreferredZones::condition(std::uint32_t number) const {
  const PreferredZone& zone = table_.read(number);
  if (zone.pointer == zone_sectors_) return ZoneCondition::full;
  if (zone.opened == static_cast<std::uint32_t>(Opened::explicitly)) return ZoneCondition::explicitly_open;
  if (zone.opened == static_cast<std::uint32_t>(Opened::implicitly)) return ZoneCondition::implicitly_open;
  return zone.pointer == 0 ? ZoneCondition::empty : ZoneCondition::closed;
}

void PreferredZones::open(std::uint32_t zone, Opened how) {
  const auto old = static_cast<Opened>(table_.read(zone).opened);
  if (old == how) return;
  table_.write(zone).opened = static_cast<std::uint32_t>(how);
  if (old == Opened::implicitly) std::erase(open_, zone);
  if (how == Opened::implicitly) open_.push_back(zone);
  open_gauge_.set(open_.size());
}

void PreferredZones::written(std::uint32_t number, std::uint32_t first, std::uint32_t end) {
  PreferredZone& zone = table_.write(number);
  if (first != zone.pointer) {
    zone.non_sequential = 1;
    ++non_sequential_writes_;
  }
  zone.pointer = std::max(zone.pointer, end);
  zone.last_write = ++writes_;
  if (zone.pointer == zone_sectors_) return open(number, Opened::no);
  if (zone.opened != static_cast<std::uint32_t>(Opened::no)) return;
  if (open_.size() == optimal_open_) {
    cpu_.scan(open_.size());
    open(*std::ranges::min_element(open_, {}, [this](std::uint32_t other) { return table_.peek(other).last_write; }), Opened::no);
    ++closed_for_others_;
  }
  open(number, Opened::implicitly);
}

void PreferredZones::apply(HostOp op, std::uint32_t number) {
  const bool full = table_.read(number).pointer == zone_sectors_;
  if (op == HostOp::zone_open) {
    if (!full) open(number, Opened::explicitly);
    return;
  }
  open(number, Opened::no);
  if (op == HostOp::zone_close) return;
  if (op == HostOp::zone_finish)
    table_.write(number).pointer = zone_sectors_;
  else
    table_.write(number) = {};
}

/// As with the ALL bit: OPEN opens what is closed, CLOSE closes what is open, FINISH fills what is open or closed.
bool PreferredZones::concerns(HostOp op, std::uint32_t zone) const {
  const ZoneCondition now = condition(zone);
  const bool is_open = now == ZoneCondition::implicitly_open || now == ZoneCondition::explicitly_open;
  switch (op) {
    case HostOp::zone_open: return now == ZoneCondition::closed;
    case HostOp::zone_close: return is_open;
    case HostOp::zone_finish: return is_open || now == ZoneCondition::closed;
    default: return now != ZoneCondition::empty;
  }
}

}  // namespace tessera::host_aware
