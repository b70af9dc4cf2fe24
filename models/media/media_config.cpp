#include "media/media_config.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "media/fail_slow.hpp"
#include "media/geometry_checks.hpp"
#include "media/sparing.hpp"
#include "media/track_error_rates.hpp"
#include "media/track_geometry.hpp"
#include "media/track_switches.hpp"

namespace tessera {

namespace {

constexpr double count_max = std::numeric_limits<std::uint32_t>::max();
constexpr double second_ps = 1e12;
constexpr double kilowatt_uw = 1e9;

bool is_count(double value) { return value >= 0 && value <= count_max && value == std::floor(value); }

/// Whether the rows of a table have `columns` whole numbers; says so if not.
bool whole_rows(const std::vector<NumberRow>& rows, std::size_t columns, const std::string& name, std::vector<std::string>& problems) {
  for (std::size_t row = 0; row < rows.size(); ++row) {
    bool good = rows[row].size() == columns;
    for (const double value : rows[row]) good = good && is_count(value);
    if (good) continue;
    problems.push_back(name + ": row " + std::to_string(row + 1) + " is not " + std::to_string(columns) + " whole numbers");
    return false;
  }
  return true;
}

std::uint32_t count_of(double value) { return static_cast<std::uint32_t>(value); }

void check_zones(const MediaConfig& config, std::vector<std::string>& problems) {
  if (config.zones.empty()) {
    if (config.tracks == 0 || config.sectors_per_track == 0)
      problems.emplace_back("the geometry is missing: give `zones`, or `tracks` and `sectors_per_track`");
  } else if (config.tracks != 0 || config.sectors_per_track != 0 || config.track_skew != 0 || config.cylinder_skew != 0) {
    problems.emplace_back("`zones` and the uniform form (`tracks`, `sectors_per_track`, skews) exclude each other");
  }
  if (!whole_rows(config.zones, 6, "zones", problems)) return;
  double last = -1;
  for (std::size_t row = 0; row < config.zones.size(); ++row) {
    if (config.zones[row][0] >= max_tracks_per_surface)
      return problems.push_back("zones: row " + std::to_string(row + 1) + " ends at radius " +
                                std::to_string(static_cast<std::uint64_t>(config.zones[row][0])) + "; expected at most " +
                                std::to_string(max_tracks_per_surface - 1));
    if (config.zones[row][0] <= last)
      problems.push_back("zones: row " + std::to_string(row + 1) + " does not end beyond the row before it");
    last = config.zones[row][0];
  }
  for (const MediaZone& zone : zones_of(config)) {
    const std::string where = "zone of radius " + std::to_string(zone.shape.first_radius) + ": ";
    const std::uint64_t sectors = std::uint64_t{zone.shape.radii} * config.surfaces * zone.shape.sectors_per_track;
    if (zone.shape.sectors_per_track + std::uint64_t{config.track_spares} > max_sectors_per_track)
      problems.push_back(where + "more than " + std::to_string(max_sectors_per_track) + " sectors a track");
    if (zone.shape.sectors_per_track == 0 && !config.zones.empty()) problems.push_back(where + "0 sectors a track");
    if (sectors != 0 && zone.shape.spare_sectors > sectors)
      problems.push_back(where + "spare sectors exceed its " + std::to_string(sectors) + " sectors");
    if (zone.start_angle != 0 && zone.start_angle >= zone.shape.sectors_per_track + config.track_spares)
      problems.push_back(where + "the start angle of " + std::to_string(zone.start_angle) + " sectors is a whole turn or more");
  }
}

std::string surfaces_text(std::uint64_t first, std::uint64_t count) {
  return count == 1 ? "surface " + std::to_string(first) : "surfaces " + std::to_string(first) + " to " + std::to_string(first + count - 1);
}

/// Of what the arms share or leave out the first is named.
void check_actuators(const MediaConfig& config, std::vector<std::string>& problems) {
  if (config.actuators > config.surfaces)
    problems.push_back("actuators: " + std::to_string(config.actuators) + " arms for " + std::to_string(config.surfaces) +
                       (config.surfaces == 1 ? " surface" : " surfaces") + "; expected a surface for each arm");
  if (config.actuators_at_once > config.actuators)
    problems.push_back("actuators_at_once: " + std::to_string(config.actuators_at_once) + " of only " + std::to_string(config.actuators) +
                       " arms");
  const std::vector<NumberRow>& rows = config.actuator_surfaces;
  if (config.actuators < 2 || rows.empty() || !whole_rows(rows, 2, "actuator_surfaces", problems)) return;
  if (rows.size() != config.actuators) {
    problems.push_back("actuator_surfaces: " + std::to_string(rows.size()) + " rows for " + std::to_string(config.actuators) + " arms");
    return;
  }
  std::uint64_t next = 0;
  for (std::size_t arm = 0; arm < rows.size(); ++arm) {
    const std::string name = "actuator_surfaces: arm " + std::to_string(arm);
    const auto first = static_cast<std::uint64_t>(rows[arm][0]);
    const auto count = static_cast<std::uint64_t>(rows[arm][1]);
    if (count == 0) return problems.push_back(name + " has no surface");
    if (arm > 0 && first < static_cast<std::uint64_t>(rows[arm - 1][0]))
      return problems.push_back(name + " begins at surface " + std::to_string(first) + ", before arm " + std::to_string(arm - 1) +
                                "; expected arms in ascending order");
    if (first < next)
      return problems.push_back(name + " shares " + surfaces_text(first, std::min(next - first, count)) + " with arm " +
                                std::to_string(arm - 1) + "; expected surfaces from " + std::to_string(next) + " on");
    if (first > next) return problems.push_back("actuator_surfaces: no arm reaches " + surfaces_text(next, first - next));
    next = first + count;
  }
  if (next > config.surfaces)
    problems.push_back("actuator_surfaces: surface " + std::to_string(next - 1) + ", but the drive has surfaces 0 to " +
                       std::to_string(config.surfaces - 1));
  if (next < config.surfaces) problems.push_back("actuator_surfaces: no arm reaches " + surfaces_text(next, config.surfaces - next));
}

/// Layouts and seek times are tabulated by track when the drive is built: the largest takes a few seconds.
void check_tracks(const MediaConfig& config, std::vector<std::string>& problems) {
  std::uint64_t radii = 0;
  for (const MediaZone& zone : zones_of(config)) radii += zone.shape.radii;
  if (radii > max_tracks_per_surface)
    problems.push_back("zones: " + std::to_string(radii) + " tracks a surface; expected at most " + std::to_string(max_tracks_per_surface));
  if (radii * config.surfaces > max_tracks)
    problems.push_back("tracks: " + std::to_string(radii * config.surfaces) + " on all surfaces; expected at most " +
                       std::to_string(max_tracks));
}

void check_capacity(const MediaConfig& config, std::vector<std::string>& problems) {
  std::uint64_t all = 0;
  for (const MediaZone& zone : zones_of(config)) {
    all += zone.shape.radii * zone.shape.radius_sectors(0, config.surfaces) - zone.shape.spare_sectors;
  }
  if (config.reserved_sectors > all) {
    problems.push_back("reserved_sectors: " + std::to_string(config.reserved_sectors) + " of only " + std::to_string(all) + " sectors");
  } else if (config.exported_sectors > all - config.reserved_sectors) {
    problems.push_back("exported_sectors: " + std::to_string(config.exported_sectors) + ", but the zones hold " +
                       std::to_string(all - config.reserved_sectors) + " beside reserved and spare sectors");
  }
}

void check_settles(const MediaConfig& config, std::vector<std::string>& problems) {
  double last = 0;
  for (std::size_t row = 0; row < config.write_settles.size(); ++row) {
    const NumberRow& settle = config.write_settles[row];
    const std::string where = "write_settles: row " + std::to_string(row + 1);
    if (settle.size() != 2 || !is_count(settle[0]) || !(settle[1] >= 0) || settle[1] > 1000)
      return problems.push_back(where + " is not a whole distance and a time of at most 1000 ms");
    if (settle[0] <= last) problems.push_back(where + " does not lie beyond the distance before it");
    last = settle[0];
  }
}

void check_seek(const MediaConfig& config, std::vector<std::string>& problems) {
  if (config.seek_curve.empty()) {
    if (config.seek_full_stroke < config.seek_min) problems.emplace_back("seek_full_stroke is shorter than seek_min");
    return;
  }
  double last = 0;
  double last_time = 0;
  for (std::size_t row = 0; row < config.seek_curve.size(); ++row) {
    const NumberRow& point = config.seek_curve[row];
    const std::string where = "seek_curve: row " + std::to_string(row + 1);
    if (point.size() != 2 || !is_count(point[0]) || !(point[1] > 0) || point[1] > 1000) {
      problems.push_back(where + " is not a whole distance and a time of at most 1000 ms");
      return;
    }
    if (point[0] <= last) problems.push_back(where + " does not lie beyond the distance before it");
    if (row + 1 == config.seek_curve.size() && point[1] < last_time)
      problems.emplace_back("seek_curve: the last slope falls, so longer seeks would take less than nothing");
    last = point[0];
    last_time = point[1];
  }
}

void check_defects(const MediaConfig& config, std::vector<std::string>& problems) {
  const std::vector<MediaZone> zones = zones_of(config);
  const auto sectors_at = [&](const NumberRow& row) -> std::uint32_t {
    for (const MediaZone& zone : zones)
      if (row[1] < zone.shape.first_radius + double{1} * zone.shape.radii) return zone.shape.sectors_per_track;
    return zones.back().shape.sectors_per_track;
  };
  const std::uint32_t radii = zones.back().shape.first_radius + zones.back().shape.radii;
  // `whole`: 1 where the third column is a count of sectors, which may be all of a track.
  const auto check = [&](const std::vector<NumberRow>& rows, std::size_t columns, const std::string& name, std::uint32_t spares,
                         std::uint32_t whole = 0) {
    if (!whole_rows(rows, columns, name, problems)) return;
    for (std::size_t row = 0; row < rows.size(); ++row)
      if (rows[row][0] >= config.surfaces || rows[row][1] >= radii + double{1} * spares ||
          rows[row][2] >= double{1} * sectors_at(rows[row]) + whole)
        problems.push_back(name + ": row " + std::to_string(row + 1) + " names a surface, radius or sector that the drive does not have");
  };
  check(config.slipped_defects, 3, "slipped_defects", 0, 1);
  check(config.unreadable_sectors, 3, "unreadable_sectors", config.spare_tracks);
  check(config.transient_sectors, 4, "transient_sectors", config.spare_tracks);
  check(config.write_fault_sectors, 3, "write_fault_sectors", config.spare_tracks);
  check(config.grown_defects, 4, "grown_defects", config.spare_tracks);
}

}  // namespace

void MediaConfig::describe(ParameterVisitor& visitor) {
  visitor.field("rpm", speed, {1800, 20000}, "Spindle speed.");
  visitor.field("surfaces", surfaces, {1, 64}, "Recording surfaces, one head each.");
  visitor.unused_where(surfaces == 1, "media.surfaces is 1", [&] {
    visitor.field("actuators", actuators, {1, 16}, "Arms, each with surfaces, a position and a queue of its own; they share the spindle.");
  });
  visitor.unused_where(actuators == 1, "media.actuators is 1", [&] {
    visitor.table("actuator_surfaces", actuator_surfaces, {"first_surface", "surfaces"},
                  "The surfaces of each arm, in ascending order; empty: shares as equal as can be.");
    visitor.field("actuators_at_once", actuators_at_once, {0, 16},
                  "Arms that may be at work at the same time, where the channel has not one for each; 0: all.");
    visitor.field("actuator_settle", actuator_settle, {0, second_ps},
                  "More time after a seek that ends while another arm moves: vibration between the arms.");
    visitor.field("actuator_power", actuator_power, {0, kilowatt_uw}, "Power that each arm but the first adds while the spindle turns.");
  });
  visitor.field("sector_size", sector_size, {512, 4096}, "Bytes of a drive sector: 4096, or 512 on old drives.");
  visitor.table("zones", zones, {"last_radius", "sectors_per_track", "track_skew", "cylinder_skew", "spare_sectors", "start_angle"},
                "Zones from the outer diameter inwards; skews in sectors; spares lie at a zone's end; the zone's first track begins that "
                "many sectors after the index mark.");
  visitor.field("tracks", tracks, {0, max_tracks_per_surface}, "Tracks a surface, where one zone is enough (instead of `zones`).");
  visitor.field("sectors_per_track", sectors_per_track, {0, max_sectors_per_track}, "Sectors a track of the uniform form.");
  visitor.unused_where(surfaces == 1, "media.surfaces is 1", [&] {
    visitor.field("track_skew", track_skew, {0, max_sectors_per_track}, "Sectors of skew to the next surface, uniform form.");
  });
  visitor.field("cylinder_skew", cylinder_skew, {0, max_sectors_per_track},
                "Sectors of skew from a cylinder's last track to the next cylinder's first, uniform form.");
  visitor.table(
      "surface_zones", surface_zones, {"surface", "last_radius", "sectors_per_track"},
      "Adaptive formatting: zones of one surface, from the outer diameter to the last radius, with at most the sectors per track of "
      "`zones`; surfaces without rows are as `zones` says.");
  visitor.unused_where(surfaces == 1, "media.surfaces is 1", [&] {
    visitor.enumeration(
        "track_order", track_order, {"cylinder", "cylinder_serpentine", "cylinder_serpentine_even", "surface", "serpentine"},
        "In which order a zone's tracks are numbered: down the surfaces at each radius; the same, down and up in turn, from "
        "the first surface in each zone, or down at even radii; all radii of a surface, then of the next; or some radii inwards on a "
        "surface, the same outwards on the next. What overlaps, and layers of bands, keep to neighbours on a surface.");
    visitor.unused_where(track_order != TrackOrder::serpentine, "media.track_order is not serpentine", [&] {
      visitor.field("serpent_tracks", serpent_tracks, {0, max_tracks_per_surface},
                    "Tracks of a serpent on each surface: zones are whole numbers of serpents, or shorter than one; 0: one per zone.");
    });
    visitor.unused_where(
        track_order != TrackOrder::serpentine && track_order != TrackOrder::surface, "media.track_order is neither serpentine nor surface",
        [&] {
          visitor.field(
              "serpent_skew", serpent_skew, {0, second_ps},
              "Skew of a track that follows a seek back to the outermost radius, rounded up to sectors: after each serpent, or after "
              "each surface in the order `surface`. Within a surface cylinder_skew counts, from surface to surface track_skew.");
        });
  });
  visitor.field("force_skew", force_skew,
                "Skews hold in regions of overlapped tracks as well, which their format wants aligned: shows what that destroys.");
  visitor.field("track_spares", track_spares, {0, max_sectors_per_track},
                "Spare sectors at the end of each track: they pass under the head, and count in skews and start angles, but hold no data.");
  visitor.field("reserved_sectors", reserved_sectors, {0, count_max}, "Sectors in front of the first logical sector.");
  visitor.field("exported_sectors", exported_sectors, {0, 1e15}, "Sectors that a conventional mapping exports; 0 means all there are.");
  visitor.field(
      "spare_tracks", spare_tracks, {0, 4096},
      "Tracks per surface after the last zone, which no layer gets: spares for bad sectors and their table; 0: no defect management.");
  visitor.table("slipped_defects", slipped_defects, {"surface", "radius", "sectors"},
                "Tracks that hold some sectors fewer, or none, because defects or whole tracks were slipped over.");
  visitor.field("cylinder_spares", cylinder_spares, {0, count_max},
                "Spare sectors at the end of each range of cylinders of a zone, in orders by cylinder; several arms have as many each.");
  visitor.unused_where(cylinder_spares == 0, "media.cylinder_spares is 0", [&] {
    visitor.field("spare_cylinders", spare_cylinders, {1, max_tracks_per_surface},
                  "Cylinders of such a range, from the zone's first; what is left at its end has no spares.");
  });
  visitor.table("factory_defects", factory_defects, {"surface", "radius", "sector"}, "Sectors that were bad when the drive was made.");
  visitor.unused_where(factory_defects.empty(), "media.factory_defects is empty", [&] {
    visitor.enumeration("defect_scheme", defect_scheme, {"slip", "remap", "slip_track"},
                        "What was done about them: numbers go on after them, up to spares of the track, of the range of cylinders, or "
                        "else of the zone; each lies on the first such spare that is left; or their tracks hold nothing, and the zone's "
                        "spares stand in. The rest of a slipped sector's track spreads over its turn.");
  });
  visitor.table("remapped_sectors", remapped_sectors, {"surface", "radius", "sector", "to_surface", "to_radius", "to_sector"},
                "Sectors that the factory moved to spares of their tracks (numbered after the data), ranges or zones: the heads go there.");
  visitor.table("unreadable_sectors", unreadable_sectors, {"surface", "radius", "sector"},
                "Sectors that cannot be read; the drive does not notice that what it writes to them is lost.");
  visitor.table("transient_sectors", transient_sectors, {"surface", "radius", "sector", "reads"},
                "Marginal sectors: so many reads in a row fail before one goes well, then it begins anew; a write begins anew too.");
  visitor.table("write_fault_sectors", write_fault_sectors, {"surface", "radius", "sector"},
                "Sectors at which a write stops: the drive notices, what the sector held and what was to come is gone.");
  visitor.table("grown_defects", grown_defects, {"surface", "radius", "sector", "ms"},
                "Sectors that become unreadable, by milliseconds of simulated time since the first power-on.");
  visitor.unused_where(grown_defects.empty(), "media.grown_defects is empty", [&] {
    visitor.field("grown_defect_notice", grown_defect_notice, {0, 4'000 * 3'600e12},
                  "Time before that in which they can be read, after grown_defect_reads reads that fail.");
    visitor.unused_where(grown_defect_notice == Picoseconds(0), "media.grown_defect_notice is 0", [&] {
      visitor.field("grown_defect_reads", grown_defect_reads, {1, 1000}, "Reads in a row that fail meanwhile before one goes well.");
    });
  });
  visitor.field("transient_errors_per_million", transient_errors_per_million, {0, 1e6},
                "Sectors of a million read that fail and go well after some more reads.");
  visitor.table("track_error_rates", track_error_rates, {"surface", "last_radius", "per_million"},
                "The same by track: of each surface from the row before it, or radius 0, to the last radius; tracks without a row have "
                "transient_errors_per_million.");
  const bool transient = transient_errors_per_million != 0 || !track_error_rates.empty() || interference_errors_per_million != 0;
  visitor.unused_where(!transient, "media.transient_errors_per_million is 0", [&] {
    visitor.field("transient_error_reads", transient_error_reads, {1, 1000},
                  "Reads that fail, at most, before a drawn transient error goes away; from 1 on, all equally likely.");
  });
  visitor.field("unrecoverable_errors_per_billion", unrecoverable_errors_per_billion, {0, 1e9},
                "Sectors of a thousand million read that become unreadable for good.");
  visitor.field("write_faults_per_million", write_faults_per_million, {0, 1e6},
                "Sectors of a million written at which the write stops, as at write_fault_sectors, but once.");
  visitor.field("interference_limit", interference_limit, {0, count_max},
                "Writes of the tracks next to a sector, at its angle, after which it cannot be read; 0: never.");
  visitor.unused_where(interference_limit == 0, "media.interference_limit is 0", [&] {
    visitor.field("interference_reach", interference_reach, {1, 64}, "How many tracks to either side a write weakens.");
    visitor.field(
        "interference_errors_per_million", interference_errors_per_million, {0, 1e6},
        "Transient errors per million that a sector has more right before interference_limit; after fewer writes, in proportion.");
  });
  visitor.field("servo_faults_per_million", servo_faults_per_million, {0, 1e6},
                "Commands of a million that lose their track and try again by themselves.");
  visitor.unused_where(servo_faults_per_million == 0, "media.servo_faults_per_million is 0", [&] {
    visitor.field("servo_retry_time", servo_retry_time, {0, second_ps},
                  "What a servo fault costs, rounded up to whole revolutions, at least one: the sector has to come round again.");
  });
  visitor.table(
      "fail_slow", fail_slow,
      {"first_surface", "last_surface", "first_radius", "last_radius", "from_ms", "to_ms", "times", "stall_ms", "per_million"},
      "A part of the drive that is slow for a while: of the steps that begin there between two milliseconds of simulated time each "
      "takes `times` as long (1: as ever), and so many per million stall for `stall_ms`; what is lost are whole turns. Last ones "
      "may lie beyond the drive.");
  visitor.unused_where(surfaces == 1, "media.surfaces is 1", [&] {
    visitor.field("head_switch", head_switch, {0, second_ps}, "Time to another surface; overlaps with a seek, the longer counts.");
  });
  visitor.field("write_settle", write_settle, {0, second_ps}, "More time after a seek or head switch where a write follows.");
  visitor.field("read_settle", read_settle, {0, second_ps}, "More time after a seek or head switch where a read follows.");
  visitor.table("head_tolerances", head_tolerances, {"surface", "tracks", "ms", "degrees"},
                "What sets a head apart: how many tracks further in it is than the arm's position, what it settles longer, and how much "
                "later its tracks begin. Surfaces without a row: 0.");
  visitor.unused_where(actuators == 1, "media.actuators is 1", [&] {
    visitor.table("arm_tolerances", arm_tolerances, {"arm", "percent", "ms"},
                  "What sets an arm apart: how much longer it moves (or shorter, below 0), and settles longer. Arms without a row: 0.");
  });
  visitor.table("write_settles", write_settles, {"distance", "ms"},
                "Still more time where a write follows a seek of so many tracks or more; of several rows the last that is reached counts.");
  visitor.table("seek_curve", seek_curve, {"distance", "ms"},
                "Measured seek times by distance in tracks; linear between points, the last slope beyond. Empty: the formula.");
  visitor.unused_where(!seek_curve.empty(), "media.seek_curve is there", [&] {
    visitor.field("seek_min", seek_min, {0, second_ps}, "t_min of the formula t_min + a*sqrt(distance).");
    visitor.field("seek_full_stroke", seek_full_stroke, {0, second_ps}, "Seek over all tracks; fixes a of the formula.");
  });
  visitor.field("channel_overhead", channel_overhead, {0, second_ps}, "Fixed time of the media channel before each step.");
  visitor.enumeration("timing", timing, {"rotational", "expected"},
                      "Rotation by the spindle's angle, or by the interlaced paper's constants.");
  visitor.unused_where(timing != MediaTimingMode::expected, "media.timing is not expected", [&] {
    visitor.field("rmw_mid_turns", rmw_mid_turns, {1, 2},
                  "Turns of backup and target write together in a read-modify-write (expected timing; the paper takes 2).");
  });
  visitor.field(
      "shingled_gain", shingled_gain, {0, 64},
      "Capacity of shingled tracks over conventional ones on the same platters, before guards and reserves, as sold: 28 TB (Ultrastar "
      "DC HC680) for 24 TB (DC HC580); 0: by the papers' formula, as many times as tracks lie under the write head.");
  visitor.field("density_gain", density_gain, {1, 4},
                "Declared assumption: capacity of an interlaced format over a conventional one of the same area.");
  visitor.field("idle_power", idle_power, {0, kilowatt_uw}, "Power while the spindle turns and nothing else happens.");
  visitor.field("seek_power", seek_power, {0, kilowatt_uw}, "Power during head movement.");
  visitor.field("read_power", read_power, {0, kilowatt_uw}, "Power while reading.");
  visitor.field("write_power", write_power, {0, kilowatt_uw}, "Power while writing.");
  visitor.section("heat", heat, "Heat-assisted writing.");
  visitor.section("power_conditions", power_conditions, "Spin-up, and what the disk does when it has been idle for long.");
  visitor.enter("powerfail", "What a power cut does.");
  visitor.enumeration("sector", powerfail_sector, {"atomic", "atomic_old", "atomic_new", "corrupt"},
                      "The sector under a writing head ends old or new (drawn), old, new, or unreadable.");
  visitor.leave();
}

std::vector<std::string> MediaConfig::validate() const {
  std::vector<std::string> problems;
  if (sector_size != Bytes(512) && sector_size != Bytes(4096)) problems.emplace_back("sector_size is neither 512 B nor 4096 B");
  check_actuators(*this, problems);
  check_zones(*this, problems);
  if (problems.empty()) check_surface_zones(*this, problems);
  if (problems.empty()) check_track_order(*this, problems);
  if (problems.empty()) check_tracks(*this, problems);
  if (problems.empty()) check_capacity(*this, problems);
  check_seek(*this, problems);
  check_settles(*this, problems);
  if (problems.empty()) check_defects(*this, problems);
  if (problems.empty()) check_sparing(*this, problems);
  if (problems.empty()) check_head_tolerances(*this, problems);
  check_track_error_rates(*this, problems);
  check_fail_slow(*this, problems);
  power_conditions.check(whole_idle_power(), problems);
  check_arm_tolerances(*this, problems);
  return problems;
}

std::vector<ArmSurfaces> arms_of(const MediaConfig& config) {
  std::vector<ArmSurfaces> arms;
  for (const NumberRow& row : config.actuator_surfaces) arms.push_back({count_of(row[0]), count_of(row[1])});
  if (config.actuators < 2) return {{0, config.surfaces}};
  if (!arms.empty()) return arms;
  for (std::uint32_t arm = 0; arm < config.actuators; ++arm) {
    const std::uint32_t first = config.surfaces * arm / config.actuators;
    arms.push_back({first, config.surfaces * (arm + 1) / config.actuators - first});
  }
  return arms;
}

DriveGeometry geometry_of(const MediaConfig& config) {
  std::string message;
  for (const std::string& problem : config.validate()) message += (message.empty() ? "media: " : "; ") + problem;
  if (!message.empty()) throw InputError(message);
  DriveGeometry geometry;
  geometry.sector_bytes = static_cast<std::uint32_t>(config.sector_size.value());
  geometry.surfaces = config.surfaces;
  geometry.reserved_sectors = config.reserved_sectors;
  geometry.exported_sectors = config.exported_sectors;
  geometry.track_spares = config.track_spares;
  geometry.spare_radii = config.spare_tracks;
  for (const MediaZone& zone : zones_of(config)) geometry.zones.push_back(zone.shape);
  const Sparing sparing(config);
  for (std::size_t i = 0; i < geometry.zones.size(); ++i)
    geometry.zones[i].spare_sectors -= static_cast<std::uint32_t>(sparing.used_of_zone(i));
  geometry.remaps = sparing.remaps();
  geometry.switches = track_switches(config);
  if (config.actuators > 1) geometry.arms = arms_of(config);
  geometry.track_order = config.track_order;
  geometry.serpent_radii = config.serpent_tracks;
  return geometry;
}

}  // namespace tessera
