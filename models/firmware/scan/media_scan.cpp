#include "firmware/scan/media_scan.hpp"

#include <algorithm>

#include "firmware/layout/plan_regions.hpp"

namespace tessera {

MediaScan::MediaScan(const MediaScanConfig& config, const Ports& ports, const DriveGeometry& geometry, const FormatPlan& plan,
                     DefectManager& defects, const FirmwareEntry& others)
    : config_(config),
      ports_(ports),
      surfaces_(geometry.surfaces),
      defects_(defects),
      others_(others),
      buffer_(ports.memory.reserve_buffer(MemoryCategory::merge_buffer, longest_track(geometry), "track under scan")) {
  for (const Region& region : plan) {
    const auto first = static_cast<std::uint32_t>(region.first);
    radii_.push_back({first, static_cast<std::uint32_t>(first + region.count), tracks_});
    tracks_ += region.count * surfaces_;
  }
  const MemoryRegion kept = ports.memory.reserve_dumped(MemoryCategory::metadata, Bytes(sizeof(Progress)), "progress of the media scan");
  progress_at_ = kept.address;
  progress_ = reinterpret_cast<Progress*>(kept.bytes.data());
  if (kept.torn) *progress_ = {};
}

PhysicalTrack MediaScan::track(std::uint64_t number) const {
  const auto after = std::ranges::upper_bound(radii_, number, {}, &Radii::tracks_before);
  const Radii& radii = *std::prev(after);
  const std::uint64_t in_region = number - radii.tracks_before;
  return {static_cast<std::uint32_t>(in_region % surfaces_), radii.first + static_cast<std::uint32_t>(in_region / surfaces_)};
}

void MediaScan::start() { ports_.cpu.spawn(work(), "media_scan"); }

void MediaScan::command_begins() {
  ++commands_;
  quiet_ = false;
  if (!reading_) return;
  ++delayed_;
  ports_.media.abandon(buffer_);
}

Task<void> MediaScan::work() {
  // Of a pass that began on another clock, as that of a saved state, nothing is known but how far it is.
  progress_->begun = std::min(progress_->begun, ports_.cpu.now().value());
  for (;;) {
    co_await wait_until_idle();
    if (progress_->track == 0 && progress_->sector == 0) {
      const Picoseconds due = Picoseconds(progress_->begun) + config_.interval;
      if (progress_->passes != 0 && ports_.cpu.now() < due) {
        co_await ports_.cpu.sleep_until(due);
        continue;
      }
      progress_->begun = ports_.cpu.now().value();
    }
    co_await read_next();
  }
}

/// Looks twice: whoever waits for an idle drive sees it idle in between.
Task<void> MediaScan::wait_until_idle() {
  for (;;) {
    const bool idle = commands_ == 0 && others_.idle();
    if (idle && quiet_) co_return;
    quiet_ = idle;
    co_await ports_.cpu.sleep_until(ports_.cpu.now() + config_.minimum_idle);
  }
}

Task<void> MediaScan::read_next() {
  const PhysicalTrack at = track(progress_->track);
  const std::uint32_t sectors = ports_.media.sectors_on(at);
  const auto first = static_cast<std::uint32_t>(progress_->sector);
  const std::uint32_t left = sectors - std::min(first, sectors);
  const std::uint32_t count = config_.sectors == 0 ? left : std::min(left, config_.sectors);
  if (count != 0) {
    MediaChain chain(MediaClass::background, LostSectors::carry);
    chain.read({at, first, count}, buffer_.part(0, count), count == sectors ? StepHint::whole_track : StepHint::position);
    defects_.watch(&chain);
    reading_ = true;
    const Status status = co_await ports_.media.run(chain);
    reading_ = false;
    defects_.watch(nullptr);
    ++reads_;
    busy_ += chain.breakdown.seek + chain.breakdown.rotation + chain.breakdown.transfer;
    if (status == Status::aborted) {
      ++suspended_;
      co_return;
    }
    sectors_ += count;
  }
  advance(sectors, count);
}

void MediaScan::advance(std::uint32_t sectors_on_track, std::uint32_t read) {
  ports_.memory.touch(progress_at_, sizeof(Progress), Access::write);
  progress_->sector += read;
  if (progress_->sector < sectors_on_track) return;
  progress_->sector = 0;
  if (++progress_->track < tracks_) return;
  progress_->track = 0;
  ++progress_->passes;
  ++passes_;
}

// --- Figures ---

void MediaScan::report(MetricSet& metrics) const {
  const auto count = [&](const char* name, std::uint64_t value, const char* unit, const char* description) {
    metrics.count(std::string("media_scan.") + name, static_cast<double>(value), unit, description);
  };
  const DefectManager::Found& found = defects_.found();
  count("passes", passes_, "1", "Background scans of the whole medium that were completed.");
  count("bytes", sectors_ * ports_.memory.shape().sector_bytes, "B", "Bytes that background scans read.");
  count("reads", reads_, "1", "Reads of background scans.");
  count("suspended", suspended_, "1", "Reads of background scans that were given up for a command of the host, and repeated.");
  count("delayed", delayed_, "1", "Commands of the host that came during a read of a background scan.");
  count("recovered", found.recovered, "1", "Sectors that a background scan could read after retries only.");
  count("moved", found.moved, "1", "Of these, sectors that were moved to spares.");
  count("unreadable", found.unreadable, "1", "Sectors that a background scan found to be unreadable: the next write to them is verified.");
  metrics.count("media_scan.busy", static_cast<double>(busy_.value()) * 1e-9, "ms",
                "Time of the arms for background scans, recovery excluded.");
}

}  // namespace tessera
