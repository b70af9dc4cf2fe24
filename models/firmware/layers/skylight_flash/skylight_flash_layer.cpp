#include "firmware/layers/skylight_flash/skylight_flash_layer.hpp"

#include <algorithm>

#include "firmware/locks/idle_look.hpp"

namespace tessera {

SkylightFlash::SkylightFlash(const Ports& ports, const SkylightFlashConfig& config, const DriveGeometry& geometry, const FormatPlan& plan)
    : FlashCacheLayer(ports, config.cache, geometry, plan, config.cache.band_sectors, config.zones(ports.flash->shape())),
      cleaning_(config.cleaning),
      idle_after_(config.idle_after),
      present_(ports.memory, MemoryCategory::metadata, bands_, "bands present in the zones of the cache"),
      activity_(ports.cpu) {}

/// A piece of a request that does not fit what is left of a zone has the zone cleaned first; one that is larger than the zone
/// is written in parts.
std::uint32_t SkylightFlash::admits(const PageSpace& zone, std::uint32_t count) const {
  const std::uint32_t room = zone.room(0);
  if (room >= count) return count;
  return zone.empty() ? room : 0;
}

void SkylightFlash::stored(LogicalSector sector, std::uint32_t, bool) {
  present_.set(band_of(sector));
  if (!activity_.empty()) activity_.wake_all();
}

/// All of it at once: T = sum over the bands of (merge + cached pages read) + the erases.
Task<Status> SkylightFlash::make_room(std::uint32_t zone) {
  const Picoseconds begin = ports_.cpu.now();
  ports_.cpu.event({"clean", FirmwareEvent::Edge::begin, zone, spaces_[zone].pages()});
  statistics_.dirty_bands.record(owners_.cached_regions());
  for (std::uint32_t band = zone; band < bands_; band += zones()) {
    if (!present_.test(band)) continue;
    if (owners_.count(band) != 0) {
      const Status status = co_await merge_band(band);
      if (!ok(status)) co_return status;
    }
    present_.reset(band);
  }
  const std::vector<std::uint32_t> blocks = spaces_[zone].used();
  co_await spaces_[zone].erase(blocks);
  statistics_.cleaning.record(ports_.cpu.now() - begin);
  ports_.cpu.event({"clean", FirmwareEvent::Edge::end, zone, blocks.size()});
  co_return Status::ok;
}

void SkylightFlash::restored() {
  for (std::uint32_t band = 0; band < bands_; ++band)
    if (owners_.count(band) != 0) present_.set(band);
}

// Aggressive cleaning: as the drives that Skylight measured, band by band, the zone after the one that was cleaned last (first in, first
// out), while the host is idle.

void SkylightFlash::start_background() {
  if (cleaning_ == FlashCleaning::aggressive) ports_.cpu.spawn(clean_when_idle(), "clean");
}

bool SkylightFlash::host_idle() const {
  return ports_.host.outstanding() == 0 && ports_.cpu.now() >= ports_.host.last_activity() + idle_after_;
}

/// Zones in turn; zones() where nothing was programmed to any.
std::uint32_t SkylightFlash::oldest_zone() const {
  for (std::uint32_t i = 1; i <= zones(); ++i)
    if (!spaces_[(last_cleaned_ + i) % zones()].empty()) return (last_cleaned_ + i) % zones();
  return zones();
}

Task<void> SkylightFlash::clean_when_idle() {
  for (;;) {
    const std::uint32_t zone = oldest_zone();
    if (zone == zones()) {
      co_await activity_.change(LifePhase::cpu_wait);
      continue;
    }
    if (!host_idle()) {
      const Picoseconds look_again = next_idle_look(ports_.host.last_activity(), ports_.cpu.now(), idle_after_);
      co_await ports_.cpu.sleep_until(look_again);
      continue;
    }
    cleaning_in_background_ = true;
    const Status status = co_await clean_one_band(zone);
    cleaning_in_background_ = false;
    if (!ok(status)) co_return;  // a band that cannot be read: the host will be told when it needs the space
  }
}

/// Merges one band of the zone, or gives its blocks back once it holds no valid page.
Task<Status> SkylightFlash::clean_one_band(std::uint32_t zone) {
  auto lock = locks_.exclusive(NumberRange::of(zone));
  co_await lock;
  const Picoseconds begin = ports_.cpu.now();
  for (std::uint32_t band = zone; band < bands_; band += zones()) {
    if (!present_.test(band)) continue;
    present_.reset(band);
    if (owners_.count(band) == 0) continue;
    if (background_time_ == Picoseconds(0)) statistics_.dirty_bands.record(owners_.cached_regions());
    ++background_merges_;
    const Status status = co_await merge_band(band);
    background_time_ += ports_.cpu.now() - begin;
    co_return status;
  }
  last_cleaned_ = zone;
  const std::vector<std::uint32_t> blocks = spaces_[zone].used();
  co_await spaces_[zone].erase(blocks);
  statistics_.cleaning.record(background_time_ + (ports_.cpu.now() - begin));
  background_time_ = Picoseconds(0);
  co_return Status::ok;
}

// --- Figures ---

void SkylightFlash::report(MetricSet& metrics) const {
  const Bytes bitmap((bands_ + 63) / 64 * sizeof(std::uint64_t));
  report_common(metrics, Bytes(0), bitmap);
  metrics.count("cleaning.background_merges", static_cast<double>(background_merges_), "1", "bands merged while the host was idle");
  metrics.count("nand.page_copies", 0, "1", "pages copied from flash to flash");
}

}  // namespace tessera
