#pragma once
// Skylight as the MU-RMW paper (Ma et al., section II-B) compares itself with it: a flash cache in zones, to each of which a fixed
// set of shingled bands is mapped. After A. Aghayev, M. Shafaei, P. Desnoyers, "Skylight - A Window on Shingled Disk Operation",
// FAST 2015, and the emulator published with it.
//
// Writes are appended to the zone of their band. A full zone is cleaned as a whole: one read-modify-write for every band with a
// valid page in it, then all its blocks are erased.
#include <memory>

#include "firmware/flash/flash_cache_layer.hpp"
#include "firmware/locks/wait_queue.hpp"

namespace tessera {

enum class FlashCleaning : std::uint32_t { lazy, aggressive };

struct SkylightFlashConfig {
  FlashCacheConfig cache;
  std::uint32_t cache_zones = 0;  // the paper has two of 40 MiB, as large as a band
  FlashCleaning cleaning = FlashCleaning::lazy;
  Picoseconds idle_after{1'000'000'000'000};  // ours: one second

  [[nodiscard]] std::uint32_t zones(const FlashShape& shape) const;
  void describe(ParameterVisitor& v);
};

class SkylightFlash final : public FlashCacheLayer {
 public:
  SkylightFlash(const Ports& ports, const SkylightFlashConfig& config, const DriveGeometry& geometry, const FormatPlan& plan);

  void start_background() override;
  [[nodiscard]] bool idle() const override { return !cleaning_in_background_ && FlashCacheLayer::idle(); }
  void report(MetricSet& metrics) const override;

  [[nodiscard]] std::uint32_t zones() const { return static_cast<std::uint32_t>(spaces_.size()); }

 private:
  [[nodiscard]] std::uint32_t space_of(std::uint32_t band) const override { return band % zones(); }
  [[nodiscard]] std::uint32_t admits(const PageSpace& zone, std::uint32_t count) const override;
  [[nodiscard]] Task<Status> make_room(std::uint32_t zone) override;
  void stored(LogicalSector sector, std::uint32_t page, bool update) override;
  void restored() override;

  // Cleaning while the host is idle
  [[nodiscard]] bool host_idle() const;
  [[nodiscard]] std::uint32_t oldest_zone() const;
  Task<void> clean_when_idle();
  Task<Status> clean_one_band(std::uint32_t zone);

  FlashCleaning cleaning_;
  Picoseconds idle_after_;
  DramBitmap present_;  // bands with pages in their zone
  WaitQueue activity_;
  bool cleaning_in_background_ = false;
  std::uint32_t last_cleaned_ = 0;
  Picoseconds background_time_;  // merges of the zone that is being cleaned
  std::uint64_t background_merges_ = 0;
};

}  // namespace tessera
