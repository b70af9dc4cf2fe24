#pragma once
// In which order the tracks of a zone are numbered. A zone is cut into units of radii; within a unit come the surfaces one after another,
// and on each surface the unit's radii.
#include <cstdint>

namespace tessera {

enum class TrackOrder : std::uint32_t {
  cylinder,                  ///< down the surfaces, then the next radius
  cylinder_serpentine,       ///< down the surfaces, up at the next radius, and so on; each zone begins downwards
  cylinder_serpentine_even,  ///< the same, but even radii downwards, whatever the zone
  surface,                   ///< all radii of a zone on one surface, then all on the next
  serpentine                 ///< some radii inwards on one surface, the same outwards on the next, and so on; then the next radii
};

/// How the radii of one zone are cut, and which way each part goes. Positions and places turn into each other by the same functions.
struct TrackUnits {
  std::uint32_t radii = 1;     ///< of a unit; the last one may have fewer
  bool surfaces_turn = false;  ///< every other unit goes from its last surface to its first
  bool radii_turn = false;     ///< every other surface goes from the unit's last radius to its first
  std::uint32_t parity = 0;    ///< of the units whose surfaces turn

  /// `serpent`: radii of a serpent, 0 for all of a zone that begins at `first_radius` and has `zone_radii`.
  static constexpr TrackUnits of(TrackOrder order, std::uint32_t serpent, std::uint32_t first_radius, std::uint32_t zone_radii) {
    switch (order) {
      case TrackOrder::cylinder: break;
      case TrackOrder::cylinder_serpentine: return {.radii = 1, .surfaces_turn = true, .radii_turn = false, .parity = 1};
      case TrackOrder::cylinder_serpentine_even:
        return {.radii = 1, .surfaces_turn = true, .radii_turn = false, .parity = (first_radius & 1U) ^ 1U};
      case TrackOrder::surface: return {.radii = zone_radii};
      case TrackOrder::serpentine:
        return {.radii = serpent == 0 || serpent > zone_radii ? zone_radii : serpent, .surfaces_turn = false, .radii_turn = true};
    }
    return {};
  }

  /// Where a surface comes in unit `unit`, and which surface comes there.
  [[nodiscard]] constexpr std::uint32_t turned_surface(std::uint32_t unit, std::uint32_t surface, std::uint32_t surfaces) const {
    return surfaces_turn && (unit & 1U) == parity ? surfaces - 1 - surface : surface;
  }
  /// Where a radius of a unit of `count` comes on `surface`, and which radius comes there.
  [[nodiscard]] constexpr std::uint32_t turned_radius(std::uint32_t radius, std::uint32_t surface, std::uint32_t count) const {
    return radii_turn && (surface & 1U) != 0 ? count - 1 - radius : radius;
  }
};

}  // namespace tessera
