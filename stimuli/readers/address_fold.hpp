#pragma once
// Addresses past the drive's end: refused, or folded back on request.
#include "stimuli/readers/trace_record.hpp"

namespace tessera {

/// A request that ends past `capacity` is an InputError with its place in the trace.
[[nodiscard]] std::unique_ptr<TraceSource> bound_addresses(std::unique_ptr<TraceSource> inner, Bytes capacity);

/// Offsets modulo `capacity`; a request over the drive's end becomes two (or more) that arrive together, or each as the one
/// before it completes where the trace tells think times.
[[nodiscard]] std::unique_ptr<TraceSource> fold_addresses(std::unique_ptr<TraceSource> inner, Bytes capacity);

}  // namespace tessera
