#include "firmware/shared/header_scan.hpp"

#include <vector>

namespace tessera {

Task<void> HeaderScan::read(const std::array<PhysicalRun, most>& sectors, std::uint32_t count) {
  MediaChain chain(MediaClass::host, LostSectors::carry);
  for (std::uint32_t i = 0; i < count; ++i) {
    headers_[i] = {};
    chain.read(sectors[i], {}, StepHint::position, &headers_[i]);
  }
  // A header that cannot be read stays zero.
  static_cast<void>(co_await media_.run(chain));
}

Task<bool> cannot_be_read(MediaPort& media, PhysicalRun sector) {
  SectorHeader header{};
  MediaChain chain;
  chain.read(sector, {}, StepHint::position, &header);
  const Status status = co_await media.run(chain);
  co_return !ok(status) && status != Status::lost;
}

Task<void> count_carriers(MediaPort& media, PhysicalRun run, const SectorHeader& header, Carriers& sum) {
  std::vector<SectorHeader> found(run.count);
  MediaStep step;
  step.run = run;
  step.headers = found;
  MediaChain chain;
  chain.add(step);
  static_cast<void>(co_await media.run(chain));
  for (std::uint32_t i = 0; i < run.count; ++i) {
    ++sum.sectors;
    if (found[i] == header) {
      ++sum.with;
    } else if (sum.with + sum.unreadable + 1 == sum.sectors) {
      const PhysicalRun sector{run.track, run.first + i, 1};
      const bool lost = co_await cannot_be_read(media, sector);
      sum.unreadable += lost ? 1 : 0;
    }
  }
}

}  // namespace tessera
