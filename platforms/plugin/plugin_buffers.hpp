#pragma once
// The buffers that firmware in a shared library may name, by their address in the drive's DRAM.
#include "base/buffer_directory.hpp"
#include "platforms/plugin/tessera_firmware.h"

namespace tessera {

class PluginBuffers : public BufferDirectory {
 public:
  /// The sectors that `data` names; FirmwareFault where no buffer that may be named holds them all.
  [[nodiscard]] DataSpan find(const tessera_data& data) const;
  /// The other way round.
  [[nodiscard]] static tessera_data name(const DataSpan& span);
};

}  // namespace tessera
