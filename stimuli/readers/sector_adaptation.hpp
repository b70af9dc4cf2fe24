#pragma once
// How requests that are not whole sectors are made so.
#include <string_view>

#include "stimuli/readers/trace_record.hpp"

namespace tessera {

enum class SectorAdaptation : std::uint8_t {
  none,        ///< as they are: whole 512 B blocks, anything else is an error
  align,       ///< rounded outwards to whole drive sectors
  one_sector,  ///< the one drive sector at its start, whatever the size: how several papers replay traces
};

/// "none", "align" or "one-sector"; anything else is an InputError.
[[nodiscard]] SectorAdaptation sector_adaptation(std::string_view name);

/// `sector` is the drive's sector; a request aligned past `capacity` ends there. Flushes pass unchanged.
[[nodiscard]] std::unique_ptr<TraceSource> adapt_sectors(std::unique_ptr<TraceSource> inner, SectorAdaptation how, Bytes sector,
                                                         Bytes capacity);

}  // namespace tessera
