#include "firmware/logs/header_scan.hpp"

#include <algorithm>
#include <vector>

namespace tessera {

// A header that cannot be read stays zero, and costs no other.

Task<void> HeaderScan::read(std::span<const PhysicalRun> sectors) {
  headers_.assign(sectors.size(), {});
  MediaChain chain(MediaClass::host, LostSectors::carry);
  for (std::size_t i = 0; i < sectors.size(); ++i) chain.read(sectors[i], {}, StepHint::position, &headers_[i]);
  static_cast<void>(co_await media_.run(chain));
}

Task<std::uint32_t> HeaderScan::read(const ConventionalLayout& layout, std::uint64_t first, std::uint64_t end) {
  MediaStep step;
  step.run = layout.piece({LogicalSector(first), static_cast<std::uint32_t>(std::min<std::uint64_t>(end - first, longest))});
  headers_.assign(step.run.count, {});
  step.headers = headers_;
  MediaChain chain;
  chain.add(step);
  static_cast<void>(co_await media_.run(chain));
  co_return step.run.count;
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
