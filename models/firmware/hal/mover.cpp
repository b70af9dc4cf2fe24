#include "firmware/hal/mover.hpp"

namespace tessera::hal {

std::uint64_t move(RegisterFile& registers, MoverOperation operation, const DataSpan& span) {
  registers.write(Register::mover_from, address_of(span));
  registers.write(Register::mover_sectors, span.count);
  registers.write(Register::mover_start, static_cast<std::uint64_t>(operation));
  return operation == MoverOperation::first_lost ? registers.read(Register::mover_result) : 0;
}

void push_lost(RegisterFile& registers, const DataSpan& span) {
  if (!any_lost(span)) return;
  for (std::uint32_t i = 0; i < span.count; ++i)
    if (span.buffer->is_lost(span.first + i)) move(registers, MoverOperation::mark_lost, span.part(i, 1));
}

void pull_lost(RegisterFile& registers, const DataSpan& span) {
  if (span.buffer == nullptr) return;
  clear_lost(span);
  for (std::uint32_t done = 0; done < span.count;) {
    const DataSpan rest = span.part(done, span.count - done);
    const std::uint64_t next = move(registers, MoverOperation::first_lost, rest);
    if (next >= rest.count) return;
    span.buffer->mark_lost(rest.first + static_cast<std::uint32_t>(next));
    done += static_cast<std::uint32_t>(next) + 1;
  }
}

}  // namespace tessera::hal
