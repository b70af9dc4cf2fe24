#pragma once
// Background medium scan: reads every track of the layer's plan while the host is idle, so that defect management meets sectors that are
// hard to read before the host does. It reads tracks, not addresses: no layer knows of it, and none has to.
//
// A read that a command of the host meets is given up, and begun again once the drive was idle for long enough. What the scan is at
// survives a power cut in the dumped memory; a dump that failed has it begin at the first track.
#include <cstdint>
#include <vector>

#include "base/format.hpp"
#include "base/metrics.hpp"
#include "firmware/defects/defect_manager.hpp"
#include "firmware/drive_firmware.hpp"
#include "firmware/scan/media_scan_config.hpp"

namespace tessera {

class MediaScan {
 public:
  /// config.used(). `others` is idle when the rest of the firmware has nothing to do.
  MediaScan(const MediaScanConfig& config, const Ports& ports, const DriveGeometry& geometry, const FormatPlan& plan,
            DefectManager& defects, const FirmwareEntry& others);

  /// After the boot.
  void start();
  void command_begins();
  void command_ended() { --commands_; }

  /// Adds the metrics `media_scan.*`.
  void report(MetricSet& metrics) const;

 private:
  /// Kept through a power cut.
  struct Progress {
    std::uint64_t track = 0;   ///< by number in the plan's tracks
    std::uint64_t sector = 0;  ///< the next of this track
    std::uint64_t begun = 0;   ///< when this pass began, in ps
    std::uint64_t passes = 0;  ///< that were completed
  };
  /// Radii [first, end) of the plan, of all surfaces; tracks before them.
  struct Radii {
    std::uint32_t first = 0;
    std::uint32_t end = 0;
    std::uint64_t tracks_before = 0;
  };

  [[nodiscard]] PhysicalTrack track(std::uint64_t number) const;
  Task<void> work();
  Task<void> wait_until_idle();
  Task<void> read_next();
  void advance(std::uint32_t sectors_on_track, std::uint32_t read);

  MediaScanConfig config_;
  Ports ports_;
  std::uint32_t surfaces_;
  DefectManager& defects_;
  const FirmwareEntry& others_;
  std::vector<Radii> radii_;
  std::uint64_t tracks_ = 0;
  DramAddress progress_at_;
  Progress* progress_;  // in the DRAM
  DataBuffer buffer_;
  std::uint32_t commands_ = 0;  // of the host, under way
  bool quiet_ = false;          // nothing was under way at the last look, and no command came since
  bool reading_ = false;

  std::uint64_t passes_ = 0;
  std::uint64_t reads_ = 0;
  std::uint64_t sectors_ = 0;
  std::uint64_t suspended_ = 0;
  std::uint64_t delayed_ = 0;
  Picoseconds busy_;
};

}  // namespace tessera
