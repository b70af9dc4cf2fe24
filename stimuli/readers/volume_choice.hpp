#pragma once
// One volume of a trace that holds several.
#include <string>

#include "stimuli/readers/trace_record.hpp"

namespace tessera {

/// Only the records of the volume `name`: as volume_name says it ("web_0", "ASU3", "dev1"), or just its number ("0", "3", "1").
/// A name that the trace does not hold, or a number that two volumes share, is an InputError.
[[nodiscard]] std::unique_ptr<TraceSource> choose_volume(std::unique_ptr<TraceSource> inner, const std::string& name);

/// All records, with a note if they are of more than one volume, since a drive has one address space.
[[nodiscard]] std::unique_ptr<TraceSource> share_address_space(std::unique_ptr<TraceSource> inner);

}  // namespace tessera
