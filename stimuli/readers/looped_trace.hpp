#pragma once
// A trace played several times over, for layers that need more writes than a short trace has.
#include <functional>

#include "stimuli/readers/trace_record.hpp"

namespace tessera {

inline constexpr std::uint64_t for_ever = ~std::uint64_t{0};

/// `open` starts the trace afresh, with its first request at 0. Each pass begins one mean inter-arrival time after the last request
/// of the pass before, and its addresses lie `drift` bytes above those of that pass. `in_time`: InputError if a pass takes no time.
[[nodiscard]] std::unique_ptr<TraceSource> loop(std::function<std::unique_ptr<TraceSource>()> open, std::uint64_t passes, Bytes drift,
                                                bool in_time = false);

}  // namespace tessera
