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

}  // namespace tessera
