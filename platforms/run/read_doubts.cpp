#include "platforms/run/read_doubts.hpp"

#include <algorithm>

namespace tessera {

std::vector<ReadDoubt> founded_doubts(const MediaDevice& device, const std::vector<ReadDoubt>& said) {
  std::vector<ReadDoubt> founded;
  std::ranges::copy_if(said, std::back_inserter(founded), [&](const ReadDoubt& doubt) {
    const PhysicalRun& end = doubt.places.back();
    const TrackSector last{device.geometry().linear(end.track), end.first + end.count - 1};
    return device.unread().contains(last) || device.content().status(last.track, last.sector) == Status::lost;
  });
  return founded;
}

void tell_doubted(const MediaDevice& device, const ReadDoubt& doubt, FaultListener& listener) {
  std::vector<std::byte> held(device.content().shape().kept());
  for (const PhysicalRun& run : doubt.places)
    for (std::uint32_t sector = run.first; sector < run.first + run.count; ++sector)
      if (ok(device.content().read(device.geometry().linear(run.track), sector, 1, held))) listener.destroyed(held);
}

}  // namespace tessera
