#pragma once
// What the drive tells its firmware at power-on: a header, and behind it tables, all of 64-bit words. Offsets count bytes from the header.
#include <cstdint>

namespace tessera::hal {

struct BootData {
  std::uint64_t bytes = 0;  ///< of all
  std::uint64_t tags = 0;   ///< host commands that can be under way at once
  std::uint64_t sector_bytes = 0;

  // Geometry.
  std::uint64_t surfaces = 0;
  std::uint64_t reserved_sectors = 0;
  std::uint64_t exported_sectors = 0;
  std::uint64_t spare_radii = 0;
  std::uint64_t zones = 0;       ///< how many
  std::uint64_t zone_table = 0;  ///< offset of BootZone

  // Format plan.
  std::uint64_t regions = 0;
  std::uint64_t region_table = 0;  ///< offset of BootRegion

  // Flash; blocks 0: the drive has none.
  std::uint64_t flash_blocks = 0;
  std::uint64_t pages_per_block = 0;
  std::uint64_t oob_bytes = 0;
  std::uint64_t page_bytes = 0;
  std::uint64_t read_retries = 0;
  std::uint64_t paired_pages = 0;
  std::uint64_t subpages = 0;
  std::uint64_t planes = 0;
  std::uint64_t copyback = 0;

  // Parameters in the order of describe(), a word each (parameter_words.hpp).
  std::uint64_t layer_values = 0;  ///< how many
  std::uint64_t layer_table = 0;   ///< offset
  std::uint64_t firmware_values = 0;
  std::uint64_t firmware_table = 0;

  // Ways of the head between tracks.
  std::uint64_t head_switch = 0;   ///< TrackSwitches::head
  std::uint64_t switch_table = 0;  ///< offset of TrackSwitches::over, a word each

  // Arms; 0: one for all surfaces.
  std::uint64_t arms = 0;       ///< how many
  std::uint64_t arm_table = 0;  ///< offset of BootArm

  // Order of tracks; surfaces that differ.
  std::uint64_t track_order = 0;  ///< TrackOrder
  std::uint64_t serpent_radii = 0;
  std::uint64_t surface_values = 0;  ///< how many: `surfaces` for each zone, or 0 where in none they differ
  std::uint64_t surface_table = 0;   ///< offset: sectors per track, a word each

  // Sectors that the factory moved.
  std::uint64_t remaps = 0;       ///< how many
  std::uint64_t remap_table = 0;  ///< offset of BootRemap

  std::uint64_t track_spares = 0;  ///< places after the sectors of each track
};

struct BootZone {
  std::uint64_t first_radius = 0;
  std::uint64_t radii = 0;
  std::uint64_t sectors_per_track = 0;
  std::uint64_t spare_sectors = 0;
};

struct BootArm {
  std::uint64_t first_surface = 0;
  std::uint64_t surfaces = 0;
};

struct BootPlace {
  std::uint64_t surface = 0;
  std::uint64_t radius = 0;
  std::uint64_t sector = 0;
};

struct BootRemap {
  BootPlace from;
  BootPlace to;
};

struct BootRegion {
  char name[32] = {};  ///< ends in a zero
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  std::uint64_t format = 0;
  std::uint64_t head_width = 0;
  std::int64_t direction = 0;
  std::uint64_t band_tracks = 0;
  std::uint64_t guard_tracks = 0;
  double top_ratio = 0;
  std::uint64_t skewed = 0;
  std::uint64_t staggered = 0;
};

}  // namespace tessera::hal
