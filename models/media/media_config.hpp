#pragma once
// The description of a head-disk assembly: what the `[media]` section of a drive file may say.
#include <cstdint>
#include <string>
#include <vector>

#include "base/geometry.hpp"
#include "base/parameter.hpp"
#include "base/track_order.hpp"
#include "base/units.hpp"
#include "media/heat_config.hpp"
#include "media/power_conditions_config.hpp"

namespace tessera {

/// How rotation is priced: by the spindle's angle, or by the constants of the interlaced paper (section 3.1).
enum class MediaTimingMode : std::uint32_t { rotational, expected };

/// What the factory did about the sectors of `factory_defects`.
enum class DefectScheme : std::uint32_t {
  slip,       ///< numbers go on after them
  remap,      ///< each has a spare elsewhere
  slip_track  ///< their tracks hold nothing
};

/// What a power cut leaves of the sector under a writing head.
enum class PowerfailSector : std::uint32_t {
  atomic,  ///< old or new, drawn from the random stream "media.powerfail"
  atomic_old,
  atomic_new,
  corrupt  ///< unreadable until it is written again
};

struct MediaConfig {
  Rpm speed{7200};
  Picoseconds spindle_phase{};  ///< angle at time 0, in time; no parameter: drives of one array get different ones
  std::uint32_t surfaces = 1;
  std::uint32_t actuators = 1;
  std::vector<NumberRow> actuator_surfaces;  ///< of each arm: first surface, surfaces; empty: shares as equal as can be
  std::uint32_t actuators_at_once = 0;       ///< 0: all
  Picoseconds actuator_settle;               ///< more settle where another arm moves
  Bytes sector_size{4096};

  // Geometry: a zone table, or one zone in the uniform form.
  std::vector<NumberRow> zones;          ///< last radius, sectors a track, track skew, cylinder skew, spare sectors, start angle
  std::uint32_t tracks = 0;              ///< uniform form: tracks a surface
  std::uint32_t sectors_per_track = 0;   ///< uniform form
  std::uint32_t track_skew = 0;          ///< uniform form, in sectors
  std::uint32_t cylinder_skew = 0;       ///< uniform form, in sectors
  std::vector<NumberRow> surface_zones;  ///< surface, last radius, sectors a track
  TrackOrder track_order = TrackOrder::cylinder;
  std::uint32_t serpent_tracks = 0;  ///< radii of a serpent; 0: all of a zone
  Picoseconds serpent_skew;          ///< from a serpent's last track to the next one's first
  bool force_skew = false;           ///< in regions whose format wants aligned tracks, too
  std::uint32_t track_spares = 0;    ///< sectors at the end of each track
  std::uint32_t reserved_sectors = 0;
  std::uint64_t exported_sectors = 0;
  std::uint32_t spare_tracks = 2;          ///< radii behind the last zone
  std::vector<NumberRow> slipped_defects;  ///< surface, radius, sectors fewer
  std::uint32_t cylinder_spares = 0;       ///< sectors at the end of each range of cylinders
  std::uint32_t spare_cylinders = 1;       ///< cylinders of a range
  std::vector<NumberRow> factory_defects;  ///< surface, radius, sector
  DefectScheme defect_scheme = DefectScheme::slip;
  std::vector<NumberRow> remapped_sectors;  ///< surface, radius, sector; and those of the place where it lies instead

  // Faults.
  std::vector<NumberRow> unreadable_sectors;   ///< surface, radius, sector
  std::vector<NumberRow> transient_sectors;    ///< surface, radius, sector, reads that fail before one goes well
  std::vector<NumberRow> write_fault_sectors;  ///< surface, radius, sector
  std::vector<NumberRow> grown_defects;        ///< surface, radius, sector, millisecond from which on it is unreadable
  Picoseconds grown_defect_notice;             ///< before that, in which it is hard to read
  std::uint32_t grown_defect_reads = 6;        ///< that fail meanwhile, before one goes well
  std::uint32_t transient_errors_per_million = 0;
  std::uint32_t transient_error_reads = 3;
  std::vector<NumberRow> track_error_rates;  ///< surface, last radius, transient errors per million
  std::uint32_t unrecoverable_errors_per_billion = 0;
  std::uint32_t write_faults_per_million = 0;
  std::uint32_t interference_limit = 0;  ///< writes next to a sector that spoil it; 0: none do
  std::uint32_t interference_reach = 1;  ///< radii to either side
  std::uint32_t interference_errors_per_million = 0;
  std::uint32_t servo_faults_per_million = 0;
  Picoseconds servo_retry_time;
  std::vector<NumberRow>
      fail_slow;  ///< first and last surface, first and last radius, from and to ms, times, stall in ms, stalls per million

