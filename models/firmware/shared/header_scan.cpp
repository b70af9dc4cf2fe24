#include "firmware/shared/header_scan.hpp"

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

}  // namespace tessera
