#pragma once
// Times of the calendar, as people's logs have them.
#include <string_view>

#include "stimuli/readers/decimal.hpp"

namespace tessera {

/// Picoseconds since 1970, of "2011-04-05 12:34:56.789" ('/' for '-' and 'T' for the blank are as good; Z, +01:00 or +0100 may follow), or
/// since midnight, of "12:34:56.789".
[[nodiscard]] NumberFault parse_calendar(std::string_view text, TraceTime& value);

}  // namespace tessera