  // Mechanics. The seek curve is a table, or else the formula t_min + a*sqrt(distance).
  Picoseconds head_switch;
  Picoseconds write_settle;
  Picoseconds read_settle;
  std::vector<NumberRow> head_tolerances;        ///< surface, radii off, milliseconds of more settle, degrees of angle
  std::vector<NumberRow> arm_tolerances;         ///< arm, percent of seek time more, milliseconds of more settle
  std::vector<NumberRow> write_settles;          ///< distance in radii from which on, milliseconds more than write_settle
  std::vector<NumberRow> seek_curve;             ///< distance in radii, milliseconds
  Picoseconds seek_min{2'000'000'000};           ///< t_min; interlaced paper (Hajkazemi et al.), eq. 1
  Picoseconds seek_full_stroke{20'000'000'000};  ///< interlaced paper, eq. 1
  Picoseconds channel_overhead;
  MediaTimingMode timing = MediaTimingMode::rotational;
  std::uint32_t rmw_mid_turns = 2;

  double shingled_gain =
      1.17;  ///< sold on ten platters each: Ultrastar DC HC680, 28 TB, shingled; DC HC580, 24 TB; 0: head_width of the plan
  double density_gain = 1.3;
  PowerfailSector powerfail_sector = PowerfailSector::atomic;

  // Electrical power of the whole assembly in each state; typical of a 3.5-inch 7200 rpm drive.
  Microwatts idle_power{5'000'000};
  Microwatts seek_power{8'500'000};
  Microwatts read_power{7'000'000};
  Microwatts write_power{7'200'000};
  Microwatts actuator_power{2'200'000};  ///< of each arm but the first: Seagate's Exos 2X14, 7.2 W idle, against 5 W of one arm

  PowerConditionsConfig power_conditions;
  HeatConfig heat;

  /// Electrical power of all arms and the spindle, with nothing to do.
  [[nodiscard]] Microwatts whole_idle_power() const { return idle_power + actuator_power * (actuators - 1); }

  /// Declares the fields to readers, listings and reference pages.
  void describe(ParameterVisitor& visitor);

  /// What is wrong with the values taken together: one sentence each, empty when the description can be built.
  [[nodiscard]] std::vector<std::string> validate() const;
};

/// A zone with its skews, in drive sectors: a GeometryZone and what the mechanics add to it.
struct MediaZone {
  GeometryZone shape;
  std::uint32_t track_skew = 0;     ///< from a track to the next surface of its cylinder
  std::uint32_t cylinder_skew = 0;  ///< from a cylinder's last surface to the next cylinder's first
  std::uint32_t start_angle = 0;    ///< from the index mark to sector 0 of the zone's first track
};

/// The zones of either form, from the outer diameter inwards. Where a surface's own zone ends, one ends for all: skews go on over it.
[[nodiscard]] std::vector<MediaZone> zones_of(const MediaConfig& config);

/// How much later a track begins than the one in front of it, in sectors of its zone (spares included).
struct TrackSkews {
  std::uint64_t radius = 0;   ///< at the next radius of the same surface, within a unit (TrackUnits)
  std::uint64_t surface = 0;  ///< on the next surface of a unit
  std::uint64_t unit = 0;     ///< first of the next unit
};
[[nodiscard]] TrackSkews track_skews(const MediaConfig& config, const MediaZone& zone);
/// From the first track of a unit to the first one of the next, of an arm that has so many surfaces.
[[nodiscard]] std::uint64_t unit_skew(const MediaConfig& config, const MediaZone& zone, const TrackUnits& units, std::uint32_t surfaces);

/// The surfaces of each arm, in order; of a description without problems.
[[nodiscard]] std::vector<ArmSurfaces> arms_of(const MediaConfig& config);

/// The geometry as layers plan with it; throws InputError with every sentence of validate().
[[nodiscard]] DriveGeometry geometry_of(const MediaConfig& config);

}  // namespace tessera
