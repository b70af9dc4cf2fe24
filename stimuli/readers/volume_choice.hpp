#pragma once
// One volume of a trace that holds several.
#include <string>

#include "stimuli/readers/trace_record.hpp"

namespace tessera {

/// Only the records of the volume `name`: as volume_name says it ("web_0", "ASU3", "dev1"), or just its number ("0", "3", "1").
/// A name that the trace does not hold, or a number that two volumes share, is an InputError.
[[nodiscard]] std::unique_ptr<TraceSource> choose_volume(std::unique_ptr<TraceSource> inner, const std::string& name);

}  // namespace tessera
