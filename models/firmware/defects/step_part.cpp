#include "firmware/defects/step_part.hpp"

namespace tessera {

MediaStep part_of_step(const MediaStep& step, std::uint32_t first, std::uint32_t count, const MediaPort& media) {
  MediaStep part = step;
  part.early = nullptr;
  if (first != 0 || (count != step.run.count && step.hint == StepHint::whole_track)) part.hint = StepHint::position;
  part.run = {step.run.track, (step.run.first + first) % media.sectors_on(step.run.track), count};
  if (step.data.buffer != nullptr) part.data = step.data.part(first, count);
  if (!step.system.empty()) {
    const std::size_t bytes = step.system.size() / step.run.count;
    part.system = step.system.subspan(first * bytes, count * bytes);
  }
  if (first + count != step.run.count) part.header = nullptr;
  if (!step.headers.empty()) part.headers = step.headers.subspan(first, count);
  return part;
}

}  // namespace tessera
