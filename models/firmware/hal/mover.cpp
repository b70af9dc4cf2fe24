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
    if (span.buffer->is_lost(span.first + i)) {
      const bool overwritten = span.buffer->is_overwritten(span.first + i);
      move(registers, overwritten ? MoverOperation::mark_overwritten : MoverOperation::mark_lost, span.part(i, 1));
    }
}

void pull_lost(RegisterFile& registers, const DataSpan& span) {
  if (span.buffer == nullptr) return;
  clear_lost(span);
  for (std::uint32_t done = 0; done < span.count;) {
    const DataSpan rest = span.part(done, span.count - done);
    const std::uint64_t found = move(registers, MoverOperation::first_lost, rest);
    const auto next = static_cast<std::uint32_t>(found);
    if (next >= rest.count) return;
    if ((found & lost_overwritten) != 0)
      span.buffer->mark_overwritten(rest.first + next);
    else
      span.buffer->mark_lost(rest.first + next);
    done += next + 1;
  }
}

}  // namespace tessera::hal
