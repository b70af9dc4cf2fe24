#pragma once
// The buffers that firmware in a shared library may name, by their address in the drive's DRAM.
#include <map>

#include "base/data_buffer.hpp"
#include "platforms/plugin/tessera_firmware.h"

namespace tessera {

class PluginBuffers {
 public:
  /// The buffer may be named until as many let_go().
  void hold(DataBuffer& buffer);
  void let_go(const DataBuffer& buffer);

  /// The sectors that `data` names; FirmwareFault where no buffer that may be named holds them all.
  [[nodiscard]] DataSpan find(const tessera_data& data) const;
  /// The other way round.
  [[nodiscard]] static tessera_data name(const DataSpan& span);

 private:
  struct Held {
    DataBuffer* buffer;
    unsigned holders;
  };
  std::map<std::uint64_t, Held> by_address_;
};

}  // namespace tessera
