#pragma once
// An operation of firmware in a shared library, and the one thing that it waits for. Lives in the frame of the coroutine that carries it
// out, so that a power cut ends it with that.
#include <cstdint>
#include <vector>

#include "firmware/translation_layer.hpp"
#include "platforms/plugin/tessera_firmware.h"

namespace tessera {

struct PluginOperation {
  enum class Wait : std::uint8_t { nothing, media, flash, timer, turn };

  std::uint64_t number = 0;
  Wait waits = Wait::nothing;
  bool done = false;
  Status status = Status::ok;  ///< once it is done

  MediaChain chain;
  std::vector<FlashCommand> flash;
  tessera_flash_command* told = nullptr;  ///< where the flash's answers go
  Picoseconds until;
  LifePhase turn_phase = LifePhase::lock;
  bool parked = false;  ///< ready() may resume it
  DeviceWait turn;
};

}  // namespace tessera
