#pragma once
// What translating hosts share: a request of an application in sectors of the drive, its life once commands carry it, and what all report.
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/metrics.hpp"
#include "host/host_request.hpp"
#include "stimuli/hosts/host_cpu.hpp"
#include "stimuli/hosts/translating_host.hpp"

namespace tessera {

/// The sectors that a request names, in part or whole.
class SectorView {
 public:
  explicit SectorView(const DriveZones& drive) : blocks_(drive.sector_blocks), kept_(kept_per_block(drive.content)) {}

  [[nodiscard]] std::uint64_t first(const HostRequest& request) const { return request.blocks.first.value() / blocks_; }
  [[nodiscard]] std::uint64_t end(const HostRequest& request) const { return (request.blocks.end().value() + blocks_ - 1) / blocks_; }
  /// Of the sectors, those that the request names whole; end before first: none.
  [[nodiscard]] std::uint64_t first_whole(const HostRequest& request) const {
    return (request.blocks.first.value() + blocks_ - 1) / blocks_;
  }
  [[nodiscard]] std::uint64_t end_whole(const HostRequest& request) const { return request.blocks.end().value() / blocks_; }
  /// Of a sector, the blocks that the request names.
  [[nodiscard]] HostRun blocks_in(const HostRequest& request, std::uint64_t sector) const;
  [[nodiscard]] bool whole(const HostRequest& request, std::uint64_t sector) const { return blocks_in(request, sector).count == blocks_; }

  /// Kept content of a sector.
  [[nodiscard]] std::size_t bytes() const { return std::size_t{blocks_} * kept_; }
  /// Lays what a write brings to a sector over the sector's content.
  void overwrite(std::span<std::byte> content, const HostRequest& request, std::uint64_t sector) const;

 private:
  std::uint32_t blocks_;
  std::size_t kept_;
};

/// The request ends: its life is that of the command that it waited for last, if any; before that it was at the host, and for so long held
/// up by cleaning.
void end_life(HostRequest& request, Picoseconds now, Picoseconds held_up, const RequestLife* command);

/// What translating hosts count alike.
struct HostCounts {
  std::uint64_t accepted = 0, edges = 0, reads = 0, pieces = 0;
  std::uint64_t cleanings = 0, idle_cleanings = 0, resets = 0, recovery_reads = 0;
  Picoseconds cleaning_time, longest_cleaning, recovery_time;

  void cleaned(Picoseconds time, bool in_idle_time) {
    ++cleanings;
    idle_cleanings += in_idle_time ? 1 : 0;
    cleaning_time += time;
    longest_cleaning = std::max(longest_cleaning, time);
  }
};

/// Adds translation.NAME.
void count_translation(MetricSet& metrics, const char* name, std::uint64_t value, const char* unit, const char* what);
/// Adds what is in HostCounts, and the commands and the time of the host's processor.
void report_host(MetricSet& metrics, const HostCounts& counts, std::uint64_t commands, Picoseconds cpu, Picoseconds stalled);

}  // namespace tessera
