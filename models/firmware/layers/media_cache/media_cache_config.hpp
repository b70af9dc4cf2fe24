#pragma once
// The parameters of a shingled drive as sold: what publications state of the Seagate Archive family is the default where it does not depend
// on the size of a drive; what they dispute, or leave open, is a parameter like the rest. Grades and sources: docs/layers/media-cache.md.
#include <cstdint>
#include <string>

#include "base/format.hpp"
#include "base/geometry.hpp"
#include "base/parameter.hpp"
#include "base/units.hpp"
#include "firmware/cleaning_arms.hpp"
#include "firmware/layout/plan_regions.hpp"
#include "firmware/ports/media_port.hpp"

namespace tessera::media_cache {

/// When the log is cleaned although it has room.
enum class IdleCleaning : std::uint32_t { off, on };

/// Where a band goes that was merged: back to its place, behind a copy; to a spare one, which becomes its place; or whichever is less to
/// write.
enum class MergeTo : std::uint32_t { place, spare, either };

/// The order in which a merge reads a band's extents.
enum class CollectOrder : std::uint32_t { log, band };

struct MediaCacheConfig {
  Bytes cache{0};
  ReservedPlace cache_place = ReservedPlace::outer;
  std::uint32_t map_entries = 0;
  Bytes packet{512 << 10};          // a host write of at most 512 KiB becomes one packet (Shafaei et al. 2017)
  std::uint32_t packet_writes = 8;  // 181,000 cached sectors over 22,986 packets
  Bytes least_packet{0};            // of a write that is not cached: 0.4 of a track on the drives as sold
  Bytes synced_share{0};            // of a write that is not cached: 1 MiB on the drives as sold
  bool verify_packets = false;      // ours
  std::uint32_t checkpoint_every = 240;
  bool checkpoint_shares = false;  // ours; on the drives as sold small writes share an entry of the journal
  Bytes checkpoint_piece{0};
  std::uint32_t band_tracks = 20;
  std::uint32_t head_width = 2;       // ours
  Bytes merge_buffer{14'680'064};     // Shafaei et al. 2017
  MergeTo merge_to = MergeTo::place;  // ours: of the drives as sold it is known that bands are static
  std::uint32_t merge_tracks = 16;    // ours: as many as one chain of the disk takes
  Picoseconds merge_step{0};          // about ten turns on the drives as sold
  CollectOrder collect_order = CollectOrder::log;
  std::uint32_t bands_a_cleaning = 2;    // Shafaei et al. 2017
  std::uint32_t stay_mark = 0;           // ours, of the layer `tessera`: the drives as sold take whatever is oldest
  std::uint32_t clean_mark = 100;        // ours, as above: they wait until the host is idle, or nothing is left
  Bytes stream{std::uint64_t{2} << 20};  // ours: longer than any single command of the measured workloads
  IdleCleaning idle_cleaning = IdleCleaning::on;
  Picoseconds idle_after{5'000'000'000'000};  // ours, of seconds to hours that drives were seen to wait
  Picoseconds idle_period{0};
  std::uint32_t idle_mark = 0;
  bool with_zones = false;  // no parameter: the host sees zones over the bands, which are static then

  void describe(ParameterVisitor& v);
  /// As LayerFactory::check_cleaning().
  [[nodiscard]] static std::string check_cleaning(const std::string& layer, CleaningArm where) {
    return where == CleaningArm::each ? layer + " cleans one band of its log at a time: choose idle" : "";
  }
  /// Steps of one chain of a merge.
  [[nodiscard]] std::size_t chain_steps(MediaClass priority) const {
    return priority == MediaClass::background ? merge_tracks : MediaChain::max_steps;
  }
  /// Sectors of the log.
  [[nodiscard]] std::uint64_t log_sectors(const DriveGeometry& geometry) const;
  /// Extents that the map may hold before cleaning begins.
  [[nodiscard]] std::uint32_t map_limit(const DriveGeometry& geometry) const;
  /// Whether the host's commands get in between the steps of a merge.
  [[nodiscard]] bool stepwise() const { return merge_step.value() != 0; }
  /// What may be given of map and log while a merge is under way: as much as a band can hold.
  [[nodiscard]] std::uint32_t reserve(const DriveGeometry& geometry) const;
  /// Most extents while the drive runs.
  [[nodiscard]] std::uint32_t most_extents(const DriveGeometry& geometry) const { return map_limit(geometry) + reserve(geometry); }
  /// Extents for which it has memory: what a boot may find beside those is what was cleaned since the last checkpoint.
  [[nodiscard]] std::uint32_t map_capacity(const DriveGeometry& geometry) const { return most_extents(geometry) + map_slack(); }
  /// Extents that may come between two checkpoints.
  [[nodiscard]] std::uint32_t map_slack() const { return 2 * (checkpoint_every * packet_writes + slack_of_splits); }
  /// A whole number of sectors, at least one.
  [[nodiscard]] static std::uint32_t sectors_of(Bytes size, std::uint32_t sector_bytes);

 private:
  static constexpr std::uint32_t slack_of_splits = 32;
};

}  // namespace tessera::media_cache
