#include "firmware/shared/header_scan.hpp"

namespace tessera {

Task<void> HeaderScan::read(const std::array<PhysicalRun, most>& sectors, std::uint32_t count) {
  for (std::uint32_t done = 0; done < count;) {
    MediaChain chain(MediaClass::host);
    for (std::uint32_t i = done; i < count; ++i) {
      headers_[i] = {};
      chain.read(sectors[i], {}, StepHint::position, &headers_[i]);
    }
    const Status status = co_await media_.run(chain);
    for (std::uint32_t i = 0; i < chain.steps_done; ++i) readable_[done + i] = true;
    done += chain.steps_done;
    // The chain ended at a sector that cannot be read: the scan goes on behind it.
    if (!ok(status)) readable_[done++] = false;
  }
}

}  // namespace tessera
