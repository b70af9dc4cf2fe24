#pragma once
// What lies where on the spare tracks: two copies of the defect table, each with two places that take turns, and spare sectors.
#include <cstdint>

#include "base/address.hpp"
#include "base/geometry.hpp"

namespace tessera {

/// Spare tracks are counted surface by surface, radius by radius. The first copy lies at the start of the first of them, the second at the
/// start of the last: on different surfaces and radii where there are several. All other sectors are spares, in ascending order.
class SpareLayout {
 public:
  static constexpr std::uint32_t copies = 2;
  static constexpr std::uint32_t places = 2;

  explicit SpareLayout(const DriveGeometry& geometry);

  /// Whether there is room for the table and at least one spare.
  [[nodiscard]] bool usable() const { return spares_ != 0; }
  [[nodiscard]] std::uint32_t spares() const { return spares_; }
  [[nodiscard]] PhysicalRun spare(std::uint32_t number) const;
  /// One place of one copy of the table.
  [[nodiscard]] PhysicalRun table(std::uint32_t copy, std::uint32_t place) const;
  [[nodiscard]] std::uint32_t table_sectors() const { return table_sectors_; }

 private:
  [[nodiscard]] PhysicalTrack track(std::uint32_t number) const { return {number % surfaces_, first_radius_ + number / surfaces_}; }

  std::uint32_t surfaces_;
  std::uint32_t first_radius_;
  std::uint32_t tracks_;
  std::uint32_t per_track_;
  std::uint32_t table_sectors_ = 1;
  std::uint32_t spares_ = 0;
};

}  // namespace tessera
