// A drive's rests, which pass without the clock: each part is told how long. What comes at an instant of its own (bits that flip, defects
// that grow, somebody else's parts) keeps the clock.
#include "platforms/drive/drive_module.hpp"

namespace tessera {

bool DriveModule::may_rest() const {
  const bool own = media_ != nullptr && dram_ != nullptr && controller_ != nullptr && host_interface_ != nullptr &&
                   (!parts_.flash || nand_ != nullptr) && attached_.empty();
  const bool native = config_.image == nullptr && processor_port_ == nullptr && registers_ == nullptr;
  return own && native && pace_ == nullptr && checkers_.empty() && recorders_.empty() && block_target_ == nullptr &&
         !DramFaults::any(config_.dram) && config_.media.grown_defects.empty() && timeline_.alone();
}

void DriveModule::rest(Picoseconds by) {
  controller_->core().executor().firmware_signals().rest(by);
  controller_->core().memory().rest(by);
  media_->device().rest(by, timeline().now());
  bus_.interconnect().rest(by);
  dram_->device().rest(by);
  if (nand_ != nullptr) nand_->device().rest(by);
}

}  // namespace tessera
