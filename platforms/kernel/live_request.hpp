#pragma once
// A request of a test bench at a live drive (live_drive_module.hpp), from its submission to its end.
#include <functional>
#include <memory>

#include "host/host_request.hpp"

namespace tessera {

struct LiveRequest {
  enum class State : std::uint8_t {
    waiting,  ///< for a tag, or for the drive to have power
    at_drive,
    done,  ///< answered, with host.status
    lost   ///< the power was cut, or the firmware restarted, before it was answered
  };

  HostRequest host;
  State state = State::waiting;
  Picoseconds ended;  ///< once it is done or lost
  /// Called at that instant, from within an action of the drive's calendar; may be empty.
  std::function<void(const std::shared_ptr<LiveRequest>&)> on_end;

  [[nodiscard]] bool over() const { return state == State::done || state == State::lost; }
};

using SharedRequest = std::shared_ptr<LiveRequest>;

}  // namespace tessera
