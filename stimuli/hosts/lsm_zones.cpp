#include "stimuli/hosts/lsm_zones.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace tessera {

std::uint32_t LsmZones::room(LsmLife life) {
  std::optional<std::uint32_t>& open = open_[static_cast<std::size_t>(life)];
  if (open) return zone_sectors_ - zones_[*open].pointer;
  if (free_ <= (life == LsmLife::moved ? 0 : lsm_reserved_zones)) return 0;
  const auto found = std::ranges::find(zones_, LsmZoneUse::free, &LsmZone::use);
  TESSERA_CHECK(found != zones_.end(), "the host counts a free zone that is none");
  found->use = LsmZoneUse::open;
  found->life = life;
  open = static_cast<std::uint32_t>(found - zones_.begin());
  least_free_ = std::min(least_free_, --free_);
  ++version_;
  return zone_sectors_;
}

LsmExtent LsmZones::allocate(LsmLife life, std::uint32_t sectors) {
  std::optional<std::uint32_t>& open = open_[static_cast<std::size_t>(life)];
  LsmZone& zone = zones_[*open];
  TESSERA_CHECK(sectors != 0 && zone.pointer + sectors <= zone_sectors_, "an extent goes beyond its zone");
  const LsmExtent extent{first_place(*open) + zone.pointer, sectors};
  zone.pointer += sectors;
  zone.live += sectors;
  zone.pinned += sectors;
  if (zone.pointer == zone_sectors_) {
    zone.use = LsmZoneUse::filled;
    open.reset();
  }
  return extent;
}

void LsmZones::release(LsmExtent extent) {
  LsmZone& zone = of(extent.place);
  TESSERA_CHECK(zone.live >= extent.sectors, "more of a zone died than was live");
  zone.live -= extent.sectors;
  ++version_;
  look_at(extent.place);
}

std::optional<std::uint32_t> LsmZones::take_dead() {
  while (!suspects_.empty()) {
    const std::uint32_t number = suspects_.back();
    suspects_.pop_back();
    LsmZone& zone = zones_[number];
    if (zone.use != LsmZoneUse::filled || zone.live != 0 || zone.reads != 0 || zone.writes != 0) continue;
    zone.use = LsmZoneUse::resetting;
    return number;
  }
  return std::nullopt;
}

void LsmZones::set_free(std::uint32_t zone) {
  zones_[zone] = {};
  ++free_;
  ++version_;
}

std::optional<std::uint32_t> LsmZones::choose_victim(double dead) const {
  std::optional<std::uint32_t> best;
  for (std::uint32_t i = 0; i < zones_.size(); ++i) {
    const LsmZone& zone = zones_[i];
    if (zone.use != LsmZoneUse::filled || zone.writes != 0 || zone.pinned != 0 || zone.live == 0) continue;
    if (static_cast<double>(zone_sectors_ - zone.live) <= dead * zone_sectors_) continue;
    if (!best || zone.live < zones_[*best].live) best = i;
  }
  return best;
}

void LsmZones::prefill(std::uint32_t number, std::uint32_t live) {
  zones_[number].use = LsmZoneUse::filled;
  zones_[number].pointer = zone_sectors_;
  zones_[number].live = live;
  least_free_ = --free_;
}

void LsmZones::restore(std::uint32_t number, std::uint32_t pointer) {
  LsmZone& zone = zones_[number];
  zone = {.use = pointer == 0 ? LsmZoneUse::free : LsmZoneUse::filled,
          .life = zone.life,
          .pointer = pointer,
          .live = 0,
          .pinned = 0,
          .reads = 0,
          .writes = 0};
}

void LsmZones::keep(LsmExtent extent, bool pinned) {
  LsmZone& zone = of(extent.place);
  TESSERA_CHECK(extent.place % zone_sectors_ + extent.sectors <= zone.pointer, "the drive lost sectors that the manifest names");
  zone.live += extent.sectors;
  zone.pinned += pinned ? extent.sectors : 0;
}

void LsmZones::reopen() {
  suspects_.clear();
  ++version_;
  for (auto& open : open_) open.reset();
  for (std::uint32_t number = 0; number < zones_.size(); ++number) {
    LsmZone& zone = zones_[number];
    if (zone.use == LsmZoneUse::filled && zone.live != 0 && zone.pointer < zone_sectors_)
      if (auto& open = open_[static_cast<std::size_t>(zone.life)]; !open) {
        open = number;
        zone.use = LsmZoneUse::open;
      }
    if (zone.use == LsmZoneUse::filled) suspects_.push_back(number);
  }
  free_ = static_cast<std::uint32_t>(std::ranges::count(zones_, LsmZoneUse::free, &LsmZone::use));
}

}  // namespace tessera
