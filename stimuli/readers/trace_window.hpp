#pragma once
// A part of a trace, with the clock at 0 where it begins.
#include <optional>

#include "stimuli/readers/trace_record.hpp"

namespace tessera {

/// Leaves out `skip` requests, then gives at most `limit`; the first one given arrives at 0. A window without any request is an
/// InputError.
[[nodiscard]] std::unique_ptr<TraceSource> window(std::unique_ptr<TraceSource> inner, std::uint64_t skip,
                                                  std::optional<std::uint64_t> limit);

}  // namespace tessera
