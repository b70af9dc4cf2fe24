#pragma once
// The data mover as functions, and the marks of lost sectors. The machine's own marks are the truth: a DataBuffer here has a copy, which is
// brought up to date after what may change it, and tells the machine before a device or the host reads what the firmware has marked.
#include "base/data_buffer.hpp"
#include "firmware/hal/register_file.hpp"

namespace tessera::hal {

/// One operation on a span; gives its result.
std::uint64_t move(RegisterFile& registers, MoverOperation operation, const DataSpan& span);

/// From the firmware's marks to the machine's.
void push_lost(RegisterFile& registers, const DataSpan& span);
/// From the machine's marks to the firmware's.
void pull_lost(RegisterFile& registers, const DataSpan& span);

}  // namespace tessera::hal
