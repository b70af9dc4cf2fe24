#pragma once
// What an application's requests go to: the drive's link itself, or a translating host above it (stimuli/hosts/translating_host.hpp).
#include <functional>

#include "stimuli/player/player.hpp"

namespace tessera {

class HostFront : public HostLink {
 public:
  /// Who is told of completions from now on: one source of requests at a time uses the link.
  virtual void set_receiver(std::function<void(HostRequest&)> receiver) = 0;
  /// The power is lost: what is on its way is never answered.
  virtual void power_lost() = 0;
};

}  // namespace tessera
