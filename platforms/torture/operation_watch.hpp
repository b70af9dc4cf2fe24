#pragma once
// Sees each persistent operation of a drive as it begins.
#include <functional>

#include "media/media_device.hpp"
#include "nand/nand_device.hpp"
#include "platforms/drive/drive_module.hpp"
#include "platforms/torture/persistent_operation.hpp"

namespace tessera {

class OperationWatch final : private MediaObserver, private NandObserver {
 public:
  /// `begins` is called at or before the operation's begin. One watch a drive; it ends with the drive's simulation.
  OperationWatch(DriveModule& drive, std::function<void(const PersistentOperation&)> begins);

 private:
  void state(MediaState state, PhysicalTrack head, Picoseconds at) override;
  void die_changed(std::uint32_t die, DieState state, Picoseconds now) override;
  void channel_changed(std::uint32_t, bool, Picoseconds) override {}

  DriveModule& drive_;
  std::function<void(const PersistentOperation&)> begins_;
};

}  // namespace tessera
