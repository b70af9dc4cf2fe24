#include "firmware/defects/lost_sectors.hpp"

namespace tessera {

Stretch next_stretch(DataSpan data, Stretch before, bool lost) {
  const auto differs = [data, lost](std::uint32_t sector) { return data.buffer->is_lost(data.first + sector) != lost; };
  std::uint32_t first = before.first + before.count;
  while (first < data.count && differs(first)) ++first;
  std::uint32_t end = first;
  while (end < data.count && !differs(end)) ++end;
  return {first, end - first};
}

PhysicalRun part_of(const MediaPort& media, PhysicalRun run, Stretch part) {
  return {run.track, (run.first + part.first) % media.sectors_on(run.track), part.count};
}

Task<Status> read_lost(MediaPort& media, PhysicalRun run, DataSpan data) {
  for (Stretch lost = next_stretch(data, {}, true); lost.count != 0; lost = next_stretch(data, lost, true)) {
    MediaChain chain(MediaClass::host, LostSectors::carry);
    chain.read(part_of(media, run, lost), data.part(lost.first, lost.count));
    const Status status = co_await media.run(chain);
    if (!ok(status)) co_return status;
  }
  co_return Status::ok;
}

Task<Status> read_lost_again(MediaPort& media, PhysicalRun run, DataSpan data) {
  for (std::uint32_t look = 0; look < most_looks && data.buffer->any_lost(data.first, data.count); ++look) {
    const Status status = co_await read_lost(media, run, data);
    if (!ok(status)) co_return status;
  }
  co_return Status::ok;
}

Task<Status> write_present(MediaPort& media, PhysicalRun run, DataSpan data) {
  Status first = Status::ok;
  for (Stretch kept = next_stretch(data, {}, false); kept.count != 0; kept = next_stretch(data, kept, false)) {
    MediaChain chain(MediaClass::host);
    chain.write(part_of(media, run, kept), data.part(kept.first, kept.count));
    const Status status = co_await media.run(chain);
    if (ok(first)) first = status;
  }
  co_return first;
}

}  // namespace tessera
