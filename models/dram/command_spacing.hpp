#pragma once
// How far the commands to different banks lie apart: activations (tRRD, tFAW), column commands (tCCD), reads after writes (tWTR).
//
// Commands of the CPU's accesses go out in the order of the calls. An extent of DMA is priced as a whole: of it only the written data
// before a read counts here.
#include <algorithm>
#include <array>
#include <cstdint>

#include "base/units.hpp"
#include "dram/dram_config.hpp"
#include "firmware/ports/memory_port.hpp"

namespace tessera {

class CommandSpacing {
 public:
  static constexpr std::uint32_t max_groups = 4;

  /// Whether the description has any such time.
  [[nodiscard]] static bool any(const DramConfig& config);
  explicit CommandSpacing(const DramConfig& config);

  /// The earliest activation from `wanted` on, which then takes place.
  Picoseconds activate(Picoseconds wanted, std::size_t group);

  /// The earliest column command from `wanted` on.
  [[nodiscard]] Picoseconds column(Picoseconds wanted, std::size_t group, Access access) const;

  /// The last column command of an access, and the end of its data.
  void issued(std::size_t group, Access access, Picoseconds column, Picoseconds end);

  /// The same of an extent of DMA. Of writes under way at a read only those count that have ended: the controller orders what overlaps.
  [[nodiscard]] Picoseconds column_of_dma(Picoseconds wanted, std::size_t group, Access access) const;
  void dma_wrote(std::size_t group, Picoseconds end);

 private:
  struct Written {
    Picoseconds last;  // end of data in any group
    std::array<Picoseconds, max_groups> of_group;
  };
  [[nodiscard]] Picoseconds after_writes(const Written& written, Picoseconds wanted, std::size_t group, bool ended_only) const;

  Picoseconds activate_gap_, activate_gap_in_group_, four_activates_;
  Picoseconds column_gap_, column_gap_in_group_;
  Picoseconds write_to_read_, write_to_read_in_group_;

  // The earliest next command.
  Picoseconds next_activate_;
  std::array<Picoseconds, max_groups> next_activate_of_group_;
  std::array<Picoseconds, 4> windows_;  // ends of those of the last four activations, in a ring
  std::size_t oldest_window_ = 0;
  Picoseconds next_column_;
  std::array<Picoseconds, max_groups> next_column_of_group_;
  Written cpu_;
  Written dma_;
};

}  // namespace tessera
